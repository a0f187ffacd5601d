"""Counts what happened; between the domain and the instruments."""

from pellucid_search import metrics
from pellucid_search.query import SearchRequest
from pellucid_search.reports import ProviderStatus
from pellucid_search.searching import SearchOutcome


class CallMeter:
    """Hears about provider calls; see `desk.DeskObserver`."""

    def called(self, provider: str, outcome: str, seconds: float) -> None:
        """One call ended."""
        metrics.PROVIDER_SECONDS.labels(provider, outcome).observe(seconds)


def count_outcome(request: SearchRequest, outcome: SearchOutcome) -> None:
    """Count one search."""
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
