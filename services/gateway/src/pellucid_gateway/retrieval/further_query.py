"""A query that a model writes while the heuristic ones are searched for, and its search.

It is searched for only when it comes before the first results, and its results are waited for only
a little longer than those: nobody waits for a model. Which query it is, the decision service says.
"""

import asyncio
from collections.abc import Awaitable
from dataclasses import replace
from typing import Any

from pellucid_gateway.domain.account import OutboundText
from pellucid_gateway.domain.decision import PlannedQuery
from pellucid_gateway.domain.ports import (
    DecisionPort,
    SearchAnswer,
    SearchCall,
    SearchPort,
    Written,
)
from pellucid_gateway.retrieval.search_plan import QueryToWrite
from pellucid_gateway.turn_context.context import TurnContext
from pellucid_runtime.errors import ServiceError

# Longest wait for its results once the first ones are there: a model of 0.4 s beside searches of
# 0.6 s is waited for 0.4 s.
PATIENCE_S = 0.5


class FurtherQuery:
    """Searches for one more query than the decision has.

    Args:
        decision: Has it written.
        search: Searches for it.
        context: The turn's account.
    """

    def __init__(self, decision: DecisionPort, search: SearchPort, context: TurnContext) -> None:
        self._decision = decision
        self._search = search
        self._ledger = context.ledger

    async def beside(
        self, first: Awaitable[SearchAnswer], call: SearchCall, to_write: QueryToWrite
    ) -> SearchAnswer:
        """Return what the first search found, and what the further query found in time.

        Args:
            first: The search for the decision's queries, begun or not.
            call: What it searches for.
            to_write: What the query is written for.

        Raises:
            ServiceError: The first search failed.
        """
        searching = asyncio.ensure_future(first)
        self._ledger.sent_out(to_write.outbound)
        writing = asyncio.create_task(
            self._decision.write_queries(to_write.asked, call.queries), name="further-query"
        )
        try:
            await asyncio.wait({searching, writing}, return_when=asyncio.FIRST_COMPLETED)
            queries = () if searching.done() else self._written(writing)
            if not queries:
                return await searching
            return await self._both(searching, replace(call, queries=queries))
        finally:
            await _dropped(searching, writing)

    def _written(self, writing: asyncio.Task[Written]) -> tuple[PlannedQuery, ...]:
        try:
            written = writing.result()
        except ServiceError as error:
            self._ledger.lose_by("llm", error)
            return ()
        self._ledger.merge_losses(written.degraded)
        self._ledger.sent_out(written.outbound)
        return written.queries

    async def _both(
        self, searching: asyncio.Future[SearchAnswer], call: SearchCall
    ) -> SearchAnswer:
        """Return what was found for all queries; without the further one's when it takes long."""
        further = asyncio.create_task(self._search.search(call), name="further-search")
        try:
            found = await searching
            await asyncio.wait({further}, timeout=PATIENCE_S)
            if further.done():
                return _joined(found, further.result())
            left = (OutboundText("search", "query", query.text) for query in call.queries)
            self._ledger.sent_out(tuple(left))
        except ServiceError as error:
            if searching.exception() is not None:
                raise
            self._ledger.lose_by("search", error)
        finally:
            await _dropped(further)
        return await searching


def _joined(found: SearchAnswer, more: SearchAnswer) -> SearchAnswer:
    """Return both answers as one; the first's hits come first."""
    return SearchAnswer(
        hits=(*found.hits, *more.hits),
        queries=(*found.queries, *more.queries),
        providers=(*found.providers, *more.providers),
        outbound=(*found.outbound, *more.outbound),
        degraded=(*found.degraded, *more.degraded),
        cost_micro_usd=found.cost_micro_usd + more.cost_micro_usd,
        entities=(*found.entities, *more.entities),
    )


async def _dropped(*tasks: asyncio.Future[Any]) -> None:
    """Cancel what is not done, and leave no error of it unheard."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
