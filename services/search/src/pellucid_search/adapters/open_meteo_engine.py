"""Weather: where the place is, then how it is there."""

from collections.abc import Callable

from pellucid_search.hits import ProviderReply
from pellucid_search.ports import HttpTransport
from pellucid_search.providers import open_meteo
from pellucid_search.providers.wire import Endpoint
from pellucid_search.query import ProviderQuery

# Of the time of a call, for each of its requests.
_SHARE = 1 / 3


class OpenMeteoEngine:
    """Implements `Engine`.

    Args:
        endpoint: Tells where it is asked.
        transport: Sends requests.
    """

    def __init__(self, endpoint: Callable[[], Endpoint], transport: HttpTransport) -> None:
        self._endpoint = endpoint
        self._transport = transport

    def wording(self, query: ProviderQuery) -> str:
        """Return the words as they are sent."""
        return open_meteo.wording(query)

    async def ask(self, query: ProviderQuery, *, timeout_s: float) -> ProviderReply:
        """Return the weather of the place that the query names; nothing where there is none.

        Raises:
            ProviderError: The typed failure.
        """
        base_url = self._endpoint().base_url
        for name in open_meteo.readings(self.wording(query)):
            first = open_meteo.where(name, query.language, base_url)
            at = open_meteo.place(await self._transport.send(first, timeout_s=timeout_s * _SHARE))
            if at is not None:
                second = open_meteo.forecast(at, base_url)
                reply = await self._transport.send(second, timeout_s=timeout_s * _SHARE)
                return open_meteo.weather(at, reply)
        return ProviderReply(())
