"""The prompt of a compatible face: the client's own conversation, and one message of ours.

Nothing of the client's is changed, left out or moved. Ours stands before the client's last message
of a person and is sized to what its conversation leaves of the window; when not even one source
fits, it is left out, and the person is told.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from pellucid_gateway.answering.context import Context, Room, fitted
from pellucid_gateway.answering.particulars import asides, time_and_place, unread_rules
from pellucid_gateway.answering.rules import SOURCE_RULES
from pellucid_gateway.answering.setting import Setting
from pellucid_gateway.answering.window import (
    LARGEST_ANSWER_SHARE,
    PER_MESSAGE_TOKENS,
    estimated,
    source_cap,
)
from pellucid_gateway.domain.answer_model import Prompt
from pellucid_gateway.domain.findings import Source
from pellucid_gateway.domain.request import ClientMessages, TurnRequest
from pellucid_gateway.question.tokens import tokens_of
from pellucid_gateway.turn_context.plans import DepthPlan

# Most tokens that vendors count for one image in full detail.
_IMAGE_TOKENS = 2_000
# Parts whose bytes are no text; their encoded length says nothing of their tokens.
_BINARY_PARTS = frozenset({"image_url", "input_image", "image", "input_audio", "file"})
_GAP = "\n\n"
_LENGTH_FIELDS = ("max_completion_tokens", "max_tokens")


def build_client_prompt(
    request: TurnRequest, client: ClientMessages, sources: Sequence[Source], setting: Setting
) -> Prompt:
    """Add the sources, and what is known of subject and person, to a client's own messages."""
    room = client_room(client, setting.plan, setting.window_tokens)
    ours, context = _ours(request, sources, setting, room)
    added = ({"role": "user", "content": ours},) if ours else ()
    place = _place(client.messages)
    messages = (*client.messages[:place], *added, *client.messages[place:])
    return Prompt(
        messages=(),
        max_tokens=None,
        model=request.model,
        context_tokens=tokens_of(context.text),
        shown=context.numbers,
        left_out=context.left_out,
        client=ClientMessages(messages=messages, fields=client.fields),
    )


def prompt_text(client: ClientMessages) -> str:
    """The conversation as text, for the account of what left."""
    return orjson.dumps(list(client.messages), default=str).decode()


def _place(messages: Sequence[Mapping[str, Any]]) -> int:
    """Before the last message of a person: a call of a tool and its results stay together."""
    asked = [n for n, message in enumerate(messages) if message.get("role") == "user"]
    return asked[-1] if asked else len(messages)


def client_room(client: ClientMessages, plan: DepthPlan, window_tokens: int) -> int:
    """Estimated tokens that a client's conversation and its answer leave of the window."""
    left = estimated(window_tokens - _answer_tokens(client, plan, window_tokens))
    return left - client_tokens(client) - PER_MESSAGE_TOKENS


def _ours(
    request: TurnRequest, sources: Sequence[Source], setting: Setting, room: int
) -> tuple[str, Context]:
    """Our message and the sources in it; empty when nothing is to say or nothing fits."""
    about = (*unread_rules(setting.unread), *asides(request))
    if not sources:
        text = "\n".join(about)
        return (text if tokens_of(text) <= room else "", Context())
    head = _GAP.join((SOURCE_RULES, "\n".join((time_and_place(request, setting.now), *about))))
    left = Room(room - tokens_of(f"{head}{_GAP}"), source_cap(sources, setting.plan))
    context = fitted(sources, marker=setting.marker, room=left, notes=setting.notes)
    return (f"{head}{_GAP}{context.text}" if context.text else "", context)


def _answer_tokens(client: ClientMessages, plan: DepthPlan, window_tokens: int) -> int:
    """What is kept free for the answer: what the client allows it, a quarter of the window at most.

    Clients send the most that any model can write (128,000): it says nothing of the answer.
    """
    named = (client.fields.get(name) for name in _LENGTH_FIELDS)
    allowed = next((n for n in named if isinstance(n, int) and n > 0), plan.answer_tokens)
    return min(allowed, window_tokens // LARGEST_ANSWER_SHARE)


def client_tokens(client: ClientMessages) -> int:
    """Estimated tokens of the client's own messages and fields, a flat count per image."""
    fields = _json_tokens(dict(client.fields))
    return fields + sum(PER_MESSAGE_TOKENS + _message_tokens(m) for m in client.messages)


def _message_tokens(message: Mapping[str, Any]) -> int:
    content = message.get("content")
    if not isinstance(content, list):
        return _json_tokens(dict(message))
    rest = {name: value for name, value in message.items() if name != "content"}
    return _json_tokens(rest) + sum(_part_tokens(part) for part in content)


def _part_tokens(part: object) -> int:
    if isinstance(part, Mapping) and part.get("type") in _BINARY_PARTS:
        return _IMAGE_TOKENS
    return _json_tokens(part)


def _json_tokens(value: object) -> int:
    return tokens_of(orjson.dumps(value, default=str).decode())
