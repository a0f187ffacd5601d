"""A provider spoken to over HTTP: its pure dialect plus a transport."""

from collections.abc import Callable

from pellucid_search.hits import ProviderReply
from pellucid_search.ports import HttpTransport
from pellucid_search.providers.registry import HttpDialect
from pellucid_search.providers.wire import Endpoint
from pellucid_search.query import ProviderQuery


class HttpEngine:
    """Builds, sends, parses.

    Args:
        dialect: The provider's pure functions.
        endpoint: Tells where and as whom it is asked; a key may be renewed at any time.
        transport: Sends requests.
    """

    def __init__(
        self, dialect: HttpDialect, endpoint: Callable[[], Endpoint], transport: HttpTransport
    ) -> None:
        self._dialect = dialect
        self._endpoint = endpoint
        self._transport = transport

    def wording(self, query: ProviderQuery) -> str:
        """Return the words as they are sent."""
        return self._dialect.wording(query)

    async def ask(self, query: ProviderQuery, *, timeout_s: float) -> ProviderReply:
        """Return the provider's results.

        Raises:
            ProviderError: The typed failure.
        """
        call = self._dialect.build(query, self._endpoint())
        reply = await self._transport.send(call, timeout_s=timeout_s)
        return self._dialect.parse(reply)
