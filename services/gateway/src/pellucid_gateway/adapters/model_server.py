"""The OpenAI-compatible endpoint, spoken to over kept connections so that streams cost little.

No ambient proxy variable is used, no redirect followed, and nothing of the client's headers goes
along but the body.
"""

import asyncio
import re
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any

import orjson

from pellucid_gateway.adapters.model_address import Address
from pellucid_gateway.adapters.model_connection import Head, ModelConnection, Take
from pellucid_gateway.domain.passed_on import (
    Spent,
    last_pieces,
    told_by_reply,
    told_by_stream,
)
from pellucid_runtime.llm.model import (
    LlmError,
    LlmTimeoutError,
    LlmUnavailableError,
    Usage,
)
from pellucid_runtime.llm.observed import CANCELLED, OK, ModelCall
from pellucid_runtime.llm.refusals import read_refusal
from pellucid_runtime.llm.settings import LlmSettings

# A longer whole reply is no chat completion.
_MOST_BYTES = 16 * 1024 * 1024
_MODELS_TIMEOUT_S = 3.0
# A whole reply takes this many times as long to begin as a streamed one.
_WHOLE = 10.0
_STREAMS = re.compile(rb'"stream"\s*:\s*true')
_CONNECT_TIMEOUT_S = 3.0
# Connections that wait for the next request, and how long; many servers close them sooner.
_MOST_KEPT = 128
_KEPT_S = 15.0


@dataclass(slots=True)
class ModelReply:
    """A reply whose head has arrived; the connection goes back when the body was taken.

    Args:
        head: Its head.
        connection: Where its body comes from.
        give_back: Takes the connection when it can serve another request.
        call: Told how it went; None where nothing is to be told, as of a list of models.
        spent: What it said of itself; complete once the body was taken.
    """

    head: Head
    connection: ModelConnection
    give_back: Callable[[ModelConnection], None]
    call: ModelCall | None = None
    spent: Spent = field(default_factory=Spent)

    @property
    def status(self) -> int:
        """HTTP status."""
        return self.head.status

    @property
    def media_type(self) -> str:
        """Content type."""
        return self.head.headers.get("content-type", "application/json")

    @property
    def retry_after(self) -> str:
        """When the server wants to be asked again, as it says; empty where it does not."""
        return self.head.headers.get("retry-after", "")

    @property
    def is_stream(self) -> bool:
        """The body is a stream of events that began well."""
        good = self.head.status == HTTPStatus.OK
        return good and self.media_type.startswith("text/event-stream")

    def hang_up(self) -> None:
        """Nobody wants the body: the server sees its client leave."""
        self.connection.hang_up()
        if self.call is not None:
            self.call.end(CANCELLED)

    async def pour(self, take: Take) -> None:
        """Give the body to `take` as it comes, unchanged; hangs up when it is cancelled.

        Raises:
            LlmUnavailableError: It broke off or fell silent.
        """
        call, end = self.call, last_pieces()
        if call is None:
            await self._pour(take)
            return

        def tell(piece: bytes) -> Awaitable[None] | None:
            if not end and self.is_stream:
                call.answers()
            end.append(piece)
            return take(piece)

        with _told(call, self.head):
            try:
                await self._pour(tell)
            finally:
                if self.is_stream:
                    self._note(call, told_by_stream(end))

    async def _pour(self, take: Take) -> None:
        await self.connection.pour(take)
        self.give_back(self.connection)

    def _note(self, call: ModelCall, said: Spent) -> None:
        """Count what it says of itself."""
        call.answered_by(said.model)
        self.spent = said
        if said.prompt_tokens or said.completion_tokens:
            used = call.used(Usage(said.prompt_tokens, said.completion_tokens))
            self.spent = replace(said, cost_micro_usd=round(used.cost_usd * 1_000_000))

    async def read(self) -> bytes:
        """The whole body.

        Raises:
            LlmUnavailableError: It broke off or is too long.
        """
        body = bytearray()

        def take(piece: bytes) -> None:
            body.extend(piece)
            if len(body) > _MOST_BYTES:
                self.connection.hang_up()

        with _told(self.call, self.head, body):
            await self._pour(take)
            if len(body) > _MOST_BYTES:
                raise LlmUnavailableError("the model server's reply is too long")
            if self.call is not None:
                self._note(self.call, told_by_reply(bytes(body)))
        return bytes(body)


@contextmanager
def _told(call: ModelCall | None, head: Head, body: bytes | bytearray = b"") -> Iterator[None]:
    """End the call as the enclosed part ends; a refusal is an error, though it is passed on."""
    outcome: str = CANCELLED
    try:
        yield
        refused = head.status >= HTTPStatus.BAD_REQUEST
        outcome = read_refusal(head.status, head.headers, bytes(body)).cause if refused else OK
    except LlmError as error:
        outcome = error.cause
        raise
    finally:
        if call is not None:
            call.end(str(outcome))


class KeptModelServer:
    """An OpenAI-compatible endpoint.

    Args:
        base_url: Up to and including the version.
        api_key: Gives the credential of the moment; empty where none is needed.
        internal: See below.
        first_byte_s: Seconds until the head of a streamed reply; that of a whole one comes with
            its end, which is waited for ten times as long.
        idle_s: Longest silence within a reply, in seconds.
        model: The settings' model; what is counted goes by it.
        prices: USD per million prompt and completion tokens, by model.

    Attributes:
        internal: Prompts to it do not count as leaving.
        model: See `Served`.
        host: See `Served`.
        prices: See `Served`.
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key: Callable[[], str],
        internal: bool,
        first_byte_s: float,
        idle_s: float,
        model: str = "",
        prices: Mapping[str, tuple[float, float]] | None = None,
    ) -> None:
        self._address = Address.of(base_url)
        self._api_key = api_key
        self.internal = internal
        self._first_byte_s = first_byte_s
        self._idle_s = idle_s
        self.model = model
        self.host = self._address.host
        self.prices = prices or {}
        self._kept: deque[tuple[float, ModelConnection]] = deque()

    async def complete(self, body: bytes, model: str) -> ModelReply:
        """Post a chat completion whose body names this model.

        Raises:
            LlmError: It cannot be reached or does not begin to answer in time.
        """
        call = ModelCall(self, model)
        outcome = CANCELLED
        try:
            reply = await self._ask("POST", "/chat/completions", body, self._patience_s(body))
        except LlmError as error:
            outcome = error.cause.value
            raise
        else:
            reply.call, outcome = call, ""
            return reply
        finally:
            if outcome:
                call.end(outcome)

    async def models(self) -> Sequence[Mapping[str, Any]]:
        """Its models; empty when it cannot tell."""
        try:
            async with asyncio.timeout(_MODELS_TIMEOUT_S):
                reply = await self._ask("GET", "/models", b"", _MODELS_TIMEOUT_S)
                document = orjson.loads(await reply.read())
        except (TimeoutError, orjson.JSONDecodeError, LlmTimeoutError, LlmUnavailableError):
            return ()
        listed = document.get("data") if isinstance(document, dict) else None
        return [item for item in listed or () if isinstance(item, dict)]

    def close(self) -> None:
        """Close the connections that wait."""
        for _since, connection in self._kept:
            connection.hang_up()
        self._kept.clear()

    def _patience_s(self, body: bytes) -> float:
        """Seconds until the head of the reply to a request."""
        return self._first_byte_s * (1 if _STREAMS.search(body) else _WHOLE)

    async def _ask(self, method: str, path: str, body: bytes, patience_s: float) -> ModelReply:
        request = self._head(method, path, len(body)) + body
        try:
            async with asyncio.timeout(patience_s):
                connection, head = await self._exchange(request)
        except TimeoutError:
            raise LlmTimeoutError("the model server does not begin to answer") from None
        if head.headers.get("content-encoding", "identity") != "identity":
            connection.hang_up()
            raise LlmUnavailableError("the model server compresses unasked")
        return ModelReply(head, connection, self._give_back)

    async def _exchange(self, request: bytes) -> tuple[ModelConnection, Head]:
        """Ask over a kept connection; over a new one if that was closed without a word."""
        connection = self._take_kept() or await self._connect()
        try:
            return connection, await connection.ask(request)
        except LlmUnavailableError:
            if not connection.was_used or connection.has_heard:
                raise
        connection = await self._connect()
        return connection, await connection.ask(request)

    async def _connect(self) -> ModelConnection:
        loop, to = asyncio.get_running_loop(), self._address
        try:
            async with asyncio.timeout(_CONNECT_TIMEOUT_S):
                _transport, connection = await loop.create_connection(
                    lambda: ModelConnection(self._idle_s), to.host, to.port, ssl=to.tls
                )
        except (OSError, TimeoutError):
            raise LlmUnavailableError("the model server cannot be reached") from None
        return connection

    def _take_kept(self) -> ModelConnection | None:
        """The connection used last; those that waited too long are closed."""
        oldest = asyncio.get_running_loop().time() - _KEPT_S
        while self._kept and self._kept[0][0] < oldest:
            self._kept.popleft()[1].hang_up()
        while self._kept:
            connection = self._kept.pop()[1]
            if connection.is_reusable:
                return connection
        return None

    def _give_back(self, connection: ModelConnection) -> None:
        if connection.is_reusable:
            self._kept.append((asyncio.get_running_loop().time(), connection))
        if len(self._kept) > _MOST_KEPT:
            self._kept.popleft()[1].hang_up()

    def _head(self, method: str, path: str, length: int) -> bytes:
        """Head of a request; the credential as it is now, so that a new one needs no restart."""
        to = self._address
        headers = to.base.headers(self._api_key)
        credential = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return (
            f"{method} {to.target(path)} HTTP/1.1\r\nHost: {to.authority}\r\n{credential}"
            "Content-Type: application/json\r\nAccept-Encoding: identity\r\n"
            f"Content-Length: {length}\r\n\r\n"
        ).encode()


async def open_model_server(settings: LlmSettings, stack: AsyncExitStack) -> KeptModelServer | None:
    """The configured endpoint, closed with the stack; None when no model is configured."""
    if not settings.has_llm:
        return None
    server = KeptModelServer(
        settings.openai_base_url,
        api_key=settings.secret("openai_api_key"),
        internal=settings.llm_internal,
        first_byte_s=settings.first_token_s,
        idle_s=settings.llm_idle_timeout_s,
        model=settings.llm_model,
        prices=settings.llm_prices,
    )
    stack.callback(server.close)
    return server
