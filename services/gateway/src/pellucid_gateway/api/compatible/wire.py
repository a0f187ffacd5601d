"""Reads the loosely typed JSON of other products' requests; wrong types become clear errors."""

from collections.abc import Iterator, Mapping
from typing import Any

from pellucid_gateway.api.http.problems import FieldError, ProblemError, invalid

Json = dict[str, Any]

# Stands for the result of a tool that is an image; the image itself follows.
BELOW = "(see below)"


def refused(field: str, limit: str) -> ProblemError:
    """A field that breaks its limit, which is given in words."""
    return ProblemError(invalid([FieldError(field, limit, f"must be {limit}")]))


def not_an_object(field: str) -> ProblemError:
    """A field that must be a JSON object and is not."""
    return ProblemError(invalid([FieldError(field, "an object", "must be an object")]))


def objects(value: Any, field: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Path and value of each object of a list; an absent list is empty.

    Raises:
        ProblemError: It is no list, or one of its items is no object.
    """
    if value is None:
        return
    if not isinstance(value, list):
        raise refused(field, "a list")
    for place, item in enumerate(value):
        path = f"{field}[{place}]"
        if not isinstance(item, dict):
            raise not_an_object(path)
        yield path, item


def part_of(body: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """An object within an object; an empty one for anything else."""
    part = body.get(name)
    return part if isinstance(part, dict) else {}


def text_of(value: Any) -> str:
    """A string as it is, anything else as nothing."""
    return value if isinstance(value, str) else ""


def joined_text(content: Any) -> str:
    """Text of a content that is a string or a list of parts with `text`."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(
        part["text"]
        for part in parts
        if isinstance(part, dict) and isinstance(part.get("text"), str)
    )


def given(pairs: Mapping[str, Any]) -> Json:
    """Only what has a value."""
    return {name: value for name, value in pairs.items() if value is not None}


def simplest(parts: list[Json]) -> str | list[Json]:
    """Parts that are all text as one string, which every model server understands."""
    if all(part.get("type") == "text" for part in parts):
        return joined_text(parts)
    return parts
