"""The numbers of the dashboard and of the weekly report, out of sums.

A rate whose denominator is 0 is None: nothing happened, which is not the same as zero.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pellucid_gateway.analytics.rollups import percentile_ms, summed

_STAGES = (
    *("decision", "search", "score", "fetch", "first_token", "generate", "total"),
    "search_call",
)
_SHARES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}


def summary(counts: Mapping[str, int]) -> dict[str, Any]:
    """All numbers of a span of time."""
    get = counts.get
    asked = get("cache_hits", 0) + get("cache_misses", 0)
    return {
        **_turns(counts),
        "latency_ms": latencies(counts),
        "cost_usd": get("cost_micro_usd", 0) / 1_000_000,
        "cost_per_turn_usd": _ratio(get("cost_micro_usd", 0) / 1_000_000, get("turns", 0)),
        "cache_hit_rate": _ratio(get("cache_hits", 0), asked),
        **_quality(counts),
        "retry_rate": _ratio(get("retries", 0), get("turns", 0)),
        "abandonment_rate": _abandonment(counts),
        "error_rate": _ratio(get("failed", 0), get("turns", 0)),
        "degraded_rate": _ratio(get("degraded", 0), get("turns", 0) + get("search_calls", 0)),
        "errors": _by_prefix(counts, "error."),
        "lost": _by_prefix(counts, "lost."),
        "tokens": {"in": get("tokens_in", 0), "out": get("tokens_out", 0)},
        "providers": providers(counts),
        "models": models(counts),
        "profiles": profiles(counts),
    }


def _quality(counts: Mapping[str, int]) -> dict[str, Any]:
    """What searches found and what people thought of it."""
    get = counts.get
    return {
        "searches": get("searches", 0),
        "average_relevance": _ratio(get("relevance_milli", 0) / 1000, get("relevance_n", 0)),
        "cited_share": _ratio(get("answers_cited", 0), get("answers", 0)),
        "multi_source_share": _ratio(get("answers_multi_source", 0), get("answers", 0)),
        "multi_domain_share": _ratio(get("answers_multi_domain", 0), get("answers", 0)),
        "citation_validity": _validity(counts),
        "satisfaction": _ratio(get("feedback_score", 0), get("feedback", 0)),
        "feedback": get("feedback", 0),
        "thumbs_up": get("thumbs_up", 0),
    }


def _turns(counts: Mapping[str, int]) -> dict[str, Any]:
    turns, searches = counts.get("turns", 0), counts.get("searches", 0)
    calls = counts.get("search_calls", 0)
    completed = turns - counts.get("failed", 0)
    return {
        "turns": turns,
        "completed_turns": completed,
        "searched_turns": searches - calls,
        "search_calls": calls,
        "trigger_rate": _ratio(searches - calls, completed),
    }


def _validity(counts: Mapping[str, int]) -> float | None:
    """Share of citations that a judge found right; None where nobody judges."""
    supported = counts.get("citations_supported", 0)
    every = counts.get("citations_checked", 0) + counts.get("citations_added", 0)
    return _ratio(supported, every) if supported else None


def latencies(counts: Mapping[str, int]) -> dict[str, dict[str, float | None]]:
    """Percentiles by stage, in milliseconds, for stages that happened."""
    found = {
        stage: {name: _rounded(percentile_ms(counts, stage, s)) for name, s in _SHARES.items()}
        for stage in _STAGES
    }
    return {stage: spread for stage, spread in found.items() if spread["p50"] is not None}


def providers(counts: Mapping[str, int]) -> list[dict[str, Any]]:
    """Health of each provider that was asked, most asked first."""
    rows = [_provider(name, own) for name, own in _by_name(counts, "provider")]
    return sorted(rows, key=lambda row: -row["asked"])


def _provider(name: str, own: Counter[str]) -> dict[str, Any]:
    return {
        "name": name,
        **{field: own[field] for field in ("asked", "cached", "failed", "rate_limited")},
        "success_rate": _ratio(own["ok"] + own["cached"], own["asked"]),
        "average_ms": _rounded(_ratio(own["ms"], own["asked"] - own["cached"])),
        "cost_usd": own["micro_usd"] / 1_000_000,
    }


def models(counts: Mapping[str, int]) -> list[dict[str, Any]]:
    """What each model was used for answers and judgements, the dearest first."""
    rows = [
        {
            "name": name,
            "calls": own["calls"],
            "tokens_in": own["in"],
            "tokens_out": own["out"],
            "cost_usd": own["micro_usd"] / 1_000_000,
        }
        for name, own in _by_name(counts, "model")
    ]
    return sorted(rows, key=lambda row: (-row["cost_usd"], -row["calls"]))


def profiles(counts: Mapping[str, int]) -> list[dict[str, Any]]:
    """How turns went by scoring profile, where profiles are tried on shares of the callers."""
    told = ("searches", "average_relevance", "cited_share", "multi_domain_share")
    rated = ("citation_validity", "satisfaction", "feedback")
    rows = []
    for name, own in _by_name(counts, "profile"):
        numbers = _quality(own)
        rows.append({"name": name, **{key: numbers[key] for key in (*told, *rated)}})
    return rows


def _by_name(counts: Mapping[str, int], kind: str) -> list[tuple[str, Counter[str]]]:
    """What was counted of each thing of a kind, by the thing's name."""
    found: dict[str, Counter[str]] = {}
    for field, n in counts.items():
        if field.startswith(f"{kind}."):
            _, name, count = field.split(".", 2)
            found.setdefault(name, Counter())[count] = n
    return sorted(found.items())


def series(
    buckets: Sequence[Mapping[str, int]], each: int, names: Sequence[str]
) -> dict[str, list[Any]]:
    """Curves: the summary's numbers for every `each` buckets.

    Args:
        buckets: Oldest first.
        each: Buckets to one point.
        names: Numbers of the summary, with a dot for one inside, as in `latency_ms.total.p95`.
    """
    points = [summary(summed(buckets[n : n + each])) for n in range(0, len(buckets), each)]
    return {name: [_inside(point, name) for point in points] for name in names}


def _inside(point: Mapping[str, Any], name: str) -> Any:
    value: Any = point
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _abandonment(counts: Mapping[str, int]) -> float | None:
    """Share of search answers after which the person said nothing more within half an hour."""
    answers = counts.get("settled_answers", 0)
    followed = _ratio(min(counts.get("settled_followed", 0), answers), answers)
    return None if followed is None else 1 - followed


def _by_prefix(counts: Mapping[str, int], prefix: str) -> dict[str, int]:
    found = {name.removeprefix(prefix): n for name, n in counts.items() if name.startswith(prefix)}
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole > 0 else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)
