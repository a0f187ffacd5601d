"""A turn that the model server answered by itself: who asked, what was decided, what it used.

Its bytes pass untouched, so all that is known of it is what the model server says of itself in the
last of them: its name, and the usage if it was asked to.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from pellucid_gateway.domain.decision import Decision

# The chunk with the usage is the last before the end mark; pieces seldom hold less than a chunk.
_LAST_PIECES = 8
_DATA = b"data:"
_END = b"[DONE]"
# A longer name of a model is none.
_LONGEST_NAME = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What a reply of the model server says of itself.

    Attributes:
        prompt_tokens: 0 where it does not tell.
        completion_tokens: The same.
        model: Model that answered; empty where it does not tell.
        cost_micro_usd: Cost by the price list of the settings; 0 without a price.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    model: str = ""
    cost_micro_usd: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedOn:
    """A turn that was passed on.

    Attributes:
        caller: HMAC of the identity; empty when nobody is known.
        decision: None where there was nothing to decide, such as a tool's result.
        spent: By the model server's account.
    """

    caller: str
    decision: Decision | None
    spent: Spent = field(default_factory=Spent)


def last_pieces() -> deque[bytes]:
    """Where the end of a stream is kept while it passes."""
    return deque(maxlen=_LAST_PIECES)


def told_by_stream(pieces: Iterable[bytes]) -> Spent:
    r"""What the end of a stream of events says of it.

    >>> told = told_by_stream([b'data: {"model":"m","usage":{"prompt_tokens":7,', b'"x":2}}\n\n'])
    >>> told.prompt_tokens, told.model
    (7, 'm')
    """
    lines = b"".join(pieces).splitlines()
    data = (line.removeprefix(_DATA) for line in reversed(lines) if line.startswith(_DATA))
    told = [told_by_reply(line) for line in data if line.strip() != _END]
    used = next((one for one in told if one.prompt_tokens or one.completion_tokens), Spent())
    return replace(used, model=next((one.model for one in told if one.model), ""))


def told_by_reply(body: bytes) -> Spent:
    """What a reply or chunk says of itself.

    >>> told = told_by_reply(b'{"usage": {"prompt_tokens": 7, "completion_tokens": "many"}}')
    >>> told.prompt_tokens, told.completion_tokens
    (7, 0)
    >>> told_by_reply(b"<html>") == Spent()
    True
    """
    try:
        reply = orjson.loads(body)
    except orjson.JSONDecodeError:
        return Spent()
    if not isinstance(reply, Mapping):
        return Spent()
    usage = reply.get("usage")
    usage = usage if isinstance(usage, Mapping) else {}
    model = reply.get("model")
    return Spent(
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        model=model[:_LONGEST_NAME] if isinstance(model, str) else "",
    )


def _count(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0
