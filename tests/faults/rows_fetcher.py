"""Rows 9 to 11: the fetcher and its browser lost, or without file descriptors."""

import asyncio
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from pellucid.fetcher.v1 import fetcher_pb2, fetcher_pb2_grpc

from faults.rows_services import kill, seen
from rig.fault_table import row, row_of_tests
from rig.trial import Trial


@row(
    9,
    "kill -9 the fetcher during parallel fetches",
    "answers from snippets, `degraded: fetcher`; no citation claims page text",
)
async def fetcher_killed(trial: Trial) -> None:
    async with trial.asking():
        trial.site.pages.pause_s = 0.5
        asked = len(trial.site.pages.asked)
        trial.load.phase = "fault"
        trial.occurred(
            "pages were being read", await seen(lambda: len(trial.site.pages.asked) > asked)
        )
        await kill(trial, "fetcher")
        await trial.fault()
        trial.promise_no_failure()
        trial.promise_flag("fetcher")
        trial.site.pages.pause_s = 0.02
        await trial.mend("fetcher")
        await trial.recover()
        await trial.promise_used_again("fetcher")


row_of_tests(
    10,
    "Chromium crashes, hangs or grows",
    "only that page fails; HTTP continues; no process remains",
    tests=(
        "services/fetcher/tests/test_browser_harm.py::test_a_killed_browser_costs_one_page",
        "services/fetcher/tests/test_browser_harm.py::test_memory_is_bounded",
        "services/fetcher/tests/test_browser.py::test_a_busy_script_ends_with_the_time",
    ),
)


@row(
    11,
    "file descriptors of the fetcher used up",
    "stays alive, refuses calls (RESOURCE_EXHAUSTED), not ready and then ready again; answers from "
    "snippets, flagged",
    tests=("services/common/tests/test_descriptors.py",),
)
async def fetcher_without_descriptors(trial: Trial) -> None:
    fetcher = trial.site.processes["fetcher"]
    address = f"127.0.0.1:{trial.site.port('fetcher')}"
    async with trial.asking(), grpc.aio.insecure_channel(address) as open_before:
        trial.occurred("the fetcher was serving", await _serves(open_before))
        allowed = fetcher.limit_descriptors(8)
        trial.occurred(f"limit 8 with {fetcher.usage().descriptors} open", seen=True)
        trial.load.phase = "fault"
        said_so = await _comes_to(open_before, serving=False)
        trial.promise("says that it is not serving", said_so)
        code = await _refusal(open_before)
        trial.promise(f"refuses with {code}", code == "RESOURCE_EXHAUSTED")
        before = len(trial.site.pages.asked)
        await trial.fault()
        read = len(trial.site.pages.asked) - before
        trial.promise(f"{read} pages asked for without descriptors", read == 0)
        trial.promise_no_failure()
        trial.promise_flag("fetcher")
        trial.promise(f"{fetcher.name} {'lives' if fetcher.is_alive else 'died'}", fetcher.is_alive)
        fetcher.limit_descriptors(allowed)
        trial.promise("serving again", await _comes_to(open_before, serving=True))
        await trial.recover()
        await trial.promise_used_again("fetcher")


async def _serves(channel: grpc.aio.Channel) -> bool:
    stub: Any = health_pb2_grpc.HealthStub(channel)
    said = await stub.Check(health_pb2.HealthCheckRequest(), timeout=5)
    return bool(said.status == health_pb2.HealthCheckResponse.SERVING)


async def _comes_to(channel: grpc.aio.Channel, *, serving: bool) -> bool:
    """Whether the health says so within five seconds."""
    for _ in range(50):
        if await _serves(channel) is serving:
            return True
        await asyncio.sleep(0.1)
    return False


async def _refusal(channel: grpc.aio.Channel) -> str:
    """The status of a call over a connection that is open already."""
    stub: Any = fetcher_pb2_grpc.FetcherServiceStub(channel)
    try:
        await stub.Fetch(fetcher_pb2.FetchRequest(url="http://a.localhost/"), timeout=5)
    except grpc.aio.AioRpcError as error:
        return error.code().name
    return "nothing"
