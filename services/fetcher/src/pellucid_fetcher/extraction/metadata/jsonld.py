"""schema.org data of a page: metadata and dates, never text."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from selectolax.lexbor import LexborHTMLParser

_MAX_SCRIPTS: Final = 20
_MAX_CHARS: Final = 200_000
_MAX_NODES: Final = 2_000


def read_nodes(parser: LexborHTMLParser) -> tuple[Mapping[str, Any], ...]:
    """Return every typed object of the JSON-LD, outer ones first; broken scripts are skipped."""
    scripts = parser.css('script[type="application/ld+json"]')[:_MAX_SCRIPTS]
    found: list[Mapping[str, Any]] = []
    for script in scripts:
        found.extend(_typed(_load(script.text(deep=True) or "")))
        if len(found) > _MAX_NODES:
            break
    return tuple(found[:_MAX_NODES])


def _load(text: str) -> Any:
    if len(text) > _MAX_CHARS:
        return None
    try:
        return json.loads(text.strip().removesuffix(";"), strict=False)
    except (ValueError, RecursionError):
        return None


def _typed(value: Any) -> Iterator[Mapping[str, Any]]:
    stack = [value]
    for _ in range(_MAX_NODES):
        if not stack:
            return
        current = stack.pop()
        if isinstance(current, Mapping):
            if "@type" in current:
                yield current
            stack.extend(reversed([v for v in current.values() if isinstance(v, (Mapping, list))]))
        elif isinstance(current, list):
            stack.extend(reversed(current))


def types_of(node: Mapping[str, Any]) -> frozenset[str]:
    """Return the type names of an object, without their namespace."""
    raw = node.get("@type")
    names = raw if isinstance(raw, list) else [raw]
    return frozenset(str(name).rsplit("/", 1)[-1] for name in names if name)


def text_of(value: Any) -> str:
    """Return the readable form of a property: a text, or the name of what it points to."""
    if isinstance(value, list):
        return ", ".join(filter(None, map(text_of, value[:5])))
    if isinstance(value, Mapping):
        return text_of(value.get("name", ""))
    return value.strip() if isinstance(value, str) else ""
