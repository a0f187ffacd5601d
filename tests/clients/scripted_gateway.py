"""A gateway over a scripted web, with whatever answers its questions."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, cast

from port_fakes import FakeDecision, FakeSearch, answer_decision, hit, search_decision
from turn_fakes import Rig

from pellucid_gateway.adapters.model import LlmAnswerModel
from pellucid_gateway.adapters.model_server import open_model_server
from pellucid_gateway.api.application import Doors, http_app
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


@asynccontextmanager
async def opened_gateway(base: str) -> AsyncIterator[str]:
    """Serve a gateway whose model server is at an address."""
    async with AsyncExitStack() as stack:
        endpoint = await open_endpoint(base, lambda: "key", "m", stack)
        client = OpenAiClient([endpoint], Patience(first_token_s=5, idle_s=5, answer_s=20))
        answering = LlmAnswerModel(client, name="m", receiver="", window_tokens=32_768)
        page = hit(1, "The toll for cars on the Skerry Bridge is 4.50 crowns.", "post.example")
        rig = Rig(decision=Tolls(), search=Web(hits=(page,)), model=cast("Any", answering))
        rig.fetcher.texts = {"http://post.example/page-1": "The toll is 4.50 crowns."}
        settings = GatewaySettings(openai_base_url=base, openai_api_key="key", llm_model="m")
        doors = Doors(
            engine=rig.engine,
            identity=Identity(b"0123456789abcdef"),
            health=Health(),
            rules=GuardRules(),
            observe=lambda *_: None,
            evidence=rig.evidence,
            upstream=await open_model_server(settings, stack),
            own_model="m",
        )
        server = HttpServer(http_app(doors), "127.0.0.1", 0)
        await server.start()
        yield f"http://127.0.0.1:{server.port}"
        await server.stop(0)
