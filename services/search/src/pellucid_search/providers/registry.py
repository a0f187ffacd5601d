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
        needs: Environment variables without which it cannot be asked.
        dialect: Pure request builder and parser; None for a provider with an engine of its own.
        base_url: Default address; empty when an operator must name one.
        rate: Requests per `period_s` that are allowed by default; 0 means no limit is known.
        period_s: Seconds that `rate` counts for.
        external: Queries leave the installation.
        automatic: `auto` uses it when it has what it needs.
        sunset: ISO day on which the provider ends or ended; empty when none is announced.
    """

    name: str
    price_micro_usd: int = 0
    needs: tuple[str, ...] = ()
    dialect: HttpDialect | None = None
    base_url: str = ""
    rate: int = 0
    period_s: float = 1.0
    external: bool = True
    automatic: bool = True
    sunset: str = ""


_BRAVE = HttpDialect(brave.wording, brave.build, brave.parse)
_TAVILY = HttpDialect(tavily.wording, tavily.build, tavily.parse)
_SEARXNG = HttpDialect(searxng.wording, searxng.build, searxng.parse)
_GOOGLE = HttpDialect(google.wording, google.build, google.parse)
_BING = HttpDialect(bing.wording, bing.build, bing.parse)

# fmt: off
_SPECS = (
    ProviderSpec("searxng", 0, ("SEARXNG_URL",), _SEARXNG, rate=10),
    ProviderSpec("brave", 5_000, ("BRAVE_SEARCH_API_KEY",), _BRAVE, "https://api.search.brave.com", rate=1),  # noqa: E501 - one line each
    ProviderSpec("tavily", 8_000, ("TAVILY_API_KEY",), _TAVILY, "https://api.tavily.com", rate=100, period_s=60),  # noqa: E501 - one line each
    ProviderSpec("google", 5_000, ("GOOGLE_API_KEY", "GOOGLE_SEARCH_ENGINE_ID"), _GOOGLE, "https://www.googleapis.com", rate=10, automatic=False, sunset="2027-01-01"),  # noqa: E501 - one line each
    ProviderSpec("bing", 25_000, ("BING_SEARCH_API_KEY", "BING_BASE_URL"), _BING, rate=3, automatic=False, sunset="2025-08-11"),  # noqa: E501 - one line each
    ProviderSpec("ddgs", rate=10, period_s=10),
    ProviderSpec("local", needs=("LOCAL_CORPUS_DIR",), external=False),
)
# fmt: on

REGISTRY = MappingProxyType({spec.name: spec for spec in _SPECS})
