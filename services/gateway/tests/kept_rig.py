"""Gateways over fakes of the other services, with real state behind real faces."""

from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
from port_fakes import QUESTION, FakeModel, FakeScorer
from starlette.types import ASGIApp
from turn_fakes import Rig

from pellucid_gateway.access.quota import DailySearches
from pellucid_gateway.adapters.evidence_store import StoredEvidence
from pellucid_gateway.adapters.state import open_state
from pellucid_gateway.analytics.learned_trust import LearnedStandings, LearnedTrust
from pellucid_gateway.api.application import ApiParts, http_app
from pellucid_gateway.api.compatible.head_start import HeadStarts
from pellucid_gateway.api.http.admission import RequestLimits
from pellucid_gateway.api.http.guard import GuardRules
from pellucid_gateway.api.http.identity import Identity
from pellucid_gateway.conversation.afterwards import Afterwards, Kept
from pellucid_gateway.conversation.feedback import StoredFeedback
from pellucid_gateway.conversation.source_preferences import SourcePreferences
from pellucid_gateway.domain.engine import TurnEngine
from pellucid_gateway.settings import GatewaySettings
from pellucid_gateway.turn.orchestrator import Engine
from pellucid_gateway.turn.replay import replay
from pellucid_gateway.wiring.keeping import open_keeping, remembering
from pellucid_runtime.clock import Clock, SystemClock
from pellucid_runtime.health import Health

IDENTITY = Identity(b"0123456789abcdef", ["127.0.0.1"], "x-person")


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptGateway:
    """One replica."""

    app: ASGIApp
    engine: TurnEngine
    kept: Kept
    afterwards: Afterwards
    rig: Rig

    def client(self, **options: Any) -> httpx.AsyncClient:
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
        return httpx.AsyncClient(transport=transport, base_url="http://localhost", **options)


@dataclass(slots=True)
class Plan:
    """What differs between tests."""

    folder: Path
    redis_url: str | None = None
    clock: Clock = field(default_factory=SystemClock)
    rig: Rig = field(default_factory=lambda: Rig(model=FakeModel()))
    settings: dict[str, Any] = field(default_factory=dict)
    limits: RequestLimits = field(default_factory=RequestLimits)
    find_key: Any = None
    upstream: Any = None


async def open_gateway(stack: AsyncExitStack, plan: Plan) -> KeptGateway:
    """A replica, closed with the stack."""
    settings = GatewaySettings(data_dir=plan.folder, redis_url=plan.redis_url, **plan.settings)
    state = await open_state(settings, stack, plan.clock, settings.gateway_replicas)
    scorer: FakeScorer = plan.rig.scorer
    evidence = StoredEvidence(state.records)
    preferences = SourcePreferences(state.records, plan.clock)
    learned = LearnedTrust(state.rollups, plan.clock, settings.gateway_learned_trust)
    bare = replace(
        plan.rig.engine._dependencies,
        evidence=evidence,
        clock=plan.clock,
        new_id=iter_ids(),
        quota=DailySearches(state.limiter, settings.gateway_searches_per_day),
        standings=LearnedStandings(preferences, learned),
    )
    kept = open_keeping(settings, stack, plan.clock, state, scorer, learned=learned)
    engine, afterwards = await remembering(
        Engine(bare), settings, stack, kept=kept, scorer=scorer, exempt=()
    )
    parts = ApiParts(
        engine=engine,
        identity=IDENTITY,
        health=Health(),
        rules=GuardRules(any_host=plan.find_key is not None),
        observe=lambda *_: None,
        evidence=evidence,
        feedback=StoredFeedback(state.records, kept.counting, plan.clock, learned),
        replay=lambda record: replay(record, scorer, plan.clock),
        kept=kept,
        limiter=state.limiter,
        request_limits=plan.limits,
        find_key=plan.find_key,
        clock=plan.clock,
        upstream=plan.upstream,
        own_model="m",
        note_passed=afterwards.passed,
        head_starts=HeadStarts(settings.gateway_head_starts),
        challenge_script=settings.gateway_challenge_script,
    )
    return KeptGateway(
        app=http_app(parts), engine=engine, kept=kept, afterwards=afterwards, rig=plan.rig
    )


def iter_ids() -> Any:
    """Ids that no other gateway of the tests makes."""
    return lambda: uuid4().hex


async def ask(http: httpx.AsyncClient, message: str = QUESTION, **more: Any) -> dict[str, Any]:
    """Return the answer to a message of the person `ada`."""
    reply = await http.post("/v1/chat", json={"message": message, "user_id": "ada"} | more)
    assert reply.status_code == 200, reply.text
    answer: dict[str, Any] = reply.json()
    return answer
