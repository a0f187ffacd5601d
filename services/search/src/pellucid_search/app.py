"""Composition root: opens resources, wires them; the only reader of the settings."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import AsyncExitStack, suppress
from types import MappingProxyType
from typing import Any

import structlog
from pellucid.search.v1 import search_pb2_grpc
from pydantic import SecretStr

from pellucid_language.pii.gate import Redactor
from pellucid_runtime.clock import Clock, clock_from
from pellucid_runtime.health import Health
from pellucid_runtime.listener import StartError
from pellucid_runtime.malicious.lists import watched
from pellucid_runtime.rpc.server import GrpcServer
from pellucid_runtime.service import Service
from pellucid_runtime.store import open_store
from pellucid_runtime.store_guard import Background
from pellucid_runtime.telemetry.metrics import MetricsServer
from pellucid_search import metrics
from pellucid_search.adapters.ddgs_engine import DdgsEngine, fetch_rows
from pellucid_search.adapters.guarded_store import GuardedCache, GuardedCounters
from pellucid_search.adapters.http_engine import HttpEngine
from pellucid_search.adapters.http_transport import HttpxTransport
from pellucid_search.adapters.local_engine import LocalEngine
from pellucid_search.adapters.open_meteo_engine import OpenMeteoEngine
from pellucid_search.adapters.redis_gate import RedisGate
from pellucid_search.adapters.redis_leases import RedisLeases
from pellucid_search.adapters.traced_engine import TracedEngine
from pellucid_search.asking.answering import Answering, Generation
from pellucid_search.asking.buckets import LocalGate, Rate
from pellucid_search.asking.housekeeping import Housekeeping
from pellucid_search.asking.leases import Leases
from pellucid_search.asking.ledger import MICRO, Ledger
from pellucid_search.asking.planning import KEYLESS, LOCAL, lineup, needs
from pellucid_search.asking.provider_client import ProviderClient, ProviderLimits
from pellucid_search.asking.relay import Relay
from pellucid_search.asking.standing import Roster
from pellucid_search.asking.write_behind import WriteBehind
from pellucid_search.dates.other_languages import read_other_language
from pellucid_search.local.index import LocalIndex
from pellucid_search.metering import CallMeter
from pellucid_search.ports import Engine, RateGate
from pellucid_search.providers.registry import REGISTRY, ProviderSpec
from pellucid_search.providers.wire import Endpoint
from pellucid_search.results.domain_policy import DomainPolicy, policy_file, shipped_policy
from pellucid_search.results.domains import belongs_to
from pellucid_search.searching import Searcher
from pellucid_search.server import SearchServicer
from pellucid_search.settings import SearchSettings

SERVICE = "pellucid.search.v1.SearchService"
_log = structlog.get_logger("pellucid_search.app")
_INDEX_FILE = "search-local-index.sqlite3"
_PER_THOUSAND = 1_000
LANGUAGES_AFTER_S = 10.0
"""After the start: on one machine the other services start meanwhile, and need the cores."""
NONE_CAN_BE_ASKED = "no provider of SEARCH_PROVIDERS can be asked: nothing will be found on the web"


async def build(settings: SearchSettings, stack: AsyncExitStack) -> Service:
    """Return the service, ready to listen.

    Raises:
        StartError: The domain policy cannot be read.
    """
    health = Health()
    servicer = await build_servicer(settings, stack)
    grpc_server = GrpcServer(
        settings,
        register=[
            lambda server: search_pb2_grpc.add_SearchServiceServicer_to_server(servicer, server)
        ],
        services=[SERVICE],
        health=health,
    )
    return Service(
        name="search", listeners=[grpc_server, MetricsServer(settings, health)], health=health
    )


async def build_servicer(settings: SearchSettings, stack: AsyncExitStack) -> SearchServicer:
    """Return the servicer with everything behind it.

    Args:
        settings: All settings.
        stack: Closes what was opened.

    Raises:
        StartError: The domain policy cannot be read.
    """
    clock = clock_from(settings)
    languages = asyncio.Event()
    _keep(stack, _learn_languages(languages, clock))
    counters = GuardedCounters(await open_store(settings, stack, "ledger"), clock.monotonic)
    answers = await open_store(settings, stack, "answers", is_cache=True)
    leases = await _leases(settings, stack, clock)
    background = await stack.enter_async_context(Background())
    ledger = Ledger(
        counters,
        budget_micro_usd=round(settings.search_daily_budget_usd * MICRO),
        providers=tuple(REGISTRY),
    )
    stack.push_async_callback(ledger.flush)
    gate = await _gate(settings, stack, clock)
    generation = Generation()
    engines = await _engines(settings, stack, generation)
    provider_clients = {
        name: _provider_client(
            REGISTRY[name], engine, settings, gate=gate, ledger=ledger, clock=clock
        )
        for name, engine in engines.items()
    }
    roster = Roster(REGISTRY, MappingProxyType(provider_clients), missing_settings(settings))
    cache = GuardedCache(answers, clock.monotonic)
    answering = Answering(
        provider_clients=provider_clients,
        cache=WriteBehind(cache, background),
        clock=clock,
        background=background,
        generations={LOCAL: generation},
        leases=leases,
    )
    searcher = Searcher(
        provider_clients=provider_clients,
        offers=roster.offers,
        line=lineup(settings.listed_providers, roster.offers(), settings.beside),
        relay=Relay(answering, clock, hedge_default_s=settings.search_hedge_s),
        redactor=Redactor(permit_subject=settings.search_pii_subject_lookup),
        policy=_policy(settings),
        is_internal=_internal(settings),
        is_malicious=watched(settings, stack, clock, settings.egress_proxy_url),
        clock=clock,
        budget_s=settings.search_budget_s,
        wait_s=settings.search_wait_s,
        is_saving=lambda: ledger.is_saving(clock.now().date()),
        knows_languages=languages.is_set,
    )
    _warn_of_sunset(settings, clock)
    lacking = listed_without_key(settings)
    for name, missing in lacking.items():
        _log.warning("provider_without_key", provider=name, setting=" ".join(missing))
    if lacking.keys() == set(settings.listed_providers):
        _log.error("search_not_configured", detail=NONE_CAN_BE_ASKED)
    metrics.BUDGET_MICRO_USD.set(ledger.budget_micro_usd)
    _keep(stack, Housekeeping(ledger, provider_clients, clock).run())
    return SearchServicer(searcher, roster, ledger, clock)


async def _learn_languages(languages: asyncio.Event, clock: Clock) -> None:
    """Let the library for dates load its languages, a second or more, beside the requests.

    It does so with the first text that it does not know; that must not be one of a request.
    """
    await asyncio.sleep(LANGUAGES_AFTER_S)
    await asyncio.to_thread(read_other_language, "3 dny nazpět", clock.now())
    languages.set()


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


async def _leases(settings: SearchSettings, stack: AsyncExitStack, clock: Clock) -> Leases | None:
    """Without Redis there are no other replicas to agree with."""
    url = settings.redis_cache_url or settings.redis_url
    if url is None:
        return None
    store = await stack.enter_async_context(RedisLeases(url, clock.monotonic))
    leases = Leases(store, clock.monotonic)
    stack.push_async_callback(leases.close)
    return leases


def _warn_of_sunset(settings: SearchSettings, clock: Clock) -> None:
    today = clock.now().date().isoformat()
    for name in settings.listed_providers:
        sunset = REGISTRY[name].sunset if name in REGISTRY else ""
        if sunset and sunset <= today:
            _log.warning("provider_sunset", provider=name, since=sunset)


def _keep(stack: AsyncExitStack, work: Coroutine[Any, Any, None]) -> None:
    """Run endless work until the stack closes."""
    task = asyncio.create_task(work)

    async def end() -> None:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    stack.push_async_callback(end)


def _provider_client(
    spec: ProviderSpec,
    engine: Engine,
    settings: SearchSettings,
    *,
    gate: RateGate,
    ledger: Ledger,
    clock: Clock,
) -> ProviderClient:
    limits = ProviderLimits(
        timeout_s=settings.search_timeout_s,
        concurrency=settings.search_provider_concurrency,
        price_micro_usd=_prices(settings).get(spec.name, spec.price_micro_usd),
        slow_s=settings.search_hedge_s,
    )
    return ProviderClient(
        spec, TracedEngine(engine, spec.name), gate, ledger, clock, limits, CallMeter()
    )


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
    _keep(stack, engine.keep_fresh(settings.local_rescan_s))
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


def listed_without_key(settings: SearchSettings) -> Mapping[str, tuple[str, ...]]:
    """Return what each provider of `SEARCH_PROVIDERS` lacks; those that lack nothing are not in."""
    missing = missing_settings(settings)
    return {name: missing[name] for name in settings.listed_providers if missing.get(name)}


async def tried_providers(settings: SearchSettings) -> AsyncIterator[str]:
    """Give a line for each listed provider that cannot be asked, and one of those that can."""
    missing = missing_settings(settings)
    for name in listed_without_key(settings):
        yield f"{name}: {needs(missing[name])}, so it is never asked; see docs/providers.md#{name}"
    line = lineup(settings.listed_providers, Roster(REGISTRY, {}, missing).offers())
    asked = [name for name in (*line.members, *line.last_resort) if not missing[name]]
    yield f"asks {', '.join(asked)}" if asked else NONE_CAN_BE_ASKED


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


def _policy(settings: SearchSettings) -> DomainPolicy:
    if settings.search_domain_policy is None:
        return shipped_policy()
    try:
        return shipped_policy().joined(policy_file(settings.search_domain_policy))
    except (ValueError, OSError) as error:
        raise StartError(f"SEARCH_DOMAIN_POLICY cannot be read: {error}") from error


def _internal(settings: SearchSettings) -> Callable[[str, str], bool]:
    exact = frozenset(name for name in settings.internal_hosts if not name.startswith("*."))
    below = tuple(name[2:] for name in settings.internal_hosts if name.startswith("*."))

    def is_internal(provider: str, host: str) -> bool:
        named = host in exact or any(belongs_to(host, domain) for domain in below)
        return named or not REGISTRY[provider].external

    return is_internal
