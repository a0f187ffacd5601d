"""A chat completions request: what the engine is asked, and what goes on to the model server.

Everything that is not ours stays in the body as it came; only our own options are taken out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from pellucid_gateway.api.compatible.client_turn import (
    OUR_FIELDS,
    Asked,
    depth_of,
    place_of,
    translated,
)
from pellucid_gateway.api.http.bodies import parse_object


@dataclass(frozen=True, slots=True)
class OpenAiRequest:
    """One request, split.

    Attributes:
        asked: What the engine is asked.
        body: What the model server gets when nothing is to be searched.
        include_usage: The client wants a usage chunk.
    """

    asked: Asked
    body: bytes
    include_usage: bool


def parse(raw: bytes, header: str, own_model: str) -> OpenAiRequest:
    """Split a request.

    Args:
        raw: The body.
        header: Value of X-Pellucid-Options; empty when absent.
        own_model: What `pellucid` stands for on the model server.

    Raises:
        ProblemError: Broken JSON, wrong messages or wrong options of ours.
    """
    body = parse_object(raw)
    asked = translated(body, header, own_model, _web_search(body))
    return OpenAiRequest(
        asked=asked, body=_forwarded(raw, body, asked), include_usage=_wants_usage(body)
    )


def _wants_usage(body: Mapping[str, Any]) -> bool:
    options = body.get("stream_options")
    return isinstance(options, dict) and options.get("include_usage") is True


def _web_search(body: Mapping[str, Any]) -> dict[str, Any]:
    """`web_search_options` present means on; place and size carry over."""
    options = body.get("web_search_options")
    if not isinstance(options, dict):
        return {}
    size = depth_of(options.get("search_context_size"))
    return {"web_mode": "on", **place_of(options.get("user_location")), **size}


def _forwarded(raw: bytes, body: Mapping[str, Any], asked: Asked) -> bytes:
    """The body for the model server: byte for byte, unless something of ours is in it."""
    ours = OUR_FIELDS & body.keys()
    if not ours and asked.model == asked.upstream_model and body.get("model"):
        return raw
    kept = {name: value for name, value in body.items() if name not in ours}
    return orjson.dumps({**kept, "model": asked.upstream_model})
