"""How many tokens a request has, for clients that ask before they send it."""

from collections.abc import Mapping
from typing import Any

from pellucid_gateway.answering.client_prompt import client_tokens
from pellucid_gateway.api.compatible.wire import objects
from pellucid_gateway.domain.request import ClientMessages

# What a model reads of a request, besides its messages.
_READ = ("tools", "tool_choice", "response_format")


def counted(chat: Mapping[str, Any]) -> int:
    """Estimated tokens of a request in the chat completions form."""
    messages = tuple(message for _, message in objects(chat.get("messages"), "messages"))
    fields = {name: chat[name] for name in _READ if name in chat}
    return client_tokens(ClientMessages(messages=messages, fields=fields))
