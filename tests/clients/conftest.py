"""A gateway on a port, over a scripted model and a scripted web, for clients of other products."""

import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, cast

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[2] / "services/gateway/tests"))

import scripted_model
from port_fakes import FakeDecision, FakeSearch, answer_decision, hit, search_decision
from turn_fakes import Rig

from pellucid_gateway.adapters.model import LlmAnswerModel
from pellucid_gateway.adapters.model_server import open_model_server
from pellucid_gateway.api.application import ApiParts, http_app
from pellucid_gateway.api.http.guard import GuardRules
from pellucid_gateway.api.http.identity import Identity
from pellucid_gateway.domain.decision import WebMode
from pellucid_gateway.domain.ports import DecideAnswer, DecideCall, SearchAnswer, SearchCall
from pellucid_gateway.settings import GatewaySettings
from pellucid_runtime.health import Health
from pellucid_runtime.http_server import HttpServer
from pellucid_runtime.llm.asking import Patience
from pellucid_runtime.llm.endpoint import open_endpoint
from pellucid_runtime.llm.openai import OpenAiClient


class Tolls(FakeDecision):
    """Searches for what names a toll, and for what must be searched."""

    async def decide(self, call: DecideCall) -> DecideAnswer:
        wanted = call.web_mode is WebMode.ON or "toll" in call.message
        searches = wanted and call.web_mode is not WebMode.OFF
        return DecideAnswer(search_decision() if searches else answer_decision(call.message))


class Web(FakeSearch):
    """Fails where it is asked to."""

    async def search(self, call: SearchCall) -> SearchAnswer:
        self.down = any("outage" in query.text for query in call.queries)
        return await super().search(call)


@pytest.fixture
async def gateway() -> AsyncIterator[str]:
    """Address of the gateway."""
    async with AsyncExitStack() as stack:
        model = HttpServer(scripted_model.app(), "127.0.0.1", 0)
        await model.start()
        base = f"http://127.0.0.1:{model.port}/v1"
        endpoint = await open_endpoint(base, lambda: "key", "m", stack)
        client = OpenAiClient([endpoint], Patience(first_token_s=5, idle_s=5, answer_s=20))
        answering = LlmAnswerModel(client, name="m", receiver="", window_tokens=32_768)
        page = hit(1, "The toll for cars on the Skerry Bridge is 4.50 crowns.", "post.example")
        rig = Rig(decision=Tolls(), search=Web(hits=(page,)), model=cast("Any", answering))
        rig.fetcher.texts = {"http://post.example/page-1": "The toll is 4.50 crowns."}
        settings = GatewaySettings(openai_base_url=base, openai_api_key="key", llm_model="m")
        parts = ApiParts(
            engine=rig.engine,
            identity=Identity(b"0123456789abcdef"),
            health=Health(),
            rules=GuardRules(),
            observe=lambda *_: None,
            evidence=rig.evidence,
            upstream=await open_model_server(settings, stack),
            own_model="m",
        )
        server = HttpServer(http_app(parts), "127.0.0.1", 0)
        await server.start()
        yield f"http://127.0.0.1:{server.port}"
        await server.stop(0)
        await model.stop(0)
