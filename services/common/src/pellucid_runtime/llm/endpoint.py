"""Where a model is served: address, credential and the pool of connections to it."""

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

import httpx2
from openai import AsyncOpenAI, DefaultAioHttpClient

from pellucid_runtime.llm.base_url import BaseUrl

_CONNECT_TIMEOUT_S = 2.0
_MAX_CONNECTIONS = 512


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is served.

    Attributes:
        client: Connection pool with address and credential.
        model: Model to ask for when the request names none.
        base: Its address.
        api_key: Gives the credential of the moment.
        prices: USD per million prompt and completion tokens, by model.
    """

    client: AsyncOpenAI
    model: str
    base: BaseUrl
    api_key: Callable[[], str]
    prices: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def host(self) -> str:
        """Host of the address."""
        return self.base.host

    def call(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments with which the SDK sends exactly this body."""
        return {
            "model": body["model"],
            "messages": (),
            "extra_body": body,
            "extra_headers": self.base.headers(self.api_key),
        }


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
    base = BaseUrl.of(base_url)

    async def credential() -> str:
        return api_key() or "none"

    client = AsyncOpenAI(
        base_url=base.root,
        api_key=credential,
        default_query=dict(parse_qsl(base.query)),
        http_client=http,
        max_retries=0,
    )
    return Endpoint(client, model, base, api_key)
