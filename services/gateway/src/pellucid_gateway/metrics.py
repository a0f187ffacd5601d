"""Every instrument of the gateway.

Labels are closed sets (routes, stages, codes), never text of users.
"""

from collections.abc import AsyncIterator, Iterable
from contextlib import aclosing
from datetime import datetime
from typing import Any, cast

from prometheus_client import Counter, Gauge, Histogram

from pellucid_gateway.access.api_keys import ApiKey
from pellucid_gateway.domain.engine import EngineLayer
from pellucid_gateway.domain.events import Done, Failed, TurnEvent, TurnResult
from pellucid_gateway.domain.passed_on import PassedOn
from pellucid_gateway.domain.request import Depth, SearchCommand, TurnRequest
from pellucid_gateway.domain.search_outcome import SearchOutcome
from pellucid_runtime.telemetry.metrics import LATENCY_BUCKETS
from pellucid_runtime.telemetry.tracing import exemplar

HTTP_SECONDS = Histogram(
    "pellucid_gateway_http_seconds",
    "Time to serve an HTTP request, streams to their end.",
    ("route", "status"),
    buckets=LATENCY_BUCKETS,
)
HTTP_CONNECTIONS = Gauge("pellucid_gateway_http_connections", "Open connections of clients.")
HTTP_REFUSED = Counter(
    "pellucid_gateway_http_refused_total",
    "Connections and requests refused or closed before they reached an API, by cause.",
    ("cause",),
)
TURNS = Counter(
    "pellucid_gateway_turns_total",
    "Turns by what was decided, who wrote the answer and how they ended.",
    ("action", "stage", "reason_code", "answer_kind", "outcome"),
)
TURNS_IN_FLIGHT = Gauge("pellucid_gateway_turns_in_flight", "Turns in progress.")
REFUSED_TURNS = Counter(
    "pellucid_gateway_refused_turns_total",
    "Turns refused before any work, by what there was no room for.",
    ("cause",),
)
SEARCH_BOUND = Gauge(
    "pellucid_gateway_search_bound", "Searches that may be in hand before turns are refused."
)
STAGE_SECONDS = Histogram(
    "pellucid_gateway_stage_seconds",
    "Time of each stage of a turn.",
    ("stage",),
    buckets=LATENCY_BUCKETS,
)
TURN_SECONDS = Histogram(
    "pellucid_gateway_turn_seconds",
    "Time of a whole turn, by depth.",
    ("depth",),
    buckets=LATENCY_BUCKETS,
)
DEGRADED = Counter(
    "pellucid_gateway_degraded_total", "Turns that had to do without a part.", ("component",)
)
NOTICES = Counter("pellucid_gateway_notices_total", "Notices shown to people.", ("code",))
CITATIONS = Counter(
    "pellucid_gateway_citations_total", "Citations by what the check did.", ("outcome",)
)
RELEVANCE = Histogram(
    "pellucid_gateway_used_relevance_ratio",
    "Scores of the sources that answers used.",
    buckets=tuple(tenth / 10 for tenth in range(1, 11)),
)
SOURCES = Histogram(
    "pellucid_gateway_answer_sources",
    "Sources per answer that searched.",
    buckets=(0, 1, 2, 3, 5, 8),
)
DOMAINS = Histogram(
    "pellucid_gateway_answer_domains",
    "Domains per answer that searched.",
    buckets=(0, 1, 2, 3, 5, 8),
)
QUERIES = Histogram(
    "pellucid_gateway_queries", "Queries per searching turn.", buckets=(1, 2, 3, 5, 8)
)
RESULTS = Histogram(
    "pellucid_gateway_search_results",
    "Results per search that passed the filter.",
    buckets=(0, 1, 2, 3, 5, 8, 13, 21),
)
ITERATIONS = Histogram(
    "pellucid_gateway_iterations", "Rounds of search per searching turn.", buckets=(1, 2, 3)
)
ANSWERS = Counter(
    "pellucid_gateway_search_answers_total",
    "Answers to searches, by whether a checked citation stands in them.",
    ("cited",),
)
HABITS = Counter(
    "pellucid_gateway_habits_total",
    "retries: the same question within 10 min; followed: one more turn within 30 min.",
    ("habit",),
)
SPECULATIONS = Counter(
    "pellucid_gateway_speculative_searches_total",
    "Searches begun before the decision, by what became of them.",
    ("outcome",),
)
HEAD_STARTS = Counter(
    "pellucid_gateway_head_starts_total",
    "Requests shown to the model server before the decision, by what became of them.",
    ("outcome",),
)
FEEDBACK_SCORE = Histogram(
    "pellucid_gateway_feedback_score",
    "Scores that people gave, 1 to 5; the mean is the satisfaction.",
    ("rating",),
    buckets=(1, 2, 3, 4, 5),
)
TOKENS = Counter("pellucid_gateway_llm_tokens_total", "Tokens of the answer model.", ("direction",))
COST_USD = Counter(
    "pellucid_gateway_cost_usd_total", "Cost of turns at list prices, in US dollars."
)
LIMITER_LOCAL = Counter(
    "pellucid_gateway_limiter_local_total",
    "Limits decided by this process's share because the shared store is down.",
)
KEY_AGE_SECONDS = Gauge(
    "pellucid_gateway_key_age_seconds", "Age of each API key that has a date.", ("name",)
)


def observe_key_ages(keys: Iterable[ApiKey], now: datetime) -> None:
    """Tell how old each key is; keys that are gone are told no more."""
    KEY_AGE_SECONDS.clear()
    for key in keys:
        if key.created is not None:
            KEY_AGE_SECONDS.labels(key.name).set((now - key.created).total_seconds())


def observe_habit(habit: str) -> None:
    """Count a retry, or an answer that was followed."""
    HABITS.labels(habit).inc()


def observe_http(route: str, status: int, seconds: float) -> None:
    """Count one request."""
    HTTP_SECONDS.labels(route, str(status)).observe(seconds)


class ObservedEngine(EngineLayer):
    """The engine with its turns counted."""

    async def run(self, request: TurnRequest) -> AsyncIterator[TurnEvent]:
        """Pass the events on and count the end."""
        with TURNS_IN_FLIGHT.track_inprogress():
            async with aclosing(cast("Any", self._engine.run(request))) as events:
                async for event in events:
                    if isinstance(event, Done):
                        _observe_result(event.result, request.depth)
                    elif isinstance(event, Failed):
                        TURNS.labels("", "", "", "", event.reason).inc()
                    yield event

    async def search(self, command: SearchCommand) -> SearchOutcome:
        """Pass on and count what was lost."""
        outcome = await self._engine.search(command)
        _observe_losses(outcome)
        RESULTS.observe(len(outcome.results))
        return outcome


def observe_passed(turn: PassedOn) -> None:
    """Count a turn that the model server answered by itself."""
    decision = turn.decision
    decided = (decision.action, decision.stage, decision.reason_code) if decision else ("", "", "")
    TURNS.labels(*decided, "passed", "ok").inc()
    TOKENS.labels("in").inc(turn.spent.prompt_tokens)
    TOKENS.labels("out").inc(turn.spent.completion_tokens)
    COST_USD.inc(turn.spent.cost_micro_usd / 1_000_000)


def _observe_result(result: TurnResult, depth: Depth) -> None:
    decision = result.decision
    outcome = "partial" if result.partial else "ok"
    TURNS.labels(
        decision.action, decision.stage, decision.reason_code, result.answer_kind, outcome
    ).inc()
    for stage, milliseconds in result.timings_ms.items():
        STAGE_SECONDS.labels(stage).observe(milliseconds / 1000, exemplar())
    TURN_SECONDS.labels(depth).observe(result.timings_ms.get("total", 0) / 1000, exemplar())
    TOKENS.labels("in").inc(result.usage.prompt_tokens)
    TOKENS.labels("out").inc(result.usage.completion_tokens)
    _observe_losses(result)
    _observe_sources(result)
    if result.speculation:
        SPECULATIONS.labels(result.speculation).inc()


def _observe_losses(outcome: TurnResult | SearchOutcome) -> None:
    for lost in outcome.degraded:
        DEGRADED.labels(lost.component).inc()
    for notice in outcome.notices:
        NOTICES.labels(notice.code).inc()
    COST_USD.inc(outcome.usage.cost_usd)


def _observe_sources(result: TurnResult) -> None:
    report = result.citation_report
    for outcome in (
        *("checked", "kept", "rebound", "dropped"),
        *("supported", "matched", "unchecked", "added"),
    ):
        CITATIONS.labels(outcome).inc(getattr(report, outcome))
    if not result.decision.needs_search:
        return
    QUERIES.observe(len(result.decision.queries))
    if result.iterations:
        ITERATIONS.observe(result.iterations)
        RESULTS.observe(sum(not source.user_supplied for source in result.sources))
        if result.answer:
            ANSWERS.labels("yes" if result.citations else "no").inc()
    SOURCES.observe(len(result.sources))
    DOMAINS.observe(len({source.domain for source in result.sources}))
    for source in result.sources:
        if source.relevance is not None:
            RELEVANCE.observe(source.relevance)
