"""Every provider that this service knows: one line each.

Adding one: write its module, add its line, add fixtures for its documented answers and errors
(`docs/adding-a-provider.md`). Prices are list prices of 2026-11 in millionths of a US dollar.
"""

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType

from pellucid_search.hits import ProviderReply
from pellucid_search.providers import brave
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

# fmt: off
_SPECS = (
    ProviderSpec("brave", 5_000, ("BRAVE_SEARCH_API_KEY",), _BRAVE, "https://api.search.brave.com", rate=1),  # noqa: E501 - one line per provider
    ProviderSpec("ddgs", rate=10, period_s=10.0),
    ProviderSpec("local", external=False, needs=("LOCAL_CORPUS_DIR",)),
)
# fmt: on

REGISTRY = MappingProxyType({spec.name: spec for spec in _SPECS})
