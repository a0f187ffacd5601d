"""Decides about one message: form, the trained model, a language model, the fallback.

Pure apart from the models that it is given. What a form settles stands in `settling.py`, what the
models say in `model_verdict.py`, how queries are made in `understanding.queries`.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pellucid_decision.decision import (
    Action,
    Decision,
    Freshness,
    Outbound,
    Query,
    Signal,
    Stage,
    Verdict,
    Written,
    strongest_first,
)
from pellucid_decision.errors import UnavailableError
from pellucid_decision.intent.addresses import without_links
from pellucid_decision.intent.background import Read, background_of, weighed
from pellucid_decision.intent.case import Case, examine
from pellucid_decision.intent.facets import facets_of, targets_of
from pellucid_decision.intent.kinds import SMALL_TALK, STILL_SO
from pellucid_decision.intent.model_verdict import (
    LEANS_AT,
    by_fallback,
    by_language_model,
    by_matrix,
    by_model,
    fallback_signals,
    is_sure,
    model_signals,
)
from pellucid_decision.intent.rulebook import Rules
from pellucid_decision.intent.settling import page_verdict, settle, topicless
from pellucid_decision.llm.decision_stage import DecisionStage, Reply
from pellucid_decision.llm.leading import QueryLead
from pellucid_decision.llm.query_writer import QueryWriter
from pellucid_decision.ports import Understander, Understanding
from pellucid_decision.text.conversation import Ask, WebMode
from pellucid_decision.text.links import MAX_PROCESSED
from pellucid_decision.text.normal import one_line
from pellucid_decision.understanding.context import Context, before_answer, context_of
from pellucid_decision.understanding.queries import Plan, Wishes, named_years, plan_queries
from pellucid_decision.understanding.words import Word
from pellucid_language.pii.gate import GATE
from pellucid_language.text_memory import TextMemory

QUESTION_CHARACTERS = 400
_LOST = ("decision", "The model that understands messages was unavailable.")
_DATED = frozenset({Freshness.MONTH, Freshness.YEAR})


@dataclass(frozen=True, slots=True)
class Heard:
    """What the models said about a message.

    Attributes:
        follows: There are turns before it, the chat is about something, or it speaks of a memory.
        understood: Of the trained model; None without it.
        words: Those that it chose for queries.
        own_topic: The message speaks of something else than the subject of the chat.
        gained: They have some of the subject, or of what is known of the person.
        reply: Of the language model that was asked, for a decision or for queries alone.
        degraded: Parts that were unavailable.
    """

    follows: bool = False
    understood: Understanding | None = None
    words: tuple[Word, ...] = ()
    own_topic: bool = False
    gained: bool = False
    reply: Reply | None = None
    degraded: tuple[tuple[str, str], ...] = ()

    @property
    def leans(self) -> bool:
        """The message cannot be understood without its history; any may where no model tells."""
        return self.follows and (self.understood is None or self.understood.leans >= LEANS_AT)

    @property
    def queries(self) -> tuple[str, ...]:
        """Queries of a language model, if it wrote any."""
        return self.reply.queries if self.reply else ()

    @property
    def question(self) -> str:
        """Standalone question of a language model, if it wrote one."""
        return self.reply.question if self.reply else ""

    @property
    def lost(self) -> tuple[tuple[str, str], ...]:
        """Parts that were unavailable, with one sentence each."""
        return (*self.degraded, *(self.reply.degraded if self.reply else ()))

    @property
    def outbound(self) -> tuple[Outbound, ...]:
        """What was sent to external models."""
        return self.reply.outbound if self.reply else ()


@dataclass(frozen=True, slots=True)
class Cascade:
    """Settles messages.

    Attributes:
        rules: Source of the rules of form in force.
        model: The trained model; None for none.
        adviser: The language model, asked for a decision.
        lead: The language model, asked for queries that resolve the history.
        writer: The language model, asked for a further query beside a search.
    """

    rules: Rules
    model: Understander | None = None
    adviser: DecisionStage | None = None
    lead: QueryLead | None = None
    writer: QueryWriter | None = None

    async def decide(self, ask: Ask) -> Decision:
        """Return the decision about one message."""
        with TextMemory().used():
            return await self._decide(ask)

    async def write(self, ask: Ask, known: Sequence[Query]) -> Written:
        """Have a language model write a query that those of the decision about `ask` lack."""
        if self.writer is None:
            return Written()
        return await self.writer.write(_context(examine(ask, self.rules.book)), known)

    async def _decide(self, ask: Ask) -> Decision:
        case = examine(ask, self.rules.book)
        settled = settle(case)
        if settled and not settled.search:
            return compose(case, settled, Heard(), None)
        context = _context(case)
        verdict, heard = await self._judged(case, context, settled)
        if verdict.search and heard.leans and self.lead and heard.reply is None:
            heard = replace(heard, reply=await self.lead.lead(context))
        plan = _plan(case, context, heard) if verdict.search else None
        decision = compose(case, verdict, heard, plan)
        stands_alone = decision.needs_search and not heard.leans and not heard.queries
        if self.writer is None or not stands_alone:
            return decision
        return replace(decision, writing=self.writer.sends(context))

    async def _judged(
        self, case: Case, context: Context, settled: Verdict | None
    ) -> tuple[Verdict, Heard]:
        """Ask the models in order until one is sure; what the form settled stands."""
        heard = await self._understood(context)
        understood = heard.understood
        if settled:
            return _unless_topicless(settled, understood), heard
        verdict = by_matrix(case, understood)
        if verdict is None and understood and (is_sure(understood) or self.adviser is None):
            verdict = by_model(understood)
        if verdict is None and self.adviser:
            reply = await self.adviser.consider(context)
            heard = replace(heard, reply=reply)
            verdict = by_language_model(reply) if reply and reply.search is not None else None
        if verdict is None:
            verdict = (
                by_model(understood, stage=Stage.FALLBACK) if understood else by_fallback(case)
            )
        # A bare host is a name in a question about it, and else a page to read.
        return (verdict if verdict.search or not case.links else page_verdict()), heard

    async def _understood(self, context: Context) -> Heard:
        heard = Heard(bool(context.turns or context.ask.subject))
        if self.model is None:
            return replace(heard, degraded=(_LOST,))
        try:
            read = await _read(self.model, context)
        except UnavailableError:
            return replace(heard, degraded=(_LOST,))
        return replace(
            heard,
            follows=heard.follows or read.gained,
            understood=read.understood,
            words=read.words,
            own_topic=read.own_topic,
            gained=read.gained,
        )


async def _read(model: Understander, context: Context) -> Read:
    """Return what the trained model reads in a message, with its background where there is one.

    Raises:
        UnavailableError: The model cannot answer in time.
    """
    background = background_of(context.ask)
    if not background:
        return await _read_in(model, context)
    told = context_of(context.ask, context.message, background)
    alone, beside = await asyncio.gather(
        _read_in(model, context), _read_in(model, told), return_exceptions=True
    )
    if isinstance(alone, BaseException):
        raise alone
    if isinstance(beside, UnavailableError):  # what is read alone is better than nothing
        return alone
    if isinstance(beside, BaseException):
        raise beside
    return weighed(context.ask, alone, beside, told.background)


async def _read_in(model: Understander, context: Context) -> Read:
    understood = await model.understand(context.message, context.turns)
    return Read(understood, context.words(understood.pieces))


def _context(case: Case) -> Context:
    """Return what the models are asked about; for a doubt, the question that was answered."""
    ask = before_answer(case.ask) if case.about_answer else case.ask
    message = (
        ask.message if case.about_answer else without_links(ask.message, case.links, case.site)
    )
    return context_of(ask, message)


def _unless_topicless(settled: Verdict, understood: Understanding | None) -> Verdict:
    """Return the verdict on a forced search: small talk falls back to chat."""
    chat = understood is not None and understood.kind in SMALL_TALK
    return topicless() if chat and settled.reason_code == "forced" else settled


def compose(case: Case, verdict: Verdict, heard: Heard, plan: Plan | None) -> Decision:
    """Put verdict, facets and queries together.

    Args:
        case: The form of the message.
        verdict: What was decided.
        heard: What the models said.
        plan: The local queries; None where nothing is searched.
    """
    understood = heard.understood
    small_talk = understood is not None and understood.kind in SMALL_TALK and not verdict.search
    facets = facets_of(case, understood, searching=verdict.search, topicless=small_talk)
    processed, ignored = _urls(case, verdict)
    decision = Decision(
        action=_action(verdict, processed),
        verdict=verdict,
        signals=strongest_first(_signals(case, heard, verdict)),
        standalone_question=_question(case, heard, plan),
        requires_context=heard.leans or case.about_answer or bool(plan and plan.gained),
        language=case.language,
        urls=processed,
        ignored_urls=ignored,
        facets=facets,
        about_answer=case.about_answer,
        degraded=heard.lost,
        outbound=heard.outbound,
    )
    if plan is None:
        return decision
    texts = heard.queries[: max(case.ask.max_queries, case.ask.max_parts)] or plan.queries
    kind = understood.kind if understood else ""
    return replace(
        decision,
        queries=tuple(Query(text, facets.freshness, _site(text, facets.site)) for text in texts),
        fallback_queries=_fallbacks(plan, texts),
        facets=replace(facets, target_info=targets_of(plan.asked, kind)),
    )


def _plan(case: Case, context: Context, heard: Heard) -> Plan:
    """Return the local queries; without the model those of the message's own words."""
    return plan_queries(context, heard.words, _wishes(case, heard))


def _wishes(case: Case, heard: Heard) -> Wishes:
    return Wishes(
        year=_year(case, heard.understood),
        site=case.site,
        aliases=case.book.aliases,
        language=case.language,
        literal=_literal(case),
        own_topic=heard.own_topic,
        gained=heard.gained,
    )


def _literal(case: Case) -> str:
    """Return the query that the message is; a word alone gains what the chat is about."""
    alone = case.ask.subject is None or case.reading.ordered
    return case.reading.literal if alone and not case.about_answer else ""


def _year(case: Case, understood: Understanding | None) -> str:
    """Return the clock's year where the answer is of this year and the person named none."""
    if understood is None or understood.kind in STILL_SO or named_years(case.ask.message):
        return ""
    return str(case.ask.now.year) if understood.freshness in _DATED else ""


def _site(text: str, site: str) -> str:
    """Return the site of a query, unless the query names it by an operator."""
    return "" if "site:" in text.casefold() else site


def _fallbacks(plan: Plan, texts: Sequence[str]) -> tuple[str, ...]:
    """Return broader queries; the local ones too where a language model's lead."""
    local = () if texts == plan.queries else plan.queries[:1]
    return tuple(text for text in (*local, *plan.fallbacks) if text not in texts)[:MAX_PROCESSED]


def _signals(case: Case, heard: Heard, verdict: Verdict) -> tuple[Signal, ...]:
    """Return what spoke for and against a search in each stage that was asked."""
    words = fallback_signals(case) if verdict.reason_code in case.book.fallback else ()
    return (*case.reading.signals, *model_signals(heard.understood, heard.reply), *words)


def _urls(case: Case, verdict: Verdict) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the addresses to process, and those beyond; tasks of frontends open none.

    A bare host in a question that is searched for is just a name.
    """
    ask = case.ask
    named = case.names_page or not verdict.search or verdict.stage is Stage.MODE
    urls = tuple(link.url for link in case.links) if named else ()
    task = case.reading.has("task_prompt", "tool_result") and ask.web_mode is not WebMode.ON
    processed = () if task or ask.web_mode is WebMode.OFF else urls[:MAX_PROCESSED]
    return processed, urls[len(processed) :]


def _question(case: Case, heard: Heard, plan: Plan | None) -> str:
    """Return the question on its own, without secrets; an address is named by its host."""
    text = before_answer(case.ask).message if case.about_answer else case.ask.message
    for link in case.links:
        text = text.replace(link.text, link.host)
    lent = plan.lent if plan else ""
    if heard.leans or (plan and plan.gained):
        text = heard.question or (f"{lent}: {text}" if lent else text)
    return GATE.redact_always(one_line(text, QUESTION_CHARACTERS)) or case.ask.message


def _action(verdict: Verdict, urls: tuple[str, ...]) -> Action:
    if verdict.search:
        return Action.SEARCH
    return Action.FETCH if urls and verdict.stage is Stage.URL else Action.ANSWER
