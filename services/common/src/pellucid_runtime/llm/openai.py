"""An `LlmClient` for any OpenAI-compatible endpoint.

A call that fails before the first text is tried once more, on the other endpoint where there is
one.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, aclosing, contextmanager
from dataclasses import replace
from time import monotonic

import structlog

from pellucid_runtime.llm.asking import Asking, Patience
from pellucid_runtime.llm.endpoint import Endpoint, open_endpoint
from pellucid_runtime.llm.lessons import LessonBook, Lessons
from pellucid_runtime.llm.model import (
    ChatRequest,
    Chunk,
    Completion,
    LlmCause,
    LlmError,
    LlmUnavailableError,
)
from pellucid_runtime.llm.settings import LlmSettings
from pellucid_runtime.llm.side_calls import SideCalls
from pellucid_runtime.llm.under_way import AnswersUnderWay
from pellucid_runtime.rpc.deadline import remaining_s

# A server that wants to be left alone for so long is waited for within the call.
_SHORT_WAIT_S = 2.0
# It is asked again after this at the latest, whatever it said.
_LONGEST_WAIT_S = 600.0
_MOST_BUSY = 256

_log = structlog.get_logger("pellucid_runtime.llm")


async def open_llm(settings: LlmSettings, stack: AsyncExitStack) -> "OpenAiClient | None":
    """The client that the settings describe, closed with the stack; None when they have none."""
    if not settings.has_llm:
        return None
    key = settings.secret("openai_api_key")
    addresses = [(settings.openai_base_url, key, settings.llm_model)]
    if settings.llm_fallback_base_url is not None:
        own_key = settings.secret("llm_fallback_api_key")
        model = settings.llm_fallback_model or settings.llm_model
        addresses.append((settings.llm_fallback_base_url, own_key if own_key() else key, model))
    endpoints = [
        replace(await open_endpoint(url, key, model, stack), prices=settings.llm_prices)
        for url, key, model in addresses
    ]
    patience = Patience(settings.first_token_s, settings.llm_idle_timeout_s, settings.llm_timeout_s)
    return OpenAiClient(endpoints, patience)


class OpenAiClient:
    """Asks the first endpoint, and the second when the first fails before any text.

    Args:
        endpoints: One or two; a single one is tried twice, if its failure may be momentary.
        patience: Time limits.
    """

    def __init__(self, endpoints: Sequence[Endpoint], patience: Patience | None = None) -> None:
        self.endpoints = tuple(endpoints)
        self._attempts = (endpoints[0], endpoints[-1])
        self._has_alternative = len(endpoints) > 1
        self._patience = patience or Patience()
        self._book = LessonBook()
        self._side_calls = SideCalls()
        self._under_way = AnswersUnderWay()
        self._busy: dict[tuple[str, str], tuple[float, LlmError]] = {}

    async def stream(self, request: ChatRequest) -> AsyncIterator[Chunk]:
        """See `LlmClient`."""
        with self._side_calls.watched(request.task, request.model or self._attempts[0].model):
            for is_last, endpoint in enumerate(self._attempts):
                has_begun = False
                try:
                    with self._asked(endpoint, request):
                        patience_s = self._first_token_s(is_last=bool(is_last))
                        async with aclosing(self._pieces(endpoint, request, patience_s)) as chunks:
                            async for chunk in chunks:
                                has_begun = has_begun or bool(chunk.text or chunk.tool_calls)
                                yield chunk
                except LlmError as error:
                    if is_last or has_begun or not await self._may_try_again(error):
                        raise
                else:
                    return

    async def complete(self, request: ChatRequest) -> Completion:
        """See `LlmClient`."""
        first, second = self._attempts
        with self._side_calls.watched(request.task, request.model or first.model):
            try:
                return await self.complete_at(first, request)
            except LlmError as error:
                if not await self._may_try_again(error):
                    raise
            return await self.complete_at(second, request)

    async def complete_at(self, endpoint: Endpoint, request: ChatRequest) -> Completion:
        """Answer as a whole, at this endpoint alone.

        Raises:
            LlmError: See `LlmClient`.
        """
        with self._asked(endpoint, request):
            return await Asking(endpoint, request, self._book, self._patience).complete()

    async def stream_at(self, endpoint: Endpoint, request: ChatRequest) -> AsyncIterator[Chunk]:
        """Answer piece by piece, at this endpoint alone.

        Raises:
            LlmError: See `LlmClient`.
        """
        patience_s = self._patience.first_token_s
        with self._asked(endpoint, request):
            async with aclosing(self._pieces(endpoint, request, patience_s)) as chunks:
                async for chunk in chunks:
                    yield chunk

    async def _pieces(
        self, endpoint: Endpoint, request: ChatRequest, patience_s: float
    ) -> AsyncGenerator[Chunk, None]:
        """The pieces of one attempt; an answer is known to be under way until it ends."""
        place = (endpoint.base.root, request.model or endpoint.model)
        chunks = Asking(endpoint, request, self._book, self._patience).stream(patience_s)
        async with aclosing(chunks):
            if request.task:
                async for chunk in chunks:
                    yield chunk
                return
            with self._under_way.answer(place) as answer:
                async for chunk in chunks:
                    self._under_way.heard(answer, place, chunk)
                    yield chunk

    def known_of(self, endpoint: Endpoint, model: str) -> Lessons:
        """What was learnt of a model."""
        return self._book.of(endpoint.base.root, model)

    def _first_token_s(self, *, is_last: bool) -> float:
        """Patience for the first token; while another endpoint waits, at most half the time."""
        left_s = remaining_s()
        if is_last or not self._has_alternative or left_s is None:
            return self._patience.first_token_s
        return min(self._patience.first_token_s, left_s / 2)

    async def _may_try_again(self, error: LlmError) -> bool:
        """Another endpoint may accept anything; the same one only what failed for the moment."""
        if self._has_alternative:
            return True
        if error.cause is not LlmCause.RATE_LIMITED:
            return isinstance(error, LlmUnavailableError)
        wait_s, left_s = error.retry_after_s, remaining_s()
        if wait_s is None or wait_s > _SHORT_WAIT_S or (left_s is not None and wait_s >= left_s):
            return False
        await asyncio.sleep(wait_s)
        return True

    @contextmanager
    def _asked(self, endpoint: Endpoint, request: ChatRequest) -> Iterator[None]:
        """Leave a server alone that asked for it, and note when one does; log what fails."""
        model = request.model or endpoint.model
        place = (endpoint.base.root, model)
        self._refuse_while_busy(place)
        if request.task:
            self._under_way.join(place)
        try:
            yield
        except LlmError as error:
            if error.cause is LlmCause.RATE_LIMITED and error.retry_after_s is not None:
                self._leave_alone(place, error, error.retry_after_s)
            status = error.said.status if error.said else 0
            _log.warning(
                "model_failed", cause=error.cause, status=status, server=place[0], model=model
            )
            raise

    def _leave_alone(self, place: tuple[str, str], error: LlmError, seconds: float) -> None:
        if len(self._busy) >= _MOST_BUSY:
            self._busy.clear()
        self._busy[place] = (monotonic() + min(seconds, _LONGEST_WAIT_S), error)

    def _refuse_while_busy(self, place: tuple[str, str]) -> None:
        until, error = self._busy.get(place, (0.0, None))
        left_s = until - monotonic()
        if error is not None and left_s > 0:
            raise LlmUnavailableError(
                error.message,
                model=place[1],
                cause=error.cause,
                said=error.said,
                retry_after_s=left_s,
            )
