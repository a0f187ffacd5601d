"""Decides about one message: mode, addresses, rules, matrix, then the later stages.

Pure apart from the advisers that it is given. What a message is read as stands in `case.py`, what
settles it without advisers in `settling.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from pellucid_decision.decision import Action, Decision, Outbound, Query, Stage, Verdict, Written
from pellucid_decision.ports import Rules
from pellucid_decision.queries.limits import valid_query
from pellucid_decision.queries.writing import plan_queries
from pellucid_decision.question.resolution import (
    QUESTION_CHARACTERS,
    Resolved,
    resolve,
    told_by,
)
from pellucid_decision.rules.facets import facets_of
from pellucid_decision.stages.case import Case, examine
from pellucid_decision.stages.deliberation import (
    Adviser,
    Deliberated,
    LocalAdviser,
    Look,
    deliberate,
)
from pellucid_decision.stages.settling import contestable, contested, settle
from pellucid_decision.text.conversation import Ask, WebMode
from pellucid_decision.text.links import MAX_PROCESSED
from pellucid_decision.text.normal import one_line
from pellucid_language.redaction.gate import GATE
from pellucid_language.text_memory import TextMemory


class Writer(Protocol):
    """May write a further query while those of the decision are searched for."""

    def sends(self, ask: Ask, resolved: Resolved) -> tuple[Outbound, ...] | None:
        """Return what leaves when it writes; None when it is not to."""
        ...

    async def write(self, ask: Ask, resolved: Resolved, known: Sequence[Query]) -> Written:
        """Return at most one query that adds a word to the known ones."""
        ...


@dataclass(frozen=True, slots=True)
class Cascade:
    """Settles messages.

    Attributes:
        rules: Source of the rules in force.
        classifier: Stage 2, which also contests rules; None when there are no weights.
        model: Stage 3; None when no language model is configured.
        writer: Writes further queries for settled searches; None without a language model.
    """

    rules: Rules
    classifier: LocalAdviser | None = None
    model: Adviser | None = None
    writer: Writer | None = None

    async def decide(self, ask: Ask) -> Decision:
        """Return the decision about one message."""
        with TextMemory().used():
            return await self._decide(ask)

    async def _decide(self, ask: Ask) -> Decision:
        case = examine(ask, self.rules.book)
        settled = settle(case)
        look = self._look(case, settled)
        if settled and look and contested(case, settled, look.probability()):
            settled = None
        done = Deliberated(settled) if settled else await self._deliberate(case, look)
        decision = _as_written(compose(case, done), case)
        if self.writer is None or not decision.needs_search or done.queries:
            return decision
        return replace(decision, writing=self.writer.sends(ask, case.resolved))

    async def write(self, ask: Ask, known: Sequence[Query]) -> Written:
        """Have a model write a query that those of the decision about `ask` lack."""
        if self.writer is None:
            return Written()
        return await self.writer.write(ask, examine(ask, self.rules.book).resolved, known)

    def _look(self, case: Case, settled: Verdict | None) -> Look | None:
        """Have the classifier read the message, unless nobody will ask what it saw."""
        if self.classifier is None or (settled and not contestable(case, settled)):
            return None
        return self.classifier.look(case.ask, case.resolved, case.reading)

    async def _deliberate(self, case: Case, look: Look | None) -> Deliberated:
        return await deliberate(
            case.ask, case.resolved, case.reading, classifier=look, model=self.model
        )


def compose(case: Case, done: Deliberated) -> Decision:
    """Put verdict, facets and queries together."""
    ask, verdict = case.ask, done.verdict
    rules = case.book.of(case.language)
    if verdict.search:
        case = replace(case, resolved=replace(case.resolved, told=told_by(case.resolved, rules)))
    facets = facets_of(
        case.reading,
        category=case.category,
        ask=ask,
        rules=rules,
        site=case.site,
        searching=verdict.search,
        topicless=case.topicless,
        asked=_asked(case),
    )
    open_web = ask.web_mode is not WebMode.OFF
    urls = tuple(link.url for link in case.links)
    processed = urls[:MAX_PROCESSED] if open_web and not _is_task(case) else ()
    decision = Decision(
        action=_action(verdict, processed),
        verdict=verdict,
        signals=case.reading.signals,
        standalone_question=_question(case),
        requires_context=case.resolved.leans,
        language=case.language,
        urls=processed,
        ignored_urls=urls[len(processed) :],
        facets=facets,
        about_answer=case.about_answer,
        degraded=done.degraded,
        outbound=done.outbound,
    )
    if not verdict.search:
        return decision
    plan = plan_queries(
        case.resolved, ask=ask, reading=case.reading, facets=facets, rules=rules, rulebook=case.book
    )
    said = (*(turn.content for turn in ask.history), ask.message) if done.queries else ()
    private = GATE.private(said)
    cleared = (valid_query(text, private) for text in done.queries)
    written = tuple(filter(None, cleared))[: ask.max_queries]
    queries = tuple(Query(text, facets.freshness, facets.site) for text in written) or plan.queries
    return replace(
        decision,
        queries=queries,
        fallback_queries=plan.fallbacks,
        facets=replace(facets, target_info=_targets(plan.asked, facets.target_info)),
    )


def _as_written(decision: Decision, case: Case) -> Decision:
    """Return a decision in the person's own characters."""
    script = case.script
    if script is None:
        return decision
    told = tuple(map(script.restored, decision.facets.target_info))
    return replace(
        decision,
        standalone_question=script.restored(decision.standalone_question),
        queries=tuple(replace(one, text=script.restored(one.text)) for one in decision.queries),
        fallback_queries=tuple(map(script.restored, decision.fallback_queries)),
        facets=replace(decision.facets, target_info=told),
    )


def _asked(case: Case) -> str:
    """Return the questions of a message that tells a story around them, else all of it."""
    told = case.resolved.told
    return " ".join(told.asked.questions) if told and told.asked.before else case.reading.text


def _targets(asked: tuple[str, ...], kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Say of each thing asked what an answer must contain: the words, and what kind of thing."""
    if not asked:
        return kinds
    return (f"{asked[0]}: {', '.join(kinds)}" if kinds else asked[0], *asked[1:])


def _question(case: Case) -> str:
    """Return the question on its own, without secrets; an address is named by its host."""
    resolved, text = case.resolved, case.ask.message
    for link in case.links:
        text = text.replace(link.text, link.host)
    if resolved.leans and case.links:
        text = resolve(text, case.ask.history, case.book.of(case.language)).question
    elif resolved.leans:
        text = resolved.question
    return GATE.redact_always(one_line(text, QUESTION_CHARACTERS)) or resolved.question


def _action(verdict: Verdict, urls: tuple[str, ...]) -> Action:
    if verdict.search:
        return Action.SEARCH
    return Action.FETCH if urls and verdict.stage is Stage.URL else Action.ANSWER


def _is_task(case: Case) -> bool:
    return case.reading.has("task_prompt", "tool_result") and case.ask.web_mode is not WebMode.ON
