"""Starts a search before the decision is known, if the message plainly asks for one.

It starts late enough that a decision by rules is always first, at most once a turn, and only for a
message that may leave the installation: never with the web off, with an address in it, with
`no_external` or with a used-up quota. Nor does it start if the words alone may be ambiguous: with a
history, a subject or memories.
"""

import asyncio

from pellucid_gateway.domain.account import OutboundText
from pellucid_gateway.domain.decision import Action, Decision, WebMode
from pellucid_gateway.domain.ports import SearchAnswer, SearchCall, SearchPort
from pellucid_gateway.domain.request import TurnRequest
from pellucid_gateway.question.fallback_decision import decide_by_rule
from pellucid_gateway.retrieval.search_plan import language_of
from pellucid_gateway.turn.turn_redaction import redacted_decision
from pellucid_gateway.turn_context.budgets import limited
from pellucid_gateway.turn_context.context import TurnContext
from pellucid_language.terms import function_terms, terms

# Decisions of form take a few milliseconds, those of the trained model some fifty and more on a
# busy machine, those of a language model some hundred.
_DELAY_S = 0.05
# Share of the words of the decision's first query that the begun one must have.
_SAME_SEARCH = 0.6


class Speculation:
    """At most one search that starts before the decision.

    Args:
        request: The turn.
        search: The search service.
        context: The turn's clock, budget and ledger.
    """

    def __init__(self, request: TurnRequest, *, search: SearchPort, context: TurnContext) -> None:
        self._request = request
        self._search = search
        self._context = context
        self._begins: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[SearchAnswer] | None = None
        self._query = ""
        self._has_left = False

    def begin(self) -> None:
        """Start the search after a delay, if the message may leave and plainly asks for one."""
        if _may_leave(self._request):
            # Most decisions are known before it is worth looking at the message.
            self._begins = asyncio.get_running_loop().call_later(_DELAY_S, self._start)

    def _start(self) -> None:
        self._task = asyncio.create_task(self._run(), name="speculative-search")

    async def _run(self) -> SearchAnswer:
        decision = redacted_decision(decide_by_rule(self._request), self._request)
        if not _asks_plainly(decision):
            return SearchAnswer()
        self._query = decision.queries[0].text
        context = self._context
        call = SearchCall(
            queries=decision.queries,
            question=self._request.message,
            options=self._request.options,
            now=context.clock.now(),
            language=language_of(self._request, decision),
            caller=self._request.caller,
        )
        self._has_left = True
        async with limited(context.budget.stage_s(context.budgets.search_s)):
            return await self._search.search(call)

    async def settle(
        self, decision: Decision, *, searches: bool
    ) -> asyncio.Task[SearchAnswer] | None:
        """The running search if the decision agrees; else it is cancelled and listed as sent."""
        self._cancel_start()
        # Real-time values must not come from the cache, and real-time sources are called only once
        # the kind of the question is known.
        begun = searches and self._has_left and not decision.real_time
        wanted = begun and _is_same(self._query, decision)
        if self._task is None or not wanted:
            await self.drop()
            return None
        self._context.ledger.speculation = "used"
        return self._task

    def _cancel_start(self) -> None:
        if self._begins is not None:
            self._begins.cancel()

    async def drop(self) -> None:
        """Cancel a search that is not used, and wait until it has ended."""
        self._cancel_start()
        task, self._task = self._task, None
        if task is None:
            return
        task.cancel()
        await asyncio.wait({task})
        if self._has_left and self._context.ledger.speculation != "used":
            self._context.ledger.speculation = "cancelled"
            self._context.ledger.sent_out((OutboundText("search", "query", self._query),))


def _may_leave(request: TurnRequest) -> bool:
    known = request.subject or request.memories or request.recall
    alone = len(request.messages) == 1 and request.earlier is None and not known
    allowed = request.web_mode is not WebMode.OFF and not request.quota_spent
    return alone and allowed and not request.no_external and not request.options.providers


def _asks_plainly(decision: Decision) -> bool:
    named = decision.urls or decision.ignored_urls
    return decision.action is Action.SEARCH and bool(decision.queries) and not named


def _is_same(query: str, decision: Decision) -> bool:
    wanted = terms(decision.queries[0].text) - function_terms()
    return bool(wanted) and len(wanted & terms(query)) >= _SAME_SEARCH * len(wanted)
