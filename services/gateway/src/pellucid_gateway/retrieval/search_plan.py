"""What a turn has searched for, and what it searches for when that gave little."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pellucid_gateway.domain.account import OutboundText
from pellucid_gateway.domain.decision import Decision, Freshness, PlannedQuery
from pellucid_gateway.domain.ports import DecideCall, SearchAnswer
from pellucid_gateway.domain.request import SearchOptions, SubjectContext, TurnRequest
from pellucid_gateway.question.parts import parts_of
from pellucid_gateway.turn_context.plans import DepthPlan

MAX_PER_DOMAIN = 2
# Results that a request gets that names no number.
DEFAULT_RESULTS = 5
_QUESTION_CHARS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryToWrite:
    """What a model may be asked to write a query for.

    Attributes:
        asked: The message that was decided on.
        outbound: What leaves for it.
    """

    asked: DecideCall
    outbound: tuple[OutboundText, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchPlan:
    """What to look for, in terms of one turn.

    Attributes:
        begun: The first round's search, when it was begun before the decision.
        to_write: What a model may write one more query for; None when none is to.
        walled: Addresses of pages that cannot be read.
    """

    decision: Decision
    plan: DepthPlan
    options: SearchOptions
    max_results: int
    max_per_domain: int = MAX_PER_DOMAIN
    subject: SubjectContext | None = None
    caller: str = ""
    language: str = ""
    reads_pages: bool = True
    begun: asyncio.Task[SearchAnswer] | None = None
    to_write: QueryToWrite | None = None
    walled: tuple[str, ...] = ()


def plan_search(
    request: TurnRequest,
    decision: Decision,
    plan: DepthPlan,
    *,
    max_results: int,
    reads_pages: bool,
) -> SearchPlan:
    """The search of one request, on the site that it names where the message names none."""
    site = decision.site or request.options.site
    return SearchPlan(
        decision=replace(decision, site=site),
        plan=plan,
        options=request.options,
        max_results=request.options.max_results or max_results,
        subject=request.subject,
        caller=request.caller,
        language=language_of(request, decision),
        reads_pages=reads_pages,
    )


def language_of(request: TurnRequest, decision: Decision) -> str:
    """ISO 639-1 of what is searched for; empty when it is unclear."""
    language = request.language or decision.language
    return "" if language == "und" else language


def wider(search_plan: SearchPlan) -> tuple[PlannedQuery, ...]:
    """The first query without its window of time; none where it has none."""
    return tuple(
        replace(query, freshness=Freshness.NONE)
        for query in search_plan.decision.queries[:1]
        if query.freshness is not Freshness.NONE
    )


def second_try(decision: Decision, asked: Sequence[str]) -> tuple[PlannedQuery, ...]:
    """What to search for when the first round gave nothing: wider, in other or fewer words."""
    narrow = [
        query
        for query in decision.queries[:1]
        if query.site or query.freshness is not Freshness.NONE
    ]
    wider = [PlannedQuery(query.text) for query in narrow]
    unused = [PlannedQuery(text) for text in decision.fallback_queries if text not in asked]
    question = decision.standalone_question[:_QUESTION_CHARS]
    last = [] if question in asked else [PlannedQuery(question)]
    return tuple([*wider, *unused[:1]] or last)


def further_questions(decision: Decision) -> tuple[str, ...]:
    """What a page may answer instead: one part of several, or what a message leaves to context."""
    several = len(parts_of(decision.standalone_question)) > 1 and len(decision.queries) > 1
    most = len(decision.queries) if several else int(decision.requires_context)
    return tuple(query.text for query in decision.queries[:most])
