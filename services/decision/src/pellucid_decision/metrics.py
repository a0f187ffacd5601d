"""Instruments of the decision service."""

from prometheus_client import Counter, Gauge, Histogram

from pellucid_decision.decision import Decision
from pellucid_decision.queries.reflection import Judgement

_BUCKETS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.3, 1.0, 1.5, 3.0)

DECISIONS = Counter(
    "pellucid_decision_decisions_total",
    "Decisions by stage, action, reason code and language.",
    ("stage", "action", "reason_code", "language"),
)
SECONDS = Histogram(
    "pellucid_decision_decide_seconds", "Time to decide, by stage.", ("stage",), buckets=_BUCKETS
)
QUERIES = Histogram(
    "pellucid_decision_queries_per_search", "Queries written per search.", buckets=(1, 2, 3)
)
DEGRADED = Counter(
    "pellucid_decision_degraded_total", "Decisions that lacked a part.", ("component",)
)
REUSED = Counter("pellucid_decision_reused_total", "Decisions reused within a conversation.")
CACHED = Gauge("pellucid_decision_cached_decisions", "Decisions kept for reuse.")
RELOADS = Counter(
    "pellucid_decision_rules_reloads_total", "Rules files read again, by outcome.", ("outcome",)
)
REFLECTIONS = Counter(
    "pellucid_decision_reflections_total",
    "Reflections by judge and outcome.",
    ("judge", "sufficient"),
)

KNOWN_LANGUAGES = frozenset({"en", "ko", "zh", "ja", "es", "de", "fr", "und"})


def observe(decision: Decision, seconds: float) -> None:
    """Count one decision."""
    language = decision.language if decision.language in KNOWN_LANGUAGES else "other"
    verdict = decision.verdict
    DECISIONS.labels(verdict.stage, decision.action, verdict.reason_code, language).inc()
    SECONDS.labels(verdict.stage).observe(seconds)
    for component, _ in decision.degraded:
        DEGRADED.labels(component).inc()
    if decision.needs_search:
        QUERIES.observe(len(decision.queries))


def observe_reflection(judgement: Judgement) -> None:
    """Count one reflection."""
    REFLECTIONS.labels(judgement.judge, str(judgement.sufficient).lower()).inc()
