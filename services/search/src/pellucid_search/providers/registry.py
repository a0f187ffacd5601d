"""Every provider that this service knows: one line each.

Adding one: write its module, add its import and its line, add fixtures for its documented answers
and errors (`docs/adding-a-provider.md`). Prices are list prices of 2026-11 in millionths of a US
dollar.
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from pellucid_search.hits import ProviderReply
from pellucid_search.providers import bing, brave, google, searxng, tavily
from pellucid_search.providers.wire import Endpoint, HttpCall, HttpReply
from pellucid_search.query import ProviderQuery


class HttpDialect(Protocol):
    """How one provider is spoken to over HTTP: the three pure functions of its module."""

    def wording(self, query: ProviderQuery) -> str:
        """Return the words as they are sent."""

    def build(self, query: ProviderQuery, endpoint: Endpoint) -> HttpCall:
        """Return the request for one query."""

    def parse(self, reply: HttpReply) -> ProviderReply:
        """Return the results, or raise the `ProviderError` that the answer means."""


@dataclass(frozen=True, slots=True)
class ProviderSpec:
    """What is known about a provider before it is asked.

    Attributes:
        name: As in settings, requests and reports; lower-case letters, digits, underscores.
        price_micro_usd: List price per call.
        dialect: Its module; None for a provider with an engine of its own.
        key: Environment variable of its key; empty when it needs none.
        address: Environment variable of its address.
        base_url: Default address; empty when an operator must name one.
        account: Environment variable of what it asks for beside the key.
        rate: Requests per `period_s` that are allowed by default; 0 means no limit is known.
        period_s: Seconds that `rate` counts for.
        external: Queries leave the installation.
        automatic: `auto` uses it when it has what it needs.
        sunset: ISO day on which the provider ends or ended; empty when none is announced.
    """

    name: str
    price_micro_usd: int = 0
    dialect: HttpDialect | None = None
    key: str = ""
    address: str = ""
    base_url: str = ""
    account: str = ""
    rate: int = 0
    period_s: float = 1.0
    external: bool = True
    automatic: bool = True
    sunset: str = ""

    @property
    def needs(self) -> tuple[str, ...]:
        """Environment variables without which it cannot be asked."""
        address = "" if self.base_url else self.address
        return tuple(filter(None, (self.key, self.account, address)))


# fmt: off
# ruff: noqa: E501 - one line each
_SPECS = (
    ProviderSpec("searxng", 0, searxng, address="SEARXNG_URL", rate=10),
    ProviderSpec("brave", 5_000, brave, "BRAVE_SEARCH_API_KEY", "BRAVE_BASE_URL", "https://api.search.brave.com", rate=1),
    ProviderSpec("tavily", 8_000, tavily, "TAVILY_API_KEY", "TAVILY_BASE_URL", "https://api.tavily.com", rate=100, period_s=60),
    ProviderSpec("google", 5_000, google, "GOOGLE_API_KEY", "GOOGLE_BASE_URL", "https://www.googleapis.com", "GOOGLE_SEARCH_ENGINE_ID", rate=10, automatic=False, sunset="2027-01-01"),
    ProviderSpec("bing", 25_000, bing, "BING_SEARCH_API_KEY", "BING_BASE_URL", rate=3, automatic=False, sunset="2025-08-11"),
    ProviderSpec("ddgs", rate=10, period_s=10),
    ProviderSpec("local", address="LOCAL_CORPUS_DIR", external=False),
)
# fmt: on

REGISTRY = MappingProxyType({spec.name: spec for spec in _SPECS})
