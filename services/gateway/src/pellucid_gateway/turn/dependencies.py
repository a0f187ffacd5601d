"""The dependencies of every turn, and its first step: the decision."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from pellucid_gateway.conversation.own_answers import said
from pellucid_gateway.domain.answer_model import AnswerModel
from pellucid_gateway.domain.decision import Decision, Stage
from pellucid_gateway.domain.events import Send
from pellucid_gateway.domain.ports import DecideCall, EvidenceStore, Services
from pellucid_gateway.domain.request import ChatMessage, Depth, Role, TurnRequest
from pellucid_gateway.domain.standing import Standings, WithoutStandings
from pellucid_gateway.domain.state_ports import SearchQuota, WithoutQuota
from pellucid_gateway.question.fallback_decision import decide_by_rule, find_urls
from pellucid_gateway.question.named_addresses import named_addresses, without_addresses
from pellucid_gateway.question.plain_messages import is_small_talk
from pellucid_gateway.retrieval.search_plan import QueryToWrite
from pellucid_gateway.turn.discretion import cleared, discreet, private_values
from pellucid_gateway.turn.literal import literal
from pellucid_gateway.turn_context.budgets import StageBudgets, TurnBudget, limited
from pellucid_gateway.turn_context.context import TurnContext
from pellucid_gateway.turn_context.ledger import TurnLedger
from pellucid_gateway.turn_context.loop_sharing import Rounds
from pellucid_gateway.turn_context.plans import DepthPlan
from pellucid_language.pii.gate import GATE
from pellucid_runtime.clock import Clock
from pellucid_runtime.errors import ServiceError

# The part of a conversation that the decision gets.
HISTORY_EXCHANGES = 5
HISTORY_MESSAGES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependencies:
    """What every turn depends on.

    Attributes:
        model: None when no language model is configured.
        new_id: Makes an unguessable id.
        quota: Searching turns that a person may make.
        standings: Source preferences of a person.
        redacts_secrets: Prompts of the native API to an external model show no secrets.
        fast_model: Name of the model for single pages; empty means the answer model.
        asks_on_claims: A model judges citations: the fast one, else the one that answers.
        rounds: Shares the event loop between the CPU-bound work of all turns.
    """

    services: Services
    model: AnswerModel | None
    evidence: EvidenceStore
    clock: Clock
    budgets: StageBudgets
    plans: Mapping[Depth, DepthPlan]
    knowledge_cutoff: date
    new_id: Callable[[], str]
    quota: SearchQuota = field(default_factory=WithoutQuota)
    standings: Standings = field(default_factory=WithoutStandings)
    fast_model: str = ""
    redacts_secrets: bool = False
    asks_on_claims: bool = True
    rounds: Rounds = field(default_factory=Rounds)

    @property
    def cutoff_month(self) -> str:
        """The month of the knowledge cutoff, for people: `2025-01`."""
        return f"{self.knowledge_cutoff:%Y-%m}"

    def for_turn(self, request: TurnRequest) -> "Dependencies":
        """Wrap the services so that nothing private in the request is passed on to them."""
        return replace(self, services=discreet(self.services, private_values(request)))

    def model_for(self, request: TurnRequest) -> AnswerModel | None:
        """The model that may answer this request; with `no_external` only an internal one."""
        outside = self.model is not None and bool(self.model.receiver)
        return None if request.no_external and outside else self.model

    def judge_of(self, model: AnswerModel) -> str:
        """Name of the model that judges claims; empty where none does."""
        return (self.fast_model or model.name) if self.asks_on_claims else ""

    def new_marker(self) -> str:
        """A random word that delimits the quoted data of a prompt."""
        return self.new_id()[-8:]

    def hidden(self, request: TurnRequest) -> tuple[str, ...]:
        """Secrets in the person's messages, if an external model may not see them."""
        hides = self.redacts_secrets and self.model is not None and bool(self.model.receiver)
        said = (m.content for m in request.messages if m.role is Role.USER)
        return GATE.private(said) if hides else ()

    def context(self, budget: TurnBudget, ledger: TurnLedger, send: Send) -> TurnContext:
        """The context that the stages of one turn share."""
        return TurnContext(
            clock=self.clock,
            budgets=self.budgets,
            budget=budget,
            ledger=ledger,
            send=send,
            rounds=self.rounds,
        )


async def decide(
    request: TurnRequest, dependencies: Dependencies, budget: TurnBudget, ledger: TurnLedger
) -> Decision:
    """Ask the decision service; if it is unavailable, a rule of the gateway decides."""
    return (await considered(request, dependencies, budget, ledger))[0]


async def considered(
    request: TurnRequest, dependencies: Dependencies, budget: TurnBudget, ledger: TurnLedger
) -> tuple[Decision, QueryToWrite | None]:
    """Return the decision, and the message for which a model may write one more query."""
    if request.verbatim:
        return cleared(literal(request), request), None
    call = DecideCall(
        message=request.message,
        history=heard_history(request.messages[:-1]),
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
        return cleared(_with_small_talk(decide_by_rule(request), request), request), None
    ledger.merge_losses(answer.degraded)
    ledger.sent_out(answer.outbound)
    to_write = None if answer.writing is None else QueryToWrite(asked=call, outbound=answer.writing)
    return cleared(_with_small_talk(answer.decision, request), request), to_write


def _with_small_talk(decision: Decision, request: TurnRequest) -> Decision:
    """The decision; if no model classified the message, small talk is recognised by its words."""
    is_guess = decision.stage is Stage.FALLBACK
    return (
        replace(decision, topicless=True)
        if is_guess and is_small_talk(request.message)
        else decision
    )


def heard_history(messages: Sequence[ChatMessage]) -> tuple[ChatMessage, ...]:
    """The part of the earlier messages that the decision service gets, oldest first."""
    return _unaddressed(_of_subject(heard_messages(tuple(_page_marked(messages)))))


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


def heard_messages(messages: Sequence[ChatMessage]) -> tuple[ChatMessage, ...]:
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
