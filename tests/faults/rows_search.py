"""Rows 21 to 26 and 33: search providers that refuse, fail, hang or answer nonsense, and names."""

import asyncio
import time
from collections.abc import Sequence

from rig.fault_table import row, row_of_tests
from rig.history import Kind, Outcome
from rig.proxy import Toxics
from rig.trial import Trial

_OUTAGES = "services/search/tests/test_provider_outages.py"
_TROUBLE = "services/search/tests/test_provider_trouble.py"
_CONTRACT = "services/search/tests/test_provider_contract.py"
_ROWS = "services/gateway/tests/test_fault_rows.py"
_HERDS = "services/search/tests/test_replicas.py"


async def anew(trial: Trial) -> None:
    """A search service that remembers no provider's failures, and an empty Redis."""
    await trial.site.restart("redis", "search")
    trial.restarted.update(("redis", "search"))


def asked_since(asked: Sequence[tuple[float, str]], instant_s: float) -> int:
    """How often a provider was asked since."""
    return sum(at >= instant_s for at, _ in asked)


async def _provider_fails(trial: Trial, mode: str) -> int:
    """Let the first provider fail while it is asked; returns how often it was asked."""
    since = time.monotonic()
    trial.site.brave.mode = mode
    await trial.fault()
    asked = asked_since(trial.site.brave.asked, since)
    trial.occurred(f"asked {asked} times in mode {mode}", asked)
    instead = asked_since(trial.site.tavily.asked, since)
    trial.promise(f"the other provider was asked {instead} times", instead)
    trial.promise_no_failure()
    return asked


def _promise_told(trial: Trial) -> None:
    """Answers that needed the other provider name the lost one."""
    told = sum(any(c.startswith("provider:") for c in r.degraded) for r in trial.of("fault"))
    trial.promise(f"{told} answers name the lost provider", told)


@row(
    21,
    "provider answers 429 with Retry-After",
    "not called before that time; the next one answers; replicas share this through Redis",
    tests=(
        f"{_TROUBLE}::test_retry_after_is_obeyed",
        f"{_HERDS}::test_what_one_replica_was_told_the_others_know",
    ),
)
async def provider_limits(trial: Trial) -> None:
    async with trial.asking():
        asked = await _provider_fails(trial, "429")
        trial.promise(f"asked {asked} times within a Retry-After of 5 s", asked <= 8)
        trial.site.brave.mode = "ok"
        await trial.recover()
    await anew(trial)


@row(
    22,
    "provider answers 500",
    "breaker open after 5 in a row; the next one answers",
    tests=(
        f"{_TROUBLE}::test_the_breaker_opens_after_five_failures_in_a_row",
        "services/common/tests/test_breaker.py",
        f"{_OUTAGES}::test_a_server_error_is_tried_again_until_it_answers",
    ),
)
async def provider_fails(trial: Trial) -> None:
    async with trial.asking():
        asked = await _provider_fails(trial, "500")
        turns = len(trial.of("fault", Kind.SEARCH))
        trial.promise(f"asked {asked} times for {turns} turns", asked <= 20)
        _promise_told(trial)
        trial.site.brave.mode = "ok"
        await trial.recover()
    await anew(trial)


@row(
    23,
    "provider hangs",
    "the next one is called as well at the hedge point; stopped at the budget; deadline kept",
    tests=(f"{_OUTAGES}::test_a_provider_that_hangs_is_left_alone_after_five",),
)
async def provider_hangs(trial: Trial) -> None:
    async with trial.asking():
        await _provider_fails(trial, "hang")
        added = trial.median_s("fault", Kind.SEARCH) - trial.median_s("warm", Kind.SEARCH)
        trial.promise_time(f"{added:.2f} s slower, at most 3 s", added <= 3.0)
        trial.site.brave.mode = "ok"
        await trial.recover()
    await anew(trial)


@row(
    24,
    "provider answers malformed, truncated or 50 MB JSON, HTML, or in a wrong encoding",
    "typed error, bounded reading, the next one answers",
    tests=(
        f"{_OUTAGES}::test_each_documented_failure_is_named_and_replaced",
        f"{_OUTAGES}::test_each_broken_connection_is_named_and_replaced",
        f"{_CONTRACT}::test_a_body_of_fifty_megabytes_is_not_read_to_its_end",
        f"{_CONTRACT}::test_a_small_body_that_grows_is_stopped",
    ),
)
async def provider_talks_nonsense(trial: Trial) -> None:
    site = trial.site
    async with trial.asking():
        for mode in ("huge", "html", "charset"):
            # A service that has not yet given up on the provider; the named tests show all kinds.
            trial.load.phase = "mending"
            await site.restart("search")
            trial.restarted.add("search")
            since = time.monotonic()
            site.brave.mode = mode
            await trial.fault(trial.pace.fault_s / 3)
            asked = asked_since(site.brave.asked, since)
            trial.occurred(f"{mode}: asked {asked} times", asked)
        trial.promise_no_failure()
        _promise_told(trial)
        site.brave.mode = "ok"
        await trial.recover()
    await anew(trial)


@row(
    25,
    "provider finds nothing, duplicates, or what is off topic",
    "reported; the model answers with that note; nothing is invented",
    tests=(f"{_ROWS}::test_row_25_nothing_usable_found_is_said_and_nothing_made_up",),
)
async def provider_finds_nothing(trial: Trial) -> None:
    site = trial.site
    async with trial.asking():
        trial.load.phase = "fault"
        for mode in ("empty", "off_topic", "duplicates"):
            site.brave.mode = site.tavily.mode = mode
            await asyncio.sleep(trial.pace.fault_s / 3)
        trial.occurred("three kinds of useless results", seen=True)
        trial.promise_no_failure()
        noted = [r for r in trial.of("fault", Kind.SEARCH) if b"event: notice" in r.body]
        trial.promise(f"{len(noted)} answers say that nothing was found", noted)
        site.heal()
        await trial.recover()
    await anew(trial)


@row(
    26,
    "all providers down",
    "answers without search, `degraded: search`, less than 1 s added",
    tests=(
        f"{_ROWS}::test_row_26_all_providers_down_is_flagged_and_answered_at_once",
        f"{_TROUBLE}::test_everything_down_is_said_quickly",
    ),
)
async def all_providers_down(trial: Trial) -> None:
    edges = [trial.site.proxies[name] for name in ("provider", "spare")]
    async with trial.asking():
        for proxy in edges:
            proxy.poison(Toxics(down=True))
        await trial.fault()
        refused = sum(proxy.counters.refused for proxy in edges)
        trial.occurred(f"{refused} connections refused", refused)
        trial.promise_no_failure()
        asked = trial.of("fault", Kind.SEARCH)
        told = [r for r in asked if r.degraded]
        whole = sum(r.outcome is Outcome.FULL for r in asked)
        trial.promise(f"{len(told)} of {len(asked)} flagged, {whole} whole", told and not whole)
        added = trial.median_s("fault", Kind.SEARCH) - trial.median_s("warm", Kind.SEARCH)
        trial.promise_time(f"{added * 1000:.0f} ms added", added < 1.0)
        for proxy in edges:
            proxy.heal()
        await trial.recover()
    await anew(trial)


row_of_tests(
    33,
    "names cannot be looked up, slowly or not at all",
    "`DNS_ERROR` soon, remembered for at most 30 s; names inside are not affected",
    tests=(
        (
            "services/fetcher/tests/test_egress_gate.py"
            "::test_a_name_without_answer_is_a_dns_error_with_the_same_sentence"
        ),
        "services/fetcher/tests/test_fetching.py::test_good_pages_beside_dead_hosts_are_not_delayed",
        (
            "services/search/tests/test_search_server.py"
            "::test_without_a_network_the_local_corpus_answers_and_the_loss_is_said"
        ),
    ),
    cannot="one bad resolver of two: the system's resolver is shared with everything else here",
)
