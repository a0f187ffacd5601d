"""The OpenAI-compatible endpoint, spoken to with aiohttp so that streams cost little.

No ambient proxy variable is used, no redirect followed, and nothing of the client's headers goes
along but the body.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import aiohttp
import orjson

from pellucid_runtime.llm import LlmTimeoutError, LlmUnavailableError
from pellucid_runtime.llm_settings import LlmSettings

# A longer whole reply is no chat completion.
_MOST_BYTES = 16 * 1024 * 1024
_MODELS_TIMEOUT_S = 3.0
_CONNECT_TIMEOUT_S = 3.0


@dataclass(frozen=True, slots=True)
class AiohttpReply:
    """A reply whose head has arrived; the connection goes back when the body was taken."""

    response: aiohttp.ClientResponse

    @property
    def status(self) -> int:
        """HTTP status."""
        return self.response.status

    @property
    def media_type(self) -> str:
        """Content type."""
        return self.response.headers.get("content-type", "application/json")

    @property
    def is_stream(self) -> bool:
        """The body is a stream of events that began well."""
        good = self.response.status == HTTPStatus.OK
        return good and self.media_type.startswith("text/event-stream")

    async def pieces(self) -> AsyncGenerator[bytes]:
        """The body as it comes, unchanged.

        Raises:
            LlmUnavailableError: It broke off or fell silent.
        """
        try:
            async for piece in self.response.content.iter_any():
                yield piece
        except (aiohttp.ClientError, TimeoutError):
            raise LlmUnavailableError("the model server broke off") from None
        finally:
            self.response.close()

    async def read(self) -> bytes:
        """The whole body.

        Raises:
            LlmUnavailableError: It broke off or is too long.
        """
        body = bytearray()
        async with aclosing(self.pieces()) as pieces:
            async for piece in pieces:
                body += piece
                if len(body) > _MOST_BYTES:
                    raise LlmUnavailableError("the model server's reply is too long")
        return bytes(body)


class AiohttpModelServer:
    """An OpenAI-compatible endpoint.

    Args:
        session: Kept open by the caller.
        base_url: Up to and including the version.
        api_key: Gives the credential of the moment; empty where none is needed.
        internal: Prompts to it do not count as leaving.
        first_byte_s: Seconds until the head of the reply.
    """

    def __init__(
        self,
        session: aiohttp.ClientSession,
        base_url: str,
        *,
        api_key: Callable[[], str],
        internal: bool,
        first_byte_s: float,
    ) -> None:
        self._session = session
        self._api_key = api_key
        self._base_url = base_url.rstrip("/")
        self._internal = internal
        self._first_byte_s = first_byte_s

    @property
    def internal(self) -> bool:
        """Prompts to it do not count as leaving."""
        return self._internal

    async def complete(self, body: bytes) -> AiohttpReply:
        """Post a chat completion.

        Raises:
            LlmError: It cannot be reached or does not begin to answer in time.
        """
        url = f"{self._base_url}/chat/completions"
        try:
            async with asyncio.timeout(self._first_byte_s):
                reply = await self._session.post(
                    url, data=body, headers=self._headers(), allow_redirects=False
                )
                return AiohttpReply(reply)
        except TimeoutError:
            raise LlmTimeoutError("the model server does not begin to answer") from None
        except aiohttp.ClientError:
            raise LlmUnavailableError("the model server cannot be reached") from None

    async def models(self) -> Sequence[Mapping[str, Any]]:
        """Its models; empty when it cannot tell."""
        try:
            async with asyncio.timeout(_MODELS_TIMEOUT_S):
                return await self._models()
        except (TimeoutError, aiohttp.ClientError, orjson.JSONDecodeError, LlmUnavailableError):
            return ()

    async def _models(self) -> Sequence[Mapping[str, Any]]:
        url = f"{self._base_url}/models"
        asked = self._session.get(url, headers=self._headers(), allow_redirects=False)
        async with asked as reply:
            document = orjson.loads(await AiohttpReply(reply).read())
        listed = document.get("data") if isinstance(document, dict) else None
        return [item for item in listed or () if isinstance(item, dict)]

    def _headers(self) -> dict[str, str]:
        """The credential as it is now, so that a rotated key needs no restart."""
        key = self._api_key()
        return {"Authorization": f"Bearer {key}"} if key else {}


async def open_model_server(
    settings: LlmSettings, stack: AsyncExitStack
) -> AiohttpModelServer | None:
    """The configured endpoint, closed with the stack; None when no model is configured."""
    if not settings.has_llm:
        return None
    session = await stack.enter_async_context(
        aiohttp.ClientSession(
            headers={"Content-Type": "application/json"},
            trust_env=False,
            auto_decompress=True,
            connector=aiohttp.TCPConnector(limit=0),
            timeout=aiohttp.ClientTimeout(
                total=None,
                sock_connect=_CONNECT_TIMEOUT_S,
                sock_read=settings.llm_idle_timeout_s,
            ),
        )
    )
    return AiohttpModelServer(
        session,
        settings.openai_base_url,
        api_key=settings.secret("openai_api_key"),
        internal=settings.llm_internal,
        first_byte_s=settings.llm_first_token_timeout_s,
    )
