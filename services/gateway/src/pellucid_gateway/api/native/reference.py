"""GET /docs: the API reference as a plain page, written from /openapi.json without any script."""

from html import escape
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.responses import HTMLResponse, Response

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}: reference</title>
<link rel="icon" href="static/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="static/css/tokens.css">
<link rel="stylesheet" href="static/css/reference.css">
<script src="static/js/first-paint.js"></script>
</head><body><main>
<h1>{title}</h1><p>{summary} The same as data: <a href="openapi.json">openapi.json</a>.</p>
{operations}
<h2>Shapes</h2>
{schemas}
</main></body></html>"""


def reference_routes(app: FastAPI) -> APIRouter:
    """Route of the reference page."""
    router = APIRouter(include_in_schema=False)

    @router.get("/docs")
    async def reference() -> Response:
        """Serve the reference."""
        return HTMLResponse(_page(app.openapi()))

    return router


def _page(document: dict[str, Any]) -> str:
    operations = "".join(
        _operation(path, method, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    )
    schemas = "".join(
        _schema(name, schema) for name, schema in sorted(document["components"]["schemas"].items())
    )
    return _PAGE.format(
        title=escape(document["info"]["title"]),
        summary=escape(document["info"].get("summary", "")),
        operations=operations,
        schemas=schemas,
    )


def _operation(path: str, method: str, operation: dict[str, Any]) -> str:
    body = operation.get("requestBody", {}).get("content", {})
    takes = "".join(f"<p>Takes {_reference(part['schema'])}</p>" for part in body.values())
    answers = "".join(
        f"<li><b>{escape(str(status))}</b> {escape(response.get('description', ''))} "
        f"{_content(response)}</li>"
        for status, response in operation["responses"].items()
    )
    description = escape(operation.get("description", ""))
    return (
        f"<section><h2><code>{method.upper()} {escape(path)}</code></h2>"
        f"<p>{description}</p>{takes}<ul>{answers}</ul></section>"
    )


def _content(response: dict[str, Any]) -> str:
    parts = [_reference(part["schema"]) for part in response.get("content", {}).values()]
    return ", ".join(part for part in parts if part)


def _reference(schema: dict[str, Any]) -> str:
    name = schema.get("$ref", "").rpartition("/")[2]
    return f'<a href="#{escape(name)}">{escape(name)}</a>' if name else ""


def _schema(name: str, schema: dict[str, Any]) -> str:
    required = set(schema.get("required", ()))
    rows = "".join(
        f"<tr><td><code>{escape(field)}</code>{' *' if field in required else ''}</td>"
        f"<td>{_kind(part)}</td><td>{escape(part.get('description', ''))}</td></tr>"
        for field, part in schema.get("properties", {}).items()
    )
    about = escape(schema.get("description", ""))
    return (
        f'<section id="{escape(name)}"><h3>{escape(name)}</h3><p>{about}</p>'
        f'<div tabindex="0" role="region" aria-label="{escape(name)}">'
        f"<table><tbody>{rows}</tbody></table></div></section>"
    )


def _kind(part: dict[str, Any]) -> str:
    """Type, allowed words and bounds of a field in words."""
    if "$ref" in part:
        return _reference(part)
    if "anyOf" in part:
        return " or ".join(_kind(option) for option in part["anyOf"])
    if "enum" in part:
        return ", ".join(f"<code>{escape(str(word))}</code>" for word in part["enum"])
    bounds = [f"{key} {part[key]}" for key in ("minimum", "maximum", "maxItems") if key in part]
    inner = f" of {_kind(part['items'])}" if part.get("items") else ""
    return escape(part.get("type", "anything")) + inner + "".join(f", {b}" for b in bounds)
