"""The prompt of a compatible face: the client's own conversation, and one message of ours.

Nothing of the client's is changed, left out or moved. Ours stands before the client's last
message and is sized to what its conversation leaves of the window; when not even one source fits,
it is left out.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from pellucid_gateway.answering.context import Context, fitted
from pellucid_gateway.answering.prompts import (
    PER_MESSAGE_TOKENS,
    Setting,
    asides,
    cost,
    source_room,
    source_rules,
    unread_rules,
)
from pellucid_gateway.question.key_facts import tokens_of
from pellucid_gateway.vocabulary.findings import Source
from pellucid_gateway.vocabulary.ports import Prompt
from pellucid_gateway.vocabulary.request import ClientMessages, TurnRequest

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
    answer_tokens = _answer_tokens(client, setting)
    room = setting.window_tokens - answer_tokens - _client_tokens(client)
    ours, context = _ours(request, sources, setting, room - PER_MESSAGE_TOKENS)
    added = ({"role": "user", "content": ours},) if ours else ()
    messages = (*client.messages[:-1], *added, *client.messages[-1:])
    return Prompt(
        messages=(),
        max_tokens=None,
        model=request.model,
        context_tokens=tokens_of(context.text),
        shown=context.numbers,
        client=ClientMessages(messages=messages, fields=client.fields),
    )


def prompt_text(client: ClientMessages) -> str:
    """The conversation as text, for the account of what left."""
    return orjson.dumps(list(client.messages), default=str).decode()


def _ours(
    request: TurnRequest, sources: Sequence[Source], setting: Setting, room: int
) -> tuple[str, Context]:
    """Our message and the sources in it; empty when nothing is to say or nothing fits."""
    about = "\n".join((*unread_rules(setting), *asides(request)))
    if not sources:
        return (about if cost(about) <= room else "", Context())
    rules = "\n".join(filter(None, (source_rules(request.citation_style, setting.marker), about)))
    left = source_room(sources, setting, room - cost(rules) - len(_GAP))
    context = fitted(sources, marker=setting.marker, room=left, notes=setting.notes)
    return (f"{rules}{_GAP}{context.text}" if context.text else "", context)


def _answer_tokens(client: ClientMessages, setting: Setting) -> int:
    """What the client allows the answer, else the depth's own cap."""
    named = (client.fields.get(name) for name in _LENGTH_FIELDS)
    return next((n for n in named if isinstance(n, int) and n > 0), setting.plan.answer_tokens)


def _client_tokens(client: ClientMessages) -> int:
    """Upper bound of the client's own tokens: one per byte of text, a flat count per image."""
    fields = cost(orjson.dumps(dict(client.fields), default=str).decode())
    return fields + sum(PER_MESSAGE_TOKENS + _message_tokens(m) for m in client.messages)


def _message_tokens(message: Mapping[str, Any]) -> int:
    content = message.get("content")
    if not isinstance(content, list):
        return len(orjson.dumps(dict(message), default=str))
    rest = {name: value for name, value in message.items() if name != "content"}
    return len(orjson.dumps(rest, default=str)) + sum(_part_tokens(part) for part in content)


def _part_tokens(part: object) -> int:
    if isinstance(part, Mapping) and part.get("type") in _BINARY_PARTS:
        return _IMAGE_TOKENS
    return len(orjson.dumps(part, default=str))
