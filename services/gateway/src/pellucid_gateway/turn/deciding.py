"""The first step of a turn: the decision whether to search, and for what."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pellucid_gateway.conversation.own_answers import said
from pellucid_gateway.domain.decision import (
    Action,
    Decision,
    Freshness,
    PlannedQuery,
    Stage,
)
from pellucid_gateway.domain.ports import DecideCall
from pellucid_gateway.domain.request import ChatMessage, Role, TurnRequest
from pellucid_gateway.question.fallback_decision import decide_by_rule, find_urls
from pellucid_gateway.question.named_addresses import named_addresses, without_addresses
from pellucid_gateway.question.plain_messages import is_small_talk
from pellucid_gateway.retrieval.search_plan import QueryToWrite
from pellucid_gateway.turn.dependencies import Dependencies
from pellucid_gateway.turn.turn_redaction import redacted_decision
from pellucid_gateway.turn_context.budgets import TurnBudget, limited
from pellucid_gateway.turn_context.ledger import TurnLedger
from pellucid_runtime.errors import ServiceError

# Longest query that the search service takes.
_MOST_CHARACTERS = 200

# The part of a conversation that the decision gets.
HISTORY_EXCHANGES = 5
HISTORY_MESSAGES = 20


async def decide(
    request: TurnRequest, dependencies: Dependencies, budget: TurnBudget, ledger: TurnLedger
) -> Decision:
    """Ask the decision service; if it is unavailable, a rule of the gateway decides."""
    return (await decide_with_writer(request, dependencies, budget, ledger))[0]


async def decide_with_writer(
    request: TurnRequest, dependencies: Dependencies, budget: TurnBudget, ledger: TurnLedger
) -> tuple[Decision, QueryToWrite | None]:
    """Return the decision, and the message for which a model may write one more query."""
    if request.verbatim:
        return redacted_decision(verbatim(request), request), None
    call = DecideCall(
        message=request.message,
        history=decision_history(request.messages[:-1]),
        now=dependencies.clock.now(),
        web_mode=request.web_mode,
        subject=request.subject,
        force_search=request.force_search,
        no_external=request.no_external,
        time_zone=request.time_zone,
        language=request.language,
        conversation_id=request.conversation_id,
        max_queries=dependencies.plans[request.depth].queries,
        max_parts=dependencies.plans[request.depth].parts,
        memories=request.memories,
        search_offered=request.search_offered,
    )
    try:
        with ledger.timed("decision"):
            async with limited(budget.stage_s(dependencies.budgets.decision_s)):
                answer = await dependencies.services.decision.decide(call)
    except (ServiceError, TimeoutError) as error:
        ledger.lose_by("decision", error)
        return redacted_decision(_with_small_talk(decide_by_rule(request), request), request), None
    ledger.merge_losses(answer.degraded)
    ledger.sent_out(answer.outbound)
    to_write = None if answer.writing is None else QueryToWrite(asked=call, outbound=answer.writing)
    return redacted_decision(_with_small_talk(answer.decision, request), request), to_write


def _with_small_talk(decision: Decision, request: TurnRequest) -> Decision:
    """The decision; if no model classified the message, small talk is recognised by its words."""
    is_guess = decision.stage is Stage.FALLBACK
    return (
        replace(decision, topicless=True)
        if is_guess and is_small_talk(request.message)
        else decision
    )


def decision_history(messages: Sequence[ChatMessage]) -> tuple[ChatMessage, ...]:
    """The part of the earlier messages that the decision service gets, oldest first."""
    return _unaddressed(_of_subject(recent_messages(tuple(_page_marked(messages)))))


def _of_subject(messages: Iterable[ChatMessage]) -> tuple[ChatMessage, ...]:
    """Messages without the words that the gateway puts around quotations."""
    return tuple(
        replace(one, content=said(one.content)) if one.role is Role.ASSISTANT else one
        for one in messages
    )


def _page_marked(messages: Sequence[ChatMessage]) -> Iterator[ChatMessage]:
    """Yield the messages, those of the assistant marked once the person has named a page."""
    named = False
    for one in messages:
        if one.role is Role.USER:
            named = named or bool(named_addresses(one.content))
        marked = named and one.role is Role.ASSISTANT
        yield replace(one, about_named_page=True) if marked else one


def _unaddressed(messages: Sequence[ChatMessage]) -> tuple[ChatMessage, ...]:
    """Messages without addresses, which say nothing about the topic."""
    bare = (
        replace(one, content=without_addresses(one.content)) if find_urls(one.content) else one
        for one in messages
    )
    return tuple(one for one in bare if one.content.strip())


def recent_messages(messages: Sequence[ChatMessage]) -> tuple[ChatMessage, ...]:
    """The last five exchanges, 20 messages at most, after the person's first message.

    Args:
        messages: Those before the message to decide on, oldest first.
    """
    asked = [place for place, one in enumerate(messages) if one.role is Role.USER]
    if not asked:
        return tuple(messages[-HISTORY_MESSAGES:])
    start = asked[-HISTORY_EXCHANGES] if len(asked) > HISTORY_EXCHANGES else 0
    start = max(start, len(messages) - HISTORY_MESSAGES)
    first = (messages[asked[0]],) if asked[0] < start else ()
    return (*first, *messages[start:])


def verbatim(request: TurnRequest) -> Decision:
    """Search for the message verbatim, cut to the longest query."""
    query = request.message.strip()
    if len(query) > _MOST_CHARACTERS:
        query = query[:_MOST_CHARACTERS].rpartition(" ")[0] or query[:_MOST_CHARACTERS]
    return Decision(
        action=Action.SEARCH,
        confidence=1.0,
        stage=Stage.MODE,
        reason="The query is searched for as given.",
        reason_code="verbatim",
        standalone_question=request.message,
        queries=(PlannedQuery(query, Freshness.NONE, request.options.site),),
        language=request.language or "und",
    )
