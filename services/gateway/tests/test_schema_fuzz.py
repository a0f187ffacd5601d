"""Every native path of /openapi.json, fuzzed by schemathesis: no 5xx, no undocumented answer.

Conversations, memories, evidence and numbers are the real ones on a store of their own; the engine
is scripted, so what could fail is the faces.
"""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, cast

import pytest
import schemathesis
from api_fakes import FakeEngine
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from pellucid_gateway.adapters.evidence_store import StoredEvidence
from pellucid_gateway.adapters.state import open_state
from pellucid_gateway.api.application import ApiParts, http_app
from pellucid_gateway.api.http.guard import GuardRules
from pellucid_gateway.api.http.identity import Identity
from pellucid_gateway.conversation.feedback import StoredFeedback
from pellucid_gateway.settings import GatewaySettings
from pellucid_gateway.wiring.keeping import open_keeping
from pellucid_runtime.clock import SystemClock
from pellucid_runtime.health import Health
from pellucid_runtime.http_server import HttpServer

pytestmark = pytest.mark.timeout(120)

EXAMPLES = 8
# As many as there were when this was written; a path that is lost is noticed.
MOST_KNOWN_OPERATIONS = 15
CHECKS = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
)


async def _parts(stack: AsyncExitStack, data_dir: Path) -> ApiParts:
    clock = SystemClock()
    given = GatewaySettings(data_dir=data_dir)
    state = await open_state(given, stack, clock, 1)
    kept = open_keeping(given, stack, clock, state, cast("Any", None))

    async def replayed(_record: Any) -> dict[str, Any]:
        return {}

    return ApiParts(
        engine=FakeEngine(),
        identity=Identity(b"0123456789abcdef"),
        health=Health(),
        rules=GuardRules(),
        observe=lambda *_: None,
        evidence=StoredEvidence(state.records, ttl_s=60),
        feedback=StoredFeedback(state.records, kept.counting, clock),
        replay=replayed,
        kept=kept,
    )


class _Served:
    """The faces on a port, in a loop of their own."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._loop = asyncio.new_event_loop()
        self._stopping = asyncio.Event()
        self.ready = threading.Event()
        self.thread = threading.Thread(target=lambda: self._loop.run_until_complete(self._serve()))
        self.address = ""

    async def _serve(self) -> None:
        async with AsyncExitStack() as stack:
            parts = await _parts(stack, self._data_dir)
            server = HttpServer(http_app(parts), "127.0.0.1", 0)
            await server.start()
            self.address = f"http://127.0.0.1:{server.port}"
            self.ready.set()
            await self._stopping.wait()
            await server.stop(0)

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._stopping.set)
        self.thread.join(20)
        self._loop.close()


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    served = _Served(tmp_path_factory.mktemp("fuzz"))
    served.thread.start()
    assert served.ready.wait(20)
    yield schemathesis.openapi.from_url(f"{served.address}/openapi.json")
    served.stop()


# The server is a thread of this process, and draws its own random numbers meanwhile.
@pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")
def test_every_path_answers_as_documented(api: Any) -> None:
    """Operations one by one, because the library's own plugin lags behind pytest."""
    fuzzed = []
    for operation in (result.ok() for result in api.get_all_operations()):
        _fuzz(operation)
        fuzzed.append(f"{operation.method.upper()} {operation.path}")

    assert {"POST /v1/chat", "POST /v1/search", "DELETE /v1/users/me/data"} <= set(fuzzed)
    assert len(fuzzed) >= MOST_KNOWN_OPERATIONS


def _fuzz(operation: Any) -> None:
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def answers_as_documented(case: schemathesis.Case) -> None:
        case.call_and_validate(checks=list(CHECKS))

    answers_as_documented()
