"""Reads request bodies: bounded, any content type, with errors that name field and limit.

The body is cut as soon as it is known to be too long; JSON is parsed once by orjson and then
checked against a strict pydantic model.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from starlette.requests import ClientDisconnect, Request

from pellucid_gateway.api.http.encodings import EncodingError, unpacked
from pellucid_gateway.api.http.problems import (
    FieldError,
    Problem,
    ProblemError,
    ProblemResponse,
    invalid,
    too_large,
)
from pellucid_language.text import clean

M = TypeVar("M", bound=BaseModel)

# Deepest nesting of arrays and objects; the deepest native request has 3 levels.
MAX_JSON_DEPTH = 32
# Limits in words, by pydantic's kinds of errors.
_LIMITS: Mapping[str, str] = {
    "missing": "a value",
    "string_type": "a string",
    "int_type": "an integer",
    "int_from_float": "an integer",
    "int_parsing": "an integer",
    "int_parsing_size": "an integer of usual size",
    "float_parsing": "a number",
    "bool_parsing": "a boolean",
    "float_type": "a number",
    "bool_type": "a boolean",
    "list_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "greater_than_equal": "at least {ge}",
    "less_than_equal": "at most {le}",
    "too_long": "a list of at most {max_length} items",
    "too_short": "a list of at least {min_length} items",
    "string_too_long": "at most {max_length} characters long",
    "string_pattern_mismatch": "text of the pattern {pattern}",
    "finite_number": "a finite number",
}
# Most field errors in one document; a request can be wrong in unbounded ways.
MAX_ERRORS = 20


class BodyTooLargeError(ProblemError):
    """The body was cut off; the rest of it must not be read."""

    def __init__(self, limit: int) -> None:
        what = f"at most {limit} bytes"
        super().__init__(too_large([FieldError("body", what, f"must be {what}")]))

    def response(self) -> ProblemResponse:
        """The answer; closes the connection afterwards."""
        return ProblemResponse(self.problem, linger=True)


async def read_body(request: Request, limit: int) -> bytes:
    """Read the body, gzip included; `limit` is that of the plain bytes.

    Raises:
        BodyTooLargeError: More than `limit` bytes are announced or arrived.
        ProblemError: It broke off, or is encoded otherwise.
    """
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > limit:
        raise BodyTooLargeError(limit)
    body = await _received(request, limit)
    try:
        plain = unpacked(body, request.headers.get("content-encoding", ""), limit)
    except EncodingError as error:
        limited = FieldError("Content-Encoding", str(error), f"must be {error}")
        raise ProblemError(invalid([limited])) from None
    if plain is None:
        raise BodyTooLargeError(limit)
    return plain


async def _received(request: Request, limit: int) -> bytes:
    chunks: list[bytes] = []
    size = 0
    try:
        async for chunk in request.stream():
            size += len(chunk)
            if size > limit:
                raise BodyTooLargeError(limit)
            chunks.append(chunk)
    except ClientDisconnect:
        raise ProblemError(_broken("the body broke off")) from None
    return b"".join(chunks)


def parse_object(body: bytes) -> dict[str, Any]:
    """Parse a JSON object.

    Raises:
        ProblemError: Empty, broken (with its position), nested too deep, or not an object.
    """
    if not body.strip():
        raise ProblemError(_broken("a JSON object is needed, the body is empty"))
    value = _parse(body)
    if not isinstance(value, dict):
        raise ProblemError(_broken(f"must be a JSON object, not {_json_name(value)}"))
    return value


def _parse(body: bytes) -> Any:
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise ProblemError(_broken(_unreadable(body, error))) from None
    brackets = body.count(b"{") + body.count(b"[")
    if brackets > MAX_JSON_DEPTH and _depth(value) > MAX_JSON_DEPTH:
        raise ProblemError(_broken(f"nested deeper than {MAX_JSON_DEPTH} levels"))
    return value


def _unreadable(body: bytes, error: orjson.JSONDecodeError) -> str:
    """What is wrong with a body that the parser refused, as precisely as is known."""
    try:
        body.decode()
    except UnicodeDecodeError as bad:
        return f"is not UTF-8 at byte {bad.start}"
    # The parser has a depth limit of its own, far above ours, and reports it by these words only.
    if "depth limit" in error.msg:
        return f"nested deeper than {MAX_JSON_DEPTH} levels"
    where = f"broken JSON at line {error.lineno}, column {error.colno}"
    return f"{where} (character {error.pos})"


def _broken(message: str) -> Problem:
    return invalid([FieldError("body", "a JSON object", message)])


def _depth(value: Any) -> int:
    """Nesting of arrays and objects, without recursion."""
    deepest = 0
    stack: list[tuple[Any, int]] = [(value, 0)]
    while stack:
        item, depth = stack.pop()
        if isinstance(item, dict | list):
            deepest = max(deepest, depth + 1)
            inner: Any = item.values() if isinstance(item, dict) else item
            stack.extend((child, depth + 1) for child in inner)
    return deepest


def _json_name(value: object) -> str:
    """Name of a JSON type for people."""
    names: Mapping[type, str] = {
        list: "an array", str: "a string", bool: "a boolean", int: "a number",
        float: "a number", type(None): "null",
    }  # fmt: skip
    return names.get(type(value), "something else")


async def read_model(request: Request, model: type[M], limit: int) -> M:
    """Read and check a request.

    Raises:
        ProblemError: Too large, broken, or a field breaks its limit.
    """
    return check(model, parse_object(await read_body(request, limit)))


def check(model: type[M], value: Mapping[str, Any]) -> M:
    """Check a parsed object. Null counts as absent for a field at the top.

    Raises:
        ProblemError: Names each wrong field with its limit.
    """
    given = {name: part for name, part in value.items() if part is not None}
    try:
        return model.model_validate(given)
    except ValidationError as error:
        raise ProblemError(problem_with(error, model)) from None


def problem_with(error: ValidationError, model: type[BaseModel]) -> Problem:
    """What pydantic found wrong, in plain words."""
    details = error.errors(include_url=False, include_input=False)[:MAX_ERRORS]
    errors = list(_field_errors(details, model))
    large = any(detail["type"] == "payload_too_large" for detail in details)
    return too_large(errors) if large else invalid(errors)


def _field_errors(details: Sequence[ErrorDetails], model: type[BaseModel]) -> Iterator[FieldError]:
    for detail in details:
        named = detail.get("ctx", {}).get("field", "body")
        field = clean(_path(detail["loc"]))[:256] or str(named)
        limit = _limit(detail, model)
        yield FieldError(field, limit, _sentence(detail, limit))


def _path(loc: Sequence[str | int]) -> str:
    """`("messages", 0, "content")` becomes `messages[0].content`."""
    path = ""
    for part in loc:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return path


def _limit(detail: ErrorDetails, model: type[BaseModel]) -> str:
    kind = detail["type"]
    context = detail.get("ctx", {})
    if kind == "extra_forbidden":
        known = ", ".join(model.model_fields) if len(detail["loc"]) == 1 else "see /openapi.json"
        return f"known fields: {known}"
    if kind == "literal_error":
        return f"one of {context['expected']}".replace(" or ", ", ")
    if "limit" in context:
        return str(context["limit"])
    words = _LIMITS.get(kind)
    return words.format(**context) if words else detail["msg"]


def _sentence(detail: ErrorDetails, limit: str) -> str:
    kind = detail["type"]
    if kind == "missing":
        return "is required"
    if kind == "extra_forbidden":
        return "is not a known field"
    if kind == "literal_error" or kind in _LIMITS:
        return f"must be {limit}"
    return detail["msg"]
