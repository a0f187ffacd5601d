"""Rows 34 to 40 and further: clocks, ends, restarts, overload, starvation, partitions, keys."""

import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx

from rig.fault_table import row
from rig.history import Outcome, percentile
from rig.load import SMALL_TALK
from rig.proxy import Toxics
from rig.site import SCORERS, Site
from rig.trial import Trial

_LIMITS = "services/gateway/tests/test_limits.py"
_SERVICE = "services/common/tests/test_service.py"
_REPLICAS = "tests/integration/test_gateway_replicas.py"
_TURNSTILE = "services/gateway/tests/test_concurrency_limit.py"
_STREAMS_IN_SHUTDOWN = 20
_CALLERS = 12
# Until the first turns of an overload have ended.
_UNSTEADY_S = 2.0
_PER_MINUTE = 60


@row(
    34,
    "clocks 10 minutes fast and slow",
    "deadlines and windows are unaffected; answers are complete",
    tests=(f"{_LIMITS}::test_a_wrong_clock_changes_nothing",),
    cannot="a clock set back while a process runs: the injected clock stands for it",
)
async def clocks_wrong(trial: Trial) -> None:
    now = datetime.now(UTC)
    fast, slow = ((now + timedelta(minutes=m)).isoformat() for m in (10, -10))
    trial.restarted.update(("search", "fetcher", "decision"))
    await trial.site.restart("search", "fetcher", PELLUCID_CLOCK=fast)
    await trial.site.restart("decision", PELLUCID_CLOCK=slow)
    async with trial.asking():
        await trial.fault()
        trial.occurred("two services fast, one slow", seen=True)
        trial.promise_no_failure()
        lost = [r for r in trial.of("fault") if r.degraded & {"deadline", "decision", "search"}]
        trial.promise(f"{len(lost)} deadlines or services lost", not lost)
    await trial.site.restart("search", "fetcher", "decision")


class Balancer:
    """Sends requests to gateways that are ready, as endpoints of a Kubernetes service do."""

    def __init__(self, site: Site, names: tuple[str, ...]) -> None:
        self._site = site
        self._ready = dict.fromkeys(names, False)
        self._turn = 0

    def url(self) -> str:
        """The next ready one; the first where none is."""
        ready = [name for name, is_ready in self._ready.items() if is_ready]
        names = ready or list(self._ready)
        self._turn += 1
        return f"http://127.0.0.1:{self._site.port(f'{names[self._turn % len(names)]}-http')}"

    async def watch(self) -> None:
        """Ask for readiness several times a second."""
        while True:
            for name in self._ready:
                self._ready[name] = await asyncio.to_thread(self._site.processes[name].is_ready)
            await asyncio.sleep(0.2)


@asynccontextmanager
async def two_gateways(trial: Trial) -> AsyncIterator[None]:
    """A second gateway, and a balancer before both; both can end without losing a request."""
    site = trial.site
    trial.restarted.update(("gateway", "gateway2"))
    await site.restart("gateway", DRAIN_DELAY_S="2")
    await site.start("gateway2", DRAIN_DELAY_S="2")
    balancer = Balancer(site, ("gateway", "gateway2"))
    watching = asyncio.create_task(balancer.watch())
    trial.gateway = balancer.url
    await asyncio.sleep(1)
    try:
        yield
    finally:
        watching.cancel()
        if site.processes["gateway2"].is_alive:
            await asyncio.to_thread(site.processes["gateway2"].stop)


@row(
    35,
    "SIGTERM to the gateway during 20 streams",
    "not ready at once, keeps listening, every stream finishes, exit 0, no request is refused",
    tests=(f"{_SERVICE}::test_call_in_progress_is_answered_during_shutdown",),
)
async def gateway_ends(trial: Trial) -> None:
    site = trial.site
    async with two_gateways(trial):
        site.model.filler, site.model.gap_s = 60, 0.05
        one = site.processes["gateway"]
        async with trial.asking():
            trial.gateway = None
            trial.load.phase = "fault"
            streams = [trial.load.ask(2, time.monotonic()) for _ in range(_STREAMS_IN_SHUTDOWN)]
            await asyncio.sleep(1)
            trial.gateway = lambda: f"http://127.0.0.1:{site.port('gateway2-http')}"
            one.signal(signal.SIGTERM)
            await asyncio.sleep(0.3)
            trial.occurred("not ready, and listening still", one.is_alive and not one.is_ready())
            await asyncio.gather(*streams)
            status = await asyncio.to_thread(one.stop)
            trial.promise(f"exit status {status}", status == 0)
            await trial.fault(1)
            trial.promise_no_failure()
    site.heal()
    await site.start("gateway")


@row(
    36,
    "rolling restart of all five under load",
    "no request fails",
    tests=(
        f"{_SERVICE}::test_rolling_restart_under_load_loses_no_call",
        "tests/contract/test_version_skew.py",
    ),
    cannot="two releases side by side as processes: there is no earlier one; a named test speaks "
    "the released contract with the present services, and `make protos-check` holds every change "
    "of it against the released form",
)
async def rolling_restart(trial: Trial) -> None:
    site = trial.site
    async with two_gateways(trial), trial.asking():
        trial.load.phase = "fault"
        for name in ("decision", "search", "fetcher"):
            await _replace(trial, name)
        for name in SCORERS:
            await site.restart(name)
        trial.restarted.update(("decision", "search", "fetcher", *SCORERS))
        await site.restart("gateway", DRAIN_DELAY_S="2")
        await asyncio.sleep(1)
        trial.occurred("seven processes replaced, three of them twice", seen=True)
        trial.promise_no_failure()
        lost = [r for r in trial.of("fault") if r.degraded]
        flagged = f"{len(lost)} of {len(trial.of('fault'))} flagged"
        trial.promise_time(flagged, len(lost) <= 0.2 * len(trial.of("fault")))
        trial.spares_chat = False


async def _replace(trial: Trial, name: str) -> None:
    """A successor beside it, then the old one ends; and back again, so that ports are as before."""
    site = trial.site
    old, proxy = site.processes[name], site.proxies[name]
    successor = site.successor(name)
    successor.start()
    await asyncio.to_thread(successor.wait_ready)
    proxy.upstream = site.port(f"next-{name}")
    await asyncio.to_thread(old.stop)
    await site.start(name)
    proxy.upstream = site.port(name)
    await asyncio.to_thread(successor.stop)


@row(
    37,
    "overload: three times what is sustainable",
    "goodput stays at 90 % of the peak or above; what is refused is refused within 50 ms (median) "
    "and told when to come back; people before programs",
    tests=(f"{_TURNSTILE}::test_apis_that_only_search_are_refused_first",),
)
async def overload(trial: Trial) -> None:
    trial.spares_chat = False
    trial.load.chat_every = 0
    await _saturate(trial, trial.pace.warm_s)
    begun = time.monotonic()
    await _saturate(trial, trial.pace.fault_s)
    peak = _goodput(trial, begun, trial.pace.fault_s)
    trial.load.phase = "fault"
    seconds, rate = 4 * trial.pace.fault_s, max(1.0, 3 * peak)
    begun = time.monotonic()
    await _open_loop(trial, rate, seconds)
    goodput = _goodput(trial, begun + _UNSTEADY_S, seconds - _UNSTEADY_S)
    asked = trial.of("fault")
    refused = [r for r in asked if r.status in {429, 503}]
    trial.occurred(f"{rate:.1f} turns/s asked for, {len(refused)} of {len(asked)} refused", refused)
    trial.promise_time(f"goodput {goodput:.1f}/s of a peak of {peak:.1f}/s", goodput >= 0.9 * peak)
    usual, slow = (percentile((r.ended_s - r.sent_s for r in refused), p) for p in (0.5, 0.95))
    said = f"refused within {usual * 1000:.0f} ms (median; p95 {slow * 1000:.0f} ms), at most 50 ms"
    trial.promise_time(said, usual <= 0.05)
    lost = [r for r in asked if r.outcome is Outcome.BROKEN or r.why not in {"", "OVERLOADED"}]
    trial.promise(f"{len(lost)} ended otherwise than answered or refused", not lost)


def _goodput(trial: Trial, begun_s: float, seconds: float) -> float:
    """Turns a second whose answers ended in the interval."""
    answered = {Outcome.FULL, Outcome.DEGRADED}
    ended = (r.ended_s - begun_s for r in trial.records if r.outcome in answered)
    return sum(0 <= one <= seconds for one in ended) / seconds


async def _saturate(trial: Trial, seconds: float) -> None:
    """As many callers as keep every place taken; one that is refused comes again at once."""
    end = time.monotonic() + seconds

    async def caller() -> None:
        while time.monotonic() < end:
            await trial.load.ask(0, time.monotonic())
            await asyncio.sleep(0.1)

    await asyncio.gather(*(caller() for _ in range(_CALLERS)))


async def _open_loop(trial: Trial, rate: float, seconds: float) -> None:
    stopping = asyncio.Event()
    running = asyncio.create_task(trial.load.run(rate, stopping))
    await asyncio.sleep(seconds)
    stopping.set()
    await running


@row(
    38,
    "one person sends 90 % of the load",
    "others are as fast as before; that one gets 429 with its quota; never more than the limit",
    tests=(f"{_REPLICAS}::test_parallel_callers_on_three_replicas_share_the_limit",),
)
async def one_greedy_person(trial: Trial) -> None:
    async with trial.asking():
        trial.load.phase = "fault"
        end = time.monotonic() + trial.pace.fault_s
        answers: list[asyncio.Task[httpx.Response]] = []
        # An address whose minute no earlier trial has used.
        address = f"203.0.113.{int(time.monotonic()) % 250 + 1}"
        while time.monotonic() < end or len(answers) < _PER_MINUTE + 20:
            answers.append(asyncio.create_task(_greedy(trial, address)))
            await asyncio.sleep(0.08)
        told = await asyncio.gather(*answers)
        allowed = [one for one in told if one.status_code == 200]
        refused = [one for one in told if one.status_code == 429]
        trial.occurred(f"{len(told)} requests of one address", len(told) > _PER_MINUTE)
        said = f"{len(allowed)} allowed of {_PER_MINUTE} a minute, {len(refused)} told 429"
        trial.promise(said, refused and len(allowed) <= _PER_MINUTE * 1.01)
        headed = all("retry-after" in one.headers and "ratelimit" in one.headers for one in refused)
        trial.promise("each 429 tells when to come back and what is left", headed)
        usual, now = (percentile((r.took_s for r in trial.of(p)), 0.95) for p in ("warm", "fault"))
        bound = max(1.5 * usual, usual + 0.15)
        said = f"others' p95 {now * 1000:.0f} ms, at most {bound * 1000:.0f} ms"
        trial.promise_time(said, now <= bound)
        trial.promise_no_failure()
        await trial.recover()


async def _greedy(trial: Trial, address: str) -> httpx.Response:
    return await trial.client.post(
        f"{trial.site.gateway_url}/v1/chat",
        json={"message": SMALL_TALK},
        headers={"X-Forwarded-For": address},
    )


@row(
    39,
    "processors starved; the disk for logs is full",
    "no failure, always alive, the lag is visible; logging blocks nothing",
    tests=(f"{_SERVICE}::test_metrics_show_build_lag_and_calls",),
    cannot="memory at 95 % of the limit: there is no cgroup of our own to set a limit in",
)
async def starved(trial: Trial) -> None:
    site = trial.site
    trial.spares_chat = False
    decision = site.processes["decision"]
    usual = decision.log
    decision.log = Path("/dev/full")
    await site.restart("decision")
    trial.restarted.add("decision")
    await trial.connect_again()
    async with trial.asking(1.0):
        burning = [_burn() for _ in range(4)]
        trial.load.phase = "fault"
        alive, lags = 0, []
        for _ in range(4):
            # The gauge tells of its last moment, which may be a lucky one.
            for _ in range(5):
                await asyncio.sleep(trial.pace.fault_s / 20)
                lags.append(await site.total("gateway", "pellucid_event_loop_lag_seconds"))
            alive += await _is_alive(site)
        trial.occurred("4 processes burn, logs go nowhere", all(p.poll() is None for p in burning))
        for process in burning:
            process.kill()
            process.wait()
        trial.promise_no_failure()
        trial.promise(f"alive in {alive} of 4 probes", alive == 4)
        trial.promise(f"lag shown: {max(lags) * 1000:.0f} ms", max(lags) > 0)
        await trial.recover()
    decision.log = usual
    await site.restart("decision")


def _burn() -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-c", "while True: pass"])


async def _is_alive(site: Site) -> bool:
    url = f"http://127.0.0.1:{site.port('metrics-gateway')}/livez"
    async with httpx.AsyncClient(trust_env=False, timeout=10) as client:
        return (await client.get(url)).status_code == 200


@row(
    40,
    "partition: the gateway sees the scorers and not Redis; the collector of traces swallows all",
    "as for the single faults; nothing waits for telemetry",
    tests=(f"{_SERVICE}::test_unreachable_collector_holds_up_neither_calls_nor_exit",),
    cannot="lost, doubled and damaged packets: TCP repairs them below a proxy; they would need the "
    "kernel's netem, which would hit everything else on this machine",
)
async def partition(trial: Trial) -> None:
    site = trial.site
    spare = site.proxies["spare"]
    spare.poison(Toxics(timeout=True))
    endpoint = f"http://127.0.0.1:{site.port('via-spare')}"
    await site.restart("gateway", OTEL_EXPORTER_OTLP_ENDPOINT=endpoint)
    trial.restarted.add("gateway")
    async with trial.asking():
        edge = site.proxies["gateway-redis"]
        edge.poison(Toxics(down=True))
        await trial.fault()
        trial.occurred(
            f"{edge.counters.refused} connections to Redis refused", edge.counters.refused
        )
        trial.occurred(f"{spare.counters.connections} to the collector", spare.counters.connections)
        trial.promise_no_failure()
        edge.heal()
        await trial.recover()
    await site.restart("gateway")
