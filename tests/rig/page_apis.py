"""A gateway over pages of a test, and clients that hold a conversation over each of its faces.

Real are the faces, the turns, what is kept of conversations and the rules of the decision; the web,
the search, the model and the scorer's likeness are stand-ins.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

import grpc
import httpx

from pellucid_decision import convert
from pellucid_decision.adapters.rules_folder import RulesFolder
from pellucid_decision.adapters.scorer_understanding import ScorerUnderstanding
from pellucid_decision.intent.cascade import Cascade
from pellucid_gateway.adapters import requests, responses
from pellucid_gateway.adapters.evidence_store import StoredEvidence
from pellucid_gateway.adapters.state import open_state
from pellucid_gateway.api.application import ApiParts, http_app
from pellucid_gateway.api.http.admission import RequestLimits
from pellucid_gateway.api.http.guard import GuardRules
from pellucid_gateway.api.http.identity import Identity
from pellucid_gateway.domain.answer_model import ModelEnd, ModelPiece, Prompt
from pellucid_gateway.domain.findings import (
    Hit,
    Method,
    PageContent,
    ProviderReport,
    ProviderStatus,
)
from pellucid_gateway.domain.ports import (
    DecideAnswer,
    DecideCall,
    FetchCall,
    SearchAnswer,
    SearchCall,
    Services,
)
from pellucid_gateway.settings import GatewaySettings
from pellucid_gateway.turn.dependencies import Dependencies
from pellucid_gateway.turn.orchestrator import Engine
from pellucid_gateway.turn_context.budgets import StageBudgets
from pellucid_gateway.turn_context.plans import DEPTH_PLANS
from pellucid_gateway.wiring.keeping import open_keeping, remembering
from pellucid_runtime.clock import SystemClock
from pellucid_runtime.health import Health
from rig.injected_turns import Lenient

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
CUTOFF = datetime(2025, 1, 1, tzinfo=UTC)
# A busy machine is no reason for another decision.
_UNDERSTAND_S = 20.0


@cache
def _rules() -> RulesFolder:
    return RulesFolder()


@dataclass
class PagesWeb(Lenient):
    """The services, the model and a web of pages; what was asked for and shown since `begin`."""

    RESULT = "A result of the search."
    cascade: Cascade = field(default_factory=lambda: Cascade(_rules()))
    pages: dict[str, str] = field(default_factory=dict)
    urls: list[str] = field(default_factory=list)
    queries: list[str] = field(default_factory=list)
    shown: str = ""
    answer: str = ""
    name: str = "m"
    receiver: str = ""
    window_tokens: int = 16_384

    def begin(self, answer: str) -> None:
        """Forget what was; the model answers with this."""
        self.urls, self.queries, self.shown, self.answer = [], [], "", answer

    async def decide(self, call: DecideCall) -> DecideAnswer:
        """As the decision service does, both ways over the wire's form."""
        asked = convert.ask_of(requests.decide_request(call), now=NOW, cutoff=CUTOFF)
        return responses.decide_answer(convert.decide_response(await self.cascade.decide(asked)))

    async def search(self, call: SearchCall) -> SearchAnswer:
        """Find one result, which has every word of the queries."""
        self.queries += [query.text for query in call.queries]
        title = " ".join(query.text for query in call.queries)
        snippet = f"{title}. {self.RESULT}"
        hit = Hit(
            url="https://found.example/", title=title, snippet=snippet, domain="found.example"
        )
        report = ProviderReport(name="local", status=ProviderStatus.OK, results=1)
        return SearchAnswer(hits=(hit,), providers=(report,))

    async def fetch_many(self, call: FetchCall) -> AsyncIterator[tuple[int, PageContent]]:
        """Give the pages that there are."""
        for index, url in enumerate(call.urls):
            self.urls.append(url)
            yield index, self._page(url)

    def _page(self, url: str) -> PageContent:
        text = self.pages.get(url)
        if text is None:
            return PageContent(url=url, success=False, status="not_found", error="Not there.")
        title = text.partition("\n")[0].strip("# ")
        return PageContent(
            url=url, success=True, status="ok", method=Method.HTTP, title=title, text=text
        )

    async def stream(self, prompt: Prompt) -> AsyncIterator[ModelPiece | ModelEnd]:
        """Answer."""
        own = [message.content for message in prompt.messages]
        clients = [str(m.get("content")) for m in (prompt.client.messages if prompt.client else ())]
        self.shown = "\n".join((*own, *clients))
        yield ModelPiece(self.answer or "I see.")  # an empty answer is a failure
        yield ModelEnd(truncated=False, finish_reason="stop", prompt_tokens=1, completion_tokens=1)


@dataclass(frozen=True, slots=True)
class GatewayOnPages:
    """A gateway and a client of it."""

    web: PagesWeb
    http: httpx.AsyncClient


async def open_gateway(stack: AsyncExitStack, folder: Path, scorer: str = "") -> GatewayOnPages:
    """A gateway that keeps its conversations in a folder, closed with the stack.

    Args:
        stack: Closes it.
        folder: Where conversations are kept.
        scorer: Address of a scorer whose trained model decides; without one form alone does.
    """
    web, clock = PagesWeb(), _OnOneDay()
    if scorer:
        channel = await stack.enter_async_context(grpc.aio.insecure_channel(scorer))
        web.cascade = Cascade(_rules(), ScorerUnderstanding(channel, timeout_s=_UNDERSTAND_S))
    settings = GatewaySettings(data_dir=folder)
    state = await open_state(settings, stack, clock, settings.gateway_replicas)
    bare = Dependencies(
        services=Services(decision=web, search=web, scorer=web, fetcher=web),
        model=web,
        evidence=StoredEvidence(state.records),
        clock=clock,
        budgets=StageBudgets(),
        plans=DEPTH_PLANS,
        knowledge_cutoff=date(2025, 1, 1),
        new_id=lambda: uuid4().hex,
    )
    kept = open_keeping(settings, stack, clock, state, web)
    engine, _ = await remembering(Engine(bare), settings, stack, kept=kept, scorer=web, exempt=())
    app = http_app(
        ApiParts(
            engine=engine,
            identity=Identity(b"0123456789abcdef", ["127.0.0.1"], "x-person"),
            health=Health(),
            rules=GuardRules(),
            observe=lambda *_: None,
            clock=clock,
            request_limits=RequestLimits(address_per_minute=0),
        )
    )
    client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost")
    return GatewayOnPages(web, await stack.enter_async_context(client))


class _OnOneDay(SystemClock):
    """A fixed day; the stopwatch runs."""

    def now(self) -> datetime:
        """The day of the dialogues."""
        return NOW


class Talk(Protocol):
    """A conversation of one person over a face."""

    async def say(self, message: str) -> dict[str, Any]:
        """Say one message; the whole reply."""
        ...


Face = Callable[[httpx.AsyncClient], Talk]


@dataclass
class KeptTalk:
    """The native face, which keeps the conversation itself."""

    http: httpx.AsyncClient
    id: str = field(default_factory=lambda: uuid4().hex)

    async def say(self, message: str) -> dict[str, Any]:
        """See `Talk`."""
        body = {"message": message, "conversation_id": self.id}
        return await _posted(self.http, "/v1/chat", body, person=self.id)


@dataclass
class ToldTalk:
    """A face whose client sends the whole conversation each time."""

    http: httpx.AsyncClient
    path: str
    messages: str
    more: Mapping[str, Any]
    answer_of: Callable[[dict[str, Any]], str]
    person: str = field(default_factory=lambda: uuid4().hex)
    said: list[dict[str, str]] = field(default_factory=list)

    async def say(self, message: str) -> dict[str, Any]:
        """See `Talk`."""
        self.said.append({"role": "user", "content": message})
        body = {self.messages: self.said, **self.more}
        reply = await _posted(self.http, self.path, body, person=self.person)
        self.said.append({"role": "assistant", "content": self.answer_of(reply)})
        return reply


async def _posted(
    http: httpx.AsyncClient, path: str, body: Mapping[str, Any], *, person: str
) -> dict[str, Any]:
    """Each conversation is another person's, or so many questions would look suspicious."""
    reply = await http.post(path, json=body, headers={"x-person": person})
    assert reply.status_code == 200, reply.text
    answer: dict[str, Any] = reply.json()
    return answer


def _completions(http: httpx.AsyncClient) -> Talk:
    def answer_of(reply: dict[str, Any]) -> str:
        return str(reply["choices"][0]["message"]["content"])

    return ToldTalk(http, "/v1/chat/completions", "messages", {"model": "m"}, answer_of)


def _responses(http: httpx.AsyncClient) -> Talk:
    def answer_of(reply: dict[str, Any]) -> str:
        said = next(item for item in reply["output"] if item["type"] == "message")
        return str(said["content"][0]["text"])

    return ToldTalk(http, "/v1/responses", "input", {"model": "m"}, answer_of)


def _anthropic(http: httpx.AsyncClient) -> Talk:
    def answer_of(reply: dict[str, Any]) -> str:
        return "".join(part.get("text", "") for part in reply["content"])

    more = {"model": "m", "max_tokens": 400}
    return ToldTalk(http, "/v1/messages", "messages", more, answer_of)


def _native(http: httpx.AsyncClient) -> Talk:
    def answer_of(reply: dict[str, Any]) -> str:
        return str(reply["answer"])

    return ToldTalk(http, "/v1/chat", "messages", {}, answer_of)


FACES: Mapping[str, Face] = {
    "native": KeptTalk,
    "native_told": _native,
    "openai": _completions,
    "responses": _responses,
    "anthropic": _anthropic,
}
