"""What is counted of turns, minute by minute, and how it is summed up again.

Every number is a whole one, so that sums over replicas are exact: money in millionths of a dollar,
scores in thousandths, times in milliseconds and as counts of a histogram.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from pellucid_gateway.domain.account import ModelUse
from pellucid_gateway.domain.decision import Action
from pellucid_gateway.domain.events import AnswerKind, TurnResult
from pellucid_gateway.domain.findings import ProviderReport, ProviderStatus
from pellucid_gateway.domain.passed_on import PassedOn
from pellucid_gateway.domain.search_outcome import SearchOutcome

MINUTE_S = 60
HOUR_S = 3600
# A day and a little, so that the oldest minute of a day is whole.
MINUTES_TTL_S = 26 * HOUR_S
# Five weeks: a week, the four before it to compare with.
HOURS_TTL_S = 35 * 24 * HOUR_S
# Upper bounds of the histogram in milliseconds: 5 ms to 85 s, each 1.3 times the one before, so
# that a percentile read from it is within 15 %.
BOUNDS_MS: tuple[float, ...] = tuple(5 * 1.3**n for n in range(38))
_STAGES = ("decision", "search", "score", "fetch", "first_token", "generate")
_SHARED_SOURCES = 2
_NAME_CHARS = 40


def minute_bucket(at: datetime) -> str:
    """Name of the bucket of a minute."""
    return f"minute-{int(at.timestamp()) // MINUTE_S}"


def hour_bucket(at: datetime) -> str:
    """Name of the bucket of an hour."""
    return f"hour-{int(at.timestamp()) // HOUR_S}"


def day_of(at: datetime) -> str:
    """The day in UTC, as part of a bucket's name.

    >>> day_of(datetime(2026, 11, 21, 23, tzinfo=UTC))
    '20261121'
    """
    return f"{at.astimezone(UTC):%Y%m%d}"


def last_minutes(now: datetime, count: int) -> tuple[str, ...]:
    """Buckets of the last minutes, oldest first, the present one last."""
    return tuple(minute_bucket(now - timedelta(minutes=n)) for n in range(count - 1, -1, -1))


def last_hours(now: datetime, count: int) -> tuple[str, ...]:
    """Buckets of the last hours, oldest first, the present one last."""
    return tuple(hour_bucket(now - timedelta(hours=n)) for n in range(count - 1, -1, -1))


def last_days(now: datetime, count: int) -> tuple[str, ...]:
    """The last days, oldest first, today last."""
    return tuple(day_of(now - timedelta(days=n)) for n in range(count - 1, -1, -1))


def of_turn(result: TurnResult) -> Counter[str]:
    """Counts of a turn that ended."""
    counts: Counter[str] = Counter(turns=1)
    if result.decision.action is Action.SEARCH:
        counts["decided_search"] = 1
        counts[f"stage.{result.decision.stage.value}"] = 1
    if result.iterations:
        counts.update(_of_searching(result))
    _add_losses(counts, result)
    _add_times(counts, result.timings_ms)
    if result.timings_ms.get("first_token"):
        # Of the same turns as the first word's, else the whole would seem quicker than its part.
        _add_time(counts, "total", result.timings_ms.get("total", 0))
    counts["partial"] = int(result.partial)
    counts["results"] = sum(not source.user_supplied for source in result.sources)
    counts["tokens_in"] = result.usage.prompt_tokens
    counts["tokens_out"] = result.usage.completion_tokens
    for use in result.usage.models:
        counts.update(_of_model(use))
    return +counts


def _of_searching(result: TurnResult) -> Counter[str]:
    """Counts of a turn that searched."""
    counts: Counter[str] = Counter(searches=1, queries=len(result.decision.queries))
    counts.update(_of_answer(result))
    rated = [source.relevance for source in result.sources if source.relevance is not None]
    counts["relevance_n"] = len(rated)
    counts["relevance_milli"] = round(1000 * sum(rated))
    return counts


def _of_answer(result: TurnResult) -> Counter[str]:
    if result.answer_kind not in {AnswerKind.MODEL, AnswerKind.EXTRACTIVE}:
        return Counter()
    cited = {citation.source for citation in result.citations}
    domains = {source.domain for source in result.sources if source.n in cited}
    report = result.citation_report
    return Counter(
        answers=1,
        answers_cited=int(bool(cited)),
        answers_multi_source=int(len(cited) >= _SHARED_SOURCES),
        answers_multi_domain=int(len(domains) >= _SHARED_SOURCES),
        citations_checked=report.checked,
        citations_kept=report.kept,
        citations_rebound=report.rebound,
        citations_dropped=report.dropped,
        citations_supported=report.supported,
        citations_added=report.added,
    )


def of_profile(profile: str, result: TurnResult) -> Counter[str]:
    """Counts of a turn that searched, of the scoring profile that was tried on it."""
    counts = _of_searching(result) if result.iterations else Counter()
    return by_profile(profile, counts)


def by_profile(profile: str, counts: Mapping[str, int]) -> Counter[str]:
    """Counts of a scoring profile; none without a name."""
    named = counts if profile else {}
    return Counter({f"profile.{_name(profile)}.{field}": n for field, n in named.items() if n})


def of_search(outcome: SearchOutcome) -> Counter[str]:
    """Counts of one call of a search API."""
    counts: Counter[str] = Counter(
        searches=1, search_calls=1, queries=len(outcome.queries), results=len(outcome.results)
    )
    rated = [source.relevance for source in outcome.results if source.relevance is not None]
    counts["relevance_n"] = len(rated)
    counts["relevance_milli"] = round(1000 * sum(rated))
    _add_losses(counts, outcome)
    _add_times(counts, outcome.timings_ms)
    _add_time(counts, "search_call", outcome.timings_ms.get("total", 0))
    return +counts


def of_passed(turn: PassedOn) -> Counter[str]:
    """Counts of a turn that the model server answered by itself."""
    spent = turn.spent
    used = ModelUse(
        model=spent.model or "unnamed",
        prompt_tokens=spent.prompt_tokens,
        completion_tokens=spent.completion_tokens,
        cost_micro_usd=spent.cost_micro_usd,
    )
    counts = Counter(
        turns=1,
        tokens_in=spent.prompt_tokens,
        tokens_out=spent.completion_tokens,
        cost_micro_usd=spent.cost_micro_usd,
    )
    return +(counts + _of_model(used))


def of_failure(reason: str) -> Counter[str]:
    """Counts of a turn that ended in an error."""
    return Counter({"turns": 1, "failed": 1, f"error.{_name(reason)}": 1})


def _add_losses(counts: Counter[str], ended: TurnResult | SearchOutcome) -> None:
    counts["cost_micro_usd"] += ended.usage.cost_micro_usd
    counts["degraded"] += int(bool(ended.degraded))
    for lost in ended.degraded:
        counts[f"lost.{_name(lost.component)}"] += 1
    for report in ended.providers:
        counts.update(_of_provider(report))


def _of_provider(report: ProviderReport) -> Counter[str]:
    """Calls of a provider; one that was not asked does not count."""
    if report.status is ProviderStatus.SKIPPED:
        return Counter()
    prefix = f"provider.{_name(report.name)}."
    counts = Counter({prefix + "asked": 1, f"{prefix}{report.status.value}": 1})
    counts[prefix + "micro_usd"] = report.cost_micro_usd
    if report.status is ProviderStatus.CACHED:
        counts["cache_hits"] = 1
    else:
        counts["cache_misses"] = 1
        counts[prefix + "ms"] = report.latency_ms
    return counts


def _of_model(use: ModelUse) -> Counter[str]:
    """What a model used."""
    prefix = f"model.{_name(use.model)}."
    return Counter(
        {
            prefix + "calls": use.calls,
            prefix + "in": use.prompt_tokens,
            prefix + "out": use.completion_tokens,
            prefix + "micro_usd": use.cost_micro_usd,
        }
    )


def _add_times(counts: Counter[str], timings_ms: Mapping[str, int]) -> None:
    for stage in _STAGES:
        if spent := timings_ms.get(stage, 0):
            _add_time(counts, stage, spent)


def _add_time(counts: Counter[str], stage: str, spent_ms: int) -> None:
    counts[f"ms.{stage}.{bisect_left(BOUNDS_MS, spent_ms)}"] += 1


def _name(text: str) -> str:
    """A field's part: our own words and names of providers, of bounded length."""
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in text)[:_NAME_CHARS]


def summed(buckets: Iterable[Mapping[str, int]]) -> Counter[str]:
    """One bucket out of many."""
    total: Counter[str] = Counter()
    for bucket in buckets:
        total.update(bucket)
    return total


def percentile_ms(counts: Mapping[str, int], stage: str, share: float) -> float | None:
    """A percentile of a stage's time, from its histogram; None when nothing was counted.

    >>> round(percentile_ms({"ms.total.3": 10}, "total", 0.5), 1)
    9.7
    """
    cells = [counts.get(f"ms.{stage}.{n}", 0) for n in range(len(BOUNDS_MS) + 1)]
    wanted = share * sum(cells)
    if not wanted:
        return None
    return _within(cells, wanted)


def _within(cells: Sequence[int], wanted: float) -> float:
    passed = 0.0
    for n, cell in enumerate(cells):
        if cell and passed + cell >= wanted:
            low = BOUNDS_MS[n - 1] if n else 0.0
            high = BOUNDS_MS[min(n, len(BOUNDS_MS) - 1)]
            return low + (high - low) * (wanted - passed) / cell
        passed += cell
    return BOUNDS_MS[-1]
