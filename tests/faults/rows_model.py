"""Rows 27 to 32: a model that is cut, silent, stalled or garbled; clients that leave or crawl."""

import asyncio
import time
from collections import Counter

import httpx

from faults.rows_services import seen
from rig.fault_table import row
from rig.history import Kind, Outcome
from rig.invented_web import company_in, question
from rig.proxy import Proxy, Toxics
from rig.trial import Trial

_AGAIN_BEFORE_A_TOKEN = 1
_ROWS = "services/gateway/tests/test_fault_rows.py"
_STREAMS = "services/gateway/tests/test_streams.py"


@row(
    27,
    "model stream reset in the middle",
    "the text so far is kept, one clean end; no retry after the first token",
    tests=(f"{_ROWS}::test_row_27_a_cut_stream_keeps_what_was_sent_and_says_so",),
)
async def model_cut(trial: Trial) -> None:
    trial.spares_chat = False
    async with trial.asking():
        proxy = trial.site.proxies["model"]
        before = len(trial.site.model.asked)
        proxy.poison(Toxics(limit_data=1500))
        await trial.fault()
        resets = proxy.counters.resets
        trial.occurred(f"{resets} streams reset", resets)
        hurt = [r for r in trial.of("fault") if r.outcome is not Outcome.FULL]
        # Every company is asked about once; small talk is always the same. A link that is reset
        # before the first token is tried once more.
        told = Counter(company_in(text) for _, text in trial.site.model.asked[before:])
        del told[""]
        most = max(told.values(), default=0)
        trial.promise(f"{len(hurt)} ended flagged as partial or in an error", hurt)
        trial.promise(f"asked {most} times at most", most <= 1 + _AGAIN_BEFORE_A_TOKEN)
        proxy.heal()
        await trial.recover()


@row(
    28,
    "first token of the model never comes",
    "abandoned after the first-token timeout (2 s here); excerpts, flagged, or a clean error",
    tests=(
        f"{_ROWS}::test_row_28_no_first_token_is_tried_once_elsewhere_before_any_byte",
        f"{_ROWS}::test_row_28_when_both_are_silent_the_sources_answer",
    ),
)
async def model_silent(trial: Trial) -> None:
    trial.spares_chat = False
    async with trial.asking():
        proxy = trial.site.proxies["model"]
        proxy.poison(Toxics(timeout=True))
        await trial.fault()
        trial.occurred(f"{proxy.counters.swallowed} bytes swallowed", proxy.counters.swallowed)
        proxy.heal()
        await trial.recover()
        asked = trial.of("fault")
        told = [r for r in asked if r.outcome in {Outcome.DEGRADED, Outcome.ERROR}]
        trial.promise(f"{len(told)} of {len(asked)} flagged or a clean error", told)
        longest = max((r.took_s for r in asked), default=0.0)
        trial.promise_time(f"longest {longest:.1f} s, at most 2 x 2 s and 3 s", longest <= 7.0)


@row(
    29,
    "model stream stalls between tokens",
    "ends after the idle timeout (2 s here) with the text so far; comments keep it open",
    tests=(
        f"{_ROWS}::test_row_29_a_stalled_stream_ends_after_the_idle_time",
        f"{_STREAMS}::test_a_quiet_stream_gets_heartbeats",
    ),
)
async def model_stalls(trial: Trial) -> None:
    trial.spares_chat = False
    async with trial.asking():
        trial.site.model.mode = "stall"
        await trial.fault()
        trial.site.model.mode = "ok"
        await trial.recover()
        asked = trial.of("fault")
        hurt = [r for r in asked if r.outcome is not Outcome.FULL]
        trial.occurred(f"{len(hurt)} of {len(asked)} did not end whole", hurt)
        longest = max((r.took_s for r in asked), default=0.0)
        trial.promise_time(f"longest {longest:.1f} s, at most 2 s and 5 s", longest <= 7.0)


@row(
    30,
    "model sends broken events, cut characters or calls of tools that nobody offered",
    "characters are put together; broken ones are a lost model; no loop",
    tests=(
        f"{_ROWS}::test_row_30_characters_cut_by_the_network_are_put_together",
        f"{_ROWS}::test_row_30_broken_bytes_before_any_text_leave_the_sources",
        f"{_ROWS}::test_row_30_tool_calls_nobody_offered_do_not_loop",
    ),
)
async def model_garbled(trial: Trial) -> None:
    trial.spares_chat = False
    site = trial.site
    async with trial.asking():
        proxy = site.proxies["model"]
        proxy.poison(Toxics(slicer=1))
        await trial.fault(trial.pace.fault_s / 2)
        trial.occurred(f"{proxy.counters.sliced} slices of one byte", proxy.counters.sliced)
        sliced = [r for r in trial.of("fault") if r.outcome is not Outcome.FULL]
        hurt = [r for r in sliced if r.outcome is not Outcome.DEGRADED or "llm" in r.degraded]
        trial.promise(f"{len(hurt)} answers hurt by slices", not hurt)
        # So many pieces keep the processors busy, and other parts have little time.
        parts = ", ".join(sorted({part for r in sliced for part in r.degraded}))
        said = f"{len(sliced)} without another part{f' ({parts})' if parts else ''}"
        trial.promise_time(said, not sliced)
        proxy.heal()
        for mode in ("broken", "tools"):
            before = len(site.model.asked)
            site.model.mode = mode
            await trial.fault(trial.pace.fault_s / 3)
            trial.occurred(
                f"{mode}: asked {len(site.model.asked) - before} times", site.model.asked
            )
        site.model.mode = "ok"
        await trial.recover()


@row(
    31,
    "client leaves in the middle of the stream",
    "calls to model, pages and search are cancelled within 500 ms",
    tests=(
        f"{_STREAMS}::test_leaving_a_stream_cancels_the_turn",
        f"{_ROWS}::test_row_31_a_client_that_leaves_cancels_everything_within_half_a_second",
    ),
)
async def client_leaves(trial: Trial) -> None:
    site = trial.site
    site.model.filler, site.model.gap_s = 400, 0.02
    waits = [await _leave(trial) for _ in range(3)]
    trial.occurred(f"{len(waits)} clients left", all(wait is not None for wait in waits))
    longest = max(wait if wait is not None else 99.0 for wait in waits)
    said = f"the model was left after {longest * 1000:.0f} ms at most"
    trial.promise_time(said, longest <= 0.5)
    trial.promise("no turn runs on", await _no_turn(trial))


async def _leave(trial: Trial) -> float | None:
    """Hang up after the first text; seconds until the model saw it."""
    body = {"message": question(next(trial.companies)), "stream": True}
    url = f"{trial.site.gateway_url}/v1/chat"
    async with trial.client.stream("POST", url, json=body) as response:
        async for piece in response.aiter_bytes():
            if b"event: delta" in piece:
                break
    gone_s = time.monotonic()
    left = trial.site.model.left
    came = await seen(lambda: any(at >= gone_s for at in left), 5.0)
    return min(at for at in left if at >= gone_s) - gone_s if came else None


async def _no_turn(trial: Trial) -> bool:
    for _ in range(20):
        if not await trial.site.total("gateway", "pellucid_gateway_turns_in_flight"):
            return True
        await asyncio.sleep(0.1)
    return False


@row(
    32,
    "slow clients (100 bytes a second)",
    "their buffers are bounded; others are as fast as before",
    tests=(f"{_STREAMS}::test_a_client_that_reads_nothing_is_given_up",),
)
async def slow_clients(trial: Trial) -> None:
    site = trial.site
    memory = site.processes["gateway"].usage().resident
    async with Proxy("client", 0, site.port("gateway-http")) as proxy, trial.asking():
        proxy.poison(Toxics(bandwidth=100))
        crawling = [asyncio.create_task(_crawl(trial, proxy.port)) for _ in range(5)]
        await trial.fault()
        trial.occurred(f"{proxy.counters.throttled} throttled pieces", proxy.counters.throttled)
        trial.promise_no_failure()
        now, bound = trial.median_s("fault", Kind.SEARCH), trial.bound_s(Kind.SEARCH)
        trial.promise_time(
            f"others {now * 1000:.0f} ms, at most {bound * 1000:.0f} ms", now <= bound
        )
        grown = (site.processes["gateway"].usage().resident - memory) // 2**20
        trial.promise(f"gateway {grown:+d} MiB", grown <= 100)
        for task in crawling:
            task.cancel()
        await asyncio.gather(*crawling, return_exceptions=True)
        await trial.recover()


async def _crawl(trial: Trial, port: int) -> None:
    body = {"message": question(next(trial.companies)), "stream": True}
    url = f"http://127.0.0.1:{port}/v1/chat"
    async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
        await client.post(url, json=body)
