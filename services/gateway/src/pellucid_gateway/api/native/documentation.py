"""How the native APIs describe themselves in /openapi.json.

Bodies are read by `bodies`, not by the framework, so the schemas of their types are added here.
"""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, Field
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from pellucid_gateway.api.native.events import EVENT_NAMES

_REF = "#/components/schemas/{model}"


class FieldErrorReply(BaseModel):
    """One wrong field."""

    field: str = Field(description="Path of the field, for example `messages[0].content`.")
    limit: str = Field(description="The limit that it breaks, in words.")
    message: str = Field(description="What is wrong.")


class ChallengeReply(BaseModel):
    """What a page needs to show a challenge."""

    site_key: str = Field(description="Names this installation to the vendor.")
    script: str = Field(description="Address of the vendor's script; empty: none configured.")


class ProblemReply(BaseModel):
    """RFC 9457 problem document."""

    type: str = Field(description="URN of the kind of problem.")
    title: str = Field(description="The kind of problem in words.")
    status: int = Field(description="HTTP status.")
    detail: str = Field(description="One sentence about this occurrence.")
    code: str = Field(description="Stable machine-readable cause.")
    retryable: bool = Field(description="The same request may succeed later.")
    errors: list[FieldErrorReply] = Field(description="Fields that are wrong; may be empty.")
    challenge: ChallengeReply | None = Field(None, description="Only of CHALLENGE_REQUIRED.")


_FAILURES = {
    400: "A field exceeds its limit; `errors` names it.",
    401: "A valid key is required.",
    403: "Host or Origin is not permitted, or the key's scope.",
    404: "Not found.",
    413: "A message or the body is too large.",
    429: "Too many requests; see Retry-After.",
    500: "A defect of the server.",
    503: "The server or what it needs is busy or down.",
    504: "The deadline passed.",
}


def failures(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Documented failures; without statuses all of them."""
    content = {"application/problem+json": {"schema": {"$ref": _REF.format(model="ProblemReply")}}}
    chosen = statuses or tuple(_FAILURES)
    return {status: {"description": _FAILURES[status], "content": content} for status in chosen}


_EVENT = {
    "type": "object",
    "description": "One event of the stream; the last one is exactly one done or error.",
    "required": ["event", "data"],
    "properties": {
        "event": {"type": "string", "enum": list(EVENT_NAMES)},
        "data": {"type": "string", "description": "JSON of the event."},
    },
}


def described(
    body: type[BaseModel] | None, reply: type[BaseModel], *, streams: bool = False
) -> dict[str, Any]:
    """Arguments of a route that describe its body, reply and failures."""
    content = {"text/event-stream": {"schema": _EVENT}} if streams else {}
    extra: dict[str, Any] = {}
    if body is not None:
        schema = {"application/json": {"schema": {"$ref": _REF.format(model=body.__name__)}}}
        extra["openapi_extra"] = {"requestBody": {"required": True, "content": schema}}
    return {
        "response_model": None,
        "responses": {
            200: {"description": "Done.", "model": reply, "content": content},
            **failures(),
        },
        **extra,
    }


_ABOUT = ("title", "description", "default")


def component_schemas(bodies: Sequence[type[BaseModel]]) -> dict[str, Any]:
    """Schemas of bodies and of problems, which routes refer to, for `components.schemas`."""
    wanted: list[tuple[type[BaseModel], JsonSchemaMode]] = [(ProblemReply, "serialization")]
    wanted += [(model, "validation") for model in bodies]
    _, schema = models_json_schema(wanted, ref_template=_REF)
    schemas: dict[str, Any] = schema["$defs"]
    for model in bodies:
        _allow_null(schemas[model.__name__])
    return schemas


def _allow_null(schema: dict[str, Any]) -> None:
    """Say of every optional field that null is as good as nothing."""
    for name in schema["properties"].keys() - set(schema.get("required", ())):
        field = schema["properties"][name]
        about = {key: field.pop(key) for key in _ABOUT if key in field}
        schema["properties"][name] = {"anyOf": [field, {"type": "null"}], **about}


_SECURITY = {
    "key": {"type": "http", "scheme": "bearer", "description": "A key of this gateway."},
    "x-api-key": {"type": "apiKey", "in": "header", "name": "x-api-key"},
}
# What the framework would answer by itself, and nothing here does.
_NEVER = "422"
_UNUSED = ("HTTPValidationError", "ValidationError")


def as_served(document: dict[str, Any]) -> dict[str, Any]:
    """The document with the keys that are taken, and without answers that are never given."""
    components = document["components"]
    components["securitySchemes"] = _SECURITY
    for name in _UNUSED:
        components["schemas"].pop(name, None)
    for operations in document["paths"].values():
        for operation in operations.values():
            operation["responses"].pop(_NEVER, None)
    # Keys may be off: then none is asked for.
    document["security"] = [{}, *({name: []} for name in _SECURITY)]
    return document
