"""Writes the answer: by the model with checked citations, else by excerpts, else none."""

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from pellucid_gateway import extractive
from pellucid_gateway.budgets import StageBudgets, TurnBudget, limited
from pellucid_gateway.citations import CitationVerifier
from pellucid_gateway.event_stream import Send
from pellucid_gateway.findings import Source
from pellucid_gateway.key_facts import asks_of_the_whole
from pellucid_gateway.ledger import TurnLedger
from pellucid_gateway.outgoing import sent_prompt
from pellucid_gateway.ports import AnswerModel, ModelEnd, ModelPiece, Prompt, ScorerPort
from pellucid_gateway.prompts import Setting, build_prompt
from pellucid_gateway.request import TurnRequest
from pellucid_gateway.support import SupportJudge
from pellucid_gateway.turn import (
    AnswerKind,
    Citation,
    CitationReport,
    Cited,
    Delta,
    Noticed,
)
from pellucid_runtime.clock import Clock
from pellucid_runtime.errors import DeadlineExceededError, ServiceError

# Sentences compared with the question in one call.
_MOST_COMPARED = 24
# With less time than this no call is worth beginning.
_MIN_CALL_S = 0.03
# An answer's own share of a text that is streamed in one piece: about a line.
_DELTA_CHARS = 80


class BrokenAnswerError(Exception):
    """The model broke off after text had left; nothing can be taken back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer as sent."""

    text: str
    kind: AnswerKind
    citations: tuple[Citation, ...] = ()
    report: CitationReport = field(default_factory=CitationReport)
    partial: bool = False
    model: str = ""


class Answerer:
    """Answers one turn.

    Args:
        request: The turn.
        setting: What the prompt depends on.
        scorer: Similarity and support.
        clock: Stopwatch.
        budgets: Longest time of each stage.
        budget: The turn's time.
        ledger: The turn's account.
        send: Takes deltas, citations and notices.
    """

    def __init__(
        self,
        request: TurnRequest,
        *,
        setting: Setting,
        scorer: ScorerPort,
        clock: Clock,
        budgets: StageBudgets,
        budget: TurnBudget,
        ledger: TurnLedger,
        send: Send,
    ) -> None:
        self._request = request
        self._setting = setting
        self._scorer = scorer
        self._clock = clock
        self._budgets = budgets
        self._budget = budget
        self._ledger = ledger
        self._send = send

    async def by_model(self, model: AnswerModel, sources: Sequence[Source]) -> Answer | None:
        """Stream the model's answer; None when it failed before any text had left.

        Raises:
            BrokenAnswerError: It failed after text had left.
        """
        prompt = build_prompt(self._request, sources, self._setting)
        verifier = self._verifier(sources)
        writing = _Writing(model.name)
        self._account_prompt(model, prompt)
        try:
            async with limited(self._budget.left_s()):
                await self._stream(model, prompt, verifier, writing)
        except (TimeoutError, DeadlineExceededError):
            if not verifier.answer:
                self._ledger.lose("llm", "no text in time")
                return None
            writing.partial = True
            self._ledger.lose("deadline", "the answer was cut short")
        except ServiceError as error:
            self._ledger.lose("llm", error.reason)
            if verifier.answer:
                raise BrokenAnswerError(error.message) from error
            return None
        return await self._finished(verifier, writing)

    def _verifier(self, sources: Sequence[Source]) -> CitationVerifier:
        judge = SupportJudge(
            sources,
            scorer=self._scorer,
            budgets=self._budgets,
            budget=self._budget,
            ledger=self._ledger,
            question=self._setting.question,
            language=self._setting.language,
        )
        return CitationVerifier(
            sources,
            judge=judge,
            style=self._request.citation_style,
            question=self._setting.question,
            checks=bool(sources) or self._setting.searched,
        )

    def _account_prompt(self, model: AnswerModel, prompt: Prompt) -> None:
        self._ledger.use(context_tokens=prompt.context_tokens)
        if model.receiver:
            text = "\n\n".join(message.content for message in prompt.messages)
            self._ledger.sent_out((sent_prompt(model.receiver, text),))

    async def _stream(
        self, model: AnswerModel, prompt: Prompt, verifier: CitationVerifier, writing: "_Writing"
    ) -> None:
        begun = self._clock.monotonic()
        pieces = model.stream(prompt)
        async with aclosing(pieces):  # type: ignore[type-var]
            async for piece in pieces:
                if isinstance(piece, ModelPiece):
                    if not writing.has_begun:
                        writing.has_begun = True
                        self._ledger.add_time("first_token", self._budget.elapsed_s())
                    await self._pass_on(verifier.feed(piece.text))
                else:
                    self._account_end(piece, writing)
        self._ledger.add_time("generate", self._clock.monotonic() - begun)
        if not writing.has_begun:
            raise EmptyAnswerError

    def _account_end(self, end: ModelEnd, writing: "_Writing") -> None:
        writing.partial = writing.partial or end.truncated
        self._ledger.use(prompt_tokens=end.prompt_tokens, completion_tokens=end.completion_tokens)

    async def _pass_on(self, events: AsyncIterator[Delta | Cited]) -> None:
        async for event in events:
            await self._send(event)

    async def _finished(self, verifier: CitationVerifier, writing: "_Writing") -> Answer:
        await self._pass_on(verifier.finish())
        wording = self._ledger.wording
        closing = verifier.closing(
            wording.answer("sources_heading"), lambda s: extractive.date_text(s, wording)
        )
        if closing:
            await self._send(closing)
        if writing.partial:
            self._ledger.notify("partial_answer")
        return Answer(
            text=verifier.answer,
            kind=AnswerKind.MODEL,
            citations=verifier.citations,
            report=verifier.report,
            partial=writing.partial,
            model=writing.model,
        )

    async def by_excerpts(self, sources: Sequence[Source]) -> Answer:
        """Quote the sentences that answer best; with no sources say what cannot be done."""
        wording = self._ledger.wording
        every = extractive.candidates_of(sources)
        found = extractive.shortlist(every, self._setting.question, _MOST_COMPARED)
        if not found:
            part = self._apology()
            await self._send_text(wording.answer(part), ())
            return Answer(text=wording.answer(part), kind=AnswerKind.NONE)
        near = await self._similarities([candidate.text for candidate in found])
        chosen = extractive.choose(found, self._setting.question, self._request.depth, near)
        written = extractive.write(
            chosen,
            wording=wording,
            style=self._request.citation_style,
            now=self._setting.now,
        )
        await self._send_text(written.text, written.citations)
        return Answer(
            text=written.text,
            kind=AnswerKind.EXTRACTIVE,
            citations=written.citations,
            report=written.report,
        )

    def _apology(self) -> str:
        """Name of the text that says why there is no answer."""
        if self._setting.is_small_talk:
            return "small_talk"
        if self._ledger.lost("search"):
            return "could_not_look"
        return "nothing_to_say" if self._setting.searched else "cannot_answer"

    async def _similarities(self, texts: Sequence[str]) -> tuple[float, ...] | None:
        if asks_of_the_whole(self._request.message) or self._ledger.lost("scorer"):
            return None
        if self._budget.left_s() < _MIN_CALL_S:
            return None
        try:
            async with limited(self._budget.answer_s(self._budgets.similarity_s)):
                near = await self._scorer.similarities(self._setting.question, texts)
        except (ServiceError, TimeoutError) as error:
            self._ledger.lose_by("scorer", error, "similarity")
            return None
        return near if len(near) == len(texts) else None

    async def _send_text(self, text: str, citations: Sequence[Citation]) -> None:
        self._ledger.add_time("first_token", self._budget.elapsed_s())
        for start in range(0, len(text), _DELTA_CHARS):
            await self._send(Delta(text[start : start + _DELTA_CHARS]))
        for citation in citations:
            await self._send(Cited(citation))


@dataclass(slots=True)
class _Writing:
    """State of one model answer."""

    model: str
    has_begun: bool = False
    partial: bool = False


class EmptyAnswerError(ServiceError):
    """The model ended without a word."""

    reason = "LLM_FAILED"

    def __init__(self) -> None:
        super().__init__("the model answered nothing")


async def send_notices(ledger: TurnLedger, send: Send) -> None:
    """Send the notices that were not sent yet."""
    for notice in ledger.take_unsent():
        await send(Noticed(notice))
