"""Rows 1 to 8: scorer and decision service lost, slow, wrong, full or frozen."""

import asyncio
import signal
import time
from collections.abc import Callable

from rig.fault_table import row
from rig.history import Kind, percentile
from rig.lying_scorer import lying_scorer
from rig.proxy import Toxics
from rig.site import SCORERS
from rig.trial import Trial

_PROCESSES = "services/scorer/tests/test_replica_processes.py"
# Ejections of the channel last 30 s and are looked at every 2 s.
USED_AGAIN_WITHIN_S = 40.0
# A second ejection in a row lasts twice as long.
_ALL_USED_WITHIN_S = 75.0
# Two calls of a turn may each fall to the frozen one.
_WAITED_FOR_FROZEN_S = 0.4
# Turns at once that do not fit into one small scorer, and fit into the gateway of a busy machine.
_CROWD, _MOST_CROWDS, _ENOUGH_REFUSALS = 8, 6, 6
SCORE = "/pellucid.scorer.v1.ScorerService/Score"


async def seen(what: Callable[[], object], within_s: float = 10.0) -> bool:
    """Wait until it is so; False when it is not in time."""
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        if what():
            return True
        await asyncio.sleep(0.01)
    return False


async def kill(trial: Trial, *names: str) -> None:
    """Kill and note that the processes are gone."""
    for name in names:
        trial.site.processes[name].kill()
        trial.restarted.add(name)
    gone = [name for name in names if not trial.site.processes[name].is_alive]
    trial.occurred(f"{len(gone)} processes gone", len(gone) == len(names))


def scorer_lost_after(trial: Trial, instant_s: float) -> int:
    """Answers without the scorer among those due later."""
    late = [r for r in trial.of("fault", Kind.SEARCH) if r.due_s > instant_s]
    return sum("scorer" in r.degraded for r in late)


def count_scorers_anew(trial: Trial) -> None:
    """Forget what the scorers were asked before this trial."""
    for name in SCORERS:
        trial.site.proxies[name].count_anew()


async def all_scorers_in_use(trial: Trial) -> None:
    """Wait for those that are left alone since an earlier trial: rows speak of one of three."""
    before = {name: await _scored_by(trial, name) for name in SCORERS}
    end = time.monotonic() + _ALL_USED_WITHIN_S
    while time.monotonic() < end:
        if all([await _scored_by(trial, name) > before[name] for name in SCORERS]):
            break
        await asyncio.sleep(0.5)
    count_scorers_anew(trial)


@row(
    1,
    "kill -9 one of 3 scorers mid-request",
    "retried on another replica, no failure; ejected within 1 s",
    tests=(f"{_PROCESSES}::test_replicas_share_evenly_and_one_lost_or_frozen_costs_no_error",),
)
async def one_scorer_killed(trial: Trial) -> None:
    async with trial.asking():
        proxy = trial.site.proxies["scorer0"]
        proxy.poison(Toxics(latency_s=0.2))
        trial.load.phase = "fault"
        asked = await seen(lambda: proxy.counters.delayed)
        trial.occurred("a call was under way", asked)
        await kill(trial, "scorer0")
        killed_s = time.monotonic()
        proxy.heal()
        await trial.fault()
        trial.promise_no_failure()
        later = scorer_lost_after(trial, killed_s + 1)
        trial.promise(f"{later} answers without scorer from 1 s after on", later == 0)
        await trial.mend("scorer0")
        await trial.recover()


@row(
    2,
    "kill -9 all scorers",
    "answers in provider order, `degraded: scorer`; used again without a restart of the gateway",
)
async def all_scorers_killed(trial: Trial) -> None:
    async with trial.asking():
        await kill(trial, *SCORERS)
        await trial.fault()
        trial.promise_no_failure()
        trial.promise_flag("scorer")
        await trial.mend(*SCORERS)
        await trial.recover()
        await trial.promise_used_again("scorer")


@row(
    3,
    "one scorer slow (+2 s)",
    "asked twice within an allowance: whole time at most 1.3 x; no answer without scores",
    tests=("services/common/tests/test_hedging.py",),
)
async def one_scorer_slow(trial: Trial) -> None:
    async with trial.asking():
        await all_scorers_in_use(trial)
        before = await trial.site.total("gateway", "pellucid_hedged_calls_total")
        proxy = trial.site.proxies[SCORERS[0]]
        proxy.poison(Toxics(latency_s=2.0))
        await trial.fault(trial.pace.fault_s * 1.5)
        trial.occurred(f"{proxy.counters.delayed} answers held back 2 s", proxy.counters.delayed)
        extra = await trial.site.total("gateway", "pellucid_hedged_calls_total") - before
        _promise_as_quick(trial, f"{extra:.0f} second calls; ")
        proxy.heal()
        await trial.recover()


def _promise_as_quick(trial: Trial, said: str = "", waits_s: float = 0.0) -> None:
    """Nearly all searching turns are scored, and their 95th percentile is near the usual.

    Args:
        trial: In its fault.
        said: What goes before the figures.
        waits_s: What a turn may wait beside that.
    """
    usual, now = (
        percentile((r.took_s for r in trial.of(phase, Kind.SEARCH)), 0.95)
        for phase in ("warm", "fault")
    )
    bound = max(1.3 * usual, usual + 0.15) + waits_s
    trial.promise_time(
        f"{said}p95 {now * 1000:.0f} ms, at most {bound * 1000:.0f} ms", now <= bound
    )
    asked = trial.of("fault", Kind.SEARCH)
    lost = sum("scorer" in r.degraded for r in asked)
    trial.promise_no_failure()
    trial.promise_time(f"{lost} of {len(asked)} without scores", lost <= 0.1 * len(asked))


@row(
    4,
    "one scorer returns scores of the wrong number or NaN",
    "treated as a failed call, another replica is called; no crash, no random order",
    tests=(
        "services/gateway/tests/test_scorer_doubts.py",
        (
            "services/gateway/tests/test_turn_faults.py"
            "::test_scores_that_are_no_numbers_count_as_a_lost_scorer"
        ),
    ),
)
async def one_scorer_lies(trial: Trial) -> None:
    async with lying_scorer() as liar, trial.asking():
        await all_scorers_in_use(trial)
        proxy = trial.site.proxies[SCORERS[0]]
        truthful = proxy.upstream
        doubted = await _doubted(trial)
        proxy.upstream = liar.port
        proxy.reset_peers()
        await trial.fault()
        trial.occurred(f"{liar.lies} wrong answers given", liar.lies)
        asked = trial.of("fault", Kind.SEARCH)
        trial.promise_no_failure()
        others = await _doubted(trial) - doubted
        trial.promise(f"another replica was asked {others:.0f} times", others)
        lost = sum("scorer" in r.degraded for r in asked)
        # The connection that is cut when the liar takes over may cost the call that is on it.
        trial.promise(f"{lost} of {len(asked)} without scores", lost <= 1)
        proxy.upstream = truthful
        proxy.reset_peers()
        await trial.recover()
        await trial.promise_used_again("scorer")


async def _doubted(trial: Trial) -> float:
    return await trial.site.total("gateway", "pellucid_hedged_calls_total", "scorer-doubted")


@row(
    5,
    "one scorer accepts and never answers (SIGSTOP)",
    "each of a turn's two calls waits at most 0.2 s before another is asked, until it is left "
    "alone; used again after SIGCONT",
)
async def one_scorer_frozen(trial: Trial) -> None:
    async with trial.asking():
        await all_scorers_in_use(trial)
        name = SCORERS[0]
        one = trial.site.processes[name]
        one.signal(signal.SIGSTOP)
        await trial.fault(trial.pace.fault_s * 1.5)
        trial.occurred("the process stands still", not one.is_ready() and one.is_alive)
        _promise_as_quick(trial, waits_s=_WAITED_FOR_FROZEN_S)
        one.signal(signal.SIGCONT)
        # Calls that came while it stood still are answered first; nobody waits for them any more.
        await asyncio.sleep(2)
        before = await _scored_by(trial, name)
        await trial.recover()
        waited_s = await _until_used(trial, name, before)
        trial.promise(f"used again {waited_s:.0f} s later", waited_s < USED_AGAIN_WITHIN_S)


async def _scored_by(trial: Trial, name: str) -> float:
    return await trial.site.total(name, "pellucid_grpc_server_seconds_count", SCORE)


async def _until_used(trial: Trial, name: str, calls: float) -> float:
    """A replica that was left alone is tried again after half a minute, with load still on."""
    begun = time.monotonic()
    for _ in range(int(USED_AGAIN_WITHIN_S * 2)):
        if await _scored_by(trial, name) > calls:
            break
        await asyncio.sleep(0.5)
    return time.monotonic() - begun


@row(
    6,
    "one scorer refuses everything (RESOURCE_EXHAUSTED)",
    "not retried: provider order, flagged",
)
async def one_scorer_full(trial: Trial) -> None:
    small = {"SCORER_QUEUE_TOKENS": "256", "SCORER_CACHE_BYTES": "0", "MAX_CONCURRENT_RPCS": "1"}
    await trial.site.restart("scorer0", **small)
    trial.restarted.add("scorer0")
    async with trial.asking():
        await all_scorers_in_use(trial)
        before = await _refused(trial)
        for _ in range(_MOST_CROWDS):
            await asyncio.gather(*(_crowd(trial) for _ in range(_CROWD)))
            if await _refused(trial) - before >= _ENOUGH_REFUSALS:
                break
        await trial.fault(2)
        refused = await _refused(trial) - before
        trial.occurred(f"{refused:.0f} calls refused", refused)
        trial.promise_no_failure()
        await trial.site.restart("scorer0")
        await trial.recover()
        await trial.promise_used_again("scorer")


async def _refused(trial: Trial) -> float:
    name = "pellucid_grpc_server_seconds_count"
    return await trial.site.total("scorer0", name, "RESOURCE_EXHAUSTED")


async def _crowd(trial: Trial) -> None:
    """One of many at once: their texts do not fit into the queue together."""
    trial.load.phase = "fault"
    await trial.load.ask(0, time.monotonic())


@row(
    7,
    "kill -9 the decision service",
    "the gateway's own rule decides, `degraded: decision`; hardly slower",
)
async def decision_killed(trial: Trial) -> None:
    trial.spares_chat = False
    async with trial.asking():
        await kill(trial, "decision")
        await trial.fault()
        trial.promise_no_failure()
        trial.promise_flag("decision")
        now, bound = trial.median_s("fault"), trial.bound_s()
        trial.promise_time(
            f"median {now * 1000:.0f} ms, at most {bound * 1000:.0f} ms", now <= bound
        )
        await trial.mend("decision")
        await trial.recover()
        await trial.promise_used_again("decision")


@row(
    8,
    "decision service slow (+3 s)",
    "stopped at its budget (1.8 s), the gateway's own rule decides; flagged and counted",
)
async def decision_slow(trial: Trial) -> None:
    trial.spares_chat = False
    async with trial.asking():
        before = await trial.site.total("gateway", "pellucid_gateway_degraded_total", "decision")
        proxy = trial.site.proxies["decision"]
        proxy.poison(Toxics(latency_s=3.0))
        await trial.fault()
        trial.occurred(f"{proxy.counters.delayed} answers held back 3 s", proxy.counters.delayed)
        proxy.heal()
        await trial.recover()
        trial.promise_no_failure()
        trial.promise_flag("decision")
        counted = await trial.site.total("gateway", "pellucid_gateway_degraded_total", "decision")
        trial.promise(f"counted {counted - before:.0f} times", counted > before)
        added = trial.median_s("fault", Kind.SEARCH) - trial.median_s("warm", Kind.SEARCH)
        trial.promise_time(f"{added:.2f} s slower, at most 1.8 s and slack", added <= 1.8 * 1.25)
