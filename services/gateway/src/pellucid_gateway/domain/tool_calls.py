"""Calls of the client's own tools, put together from the pieces in which the model streams them."""

from collections.abc import Mapping, Sequence
from typing import Any

# Calls in one answer beyond which pieces are no longer collected; they are still passed on.
_MOST_CALLS = 128
# What each kind of tool is given: JSON, or free text.
_GIVEN = {"function": "arguments", "custom": "input"}


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
            _add(calls.setdefault(place, {"id": "", "type": ""}), piece)
    return tuple(calls[place] for place in sorted(calls) if calls[place]["type"])


def _add(call: dict[str, Any], piece: Mapping[str, Any]) -> None:
    call["id"] = piece.get("id") or call["id"]
    for kind, given in _GIVEN.items():
        part = piece.get(kind)
        if isinstance(part, Mapping):
            call["type"] = kind
            whole = call.setdefault(kind, {"name": "", given: ""})
            whole["name"] = part.get("name") or whole["name"]
            whole[given] += part.get(given) or ""
