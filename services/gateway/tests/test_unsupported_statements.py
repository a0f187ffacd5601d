"""Every compatible API says which statements of an answer no source supports."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import httpx
import pytest
from api_fakes import RESULT, FakeEngine, turn_events

from pellucid_gateway.domain.citation import Span
from pellucid_gateway.domain.events import Done

SAID = [{"role": "user", "content": "What is the toll?"}]
BODIES: dict[str, dict[str, Any]] = {
    "/v1/chat/completions": {"messages": SAID},
    "/v1/responses": {"input": SAID},
    "/v1/messages": {"messages": SAID, "max_tokens": 500},
}


def fields_of(stream: str) -> Iterator[list[dict[str, int]]]:
    """Yield every `unsupported` of a stream, wherever it stands."""
    for line in stream.splitlines():
        if line.startswith("data: {"):
            event = json.loads(line[6:])
            holder = event.get("response", event)
            if "unsupported" in holder:
                yield holder["unsupported"]


@pytest.mark.parametrize("path", BODIES)
async def test_unsupported_statements_are_listed_whole_and_as_a_stream(
    path: str, http: httpx.AsyncClient, engine: FakeEngine
) -> None:
    body = {"model": "m", **BODIES[path]}
    before = (await http.post(path, json=body)).json()
    engine.events = [*turn_events()[:-1], Done(replace(RESULT, unsupported=(Span(3, 9),)))]
    whole = (await http.post(path, json=body)).json()
    stream = (await http.post(path, json={**body, "stream": True})).text

    assert "unsupported" not in before
    assert whole["unsupported"] == [{"start_index": 3, "end_index": 9}]
    assert list(fields_of(stream)) == [whole["unsupported"]]
