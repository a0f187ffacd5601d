"""Every provider that this service knows: one line each.

Adding one: write its module, add its line, add fixtures for its documented answers and errors
(`docs/adding-a-provider.md`). Prices are list prices of 2026-11 in millionths of a US dollar.
"""

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType

from pellucid_search.hits import ProviderReply
from pellucid_search.providers import bing, brave, google, searxng, tavily
from pellucid_search.providers.wire import Endpoint, HttpCall, HttpReply
from pellucid_search.query import ProviderQuery


@dataclass(frozen=True, slots=True)
class HttpDialect:
    """How one provider is spoken to over HTTP; three pure functions."""

    wording: Callable[[ProviderQuery], str]
    build: Callable[[ProviderQuery, Endpoint], HttpCall]
    parse: Callable[[HttpReply], ProviderReply]


@dataclass(frozen=True, slots=True)
class ProviderSpec:
    """What is known about a provider before it is asked.

    Attributes:
        name: As in settings, requests and reports.
        price_micro_usd: List price per call.
        dialect: Pure request builder and parser; None for a provider with an engine of its own.
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


_BRAVE = HttpDialect(brave.wording, brave.build, brave.parse)
_TAVILY = HttpDialect(tavily.wording, tavily.build, tavily.parse)
_SEARXNG = HttpDialect(searxng.wording, searxng.build, searxng.parse)
_GOOGLE = HttpDialect(google.wording, google.build, google.parse)
_BING = HttpDialect(bing.wording, bing.build, bing.parse)

# fmt: off
# ruff: noqa: E501 - one line each
_SPECS = (
    ProviderSpec("searxng", 0, _SEARXNG, address="SEARXNG_URL", rate=10),
    ProviderSpec("brave", 5_000, _BRAVE, "BRAVE_SEARCH_API_KEY", "BRAVE_BASE_URL", "https://api.search.brave.com", rate=1),
    ProviderSpec("tavily", 8_000, _TAVILY, "TAVILY_API_KEY", "TAVILY_BASE_URL", "https://api.tavily.com", rate=100, period_s=60),
    ProviderSpec("google", 5_000, _GOOGLE, "GOOGLE_API_KEY", "GOOGLE_BASE_URL", "https://www.googleapis.com", "GOOGLE_SEARCH_ENGINE_ID", rate=10, automatic=False, sunset="2027-01-01"),
    ProviderSpec("bing", 25_000, _BING, "BING_SEARCH_API_KEY", "BING_BASE_URL", rate=3, automatic=False, sunset="2025-08-11"),
    ProviderSpec("ddgs", rate=10, period_s=10),
    ProviderSpec("local", address="LOCAL_CORPUS_DIR", external=False),
)
# fmt: on

REGISTRY = MappingProxyType({spec.name: spec for spec in _SPECS})
