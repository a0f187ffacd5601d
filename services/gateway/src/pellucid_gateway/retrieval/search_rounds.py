"""From a decision to rated hits and read pages: search, score, read, and again when it helps.

Every call is bounded by its share of the turn; a part that fails is noted and the rest goes on. It
decides nothing about the answer.
"""

import math

import structlog

from pellucid_gateway.domain.decision import Intent, PlannedQuery
from pellucid_gateway.domain.events import Progress, ProgressKind
from pellucid_gateway.domain.findings import ScoredHit
from pellucid_gateway.domain.outgoing import sent_for_rating
from pellucid_gateway.domain.ports import (
    ReflectCall,
    Reflection,
    ScoreCall,
    SearchAnswer,
    SearchCall,
    Services,
)
from pellucid_gateway.domain.standing import Standings
from pellucid_gateway.retrieval.accounting import account
from pellucid_gateway.retrieval.extracts import extracts
from pellucid_gateway.retrieval.further_query import FurtherQuery
from pellucid_gateway.retrieval.gathered import Gathered, Stop, limit_s, nobody_answered
from pellucid_gateway.retrieval.reading import PageReader
from pellucid_gateway.retrieval.search_plan import SearchPlan, further_questions, second_try, wider
from pellucid_gateway.retrieval.source_filter import SourceFilter
from pellucid_gateway.retrieval.strangers import strangers
from pellucid_gateway.retrieval.unscored import in_provider_order, is_sound
from pellucid_gateway.turn_context.budgets import limited
from pellucid_gateway.turn_context.context import TurnContext
from pellucid_language.pii.gate import GATE
from pellucid_runtime.errors import InvalidArgumentError, PreconditionError, ServiceError

_log = structlog.get_logger(__name__)

# Hits that are rated at most; providers give 10 per query.
_MOST_HITS = 100
# A further round that has less time would only be cut off and look like a lost search.
_LEAST_ROUND_S = 0.2
# Fewer results than these, found within a window of time, are searched for again without it.
_FEW = 3


class Gatherer:
    """Gathers for one turn.

    Args:
        services: The four services.
        reader: Reads pages.
        standings: How sources stand with the person.
        context: The turn's clock, time, account and listener.
    """

    def __init__(
        self,
        services: Services,
        *,
        reader: PageReader,
        standings: Standings,
        context: TurnContext,
    ) -> None:
        self._services = services
        self._reader = reader
        self._filter = SourceFilter(standings, context.ledger, most=_MOST_HITS)
        self._further = FurtherQuery(services.decision, services.search, context)
        self._clock = context.clock
        self._budgets = context.budgets
        self._budget = context.budget
        self._ledger = context.ledger
        self._send = context.send

    async def gather(self, search_plan: SearchPlan) -> Gathered:
        """Search in rounds until it is enough, nothing helps or the time is up.

        Raises:
            PreconditionError: A provider that was asked for by name has no key.
            InvalidArgumentError: A provider or another option is unknown.
        """
        gathered = Gathered()
        queries = search_plan.decision.queries[
            : max(search_plan.plan.queries, search_plan.plan.parts)
        ]
        await self._progress(ProgressKind.SEARCH_START, query=queries[0].text)
        while queries:
            await self._round(search_plan, gathered, queries)
            queries = await self._next_queries(search_plan, gathered)
        await self._progress(ProgressKind.COMPLETE, count=len(gathered.included))
        if gathered.missing and gathered.included:
            self._ledger.notify("still_missing", aspects="; ".join(gathered.missing))
        if gathered.stop is Stop.DEADLINE:
            self._ledger.lose("deadline", "no time for another round")
        return gathered

    async def _round(
        self, search_plan: SearchPlan, gathered: Gathered, queries: tuple[PlannedQuery, ...]
    ) -> None:
        gathered.rounds += 1
        begun_s = self._clock.monotonic()
        await self._progress(
            ProgressKind.ITERATION,
            query=queries[0].text,
            iteration=gathered.rounds,
            missing=gathered.missing,
        )
        answer = await self._search(search_plan, gathered, queries)
        written = answer.queries if search_plan.to_write and not gathered.queries else ()
        asked = (*(query.text for query in queries), *written)
        gathered.queries.extend(dict.fromkeys(asked))
        gathered.search_lost = nobody_answered(answer) and not gathered.hits
        known = len(gathered.hits)
        await self._filter.take(search_plan, gathered, answer.hits)
        gathered.found_nothing_new = len(gathered.hits) == known
        gathered.scored = await self._score(search_plan, gathered)
        await self._read_pages(search_plan, gathered)
        decision = search_plan.decision
        gathered.strangers = strangers(
            gathered.scored,
            gathered.pages,
            # A further round may have learnt the name of whom the question describes. A name that
            # opens the question is none by its form, in the query behind it it is.
            " ".join(
                [decision.standalone_question, *further_questions(decision), *gathered.refined]
            ),
            language=search_plan.language,
        )
        _log.info(
            "search_round",
            round=gathered.rounds,
            reason=gathered.why,
            queries=len(queries),
            results=len(gathered.hits) - known,
            used=len(gathered.included),
            ms=round((self._clock.monotonic() - begun_s) * 1000),
        )

    async def _search(
        self, search_plan: SearchPlan, gathered: Gathered, queries: tuple[PlannedQuery, ...]
    ) -> SearchAnswer:
        decision = search_plan.decision
        call = SearchCall(
            queries=queries,
            question=decision.standalone_question,
            options=search_plan.options,
            now=self._clock.now(),
            language=search_plan.language,
            caller=search_plan.caller,
            real_time=decision.real_time,
            news=decision.intent is Intent.NEWS,
            topic=decision.category or decision.reason_code,
        )
        try:
            with self._ledger.timed("search"):
                async with limited(self._budget.stage_s(self._budgets.search_s)):
                    if gathered.queries:
                        answer = await self._services.search.search(call)
                    else:
                        answer = await self._first_search(search_plan, call)
                answer = await self._in_line(call, answer)
        except (PreconditionError, InvalidArgumentError):
            raise
        except (ServiceError, TimeoutError) as error:
            self._ledger.lose_by("search", error)
            return SearchAnswer()
        account(answer, self._ledger)
        return answer

    async def _in_line(self, call: SearchCall, answer: SearchAnswer) -> SearchAnswer:
        """Ask once more, for longer, where nothing but a provider's limit was in the way."""
        wait_s = limit_s(answer)
        # What is found then is still to be rated.
        left_s = self._budget.stage_s(self._budgets.search_turn_s) - self._budgets.score_s
        if not 0 < wait_s < left_s:
            return answer
        await self._progress(ProgressKind.SEARCH_START, wait_s=wait_s, query=call.queries[0].text)
        try:
            async with limited(left_s):
                return await self._services.search.search(call)
        except (ServiceError, TimeoutError):
            return answer

    async def _first_search(self, search_plan: SearchPlan, call: SearchCall) -> SearchAnswer:
        """Search for the decision's queries; beside them for one that a model writes meanwhile."""
        first = search_plan.begun or self._services.search.search(call)
        return await (
            self._further.beside(first, call, search_plan.to_write)
            if search_plan.to_write
            else first
        )

    async def _score(self, search_plan: SearchPlan, gathered: Gathered) -> tuple[ScoredHit, ...]:
        hits = tuple(gathered.hits.values())
        gathered.rated_by = None
        if not hits:
            return ()
        decision = search_plan.decision
        further = (*further_questions(decision), *gathered.refined)
        # A query is made to leave, a question is not.
        queries = () if search_plan.options.no_external else (decision.queries[0].text, *further)
        call = ScoreCall(
            question=decision.standalone_question,
            hits=hits,
            now=self._clock.now(),
            max_results=search_plan.max_results,
            max_per_domain=search_plan.max_per_domain,
            scoring=search_plan.options.scoring,
            subject=search_plan.subject,
            time_sensitive=decision.time_sensitive,
            real_time=decision.real_time,
            further_questions=further,
            shareable_questions=tuple(GATE.redact(query).text for query in queries),
        )
        try:
            with self._ledger.timed("score"):
                async with limited(self._budget.stage_s(self._budgets.score_s)):
                    scored = await self._services.scorer.score(call)
            self._ledger.sent_out(sent_for_rating(scored))
            if is_sound(scored, hits):
                gathered.rated_by = call
                for part in scored[0].without if scored else ():
                    self._ledger.lose("deadline", f"ranked without the {part}")
                return scored
            self._ledger.lose("scorer", "unusable scores")
        except (PreconditionError, InvalidArgumentError):
            raise
        except (ServiceError, TimeoutError) as error:
            self._ledger.lose_by("scorer", error)
        self._ledger.notify("unranked")
        return in_provider_order(
            hits, max_results=search_plan.max_results, max_per_domain=search_plan.max_per_domain
        )

    async def _read_pages(self, search_plan: SearchPlan, gathered: Gathered) -> None:
        fresh = [s.hit for s in gathered.included if s.hit.url not in gathered.pages]
        wanted = fresh[: search_plan.plan.pages] if search_plan.reads_pages else []
        if not wanted:
            return
        await self._progress(ProgressKind.FETCHING, count=len(wanted))
        gathered.pages |= await self._reader.read_hits(
            wanted,
            at_once=search_plan.plan.pages_at_once,
            no_external=search_plan.options.no_external,
        )
        await self._progress(ProgressKind.EXTRACTING, count=len(wanted))

    async def _next_queries(
        self, search_plan: SearchPlan, gathered: Gathered
    ) -> tuple[PlannedQuery, ...]:
        """Queries of the next round; none ends the gathering, and `gathered.stop` says why."""
        if stop := self._forced_stop(gathered):
            gathered.stop = stop
            return ()
        if not gathered.included:
            gathered.why = gathered.stop = Stop.NOTHING_FOUND
            return (
                second_try(search_plan.decision, gathered.queries) if gathered.rounds == 1 else ()
            )
        if gathered.rounds == 1 and len(gathered.included) < _FEW and (again := wider(search_plan)):
            gathered.why = "few_results"
            return again
        if search_plan.plan.rounds == 1:
            return ()
        reflection = await self._reflect(search_plan, gathered)
        if reflection is None:
            gathered.stop = self._forced_stop(gathered) or Stop.NO_REFLECTION
            return ()
        return self._after(reflection, search_plan, gathered)

    def _forced_stop(self, gathered: Gathered) -> Stop | None:
        if gathered.search_lost:
            return Stop.SEARCH_LOST
        if self._ledger.lost("budget"):
            return Stop.BUDGET
        if self._budget.stage_s(self._budgets.search_s) <= 0:
            return Stop.DEADLINE
        return None

    def _after(
        self, reflection: Reflection, search_plan: SearchPlan, gathered: Gathered
    ) -> tuple[PlannedQuery, ...]:
        """What a reflection leads to: the refined query, or an end."""
        gathered.missing = () if reflection.sufficient else reflection.missing_aspects
        refined = reflection.refined_query
        if reflection.sufficient:
            gathered.stop = Stop.SUFFICIENT
        elif not refined or refined in gathered.queries or gathered.found_nothing_new:
            gathered.stop = Stop.NO_PROGRESS
        elif gathered.rounds >= search_plan.plan.rounds:
            gathered.stop = Stop.ROUNDS
        elif self._budget.stage_s(self._budgets.search_s) < _LEAST_ROUND_S:
            gathered.stop = Stop.DEADLINE
        else:
            gathered.refined.append(refined)
            gathered.why = "reflection"
            return (
                PlannedQuery(refined, search_plan.decision.freshness, search_plan.decision.site),
            )
        return ()

    async def _reflect(self, search_plan: SearchPlan, gathered: Gathered) -> Reflection | None:
        await self._progress(ProgressKind.REFLECTING, iteration=gathered.rounds)
        decision = search_plan.decision
        call = ReflectCall(
            question=decision.standalone_question,
            target_info=decision.target_info,
            extracts=tuple(extracts(gathered, decision.standalone_question)),
            used_queries=tuple(gathered.queries[-16:]),
            language=search_plan.language,
            now=self._clock.now(),
            no_external=search_plan.options.no_external,
        )
        try:
            with self._ledger.timed("reflect"):
                async with limited(self._budget.stage_s(self._budgets.reflect_s)):
                    reflection = await self._services.decision.reflect(call)
        except (ServiceError, TimeoutError) as error:
            self._ledger.lose_by("decision", error, "reflection")
            return None
        self._ledger.merge_losses(reflection.degraded)
        self._ledger.sent_out(reflection.outbound)
        return reflection

    async def _progress(
        self,
        kind: ProgressKind,
        *,
        query: str = "",
        iteration: int = 0,
        count: int = 0,
        missing: tuple[str, ...] = (),
        wait_s: float = 0.0,
    ) -> None:
        step = "web_search_waiting" if wait_s else kind.value
        message = self._ledger.wording.progress(
            step, query=query, iteration=iteration, count=count, seconds=math.ceil(wait_s)
        )
        if missing:
            message = self._ledger.wording.answer(
                "missing", step=message, aspects="; ".join(missing)
            )
        await self._send(
            Progress(kind=kind, message=message, query=query, iteration=iteration, count=count)
        )
