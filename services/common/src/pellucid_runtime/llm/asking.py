"""One request at one endpoint: asked in the form that the server takes, heard to its end.

What a server refuses of our own is asked for in another form at once; see `lessons`.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, TypeVar

from pellucid_runtime.llm import wire
from pellucid_runtime.llm.calls import BREAKS, observed, within
from pellucid_runtime.llm.endpoint import Endpoint
from pellucid_runtime.llm.lessons import (
    LessonBook,
    Lessons,
    body_of,
    learnt,
    own_fields,
    refusable,
    without_limit,
)
from pellucid_runtime.llm.model import (
    ChatRequest,
    Chunk,
    Completion,
    LlmCause,
    LlmOutputError,
    LlmRejectedError,
    LlmUnavailableError,
)
from pellucid_runtime.llm.observed import ModelCall
from pellucid_runtime.llm.refusals import Refusal, RefusedError, read_failure
from pellucid_runtime.llm.thinking import ThoughtSplitter
from pellucid_runtime.llm.thinking_stream import ThinkingStream, is_framed

T = TypeVar("T")

_PATH = "/chat/completions"
# Far above any answer; a stream that goes on beyond it is broken.
_MAX_ANSWER_CHARS = 1_000_000
# Fields and forms of ours that a server can refuse, one after the other.
_MOST_LESSONS = 8
_LOADING_PAUSE_S = 1.0
_LENGTH, _FILTERED, _ERROR = "length", "content_filter", "error"


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait, in seconds, each also bounded by the deadline.

    Attributes:
        first_token_s: From the request, or the last sign of life, to the first text of a stream.
        idle_s: From piece to piece.
        answer_s: For an answer as a whole.
    """

    first_token_s: float = 60.0
    idle_s: float = 20.0
    answer_s: float = 30.0


class Asking:
    """One request at one endpoint.

    Args:
        endpoint: Where.
        request: What.
        book: What is known of the server's models.
        patience: Time limits.
    """

    def __init__(
        self, endpoint: Endpoint, request: ChatRequest, book: LessonBook, patience: Patience
    ) -> None:
        self._endpoint = endpoint
        self._request = request
        self._book = book
        self._patience = patience
        self._model = request.model or endpoint.model
        self._server = endpoint.base.root
        self._lessons_taken = 0
        self._has_begun = self._is_cut_in_thought = False
        self._until = perf_counter()

    async def stream(self, first_token_s: float) -> AsyncGenerator[Chunk, None]:
        """The answer piece by piece.

        Raises:
            LlmError: See `pellucid_runtime.llm.model`.
        """
        self._until = perf_counter() + first_token_s
        while True:
            try:
                async with aclosing(self._streamed(first_token_s)) as chunks:
                    async for chunk in chunks:
                        yield chunk
            except RefusedError as refused:
                if self._has_begun or not await self._may_ask_again(refused.refusal, streams=True):
                    raise refused.refusal.error(self._model) from None
            else:
                if not self._is_cut_in_thought:
                    return
                self._is_cut_in_thought = False

    async def complete(self) -> Completion:
        """The answer as a whole.

        Raises:
            LlmError: See `pellucid_runtime.llm.model`.
        """
        self._until = perf_counter() + self._patience.answer_s
        while True:
            try:
                completion = await self._completed()
            except RefusedError as refused:
                if not await self._may_ask_again(refused.refusal, streams=False):
                    raise refused.refusal.error(self._model) from None
            else:
                if not self._is_cut(completion.text.strip(), completion.finish_reason):
                    return completion

    async def _may_ask_again(self, refusal: Refusal, *, streams: bool) -> bool:
        """Whether the server may take it in another form, or once its model is loaded."""
        if refusal.is_loading and perf_counter() + _LOADING_PAUSE_S < self._until:
            await within(_LOADING_PAUSE_S * 2, asyncio.sleep(_LOADING_PAUSE_S))
            return True
        self._lessons_taken += 1
        if self._lessons_taken > _MOST_LESSONS:
            return False
        lessons = self._lessons
        if refusal.cause is LlmCause.CONTEXT_TOO_LONG:
            # Our limit and the prompt together may be what is too long.
            own = own_fields(self._request, lessons, streams=streams)
            limited = lessons.limit_field in own
            after = without_limit(lessons, lessons.limit_field) if limited else None
        else:
            sent = refusable(self._request, lessons, streams=streams)
            after = learnt(lessons, refusal, sent)
        if after is not None:
            self._keep(after)
        return after is not None

    def _is_cut(self, text: str, finish_reason: str | None) -> bool:
        """Thinking used up our limit: the answer is to be asked for once more without one."""
        limited = self._request.max_tokens is not None
        if text or finish_reason != _LENGTH or not limited:
            return False
        self._keep(replace(self._lessons, thinks=True))
        self._request = replace(self._request, max_tokens=None)
        return True

    @property
    def _lessons(self) -> Lessons:
        return self._book.of(self._server, self._model)

    def _keep(self, lessons: Lessons) -> None:
        self._book.keep(self._server, self._model, lessons)

    def _body(self, *, streams: bool) -> dict[str, Any]:
        return body_of(self._request, self._endpoint.model, self._lessons, streams=streams)

    async def _completed(self) -> Completion:
        endpoint = self._endpoint
        with observed(endpoint, self._model) as call:
            reply = endpoint.read(_PATH, self._body(streams=False))
            return self._whole(await within(self._patience.answer_s, reply), call)

    def _whole(self, body: bytes, call: ModelCall) -> Completion:
        """A whole answer, its thinking apart."""
        value = wire.object_of(body)
        if value.get("error"):
            raise RefusedError(read_failure(value["error"]))
        completion = wire.completion_of(value, self._endpoint.model, self._endpoint.host)
        call.answered_by(completion.model)
        splitter = ThoughtSplitter(is_known=False)
        parts = (splitter.feed(completion.text), splitter.finish())
        thought = completion.reasoning + "".join(part.thought for part in parts)
        text = "".join(part.text for part in parts)
        self._heard(splitter, thought=bool(thought), chunk=completion)
        if completion.finish_reason == _FILTERED and not text.strip():
            raise _filtered(self._model)
        usage = completion.usage and call.used(completion.usage)
        return replace(completion, text=text, reasoning=thought, usage=usage)

    def _heard(
        self, splitter: ThoughtSplitter, *, thought: bool, chunk: Chunk | Completion | None
    ) -> None:
        """An answer was heard to its end: what its form teaches."""
        counted = chunk is not None and chunk.usage is not None and chunk.usage.reasoning_tokens > 0
        lessons = self._lessons
        begins = splitter.found_end_alone or (lessons.opens_in_thought and splitter.found)
        self._keep(
            replace(
                lessons,
                is_known=True,
                thinks=lessons.thinks or thought or counted,
                opens_in_thought=begins,
            )
        )

    async def _streamed(self, first_token_s: float) -> AsyncGenerator[Chunk, None]:
        endpoint = self._endpoint
        answering = endpoint.reply(_PATH, self._body(streams=True))
        with observed(endpoint, self._model) as call:
            async with AsyncExitStack() as answer:
                response = await within(first_token_s, answer.enter_async_context(answering))
                if response.headers.get("content-type", "").startswith("application/json"):
                    whole = await within(self._patience.answer_s, response.read())
                    yield _as_chunk(self._whole(whole, call))
                    return
                thinking = ThinkingStream(self._splitter(), is_framed=is_framed(response.headers))
                pieces = self._pieces(wire.events(response.pieces()), thinking, first_token_s)
                async for chunk in self._chunks(pieces, thinking, call):
                    if chunk.usage is None:
                        yield chunk
                    else:
                        yield replace(chunk, usage=call.used(chunk.usage))

    async def _chunks(
        self, pieces: AsyncIterator[Chunk], thinking: ThinkingStream, call: ModelCall
    ) -> AsyncIterator[Chunk]:
        """The pieces that say something, and all that was held back, at a break as at the end."""
        try:
            async for chunk in pieces:
                if thinking.has_text:
                    call.answers()
                call.answered_by(chunk.model)
                self._has_begun = self._has_begun or bool(chunk.text or chunk.tool_calls)
                yield chunk
        except BREAKS:
            if (rest := self._rest(thinking)) is not None:
                yield rest
            raise
        if (rest := self._rest(thinking)) is not None:
            yield rest
        if not thinking.is_whole:
            raise LlmUnavailableError(
                "the answer broke off", model=self._model, cause=LlmCause.BROKE_OFF
            )
        self._heard(thinking.splitter, thought=thinking.has_thought, chunk=thinking.last_usage)

    async def _pieces(
        self, pieces: AsyncIterator[wire.Event], thinking: ThinkingStream, first_token_s: float
    ) -> AsyncIterator[Chunk]:
        """Each piece awaited with patience: what shows life begins the wait anew."""
        patience_s = first_token_s
        while (event := await within(patience_s, anext(pieces, None))) is not None:
            if isinstance(event, wire.End):
                thinking.is_complete = True
                return
            if isinstance(event, wire.Life):
                yield self._life
                continue
            chunk = thinking.heard(self._checked(event))
            if thinking.length > _MAX_ANSWER_CHARS:
                raise LlmOutputError("the answer does not end", model=self._model)
            if thinking.writes:
                patience_s = self._patience.idle_s
            if chunk.finish_reason and self._ends(thinking, chunk.finish_reason):
                chunk = replace(chunk, finish_reason=None)
            yield chunk

    @property
    def _life(self) -> Chunk:
        """A sign of life."""
        return Chunk(model=self._model, host=self._endpoint.host)

    def _rest(self, thinking: ThinkingStream) -> Chunk | None:
        """What was held back until now; None: nothing."""
        text, thought = thinking.rest()
        self._has_begun = self._has_begun or bool(text)
        return replace(self._life, text=text, reasoning=thought) if text or thought else None

    def _ends(self, thinking: ThinkingStream, reason: str) -> bool:
        """Look at why it ends; True when it is to be asked for again."""
        thinking.is_complete = True
        if reason == _ERROR:
            raise LlmUnavailableError(
                "the model failed while it answered", model=self._model, cause=LlmCause.BROKE_OFF
            )
        if thinking.has_text or thinking.has_tools:
            return False
        if reason == _FILTERED:
            raise _filtered(self._model)
        self._is_cut_in_thought = self._is_cut("", reason)
        return self._is_cut_in_thought

    def _splitter(self) -> ThoughtSplitter:
        lessons = self._lessons
        return ThoughtSplitter(opens_in_thought=lessons.opens_in_thought, is_known=lessons.is_known)

    def _checked(self, piece: dict[str, Any]) -> Chunk:
        if piece.get("error"):
            raise RefusedError(read_failure(piece["error"]))
        return wire.chunk_of(piece, self._endpoint.model, self._endpoint.host)


def _as_chunk(completion: Completion) -> Chunk:
    """A whole answer of a server that does not stream, as one piece."""
    return Chunk(
        text=completion.text,
        finish_reason=completion.finish_reason,
        usage=completion.usage,
        tool_calls=completion.tool_calls,
        model=completion.model,
        host=completion.host,
        reasoning=completion.reasoning,
    )


def _filtered(model: str) -> LlmRejectedError:
    return LlmRejectedError(
        "the model server's content filter refused", model=model, cause=LlmCause.CONTENT_FILTER
    )
