"""Providers by the settings: who can be asked, with which engine, limits, price and key."""

import hashlib
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from types import MappingProxyType

from pydantic import SecretStr

from pellucid_runtime.clock import Clock
from pellucid_runtime.supervision import supervise
from pellucid_search.adapters.ddgs_engine import DdgsEngine, fetch_rows
from pellucid_search.adapters.http_engine import HttpEngine
from pellucid_search.adapters.http_transport import HttpxTransport
from pellucid_search.adapters.local_engine import LocalEngine
from pellucid_search.adapters.open_meteo_engine import OpenMeteoEngine
from pellucid_search.adapters.redis_gate import RedisGate
from pellucid_search.adapters.traced_engine import TracedEngine
from pellucid_search.asking.answering import Generation
from pellucid_search.asking.buckets import LocalGate, Rate
from pellucid_search.asking.ledger import MICRO, Ledger
from pellucid_search.asking.planning import KEYLESS, LOCAL
from pellucid_search.asking.provider_client import ProviderClient, ProviderLimits
from pellucid_search.local.index import LocalIndex
from pellucid_search.ports import Engine, RateGate
from pellucid_search.providers.registry import REGISTRY, ProviderSpec
from pellucid_search.providers.wire import Endpoint
from pellucid_search.settings import SearchSettings

_INDEX_FILE = "search-local-index.sqlite3"
_PER_THOUSAND = 1_000
# Between two passes over the local corpus.
_RESCAN_S = 30.0


async def open_clients(
    settings: SearchSettings,
    stack: AsyncExitStack,
    clock: Clock,
    ledger: Ledger,
    generation: Generation,
) -> Mapping[str, ProviderClient]:
    """Return a client for every provider that has what it needs, by name.

    Args:
        settings: All settings.
        stack: Closes what was opened.
        clock: Time.
        ledger: Where calls are booked.
        generation: Told the stamp of the local index.
    """
    gate, prices = await _gate(settings, stack, clock), _prices(settings)
    clients = {}
    for name, engine in (await _engines(settings, stack, generation)).items():
        spec = REGISTRY[name]
        limits = ProviderLimits(
            timeout_s=settings.search_timeout_s,
            concurrency=settings.search_provider_concurrency,
            price_micro_usd=prices.get(name, spec.price_micro_usd),
            slow_s=settings.search_hedge_s,
        )
        traced = TracedEngine(engine, name)
        clients[name] = ProviderClient(spec, traced, gate, ledger, clock, limits)
    return MappingProxyType(clients)


async def _gate(settings: SearchSettings, stack: AsyncExitStack, clock: Clock) -> RateGate:
    if settings.redis_url is None:
        return LocalGate(_rates(settings), clock.monotonic)
    gate = RedisGate(
        settings.redis_url,
        _rates(settings),
        clock.monotonic,
        replicas=settings.search_replicas,
        accounts=_accounts(settings),
    )
    return await stack.enter_async_context(gate)


async def _engines(
    settings: SearchSettings, stack: AsyncExitStack, generation: Generation
) -> dict[str, Engine]:
    """Return an engine for every provider that has what it needs."""
    transport = await stack.enter_async_context(
        HttpxTransport(
            proxy_url=settings.egress_proxy_url,
            ca_file=str(settings.egress_ca_file) if settings.egress_ca_file else None,
        )
    )
    missing = missing_settings(settings)
    engines: dict[str, Engine] = {
        name: HttpEngine(spec.dialect, endpoint_of(spec, settings), transport)
        for name, spec in REGISTRY.items()
        if spec.dialect and not missing[name]
    }
    fetch = fetch_rows(settings.egress_proxy_url)
    # Behind a proxy this machine needs no name server of its own.
    probe = {"probe_host": ""} if settings.egress_proxy_url else {}
    engines[KEYLESS] = await stack.enter_async_context(DdgsEngine(fetch, **probe))
    weather = REGISTRY["open_meteo"]
    engines[weather.name] = OpenMeteoEngine(endpoint_of(weather, settings), transport)
    if settings.local_corpus_dir:
        engines[LOCAL] = _local(settings, stack, generation)
    return engines


def _local(settings: SearchSettings, stack: AsyncExitStack, generation: Generation) -> LocalEngine:
    index = LocalIndex(
        settings.local_corpus_dir or settings.data_dir,
        settings.data_dir / _INDEX_FILE,
        base_url=settings.local_corpus_base_url or "",
    )
    engine = LocalEngine(index, generation)
    supervise(stack, "local-index", lambda: engine.keep_fresh(_RESCAN_S))
    return engine


def missing_settings(settings: SearchSettings) -> Mapping[str, tuple[str, ...]]:
    """Return for each provider the environment variables that it needs and lacks."""
    return {
        spec.name: tuple(name for name in spec.needs if not _is_set(settings, name))
        for spec in REGISTRY.values()
    }


def _is_set(settings: SearchSettings, variable: str) -> bool:
    """A value of blanks only is none."""
    value = getattr(settings, variable.lower())
    text = value.get_secret_value() if isinstance(value, SecretStr) else value
    return bool(str(text or "").strip())


def endpoint_of(spec: ProviderSpec, settings: SearchSettings) -> Callable[[], Endpoint]:
    """Return what tells where and as whom a provider is asked, with its newest key."""
    key = settings.secret(spec.key.lower()) if spec.key else str
    address = _given(settings, spec.address) or spec.base_url
    account = _given(settings, spec.account)
    return lambda: Endpoint(address.rstrip("/"), key(), account)


def _given(settings: SearchSettings, variable: str) -> str:
    """Return the value of an environment variable that the registry names."""
    return str(getattr(settings, variable.lower()) or "") if variable else ""


def _accounts(settings: SearchSettings) -> dict[str, str]:
    """Return a short digest of each provider's key; too short to say anything about it."""
    endpoints = {s.name: endpoint_of(s, settings)() for s in REGISTRY.values() if s.dialect}
    names = {name: endpoint.key or endpoint.base_url for name, endpoint in endpoints.items()}
    return {n: hashlib.blake2b(v.encode(), digest_size=4).hexdigest() for n, v in names.items()}


def _pairs(text: str) -> list[tuple[str, str]]:
    parts = (part.partition("=") for part in text.split(",") if part)
    return [(name, value) for name, _, value in parts]


def _prices(settings: SearchSettings) -> dict[str, int]:
    return {
        name: round(float(usd) * MICRO / _PER_THOUSAND)
        for name, usd in _pairs(settings.search_prices)
    }


def _rates(settings: SearchSettings) -> dict[str, Rate]:
    rates = {spec.name: Rate(spec.rate, spec.period_s) for spec in REGISTRY.values() if spec.rate}
    for name, value in _pairs(settings.search_rates):
        limit, _, period = value.partition("/")
        rates[name] = Rate(int(limit), float(period))
    return rates
