"""The model's answer: streamed with checked citations, continued at length limits."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

from pellucid_gateway.answering import extractive
from pellucid_gateway.answering.client_prompt import build_client_prompt, prompt_text
from pellucid_gateway.answering.continuing import Seam, continuation
from pellucid_gateway.answering.failures import BrokenAnswerError, EmptyAnswerError, cause_of
from pellucid_gateway.answering.korean_list import korean_list
from pellucid_gateway.answering.page_model import PageModel
from pellucid_gateway.answering.prompts import build_prompt
from pellucid_gateway.answering.setting import Setting
from pellucid_gateway.answering.waiting import ready, told_when_silent
from pellucid_gateway.domain.answer import Answer
from pellucid_gateway.domain.answer_model import (
    AnswerModel,
    ModelEnd,
    ModelEvent,
    ModelPiece,
    ModelThought,
    ModelToolCalls,
    Prompt,
)
from pellucid_gateway.domain.events import AnswerKind, Cited, Delta, Thought, ToolCallPieces
from pellucid_gateway.domain.fencing import Unfencing
from pellucid_gateway.domain.findings import Source
from pellucid_gateway.domain.outgoing import sent_prompt
from pellucid_gateway.domain.ports import ScorerPort
from pellucid_gateway.domain.request import CitationStyle, Role, TurnRequest
from pellucid_gateway.domain.tool_calls import assembled
from pellucid_gateway.turn_context.context import TurnContext
from pellucid_gateway.verification.judge import SupportJudge
from pellucid_gateway.verification.judgement import SecondOpinion
from pellucid_gateway.verification.stream import CitationVerifier
from pellucid_language.pii.gate import masked
from pellucid_runtime.errors import DeadlineExceededError, ServiceError
from pellucid_runtime.llm.model import LlmError, LlmTimeoutError

_FILTERED = "content_filter"
# Pieces of tool calls that are kept for the result; a call has some dozens.
_MOST_PIECES = 20_000


@dataclass(slots=True)
class Writing:
    """State of one model answer.

    Attributes:
        said: The text as the model wrote it.
        pieces: Pieces of tool calls.
        sending: Held by whoever sends of the verifier's events, so that they keep their order.
    """

    judge: SupportJudge
    verifier: CitationVerifier
    unfencing: Unfencing
    shown: tuple[int, ...] = ()
    said: list[str] = field(default_factory=list)
    pieces: list[Any] = field(default_factory=list)
    sending: asyncio.Lock = field(default_factory=asyncio.Lock)
    end: ModelEnd = field(default_factory=ModelEnd)
    partial: bool = False

    @property
    def finish_reason(self) -> str:
        """Why it ended; what is not whole ended by its length, as clients know it."""
        reason = self.end.finish_reason
        return "length" if self.partial and reason == "stop" else reason

    @property
    def has_begun(self) -> bool:
        """Something of the answer may have left."""
        return bool(self.said or self.pieces)


class ModelAnswerer:
    """Answers one turn with a language model.

    Args:
        request: The turn.
        setting: What the prompt depends on.
        scorer: Judges support.
        context: The turn's clock, time, account and listener.
        pages: Summarises sources in other languages.
        opinion: Judges claims; None: form and likeness decide.

    Attributes:
        failure: Why the model did not answer, once it did not.
    """

    def __init__(
        self,
        request: TurnRequest,
        *,
        setting: Setting,
        scorer: ScorerPort,
        context: TurnContext,
        pages: PageModel,
        opinion: SecondOpinion | None = None,
    ) -> None:
        self._opinion = opinion
        self._request = request
        self._setting = setting
        self._scorer = scorer
        self._context = context
        self._ledger = context.ledger
        self._pages = pages
        self.failure: LlmError = EmptyAnswerError()

    async def answer(self, model: AnswerModel, sources: Sequence[Source]) -> Answer | None:
        """Stream the model's answer; None when it failed before any of it had left.

        Raises:
            BrokenAnswerError: It failed within a call of a tool.
        """
        prompt = self._prompt(sources)
        if prompt.left_out:
            found = str(len(prompt.shown) + prompt.left_out)
            self._ledger.notify("sources_left_out", left=str(prompt.left_out), found=found)
        shown = [source for source in sources if source.n in prompt.shown]
        judge = self._judge(shown)
        verifier = self._verifier(shown, judge)
        writing = Writing(
            judge, verifier, Unfencing(self._setting.marker), tuple(source.n for source in shown)
        )
        releasing = asyncio.create_task(self._release(writing), name="verdicts")
        summing_up = self._summing_up(shown)
        try:
            return await self._written(model, prompt, writing, shown, summing_up)
        finally:
            beside = [releasing, *([summing_up] if summing_up else [])]
            for task in beside:
                task.cancel()
            await asyncio.wait(beside)
            await judge.close()

    async def _release(self, writing: Writing) -> None:
        """Send what verdicts release, also while the model is silent."""
        while True:
            await writing.verifier.news()
            async with writing.sending:
                for event in writing.verifier.released():
                    await self._context.send(event)

    def _summing_up(self, shown: Sequence[Source]) -> "asyncio.Task[dict[int, str]] | None":
        """Korean summaries of foreign sources, made while the answer streams."""
        if not self._lists_in_korean() or not shown:
            return None
        return asyncio.create_task(self._pages.korean_summaries(shown), name="summaries")

    def _lists_in_korean(self) -> bool:
        is_listed = self._request.citation_style is not CitationStyle.NONE
        own = self._request.passthrough is None
        return self._ledger.wording.language == "ko" and is_listed and own

    async def _written(
        self,
        model: AnswerModel,
        prompt: Prompt,
        writing: Writing,
        shown: Sequence[Source],
        summing_up: "asyncio.Task[dict[int, str]] | None",
    ) -> Answer | None:
        try:
            async with self._context.budget.answering():
                await self._write(model, prompt, writing)
        except (TimeoutError, DeadlineExceededError):
            if not writing.has_begun:
                self._failed(LlmTimeoutError("no text in time"))
                return None
            writing.partial = True
            self._ledger.lose("deadline", "the answer was cut short")
        except ServiceError as error:
            if not writing.has_begun:
                self._failed(error)
                return None
            self._ledger.lose("llm", cause_of(error))
            if writing.pieces:
                await self._flush(writing)
                raise BrokenAnswerError(error.message) from error
            writing.partial = True
        summaries = await ready(summing_up, self._context)
        return await self._finished(model, writing, shown, summaries)

    def _failed(self, error: ServiceError) -> None:
        """Nothing of an answer came; whoever answers in its place gets the time for it."""
        self._context.budget.begin_anew()
        self._ledger.lose("llm", cause_of(error))
        self.failure = error if isinstance(error, LlmError) else LlmError(error.message)

    def _prompt(self, sources: Sequence[Source]) -> Prompt:
        client = self._request.passthrough
        if client is not None:
            return build_client_prompt(self._request, client, sources, self._setting)
        prompt = build_prompt(self._request, sources, self._setting)
        private = self._setting.private
        shown = (replace(m, content=masked(m.content, private)) for m in prompt.messages)
        return replace(prompt, messages=tuple(shown)) if private else prompt

    def _judge(self, shown: Sequence[Source]) -> SupportJudge:
        return SupportJudge(
            shown,
            scorer=self._scorer,
            context=self._context,
            question=self._setting.question,
            language=self._setting.language,
            opinion=self._opinion,
        )

    def _verifier(self, shown: Sequence[Source], judge: SupportJudge) -> CitationVerifier:
        said = self._request.messages
        return CitationVerifier(
            shown,
            judge=judge,
            style=self._request.citation_style,
            question=self._setting.question,
            own=[m.content for m in said if m.role in {Role.SYSTEM, Role.USER}],
            answers=[m.content for m in said if m.role is Role.ASSISTANT],
            checks=bool(shown) or self._setting.searched,
        )

    async def _write(self, model: AnswerModel, prompt: Prompt, writing: Writing) -> None:
        """Stream the answer, and what is left of it after each length limit."""
        begun = self._context.clock.monotonic()
        try:
            await self._stream(model, prompt, writing, None)
            for _ in range(self._setting.plan.continuations):
                said = "".join(writing.said)
                rest = continuation(prompt, said, self._setting.window_tokens)
                if not writing.end.truncated or prompt.client is not None or rest is None:
                    break
                if not await self._continue(model, rest, writing, Seam(said)):
                    break
            writing.partial = writing.end.truncated or writing.end.finish_reason == _FILTERED
        finally:
            self._ledger.add_time("generate", self._context.clock.monotonic() - begun)
        if not writing.has_begun:
            raise EmptyAnswerError

    async def _continue(
        self, model: AnswerModel, rest: Prompt, writing: Writing, seam: Seam
    ) -> bool:
        """Stream one continuation; False when it does not come, so that the answer is partial."""
        said = len(writing.said)
        try:
            await self._stream(model, rest, writing, seam)
        except ServiceError:
            if len(writing.said) > said:
                raise
            return False
        return True

    async def _stream(
        self, model: AnswerModel, prompt: Prompt, writing: Writing, seam: Seam | None
    ) -> None:
        self._account_prompt(model, prompt)
        pieces = model.stream(prompt)
        async with aclosing(pieces), told_when_silent(self._context) as heard:  # type: ignore[type-var]
            async for piece in pieces:
                heard()
                await self._take(piece, writing, seam)
        if seam:
            await self._say(writing.unfencing.feed(seam.finish()), writing)

    async def _take(self, piece: ModelEvent, writing: Writing, seam: Seam | None) -> None:
        if isinstance(piece, ModelThought):
            if piece.text and self._request.passthrough is not None:
                await self._context.send(Thought(piece.text))
            return
        if isinstance(piece, ModelEnd):
            writing.end = piece
            self._ledger.use_model(piece.used)
            return
        if isinstance(piece, ModelToolCalls) and self._request.passthrough is None:
            return  # nobody offered it a tool
        if not writing.has_begun:
            self._ledger.add_time("first_token", self._context.budget.elapsed_s())
            self._context.budget.begin_anew()
        if isinstance(piece, ModelPiece):
            text = seam.feed(piece.text) if seam else piece.text
            await self._say(writing.unfencing.feed(text), writing)
        elif len(writing.pieces) < _MOST_PIECES:
            writing.pieces.extend(piece.pieces)
            await self._context.send(ToolCallPieces(piece.pieces))

    async def _say(self, text: str, writing: Writing) -> None:
        if text:
            writing.said.append(text)
            await self._context.rounds.turn()
            await self._pass_on(writing.verifier.feed(text), writing)

    def _account_prompt(self, model: AnswerModel, prompt: Prompt) -> None:
        self._ledger.use(context_tokens=prompt.context_tokens)
        if not model.receiver:
            return
        text = prompt.text if prompt.client is None else prompt_text(prompt.client)
        self._ledger.sent_out((sent_prompt(model.receiver, text),))

    async def _pass_on(self, events: AsyncIterator[Delta | Cited], writing: Writing) -> None:
        async with writing.sending:
            async for event in events:
                await self._context.send(event)

    async def _flush(self, writing: Writing) -> None:
        """Let what was held back leave, checked: what was sent before a break is kept whole."""
        await self._say(writing.unfencing.finish(), writing)
        await self._pass_on(writing.verifier.finish(), writing)

    def _closing(
        self, verifier: CitationVerifier, shown: Sequence[Source], summaries: dict[int, str]
    ) -> Delta | None:
        """The list of sources below the answer: in Korean always, else in the numeric style."""
        wording = self._ledger.wording
        if not self._lists_in_korean():
            return verifier.closing(
                wording.answer("sources_heading"), lambda s: extractive.date_text(s, wording)
            )
        cited = {citation.source for citation in verifier.citations}
        listed = [source for source in shown if source.n in cited] or list(shown)
        if not listed or not verifier.answer.strip():
            return None
        lines = korean_list(listed, wording=wording, summaries=summaries)
        return verifier.appended(f"\n\n{lines}")

    async def _finished(
        self,
        model: AnswerModel,
        writing: Writing,
        shown: Sequence[Source],
        summaries: dict[int, str],
    ) -> Answer | None:
        verifier = writing.verifier
        await self._flush(writing)
        if closing := self._closing(verifier, shown, summaries):
            await self._context.send(closing)
        if not verifier.answer.strip() and not writing.pieces:
            self._ledger.lose("llm", "nothing of the answer could be kept")
            return None
        if writing.partial:
            self._ledger.notify("partial_answer")
        if verifier.unconfirmed:
            self._ledger.notify("unconfirmed", count=str(verifier.unconfirmed))
        return Answer(
            text=verifier.answer,
            kind=AnswerKind.MODEL,
            citations=verifier.citations,
            report=verifier.report,
            unsupported=verifier.unsupported,
            partial=writing.partial,
            model=model.name,
            finish_reason=writing.finish_reason,
            tool_calls=assembled(writing.pieces),
            said="".join(writing.said),
            shown=writing.shown,
            verdicts=writing.judge.verdicts,
        )
