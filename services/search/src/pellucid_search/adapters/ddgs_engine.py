"""The `ddgs` library in threads of its own, with a quick look whether there is a network."""

import asyncio
import socket
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self

from ddgs import DDGS
from ddgs.exceptions import DDGSException

from pellucid_search.errors import ProviderServerError, UnreachableError
from pellucid_search.hits import ProviderReply
from pellucid_search.providers import ddgs
from pellucid_search.query import ProviderQuery

# One of the hosts that the library asks. Without a network its name does not resolve.
PROBE_HOST = "html.duckduckgo.com"
_PROBE_S = 0.09
# The engines that answer without a page of consent; `auto` asks encyclopaedias first.
_BACKENDS = "duckduckgo,brave,mojeek,yahoo,startpage"
_THREADS = 8

Rows = Sequence[Mapping[str, Any]]
Fetch = Callable[[Mapping[str, Any], bool, float], Rows]


class OfflineError(UnreachableError):
    """This machine has no network, or the name servers do not know the host."""

    final = True
    retryable = False


def fetch_rows(proxy_url: str | None) -> Fetch:
    """Return the blocking call of the library.

    Args:
        proxy_url: Egress proxy; None dials directly.
    """

    def fetch(arguments: Mapping[str, Any], news: bool, timeout_s: float) -> Rows:  # noqa: FBT001 - called by position across threads
        client = DDGS(proxy=proxy_url, timeout=max(1, round(timeout_s)))
        if news:
            return client.news(**arguments)
        return client.text(**arguments, backend=_BACKENDS)

    return fetch


class DdgsEngine:
    """Asks through the library. An asynchronous context manager.

    Args:
        fetch: The blocking call.
        probe_host: Name that resolves when there is a network; empty asks without looking.
    """

    def __init__(self, fetch: Fetch, *, probe_host: str = PROBE_HOST) -> None:
        self._fetch = fetch
        self._probe_host = probe_host
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="ddgs")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exc: object) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    def wording(self, query: ProviderQuery) -> str:
        """Return the words as they are sent."""
        return ddgs.wording(query)

    async def ask(self, query: ProviderQuery, *, timeout_s: float) -> ProviderReply:
        """Return the library's results.

        Raises:
            ProviderError: The typed failure.
        """
        await self._look_for_network()
        arguments = ddgs.arguments(query)
        loop = asyncio.get_running_loop()
        try:
            rows = await loop.run_in_executor(
                self._threads, self._fetch, arguments, query.news, timeout_s
            )
        except DDGSException as error:
            failure = ddgs.failure(type(error).__name__, str(error))
            if failure is None:
                return ProviderReply(hits=())
            raise failure from error
        except (OSError, ValueError, RuntimeError) as error:
            raise ProviderServerError("the ddgs library failed") from error
        return ddgs.parse(rows)

    async def _look_for_network(self) -> None:
        if not self._probe_host:
            return
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(_PROBE_S):
                await loop.getaddrinfo(self._probe_host, 443, type=socket.SOCK_STREAM)
        except socket.gaierror as error:
            raise OfflineError("no network, or no name server that answers", sent=False) from error
        except TimeoutError:
            # A slow name server is no proof; the call itself is bounded as well.
            return
