"""Calls of the client's own tools, put together from the pieces in which the model streams them."""

from collections.abc import Mapping, Sequence
from typing import Any

# Calls in one answer beyond which pieces are no longer collected; they are still passed on.
_MOST_CALLS = 128


def assembled(pieces: Sequence[Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    """Whole calls, in order of their index.

    >>> assembled(
    ...     [
    ...         {"index": 0, "id": "a", "function": {"name": "f", "arguments": "{"}},
    ...         {"index": 0, "function": {"arguments": "}"}},
    ...     ]
    ... )
    ({'id': 'a', 'type': 'function', 'function': {'name': 'f', 'arguments': '{}'}},)
    """
    calls: dict[int, dict[str, Any]] = {}
    for piece in pieces:
        index = piece.get("index")
        place = index if isinstance(index, int) else len(calls)
        if place in calls or len(calls) < _MOST_CALLS:
            _add(calls.setdefault(place, _empty()), piece)
    return tuple(calls[place] for place in sorted(calls))


def _empty() -> dict[str, Any]:
    return {"id": "", "type": "function", "function": {"name": "", "arguments": ""}}


def _add(call: dict[str, Any], piece: Mapping[str, Any]) -> None:
    call["id"] = piece.get("id") or call["id"]
    call["type"] = piece.get("type") or call["type"]
    function = piece.get("function")
    if isinstance(function, Mapping):
        call["function"]["name"] = function.get("name") or call["function"]["name"]
        call["function"]["arguments"] += function.get("arguments") or ""
