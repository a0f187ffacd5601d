"""Every stream of every face, compared with a committed one; ids and times are normalised.

`GOLDEN_UPDATE=1 pytest services/gateway/tests/test_golden_streams.py` writes them anew; read the
difference before committing it.
"""

import os
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from api_fakes import FakeEngine, MakeApp, forced_events, tool_call_events, turn_events

from pellucid_gateway.domain.events import Failed, TurnEvent

GOLDEN = Path(__file__).parent / "golden"
QUESTION: Any = [{"role": "user", "content": "What is the toll?"}]
FUNCTION: Any = {"type": "function", "name": "convert", "parameters": {"type": "object"}}
NAMED_FUNCTION: Any = {"name": "convert", "input_schema": {"type": "object"}}
SEARCH_TOOL: Any = {"type": "web_search_20250305", "name": "web_search"}

FACES: dict[str, tuple[str, dict[str, Any]]] = {
    "native": ("/v1/chat", {"message": "What is the toll?"}),
    "openai_chat": (
        "/v1/chat/completions",
        {"messages": QUESTION, "stream_options": {"include_usage": True}},
    ),
    "openai_responses": (
        "/v1/responses",
        {"input": QUESTION, "tools": [FUNCTION, {"type": "web_search"}]},
    ),
    "openai_responses_without_tool": ("/v1/responses", {"input": QUESTION, "tools": [FUNCTION]}),
    "anthropic": ("/v1/messages", {"messages": QUESTION, "tools": [SEARCH_TOOL, NAMED_FUNCTION]}),
    "anthropic_without_tool": ("/v1/messages", {"messages": QUESTION}),
    "perplexity": ("/compat/perplexity/chat/completions", {"messages": QUESTION}),
}
COURSES: dict[str, Callable[[], list[TurnEvent]]] = {
    "search": turn_events,
    "forced": forced_events,
    "tool_call": tool_call_events,
    "failure": lambda: [
        *turn_events()[:11],
        Failed("OVERLOADED", "Busy just now.", retryable=True),
    ],
}


def normalised(stream: str) -> str:
    stream = re.sub(r"[0-9a-f]{32}", "ID", stream)
    return re.sub(r'("(?:created|completed)(?:_at)?"):\d+', r"\1:0", stream)


@pytest.mark.parametrize("scenario", COURSES)
@pytest.mark.parametrize("face", FACES)
async def test_the_stream_is_the_committed_one(
    make_app: MakeApp, engine: FakeEngine, face: str, scenario: str
) -> None:
    engine.events = COURSES[scenario]()
    path, body = FACES[face]
    if face != "native":
        body = {"model": "pellucid", **body}
    # Tools are refused where no model is.
    model = SimpleNamespace(internal=True) if "tools" in body else None
    transport = httpx.ASGITransport(make_app(upstream=model))

    async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8080") as http:
        reply = await http.post(path, json={**body, "stream": True})

    told = normalised(reply.text)
    golden = GOLDEN / f"{face}.{scenario}.sse"
    if os.environ.get("GOLDEN_UPDATE"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(told, "utf-8")
    assert reply.headers["content-type"].startswith("text/event-stream")
    assert told == golden.read_text("utf-8")
