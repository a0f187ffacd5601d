"""Counts what happened, and logs it without a word of a query.

Between the domain and the instruments.
"""

import structlog

from pellucid_search import metrics
from pellucid_search.query import SearchRequest
from pellucid_search.reports import LOST, ProviderStatus
from pellucid_search.searching import SearchOutcome

_log = structlog.get_logger("pellucid_search.metering")


def count_outcome(request: SearchRequest, outcome: SearchOutcome) -> None:
    """Count one search, and log it and each provider that failed in it."""
    _log_outcome(request, outcome)
    metrics.QUERIES.inc(len(request.queries))
    metrics.HITS_REMOVED.labels("blocked").inc(outcome.blocked)
    metrics.HITS_REMOVED.labels("collapsed").inc(outcome.collapsed)
    for report in outcome.account.reports:
        metrics.PROVIDER_REPORTS.labels(report.name, report.status.value).inc()
        if report.status is ProviderStatus.CACHED:
            metrics.CACHE_LOOKUPS.labels("hit").inc()
        elif report.calls:
            metrics.CACHE_LOOKUPS.labels("miss").inc()
        metrics.COST_MICRO_USD.labels(report.name).inc(max(0, report.cost_micro_usd))
    for kind in {kind for item in outcome.account.outbound for kind in item.redacted}:
        metrics.REDACTIONS.labels(kind).inc()


def _log_outcome(request: SearchRequest, outcome: SearchOutcome) -> None:
    reports = outcome.account.reports
    for report in reports:
        if report.status in LOST:
            _log.warning(
                "provider_failed",
                provider=report.name,
                status=report.status.value,
                error=report.error_code,
                calls=report.calls,
                ms=report.latency_ms,
                retry_after_s=report.retry_after_s,
            )
    _log.info(
        "search",
        providers={report.name: report.status.value for report in reports},
        queries=len(request.queries),
        results=len(outcome.hits),
        ms=max((report.latency_ms for report in reports), default=0),
        cost_micro_usd=outcome.account.cost_micro_usd,
    )
