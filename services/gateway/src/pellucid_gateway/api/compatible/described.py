"""How the APIs of other products stand in /openapi.json, as `paths.yaml` says."""

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import yaml

_ERRORS = ("application/json", "application/problem+json", "text/plain")
_JSON, _FORM = "application/json", "application/x-www-form-urlencoded"
_NO_BRACES = str.maketrans("", "", "{}")


def compatible_paths() -> dict[str, Any]:
    """Path items by path, in the form of OpenAPI 3.1."""
    table = files("pellucid_gateway.api.compatible").joinpath("paths.yaml").read_text("utf-8")
    described: Mapping[str, Mapping[str, Any]] = yaml.safe_load(table)
    return {
        path: {method: _operation(path, told) for method, told in methods.items()}
        for path, methods in described.items()
    }


def _operation(path: str, told: Mapping[str, Any]) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "summary": told["summary"],
        "description": told["summary"],
        "tags": ["native" if told.get("upgrades") else "compatible"],
        "operationId": _name(path, told),
        "externalDocs": {"url": told["reference"]},
        "responses": _responses(told),
    }
    if parameters := [
        {"name": name, "in": place, "required": place == "path" or name == "q", "schema": schema}
        for place in ("path", "query")
        for name, schema in told.get(place, {}).items()
    ]:
        operation["parameters"] = parameters
    if "fields" in told:
        operation["requestBody"] = {
            "required": True,
            "content": {_FORM if told.get("form") else _JSON: {"schema": _body(told)}},
        }
    return operation


def _name(path: str, told: Mapping[str, Any]) -> str:
    """A name of its own for each operation; a form stands beside the same by an address."""
    parts = path.translate(_NO_BRACES).strip("/").split("/")
    return "_".join((*parts, "form") if told.get("form") else parts)


def _responses(told: Mapping[str, Any]) -> dict[str, Any]:
    errors: dict[str, Any] = {kind: {"schema": {}} for kind in _ERRORS}
    refused = {"description": "An error in the product's own form.", "content": errors}
    if told.get("upgrades"):
        return {"101": {"description": "Upgraded to a WebSocket."}, "default": refused}
    content: dict[str, Any] = {"application/json": {"schema": {"type": "object", **told["reply"]}}}
    if told.get("streams"):
        content["text/event-stream"] = {"schema": {}}
    done: dict[str, Any] = {"description": "Done.", "content": content}
    taken = {"202": {"description": "Taken; there is nothing to answer."}}
    return {"200": done, **(taken if told.get("notified") else {}), "default": refused}


def _body(told: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "required": told["required"],
        "properties": told["fields"],
        "additionalProperties": True,
    }
