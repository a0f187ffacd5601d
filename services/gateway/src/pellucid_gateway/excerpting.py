"""The answer without a language model: excerpts of the sources, or why there is none."""

from collections.abc import Sequence

from pellucid_gateway import extractive, stated
from pellucid_gateway.answer import Answer
from pellucid_gateway.budgets import limited
from pellucid_gateway.conflicts import Conflict
from pellucid_gateway.course import Course
from pellucid_gateway.excerpt_worth import Candidate
from pellucid_gateway.findings import Source
from pellucid_gateway.key_facts import asks_of_the_whole
from pellucid_gateway.ports import ScorerPort
from pellucid_gateway.prompts import Setting
from pellucid_gateway.request import TurnRequest
from pellucid_gateway.text_memory import TextMemory
from pellucid_gateway.turn import AnswerKind, Citation, Cited, Delta
from pellucid_runtime.errors import ServiceError

# Sentences compared with the question in one call.
_MOST_COMPARED = 24
# With less time than this no call is worth beginning.
_MIN_CALL_S = 0.03
# A text that is there at once is sent in pieces of about a line.
_DELTA_CHARS = 80


class ExcerptAnswerer:
    """Answers one turn by quoting.

    Args:
        request: The turn.
        setting: Question, language and day.
        scorer: Similarity of sentences to the question.
        course: The turn's clock, time, account and listener.
    """

    def __init__(
        self, request: TurnRequest, *, setting: Setting, scorer: ScorerPort, course: Course
    ) -> None:
        self._request = request
        self._setting = setting
        self._scorer = scorer
        self._course = course
        self._ledger = course.ledger
        self._memory = TextMemory()

    async def answer(self, sources: Sequence[Source], conflicts: Sequence[Conflict] = ()) -> Answer:
        """Quote the sentences that answer best; with no sources say what cannot be done.

        Args:
            sources: What may be quoted.
            conflicts: Where they disagree; both sides are quoted, the better one first.
        """
        wording = self._ledger.wording
        question = self._setting.question
        every = extractive.candidates_of(sources)
        with self._memory.used():
            found = extractive.shortlist(every, question, _MOST_COMPARED)
        if not found:
            text = wording.answer(self._apology())
            await self._send_text(text, ())
            return Answer(text=text, kind=AnswerKind.NONE)
        near = await self._similarities([candidate.text for candidate in found])
        with self._memory.used():
            chosen = extractive.choose(found, question, self._request.depth, near)
            chosen = extractive.with_both_sides(chosen, every, conflicts)
            near_only = not self._is_stated(chosen)
        written = extractive.write(
            chosen,
            conflicts=conflicts[:1],
            wording=wording,
            style=self._request.citation_style,
            now=self._setting.now,
            are_near_only=near_only,
        )
        await self._send_text(written.text, written.citations)
        return Answer(
            text=written.text,
            kind=AnswerKind.EXTRACTIVE,
            citations=written.citations,
            report=written.report,
        )

    def _is_stated(self, chosen: Sequence[Candidate]) -> bool:
        if asks_of_the_whole(self._request.message):
            return True
        return stated.is_stated(chosen, self._setting.question, self._setting.language)

    def _apology(self) -> str:
        """Name of the text that says why there is no answer."""
        if self._setting.is_small_talk:
            return "small_talk"
        if self._ledger.lost("search"):
            return "could_not_look"
        return "nothing_to_say" if self._setting.searched else "cannot_answer"

    async def _similarities(self, texts: Sequence[str]) -> tuple[float, ...] | None:
        course = self._course
        if asks_of_the_whole(self._request.message) or self._ledger.lost("scorer"):
            return None
        if course.budget.left_s() < _MIN_CALL_S:
            return None
        try:
            async with limited(course.budget.answer_s(course.budgets.similarity_s)):
                near = await self._scorer.similarities(self._setting.question, texts)
        except (ServiceError, TimeoutError) as error:
            self._ledger.lose_by("scorer", error, "similarity")
            return None
        return near if len(near) == len(texts) else None

    async def _send_text(self, text: str, citations: Sequence[Citation]) -> None:
        course = self._course
        self._ledger.add_time("first_token", course.budget.elapsed_s())
        for start in range(0, len(text), _DELTA_CHARS):
            await course.send(Delta(text[start : start + _DELTA_CHARS]))
        for citation in citations:
            await course.send(Cited(citation))
