"""Every instrument of this service."""

from prometheus_client import Counter, Gauge, Histogram

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 5, 10)

PROVIDER_SECONDS = Histogram(
    "pellucid_search_provider_seconds",
    "Time of one call to a provider, by how it ended.",
    ("provider", "outcome"),
    buckets=_SECONDS,
)
PROVIDER_REPORTS = Counter(
    "pellucid_search_provider_reports_total",
    "What providers did for requests, by status.",
    ("provider", "status"),
)
BREAKER_OPEN = Gauge(
    "pellucid_search_breaker_open_state",
    "1 while a provider's breaker is not closed.",
    ("provider",),
)
REMAINING_CALLS = Gauge(
    "pellucid_search_remaining_calls", "Calls left of a provider's quota.", ("provider",)
)
CACHE_LOOKUPS = Counter(
    "pellucid_search_cache_lookups_total", "Looks into the answer cache.", ("result",)
)
QUERIES = Counter("pellucid_search_queries_total", "Queries of search requests.")
REDACTIONS = Counter(
    "pellucid_search_redactions_total", "Personal data taken out of queries.", ("kind",)
)
HITS_REMOVED = Counter(
    "pellucid_search_removed_hits_total", "Hits that were blocked or collapsed.", ("cause",)
)
COST_MICRO_USD = Counter(
    "pellucid_search_cost_micro_usd_total", "Cost of provider calls, list prices.", ("provider",)
)
BUDGET_MICRO_USD = Gauge(
    "pellucid_search_budget_micro_usd", "Daily budget for provider calls, millionths of a USD."
)
SPENT_MICRO_USD = Gauge(
    "pellucid_search_spent_today_micro_usd", "Spent today, millionths of a USD."
)
BUDGET_SOFT_LIMITS = Counter(
    "pellucid_search_budget_soft_limits_total", "Days on which 80 % of the budget was spent."
)
STORE_ERRORS = Counter(
    "pellucid_search_store_errors_total",
    "Operations that the store did not answer.",
    ("operation",),
)
LOCAL_DOCUMENTS = Gauge("pellucid_search_local_documents", "Documents in the local index.")
LOCAL_INDEX_SECONDS = Histogram(
    "pellucid_search_local_index_seconds",
    "Time of one pass over the local corpus.",
    buckets=_SECONDS,
)
