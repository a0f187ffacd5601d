"""The weekly report: what was asked, what it cost, how well it went, against the week before."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date, datetime, timedelta
from typing import Any

from pellucid_gateway.analytics.query_log import LEAST_ASKERS, AskedQuery, QueryLog
from pellucid_gateway.analytics.stats import summary
from pellucid_gateway.analytics.stats_reader import StatsReader

WEEK = timedelta(days=7)
TOP_QUERIES = 20
TOP_DOMAINS = 20
# Below this the results of a query hardly fit it; the threshold of the scorer is lower.
LOW_RELEVANCE = 0.5
_MOST_CONSIDERED = 500


async def weekly_report(
    stats: StatsReader, query_log: QueryLog | None, until: datetime
) -> dict[str, Any]:
    """The report on the seven days before an instant.

    Args:
        stats: The sums.
        query_log: Queries and cited domains; None when the operator keeps none.
        until: End of the week, aware.

    Raises:
        DependencyDownError: The store is down.
    """
    week = await stats.week(until)
    before = await stats.week(until - WEEK)
    asked = await query_log.most_asked(until, 7, _MOST_CONSIDERED) if query_log else ()
    cited = await query_log.most_cited(until, 7, TOP_DOMAINS) if query_log else []
    return {
        "from": (until - WEEK).isoformat(timespec="seconds"),
        "to": until.isoformat(timespec="seconds"),
        "counted_from": week.first.isoformat(timespec="seconds") if week.first else None,
        "summary": summary(week.counts),
        "week_before": summary(before.counts),
        "days": [_day(day, counts) for day, counts in week.days.items()],
        "least_askers": await query_log.least_askers() if query_log else LEAST_ASKERS,
        "top_queries": [asdict(query) for query in asked[:TOP_QUERIES]],
        "low_relevance_queries": [asdict(query) for query in _low(asked)],
        "most_cited_domains": [{"domain": name, "citations": n} for name, n in cited],
        "query_log": query_log is not None,
    }


def _day(day: date, counts: Mapping[str, int]) -> dict[str, Any]:
    """One day of the week, in UTC."""
    numbers = summary(counts)
    names = (
        "turns",
        "searches",
        "cost_usd",
        "error_rate",
        "errors",
        "cache_hit_rate",
        "average_relevance",
        "satisfaction",
        "citation_validity",
    )
    total = numbers["latency_ms"].get("total", {})
    return {
        "day": day.isoformat(),
        "p95_ms": total.get("p95"),
        **{name: numbers[name] for name in names},
    }


def _low(asked: Sequence[AskedQuery]) -> list[AskedQuery]:
    rated = [q for q in asked if q.average_relevance is not None]
    low = [q for q in rated if (q.average_relevance or 0.0) < LOW_RELEVANCE]
    return sorted(low, key=lambda q: q.average_relevance or 0.0)[:TOP_QUERIES]
