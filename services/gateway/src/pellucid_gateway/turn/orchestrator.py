"""The engine: runs turns, and the single steps that some APIs offer."""

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import replace

from structlog.contextvars import bind_contextvars

from pellucid_gateway.answering.failures import BrokenAnswerError
from pellucid_gateway.domain.decision import (
    Action,
    Decision,
    PlannedQuery,
    WebMode,
)
from pellucid_gateway.domain.errors import QuotaSpentError, failed_by, search_failure
from pellucid_gateway.domain.events import Done, Failed, Send, TurnEvent
from pellucid_gateway.domain.findings import PageContent, Purpose, ScoredHit
from pellucid_gateway.domain.notices import wording_for
from pellucid_gateway.domain.ports import FetchCall
from pellucid_gateway.domain.request import ChatMessage, Role, SearchCommand, TurnRequest
from pellucid_gateway.domain.search_outcome import SearchOutcome
from pellucid_gateway.retrieval import sources as sourcing
from pellucid_gateway.retrieval.gathered import Gathered
from pellucid_gateway.retrieval.labels import labelled
from pellucid_gateway.retrieval.reading import PageReader
from pellucid_gateway.retrieval.search_plan import DEFAULT_RESULTS, plan_search
from pellucid_gateway.retrieval.search_rounds import Gatherer
from pellucid_gateway.turn.deciding import decide
from pellucid_gateway.turn.dependencies import Dependencies
from pellucid_gateway.turn.fact_checking import fact_check
from pellucid_gateway.turn.notifications import notify_gaps
from pellucid_gateway.turn.pipeline import OneTurn
from pellucid_gateway.turn.turn_log import daily_pseudonym, log_decision, log_failure
from pellucid_gateway.turn_context.budgets import TurnBudget, limited
from pellucid_gateway.turn_context.event_stream import stream_events
from pellucid_gateway.turn_context.ledger import TurnLedger
from pellucid_runtime.errors import ErrorKind, ServiceError
from pellucid_runtime.telemetry.tracing import trace_id

# Longest time of a request that only reads pages.
FETCH_S = 15.0
_FETCH_CHARS = 10_000
_MOST_PER_CALL = 20
# Every stage respects the deadline; this ends a turn that does not.
_OVERRUN_S = 0.1
_MIN_TURN_S = 0.1
# Excluded even from the results of compatible APIs that switch ranking off.
_NEVER_SHOWN = frozenset({"blocked", "low_quality", "near_duplicate"})


class Engine:
    """Implements `engine.TurnEngine` over ports.

    Args:
        dependencies: Services, model, store, clock, budgets.
    """

    def __init__(self, dependencies: Dependencies) -> None:
        self._dependencies = dependencies

    def run(self, request: TurnRequest) -> AsyncIterator[TurnEvent]:
        """Answer one message; see `engine.TurnEngine`."""

        async def work(send: Send) -> Done | Failed:
            # Each log line of the turn has its trace id.
            bind_contextvars(trace_id=trace_id())
            return await self._turn(request, send)

        return stream_events(work)

    async def _turn(self, request: TurnRequest, send: Send) -> Done | Failed:
        budget = self._budget_of(request)
        turn = OneTurn(request, dependencies=self._dependencies, budget=budget, send=send)
        try:
            async with limited(budget.longest_s + _OVERRUN_S):
                return await turn.run()
        except TimeoutError:
            failed = Failed("DEADLINE_EXCEEDED", "The answer took too long.", retryable=True)
        except BrokenAnswerError:
            text = "The language model broke off mid-answer."
            failed = Failed("LLM_FAILED", text, retryable=True)
        except ServiceError as error:
            failed = failed_by(error)
        user = daily_pseudonym(request.caller, self._dependencies.clock.now())
        log_failure(failed, ms=round(budget.elapsed_s() * 1000), user=user)
        return failed

    def _budget_of(self, request: TurnRequest) -> TurnBudget:
        own_s = self._dependencies.plans[request.depth].total_s
        total_s = own_s if request.deadline_ms is None else request.deadline_ms / 1000
        is_strict = request.deadline_ms is not None
        return TurnBudget(self._dependencies.clock, max(total_s, _MIN_TURN_S), is_strict=is_strict)

    async def decide(self, request: TurnRequest) -> Decision:
        """Decide only; see `engine.TurnEngine`."""
        ledger = TurnLedger(self._dependencies.clock, wording_for(request.language))
        return await decide(request, self._dependencies, self._budget_of(request), ledger)

    async def search(self, command: SearchCommand) -> SearchOutcome:
        """Search and rank without an answer; see `engine.TurnEngine`."""
        await self._take_quota(command)
        request = _as_request(command)
        dependencies, budget = self._dependencies.for_turn(request), self._budget_of(request)
        ledger = TurnLedger(dependencies.clock, wording_for(command.language))
        decision = _searching(await decide(request, dependencies, budget, ledger), command.query)
        ledger.wording = wording_for(command.language or decision.language)
        user = daily_pseudonym(command.caller, dependencies.clock.now())
        log_decision(decision, ms=ledger.timings_ms.get("decision", 0), user=user)
        context = dependencies.context(budget, ledger, _ignore)
        reader = PageReader(dependencies.services.fetcher, context=context)
        gatherer = Gatherer(
            dependencies.services,
            reader=reader,
            standings=dependencies.standings,
            context=context,
        )
        plan = replace(dependencies.plans[command.depth], rounds=1)
        search_plan = plan_search(
            request, decision, plan, max_results=DEFAULT_RESULTS, reads_pages=command.checks
        )
        gathered = await gatherer.gather(search_plan)
        check = None
        if command.checks and gathered.included:
            check = await fact_check(gathered, request, dependencies, context)
        ledger.add_time("total", budget.elapsed_s())
        outcome = replace(_outcome(command, gathered, ledger, dependencies), check=check)
        if gathered.search_lost or (ledger.web_lost and not outcome.results):
            raise search_failure(ledger.providers)
        return outcome

    async def _take_quota(self, command: SearchCommand) -> None:
        state = await self._dependencies.quota.take(command.caller)
        if not state.allowed:
            raise QuotaSpentError(state.limit, state.reset_s)

    async def fetch(
        self,
        urls: Sequence[str],
        *,
        no_external: bool = False,
        max_chars: int = 0,
        offset: int | None = None,
        links: bool = False,
    ) -> tuple[PageContent, ...]:
        """Read pages that a person named; see `engine.TurnEngine`."""
        pages: dict[int, PageContent] = {}
        for start in range(0, len(urls), _MOST_PER_CALL):
            call = FetchCall(
                urls=tuple(urls[start : start + _MOST_PER_CALL]),
                purpose=Purpose.USER_URL,
                timeout_s=FETCH_S,
                max_chars=max_chars or _FETCH_CHARS,
                no_external=no_external,
                offset=offset,
                links=links,
            )
            await self._fetch_into(pages, call, start)
        return tuple(pages.get(i) or _not_read(url) for i, url in enumerate(urls))

    async def _fetch_into(self, pages: dict[int, PageContent], call: FetchCall, first: int) -> None:
        try:
            async with limited(call.timeout_s):
                stream = self._dependencies.services.fetcher.fetch_many(call)
                async with aclosing(stream):  # type: ignore[type-var]
                    async for index, page in stream:
                        pages[first + index] = page
        except TimeoutError:
            return
        except ServiceError as error:
            if not pages and error.kind is not ErrorKind.UNAVAILABLE:
                raise


async def _ignore(event: TurnEvent) -> None:
    """APIs without a stream get no progress events."""


def _as_request(command: SearchCommand) -> TurnRequest:
    return TurnRequest(
        messages=(*command.messages, ChatMessage(Role.USER, command.query)),
        caller=command.caller,
        web_mode=WebMode.ON,
        force_search=True,
        verbatim=command.verbatim,
        depth=command.depth,
        language=command.language,
        time_zone=command.time_zone,
        options=command.options,
        deadline_ms=command.deadline_ms,
        subject=command.subject,
    )


def _searching(decision: Decision, query: str) -> Decision:
    """The decision as a search, because the caller requested results."""
    if decision.queries:
        return decision
    return replace(decision, action=Action.SEARCH, queries=(PlannedQuery(query[:200]),))


def _outcome(
    command: SearchCommand, gathered: Gathered, ledger: TurnLedger, dependencies: Dependencies
) -> SearchOutcome:
    shown = _shown(command, gathered)
    kept = {id(item) for item in shown}
    notify_gaps(
        ledger,
        is_lost=ledger.web_lost,
        has_results=bool(shown),
        cutoff=dependencies.cutoff_month,
    )
    return SearchOutcome(
        id=dependencies.new_id(),
        results=labelled(sourcing.as_results(shown, {}), ledger.wording, dependencies.clock.now()),
        excluded=(
            *(item for item in gathered.scored if id(item) not in kept),
            *gathered.avoided.values(),
        ),
        queries=tuple(gathered.queries),
        providers=ledger.providers,
        degraded=ledger.degraded,
        notices=ledger.notices,
        timings_ms=ledger.timings_ms,
        usage=ledger.usage,
        outbound=ledger.outbound,
        searched=ledger.searched,
        entities=ledger.entities_in(sourcing.as_results(shown, {})),
    )


def _shown(command: SearchCommand, gathered: Gathered) -> tuple[ScoredHit, ...]:
    if command.ranked:
        return gathered.included
    allowed = [item for item in gathered.scored if item.exclusion not in _NEVER_SHOWN]
    if all(item.relevance is not None for item in allowed):
        allowed.sort(key=lambda item: -(item.relevance or 0.0))
    return tuple(allowed[: command.options.max_results or DEFAULT_RESULTS])


def _not_read(url: str) -> PageContent:
    return PageContent(
        url=url,
        success=False,
        status="unavailable",
        error="The page could not be read in time.",
        retryable=True,
    )
