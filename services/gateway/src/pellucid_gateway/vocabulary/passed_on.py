"""A turn that the model server answered by itself: who asked, what was decided, what it used.

Its bytes pass untouched, so all that is known of it is what the model server says of usage in the
last of them, if it was asked to.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from pellucid_gateway.vocabulary.decision import Decision

# The chunk with the usage is the last before the end mark; pieces seldom hold less than a chunk.
_LAST_PIECES = 8
_DATA = b"data:"


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedOn:
    """A turn that was passed on.

    Attributes:
        caller: HMAC of the identity; empty when nobody is known.
        decision: None where there was nothing to decide, such as a tool's result.
        prompt_tokens: By the model server's account; 0 without one.
        completion_tokens: The same.
    """

    caller: str
    decision: Decision | None
    prompt_tokens: int = 0
    completion_tokens: int = 0


def last_pieces() -> deque[bytes]:
    """Where the end of a stream is kept while it passes."""
    return deque(maxlen=_LAST_PIECES)


def tokens_of_stream(pieces: Iterable[bytes]) -> tuple[int, int]:
    r"""Tokens of prompt and completion by the end of a stream of events.

    >>> tokens_of_stream([b'data: {"usage":{"prompt_tokens":7,', b'"completion_tokens":2}}\n\n'])
    (7, 2)
    """
    lines = b"".join(pieces).splitlines()
    told = (line.removeprefix(_DATA) for line in reversed(lines) if b'"usage"' in line)
    return next(filter(any, map(tokens_of_reply, told)), (0, 0))


def tokens_of_reply(body: bytes) -> tuple[int, int]:
    """Tokens of prompt and completion by a reply or chunk; 0 where it does not tell.

    >>> tokens_of_reply(b'{"usage": {"prompt_tokens": 7, "completion_tokens": "many"}}')
    (7, 0)
    >>> tokens_of_reply(b"<html>")
    (0, 0)
    """
    try:
        reply = orjson.loads(body)
    except orjson.JSONDecodeError:
        return 0, 0
    usage = reply.get("usage") if isinstance(reply, Mapping) else None
    if not isinstance(usage, Mapping):
        return 0, 0
    return _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))


def _count(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0
