"""Decides about one message: mode, addresses, rules, matrix, then the later stages.

Pure apart from the advisers that it is given. The interplay of web mode, addresses, vetoes and
forced search is settled here and nowhere else.
"""

import math
from dataclasses import dataclass, replace
from typing import Protocol

from pellucid_decision.decision import Action, Decision, Query, Stage, Verdict
from pellucid_decision.ports import Rules
from pellucid_decision.queries.limits import valid_query
from pellucid_decision.queries.writing import plan_queries
from pellucid_decision.question.resolution import (
    QUESTION_CHARACTERS,
    Resolved,
    of_last_question,
    on_topic,
    resolve,
    told_by,
)
from pellucid_decision.question.terms import Kind
from pellucid_decision.rules.facets import facets_of, named_site
from pellucid_decision.rules.matrix import match_category
from pellucid_decision.rules.rulebook import Category, Rulebook
from pellucid_decision.rules.signals import Reading, ends_in_tool, read, with_signal
from pellucid_decision.stages.addresses import addresses_in, meant, pages_of, without_links
from pellucid_decision.stages.deliberation import (
    Adviser,
    Deliberated,
    LocalAdviser,
    Look,
    deliberate,
)
from pellucid_decision.text.conversation import Ask, Role, WebMode
from pellucid_decision.text.links import MAX_PROCESSED, Link
from pellucid_decision.text.material import own_words
from pellucid_decision.text.normal import one_line, outline
from pellucid_language.detection import UNDETERMINED, detect_language
from pellucid_language.redaction.gate import GATE

FINAL_VETOES = ("task_prompt", "tool_result", "dont_search")
SMALL_TALK = ("small_talk", "thanks")
# Logistic that turns a rule score into a confidence, fitted on the own messages that rules settle
# (`training/confidence.py`).
_RULE_SLOPE = 8.67
_RULE_CENTRE = 0.425
_MODE_CONFIDENCE = 1.0
_URL_CONFIDENCE = 0.97
# A question with at most this many terms may live off the turns before.
_SHORT_QUESTION_TERMS = 4
# A rule's search (or answer) stands unless the classifier's first look is below (above) this.
# Swept on the own messages held out by fold, 0.3 to 0.6 and 0.5 to 0.7: the lower for searches, the
# more traps are searched. Small talk and word problems, whose vetoes are this strong, stand.
CONTEST = 0.60
# Rules that are as sure as this stand against all but a classifier that sees nothing for the web: a
# name that it never met must not decide (`test_names.py`). Swept on the own messages held out by
# fold, scores of 0.80 to 0.97: below 0.95 more traps are searched, and no name less decides.
CONTEST_FIRM = 0.20
FIRM_SCORE = 0.95
# A short question that goes on from one that was looked up says little by its own words.
CONTEST_FOLLOW_UP = 0.15
UNCONTESTED_VETO = 1.0
_ALSO_SEARCH = ("explicit_lookup", "ask_sources", "reviews")


@dataclass(frozen=True, slots=True)
class Case:
    """A message with everything that was read from it."""

    ask: Ask
    language: str
    resolved: Resolved
    reading: Reading
    links: tuple[Link, ...]
    site: str
    category: Category | None
    book: Rulebook

    @property
    def topicless(self) -> bool:
        """Small talk, or nothing to search for."""
        return self.reading.has(*SMALL_TALK) or not (self.resolved.own or self.resolved.topic)


class Writer(Protocol):
    """May put a model's queries in place of the heuristic ones."""

    async def write(self, ask: Ask, resolved: Resolved, done: Deliberated) -> Deliberated:
        """Return `done`, with queries when it wrote some."""
        ...


@dataclass(frozen=True, slots=True)
class Cascade:
    """Settles messages.

    Attributes:
        rules: Source of the rules in force.
        classifier: Stage 2, which also contests rules; None when there are no weights.
        model: Stage 3; None when no language model is configured.
        writer: Writes queries for settled searches; None without a language model.
    """

    rules: Rules
    classifier: LocalAdviser | None = None
    model: Adviser | None = None
    writer: Writer | None = None

    async def decide(self, ask: Ask) -> Decision:
        """Return the decision about one message."""
        case = examine(ask, self.rules.book)
        settled = settle(case)
        look = self._look(case, settled)
        if settled and look and contested(case, settled, look.probability()):
            settled = None
        done = Deliberated(settled) if settled else await self._deliberate(case, look)
        if self.writer:
            done = await self.writer.write(ask, case.resolved, done)
        return compose(case, done)

    def _look(self, case: Case, settled: Verdict | None) -> Look | None:
        """Have the classifier read the message, unless nobody will ask what it saw."""
        if self.classifier is None or (settled and not contestable(case, settled)):
            return None
        return self.classifier.look(case.ask, case.resolved, case.reading)

    async def _deliberate(self, case: Case, look: Look | None) -> Deliberated:
        return await deliberate(
            case.ask, case.resolved, case.reading, classifier=look, model=self.model
        )


def examine(ask: Ask, book: Rulebook) -> Case:
    """Read language, addresses, topic and signals of a message."""
    language = _language(ask)
    rules = book.of(language)
    found = addresses_in(ask.message, book)
    site = named_site(ask.message, found, rules)
    asked = _without_orders(outline(without_links(ask.message, found, site)), book)
    resolved = resolve(asked, ask.history, rules)
    reading = _reading(ask, resolved, language, book)
    if reading.has("after_search"):
        resolved = on_topic(resolved)
    if site:
        reading = with_signal(reading, "site_named", site, book)
    links = meant(found, site, reading, book)
    resolved = replace(resolved, pages=pages_of(links))
    case = Case(ask, language, resolved, reading, links, site, match_category(reading, book), book)
    return replace(case, resolved=of_last_question(resolved)) if _is_about_answer(case) else case


def settle(case: Case) -> Verdict | None:
    """Return the verdict of the stages that need nothing outside, None when they leave it open."""
    return _by_mode(case) or _by_veto(case) or _by_address(case) or _by_score(case)


def contestable(case: Case, verdict: Verdict) -> bool:
    """True for verdicts that weighed words; what the person or a frontend ordered is not one."""
    if verdict.stage is not Stage.RULE or verdict.reason_code in FINAL_VETOES:
        return False
    return verdict.search or not case.reading.vetoed(UNCONTESTED_VETO)


def contested(case: Case, verdict: Verdict, look: float) -> bool:
    """True when the classifier clearly disagrees with a rule, so that the later stages decide.

    Args:
        case: The message.
        verdict: What the rules say.
        look: Probability that the web is needed, from the text alone.
    """
    if not contestable(case, verdict):
        return False
    if not verdict.search:
        return look > CONTEST
    if case.reading.has("followup_of_search"):
        return look < CONTEST_FOLLOW_UP
    return look < (CONTEST_FIRM if case.reading.score >= FIRM_SCORE else CONTEST)


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
        about_answer=_is_about_answer(case),
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


def _asked(case: Case) -> str:
    """Return the questions of a message that tells a story around them, else all of it."""
    told = case.resolved.told
    return " ".join(told.asked.questions) if told and told.asked.before else case.reading.text


def _targets(asked: tuple[str, ...], kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Say of each thing asked what an answer must contain: the words, and what kind of thing."""
    if not asked:
        return kinds
    return (f"{asked[0]}: {', '.join(kinds)}" if kinds else asked[0], *asked[1:])


def _is_about_answer(case: Case) -> bool:
    """Whether a message asks for the sources of the answer before, or to verify it."""
    if not any(turn.role is Role.ASSISTANT for turn in case.ask.history):
        return False
    asks = case.book.of(case.language).phrase("about_answer")
    return bool(asks and asks.search(case.resolved.text) and not case.links)


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


def _language(ask: Ask) -> str:
    known = ask.language.split("-")[0].lower()
    if known and known not in {"auto", UNDETERMINED}:
        return known
    earlier = " ".join(ask.person_turns()[-2:])
    hint = detect_language(own_words(earlier)) if earlier else UNDETERMINED
    return detect_language(own_words(ask.message), hint)


def _without_orders(text: str, book: Rulebook) -> str:
    """Drop what tells the assistant to break its rules: nobody searches for that."""
    rules = book.languages["any"]
    orders, words = rules.phrase("orders"), rules.phrase("order_words")
    if words and not words.search(text):
        return text
    return (orders.sub(" ", text).strip() if orders else text) or text


def _reading(ask: Ask, resolved: Resolved, language: str, book: Rulebook) -> Reading:
    """Signals of the message, with those of the resolved question when it leans on the turns."""
    own = read(ask.message, language=language, rulebook=book, ask=ask)
    if ends_in_tool(ask):
        return with_signal(own, "tool_result", "tool", book)
    if own.vetoed(strength=0.6) or not ask.person_turns():
        return own
    before = _earlier(ask, language, book)
    tie = _tie(own, resolved, before, book) if before else ""
    return with_signal(own, tie, resolved.question, book) if tie else own


def _tie(own: Reading, resolved: Resolved, before: Reading, book: Rulebook) -> str:
    """Signal by which a message hangs on the question before it; empty when on its own."""
    if before.score >= book.search_at:
        if resolved.leans:
            return "followup_of_search"
        return "after_search" if _names_nothing(own, resolved) else ""
    below = resolved.leans and before.score <= book.answer_at
    return "followup_of_answer" if below else ""


def _names_nothing(own: Reading, resolved: Resolved) -> bool:
    """A short question without a topic of its own: most likely about that of the turns before."""
    named = any(term.kind in {Kind.ENTITY, Kind.QUOTED} for term in resolved.own)
    asks = own.text.rstrip().endswith(("?", "？"))
    return asks and not named and not own.vetoed(0.1) and len(resolved.own) <= _SHORT_QUESTION_TERMS


def _earlier(ask: Ask, language: str, book: Rulebook) -> Reading | None:
    """Reading of the last question of the person that was more than an acknowledgement."""
    for text in reversed(ask.person_turns()):
        reading = read(text, language=detect_language(text, language), rulebook=book, ask=ask)
        if not reading.has(*SMALL_TALK):
            return reading
    return None


def _is_task(case: Case) -> bool:
    return case.reading.has("task_prompt", "tool_result") and case.ask.web_mode is not WebMode.ON


def _by_mode(case: Case) -> Verdict | None:
    ask = case.ask
    if ask.web_mode is WebMode.OFF:
        reason = "Web access is switched off for this message."
        return Verdict(False, Stage.MODE, _MODE_CONFIDENCE, "web_off", reason)  # noqa: FBT003 - first field
    if ask.web_mode is WebMode.ON:
        reason = "Web search is switched on for this message."
        return Verdict(True, Stage.MODE, _MODE_CONFIDENCE, "web_on", reason)  # noqa: FBT003 - first field
    if ask.force_search and not case.topicless:
        reason = "Search results were asked for."
        return Verdict(True, Stage.MODE, _MODE_CONFIDENCE, "forced", reason)  # noqa: FBT003 - first field
    if ask.force_search:
        reason = "There is no topic to search for, so this is answered as chat."
        return Verdict(False, Stage.MODE, _MODE_CONFIDENCE, "topicless", reason)  # noqa: FBT003 - first field
    return None


def _by_veto(case: Case) -> Verdict | None:
    fired = [signal for signal in case.reading.signals if signal.name in FINAL_VETOES]
    if not fired or (fired[0].name == "dont_search" and case.links):
        return None
    return _rule_verdict(case, fired[0].name, search=False)


def _by_address(case: Case) -> Verdict | None:
    if not case.links:
        return None
    also = case.reading.has(*_ALSO_SEARCH) and not case.reading.has("dont_search")
    if also:
        reason = "The message names a page and also asks to search or compare."
        return Verdict(True, Stage.URL, _URL_CONFIDENCE, "url_and_search", reason)  # noqa: FBT003 - first field
    reason = "The message names a page, which is read instead of searching."
    return Verdict(False, Stage.URL, _URL_CONFIDENCE, "url", reason)  # noqa: FBT003 - first field


def _by_score(case: Case) -> Verdict | None:
    reading, book = case.reading, case.book
    if reading.score >= book.search_at:
        stage_code = next((s.name for s in reading.signals if s.weight > 0), "prior")
        return _rule_verdict(case, stage_code, search=True)
    if case.category is not None:
        reason = f"The message asks about a watched topic ({case.category.name.replace('_', ' ')})."
        return Verdict(True, Stage.MATRIX, 0.9, case.category.name, reason)  # noqa: FBT003 - first field
    if reading.score <= book.answer_at:
        code = next((s.name for s in reading.signals if s.weight < 0), "prior")
        return _rule_verdict(case, code, search=False)
    return None


def _rule_verdict(case: Case, code: str, *, search: bool) -> Verdict:
    spec = case.book.signals.get(code)
    probability = 1 / (1 + math.exp(-_RULE_SLOPE * (case.reading.score - _RULE_CENTRE)))
    confidence = max(0.5, probability if search else 1 - probability)
    reason = spec.reason if spec else "Nothing in the message speaks for the web."
    return Verdict(search, Stage.RULE, confidence, code, reason)
