"""Every provider that this service knows: one line each.

Adding one: write its module, add its import and its line, add fixtures for its documented answers
and errors (`docs/adding-a-provider.md`). Prices are list prices of 2026-11 in millionths of a US
dollar.
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from pellucid_search.hits import ProviderReply
from pellucid_search.providers import (
    bing,
    brave,
    coinpaprika,
    exa,
    firecrawl,
    frankfurter,
    google,
    jina,
    kagi,
    mojeek,
    perplexity,
    searxng,
    serpapi,
    serper,
    tavily,
    vertex,
    wikidata,
    you,
)
from pellucid_search.providers.wire import Endpoint, HttpCall, HttpReply
from pellucid_search.query import ProviderQuery

ANY = ("*",)
"""Topics of a provider that is asked beside the others whatever the question."""
ENTITIES = "wikidata"
"""Links names; what it finds is no result."""


class HttpDialect(Protocol):
    """How one provider is spoken to over HTTP: the three pure functions of its module."""

    def wording(self, query: ProviderQuery) -> str:
        """Return the words as they are sent; empty when a real-time source has nothing to ask."""

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
        topics: Kinds of question that a real-time source is asked for, beside the others; `ANY`
            for what links names; empty: it searches the web for any.
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
    topics: tuple[str, ...] = ()
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
    ProviderSpec("serper", 1_000, serper, "SERPER_API_KEY", "SERPER_BASE_URL", "https://google.serper.dev", rate=50),
    ProviderSpec("jina", 500, jina, "JINA_API_KEY", "JINA_BASE_URL", "https://s.jina.ai", rate=40, period_s=60),
    ProviderSpec("you", 5_000, you, "YDC_API_KEY", "YDC_BASE_URL", "https://ydc-index.io", rate=10),
    ProviderSpec("perplexity", 5_000, perplexity, "PERPLEXITY_API_KEY", "PERPLEXITY_BASE_URL", "https://api.perplexity.ai", rate=50),
    ProviderSpec("mojeek", 3_000, mojeek, "MOJEEK_API_KEY", "MOJEEK_BASE_URL", "https://api.mojeek.com", rate=1),
    ProviderSpec("exa", 7_000, exa, "EXA_API_KEY", "EXA_BASE_URL", "https://api.exa.ai", rate=10),
    ProviderSpec("firecrawl", 10_700, firecrawl, "FIRECRAWL_API_KEY", "FIRECRAWL_BASE_URL", "https://api.firecrawl.dev", rate=50, period_s=60),
    ProviderSpec("kagi", 12_000, kagi, "KAGI_API_KEY", "KAGI_BASE_URL", "https://kagi.com", rate=5),
    ProviderSpec("serpapi", 25_000, serpapi, "SERPAPI_API_KEY", "SERPAPI_BASE_URL", "https://serpapi.com", rate=200, period_s=3600),
    ProviderSpec("vertex", 4_000, vertex, "VERTEX_API_KEY", "VERTEX_BASE_URL", "https://discoveryengine.googleapis.com", "VERTEX_SERVING_CONFIG", rate=300, period_s=60, automatic=False),
    ProviderSpec("google", 5_000, google, "GOOGLE_API_KEY", "GOOGLE_BASE_URL", "https://www.googleapis.com", "GOOGLE_SEARCH_ENGINE_ID", rate=10, automatic=False, sunset="2027-01-01"),
    ProviderSpec("bing", 25_000, bing, "BING_SEARCH_API_KEY", "BING_BASE_URL", rate=3, automatic=False, sunset="2025-08-11"),
    ProviderSpec("frankfurter", 0, frankfurter, address="FRANKFURTER_BASE_URL", base_url="https://api.frankfurter.dev", rate=5, automatic=False, topics=("finance", "finance_price")),
    ProviderSpec("coinpaprika", 0, coinpaprika, address="COINPAPRIKA_BASE_URL", base_url="https://api.coinpaprika.com", rate=5, automatic=False, topics=("finance", "finance_price", "crypto_chain")),
    ProviderSpec("open_meteo", address="OPEN_METEO_BASE_URL", base_url="https://api.open-meteo.com", rate=5, automatic=False, topics=("weather",)),
    ProviderSpec("wikidata", 0, wikidata, address="WIKIDATA_BASE_URL", base_url="https://www.wikidata.org", rate=5, automatic=False, topics=ANY),
    ProviderSpec("ddgs", rate=10, period_s=10),
    ProviderSpec("local", address="LOCAL_CORPUS_DIR", external=False),
)
# fmt: on

REGISTRY = MappingProxyType({spec.name: spec for spec in _SPECS})
