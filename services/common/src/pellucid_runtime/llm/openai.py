"""An `LlmClient` over the official openai SDK, for any OpenAI-compatible endpoint.

A call that fails before the first text is tried once more, on the other endpoint where there is
one. The SDK's own retries are off: it knows neither the deadline nor the other endpoint.
"""

import asyncio
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Iterator,
    Mapping,
)
from contextlib import AsyncExitStack, aclosing, contextmanager
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx2
import openai
from openai import AsyncOpenAI, DefaultAioHttpClient

from pellucid_runtime.errors import ServiceError
from pellucid_runtime.llm.model import (
    ChatRequest,
    Chunk,
    Completion,
    LlmError,
    LlmOutputError,
    LlmTimeoutError,
    LlmUnavailableError,
)
from pellucid_runtime.llm.observed import CANCELLED, OK, ModelCall, refusal
from pellucid_runtime.llm.settings import LlmSettings
from pellucid_runtime.llm.wire import MALFORMED, body_of, chunk_of, completion_of, events
from pellucid_runtime.rpc.deadline import child_timeout_s, remaining_s

T = TypeVar("T")

_STAGE = "llm"
_CONNECT_TIMEOUT_S = 2.0
_MAX_CONNECTIONS = 512
# Far above any answer; a stream that goes on beyond it is broken.
_MAX_ANSWER_CHARS = 1_000_000


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is served.

    Attributes:
        client: Connection pool with address and credential.
        model: Model to ask for when the request names none.
        host: Host of the address.
        prices: USD per million prompt and completion tokens, by model.
    """

    client: AsyncOpenAI
    model: str
    host: str
    prices: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait, in seconds, each also bounded by the deadline.

    Attributes:
        first_token_s: From the request to the first piece of a streamed answer.
        idle_s: From piece to piece.
        answer_s: For an answer as a whole.
    """

    first_token_s: float = 10.0
    idle_s: float = 10.0
    answer_s: float = 30.0


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
    patience = Patience(
        settings.llm_first_token_timeout_s, settings.llm_idle_timeout_s, settings.llm_timeout_s
    )
    return OpenAiClient(endpoints, patience)


async def open_endpoint(
    base_url: str,
    api_key: Callable[[], str],
    model: str,
    stack: AsyncExitStack,
    *,
    proxy: str | None = None,
) -> Endpoint:
    """A connection pool to one address, closed with the stack.

    Args:
        base_url: Address up to and including the version, for example `https://llm.example/v1`.
        api_key: Gives the credential of the moment; empty where none is needed.
        model: Default model.
        stack: Closes the pool.
        proxy: Address of an egress proxy; those of the environment are ignored.
    """
    http = DefaultAioHttpClient(
        trust_env=False,
        follow_redirects=False,
        proxy=proxy,
        timeout=httpx2.Timeout(None, connect=_CONNECT_TIMEOUT_S),
        limits=httpx2.Limits(max_connections=_MAX_CONNECTIONS),
    )
    await stack.enter_async_context(http)

    async def credential() -> str:
        return api_key() or "none"

    client = AsyncOpenAI(base_url=base_url, api_key=credential, http_client=http, max_retries=0)
    return Endpoint(client, model, urlsplit(base_url).hostname or "")


class OpenAiClient:
    """Asks the first endpoint, and the second when the first fails before any text.

    Args:
        endpoints: One or two; a single one is tried twice, if its failure may be momentary.
        patience: Time limits.
    """

    def __init__(self, endpoints: list[Endpoint], patience: Patience | None = None) -> None:
        self._attempts = (endpoints[0], endpoints[-1])
        self._has_alternative = len(endpoints) > 1
        self._patience = patience or Patience()

    async def stream(self, request: ChatRequest) -> AsyncIterator[Chunk]:
        """See `LlmClient`."""
        for is_last, endpoint in enumerate(self._attempts):
            has_begun = False
            try:
                patience_s = self._first_token_s(is_last=bool(is_last))
                async with aclosing(self._stream_from(endpoint, request, patience_s)) as chunks:
                    async for chunk in chunks:
                        has_begun = has_begun or bool(chunk.text or chunk.tool_calls)
                        yield chunk
            except LlmError as error:
                if is_last or has_begun or not self._may_try_again(error):
                    raise
            else:
                return

    async def complete(self, request: ChatRequest) -> Completion:
        """See `LlmClient`."""
        first, second = self._attempts
        try:
            return await self._complete_at(first, request)
        except LlmError as error:
            if not self._may_try_again(error):
                raise
        return await self._complete_at(second, request)

    def _first_token_s(self, *, is_last: bool) -> float:
        """Patience for the first token; while another endpoint waits, at most half the time."""
        left_s = remaining_s()
        if is_last or not self._has_alternative or left_s is None:
            return self._patience.first_token_s
        return min(self._patience.first_token_s, left_s / 2)

    def _may_try_again(self, error: LlmError) -> bool:
        """Another endpoint may accept anything; the same one only what failed for the moment."""
        return self._has_alternative or isinstance(error, LlmUnavailableError)

    async def _complete_at(self, endpoint: Endpoint, request: ChatRequest) -> Completion:
        with _observed(endpoint, request) as call:
            answer = await _within(
                self._patience.answer_s,
                endpoint.client.chat.completions.with_raw_response.create(
                    **body_of(request, endpoint.model)
                ),
            )
            completion = completion_of(answer.content, endpoint.model, endpoint.host)
            call.answered_by(completion.model)
            usage = completion.usage and call.used(completion.usage)
            return replace(completion, usage=usage)

    async def _stream_from(
        self, endpoint: Endpoint, request: ChatRequest, first_token_s: float
    ) -> AsyncGenerator[Chunk, None]:
        answering = endpoint.client.chat.completions.with_streaming_response.create(
            **body_of(request, endpoint.model), stream=True, stream_options={"include_usage": True}
        )
        with _observed(endpoint, request) as call:
            async with AsyncExitStack() as answer:
                start = perf_counter()
                response = await _within(first_token_s, answer.enter_async_context(answering))
                pieces = events(response.iter_bytes())
                patience_s = max(0.0, first_token_s - (perf_counter() - start))
                async for chunk in self._chunks(pieces, endpoint, call, patience_s):
                    if chunk.usage is None:
                        yield chunk
                    else:
                        yield replace(chunk, usage=call.used(chunk.usage))

    async def _chunks(
        self,
        pieces: AsyncIterator[dict[str, Any]],
        endpoint: Endpoint,
        call: ModelCall,
        patience_s: float,
    ) -> AsyncIterator[Chunk]:
        """The pieces that say something, each awaited with patience."""
        length, is_finished = 0, False
        while (piece := await _within(patience_s, anext(pieces, None))) is not None:
            patience_s = self._patience.idle_s
            chunk = _checked(piece, endpoint)
            if length == 0 and chunk.text:
                call.answers()
                call.answered_by(chunk.model)
            length += len(chunk.text)
            if length > _MAX_ANSWER_CHARS:
                raise LlmOutputError("the answer does not end", model=endpoint.model)
            is_finished = is_finished or chunk.finish_reason is not None
            if chunk.text or chunk.tool_calls or chunk.finish_reason or chunk.usage:
                yield chunk
        if not is_finished:
            raise LlmUnavailableError("the answer broke off", model=endpoint.model)


async def _within(limit_s: float, awaited: Awaitable[T]) -> T:
    """Wait at most so long, and not beyond the deadline."""
    async with asyncio.timeout(child_timeout_s(limit_s, stage=_STAGE)):
        return await awaited


def _checked(piece: dict[str, Any], endpoint: Endpoint) -> Chunk:
    if "error" in piece:
        raise LlmUnavailableError("the model failed while it answered", model=endpoint.model)
    return chunk_of(piece, endpoint.model, endpoint.host)


@contextmanager
def _observed(endpoint: Endpoint, request: ChatRequest) -> Iterator[ModelCall]:
    """Trace and count the enclosed call, and translate what the SDK raises."""
    model = request.model or endpoint.model
    call = ModelCall(endpoint, model)
    outcome = CANCELLED
    try:
        with _translated(model):
            yield call
        outcome = OK
    except ServiceError as error:
        outcome = type(error).__name__
        raise
    finally:
        call.end(outcome)


@contextmanager
def _translated(model: str) -> Iterator[None]:
    """Typed errors instead of the SDK's. None of their text is kept: it may quote the prompt."""
    try:
        yield
    except TimeoutError:
        child_timeout_s(stage=_STAGE)  # raises when it was the deadline
        raise LlmTimeoutError("the model is too slow", model=model) from None
    except openai.APIStatusError as error:
        raise refusal(error.status_code, model) from None
    except (openai.APIError, httpx2.HTTPError, OSError):
        raise LlmUnavailableError("the model cannot be reached", model=model) from None
    except MALFORMED:
        raise LlmOutputError("the answer is not of the expected form", model=model) from None
