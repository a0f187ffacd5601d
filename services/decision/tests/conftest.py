"""Fixtures of the decision service's tests: a fixed instant, the packaged rules, a running server."""  # noqa: E501 - one pattern or table row

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import grpc
import pytest
from pellucid.decision.v1.decision_pb2_grpc import DecisionServiceStub

from pellucid_decision.adapters.rules_folder import RulesFolder
from pellucid_decision.app import build
from pellucid_decision.intent.cascade import Cascade
from pellucid_decision.intent.rulebook import Rulebook
from pellucid_decision.settings import DecisionSettings
from pellucid_decision.text.conversation import Ask, Role, Turn

# Fakes shared by test modules stand beside them.
sys.path.insert(0, str(Path(__file__).parent))

NOW = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)
CUTOFF = datetime(2025, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class FixedRules:
    book: Rulebook


@pytest.fixture(scope="session")
def book() -> Rulebook:
    return RulesFolder().book


@pytest.fixture(scope="session")
def cascade(book: Rulebook) -> Cascade:
    return Cascade(FixedRules(book))


@pytest.fixture(scope="session")
def asking() -> Callable[..., Ask]:
    """Builds requests; history is given as the person's and the assistant's turns in alternation."""  # noqa: E501 - one pattern or table row

    def make(message: str, *turns: str, **fields: object) -> Ask:
        roles = (Role.USER, Role.ASSISTANT)
        history = tuple(Turn(roles[number % 2], text) for number, text in enumerate(turns))
        values = {"now": NOW, "cutoff": CUTOFF, "history": history} | fields
        return Ask(message=message, **values)

    return make


@pytest.fixture
async def stub() -> AsyncIterator[DecisionServiceStub]:
    """A client of the real server on a free port."""
    settings = DecisionSettings(grpc_port=0, pellucid_clock=NOW, scorer_target="127.0.0.1:1")
    async with AsyncExitStack() as stack:
        service = await build(settings, stack)
        server = service.listeners[0]
        async with server, grpc.aio.insecure_channel(server.target) as channel:
            yield DecisionServiceStub(channel)
