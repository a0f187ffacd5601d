"""The answer without a language model: excerpts of the sources, or why there is none."""

import re
from collections.abc import Sequence

from pellucid_gateway.answering import choice, extractive
from pellucid_gateway.answering import sufficiency as stated
from pellucid_gateway.answering.excerpt_worth import Likeness, compared, likeness
from pellucid_gateway.answering.named_readings import with_readings
from pellucid_gateway.answering.quotable import Candidate, candidates_of
from pellucid_gateway.answering.setting import Setting
from pellucid_gateway.answering.summary import summary
from pellucid_gateway.conflicts.notes import Conflict
from pellucid_gateway.domain.answer import Answer
from pellucid_gateway.domain.citation import Citation
from pellucid_gateway.domain.events import AnswerKind, Cited, Delta
from pellucid_gateway.domain.findings import Source
from pellucid_gateway.domain.notices import SEARCH_LOST
from pellucid_gateway.domain.ports import ScorerPort
from pellucid_gateway.domain.request import TurnRequest
from pellucid_gateway.question.asked_for import asked_for
from pellucid_gateway.question.parts import parts_of
from pellucid_gateway.question.plain_messages import is_thanks
from pellucid_gateway.question.plain_text import without_urls
from pellucid_gateway.question.wishes import Unit, asks_of_the_whole, wish_of
from pellucid_gateway.turn_context.budgets import limited
from pellucid_gateway.turn_context.context import TurnContext
from pellucid_gateway.verification.rendering import source_list
from pellucid_language.text_memory import TextMemory
from pellucid_runtime.errors import ServiceError

# Sentences compared with the question in one call.
_MOST_COMPARED = 24
# Codes of notices that say why there is nothing to quote.
_WITHOUT_SOURCES = SEARCH_LOST | {"page_unreachable", "paywall"}
# With less time than this no call is worth beginning.
_MIN_CALL_S = 0.03
# Of a named page where the person names no length.
_SUMMARY_SENTENCES = 5
# Pages that are named where none of them tells it.
_NEAREST_PAGES = 3
# A text that is there at once is sent in pieces of about a line.
# Pieces of the answer end with a word: half an address would be another one.
_PIECE = re.compile(r".{80}\S*\s?|.+", re.DOTALL)


class ExcerptAnswerer:
    """Answers one turn by quoting.

    Args:
        request: The turn.
        setting: Question, language and day.
        scorer: Similarity of sentences to the question.
        context: The turn's clock, time, account and listener.
    """

    def __init__(
        self, request: TurnRequest, *, setting: Setting, scorer: ScorerPort, context: TurnContext
    ) -> None:
        self._request = request
        self._setting = setting
        self._scorer = scorer
        self._context = context
        self._ledger = context.ledger
        self._question = without_urls(setting.question)
        self._memory = TextMemory()

    async def answer(self, sources: Sequence[Source], conflicts: Sequence[Conflict] = ()) -> Answer:
        """Quote the sentences that answer best; with no sources say what cannot be done.

        Args:
            sources: What may be quoted.
            conflicts: Where they disagree; both sides are quoted, the better one first.
        """
        question = self._question
        every = candidates_of(sources)
        named = [candidate for candidate in every if candidate.source.user_supplied]
        if named and asks_of_the_whole(self._request.message):
            return await self._summary(named)
        with self._memory.used():
            found = choice.shortlist(every, question, _MOST_COMPARED)
        if not found:
            text = self._apology()
            await self._send_text(text, ())
            return Answer(text=text, kind=AnswerKind.NONE)
        near = await self._likeness(found, no_store=bool(named))
        with self._memory.used():
            chosen = choice.choose(found, question, self._request.depth, near)
            chosen = choice.with_both_sides(chosen, every, conflicts)
            near_only = not conflicts and not self._is_stated(chosen, has_likeness=near is not None)
            if near_only:
                chosen = stated.near(chosen, found, question, near)
        if not chosen:
            return await self._told_nowhere(sources)
        chosen = with_readings(chosen, sources, question)
        return await self._written(chosen, conflicts[:1], are_near_only=near_only)

    async def _told_nowhere(self, sources: Sequence[Source]) -> Answer:
        """Say that no source tells it, and which pages came nearest."""
        wording, most = self._ledger.wording, sources[:_NEAREST_PAGES]
        pages = source_list(
            most, wording.answer("told_nowhere"), lambda s: extractive.date_text(s, wording)
        )
        await self._send_text(pages, ())
        return Answer(text=pages, kind=AnswerKind.NONE)

    async def _summary(self, named: Sequence[Candidate]) -> Answer:
        wish = wish_of(self._request.message)
        counted = wish.unit in {Unit.SENTENCE, Unit.POINT}
        with self._memory.used():
            chosen = summary(named, wish.amount if counted else _SUMMARY_SENTENCES)
        return await self._written(chosen, ())

    async def _written(
        self,
        chosen: Sequence[Candidate],
        conflicts: Sequence[Conflict],
        *,
        are_near_only: bool = False,
    ) -> Answer:
        wish = wish_of(self._request.message)
        if wish.unit in {Unit.SENTENCE, Unit.POINT}:
            chosen = chosen[: wish.amount]
        written = extractive.write(
            chosen,
            conflicts=conflicts,
            wording=self._ledger.wording,
            style=self._request.citation_style,
            are_near_only=are_near_only,
            as_points=wish.unit is Unit.POINT,
        )
        await self._send_text(written.text, written.citations)
        return Answer(
            text=written.text,
            kind=AnswerKind.EXTRACTIVE,
            citations=written.citations,
            report=written.report,
        )

    def _is_stated(self, chosen: Sequence[Candidate], *, has_likeness: bool) -> bool:
        """Whether the sentences answer: without likeness only what their form proves counts."""
        may_tell = has_likeness or bool(asked_for(self._question))
        return may_tell and stated.is_stated(chosen, self._question, self._setting.language)

    def _apology(self) -> str:
        """Why there is no answer."""
        wording = self._ledger.wording
        if self._setting.is_small_talk:
            return wording.answer("thanks" if is_thanks(self._request.message) else "small_talk")
        if told := [n.text for n in self._ledger.notices if n.code in _WITHOUT_SOURCES]:
            return " ".join(told)
        return wording.answer("nothing_to_say" if self._setting.searched else "cannot_answer")

    async def _likeness(
        self, found: Sequence[Candidate], *, no_store: bool
    ) -> tuple[Likeness, ...] | None:
        """Likeness to each part of the question; None without a scorer in time."""
        context = self._context
        if self._ledger.lost("scorer"):
            return None
        if context.budget.left_s() < _MIN_CALL_S:
            return None
        texts = compared(found)
        try:
            async with limited(context.budget.answer_s(context.budgets.similarity_s)):
                near = [
                    await self._scorer.similarities(part, texts, no_store=no_store, thorough=True)
                    for part in parts_of(self._question)
                ]
        except (ServiceError, TimeoutError) as error:
            self._ledger.lose_by("scorer", error, "similarity")
            return None
        if any(len(one) != len(texts) for one in near):
            return None
        return tuple(likeness(found, texts, one) for one in near)

    async def _send_text(self, text: str, citations: Sequence[Citation]) -> None:
        context = self._context
        self._ledger.add_time("first_token", context.budget.elapsed_s())
        for piece in _PIECE.findall(text):
            await context.send(Delta(piece))
        for citation in citations:
            await context.send(Cited(citation))
