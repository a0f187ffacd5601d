"""Composition root: opens resources, wires them; the only reader of the settings."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack

import structlog
from pellucid.search.v1 import search_pb2_grpc

from pellucid_language.pii.gate import Redactor
from pellucid_runtime.clock import Clock, clock_from
from pellucid_runtime.health import Health
from pellucid_runtime.listener import StartError
from pellucid_runtime.malicious.lists import watched
from pellucid_runtime.rpc.server import GrpcServer
from pellucid_runtime.service import Service
from pellucid_runtime.store import open_store
from pellucid_runtime.store_guard import Background
from pellucid_runtime.supervision import supervise
from pellucid_runtime.telemetry.metrics import MetricsServer
from pellucid_search import metrics
from pellucid_search.adapters.guarded_store import GuardedCache, GuardedCounters
from pellucid_search.adapters.redis_leases import RedisLeases
from pellucid_search.asking.answering import Answering, Generation
from pellucid_search.asking.housekeeping import keep_house
from pellucid_search.asking.leases import Leases
from pellucid_search.asking.ledger import MICRO, Ledger
from pellucid_search.asking.planning import LOCAL, lineup, needs
from pellucid_search.asking.relay import Relay
from pellucid_search.asking.standing import Roster
from pellucid_search.asking.write_behind import WriteBehind
from pellucid_search.dates.other_languages import read_other_language
from pellucid_search.domains import belongs_to
from pellucid_search.provider_wiring import missing_settings, open_clients
from pellucid_search.providers.registry import REGISTRY
from pellucid_search.results.domain_policy import DomainPolicy, policy_file, shipped_policy
from pellucid_search.searching import Searcher
from pellucid_search.server import SearchServicer
from pellucid_search.settings import SearchSettings

SERVICE = "pellucid.search.v1.SearchService"
_log = structlog.get_logger("pellucid_search.app")
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
    supervise(stack, "date-languages", lambda: _learn_languages(languages, clock))
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
    generation = Generation()
    provider_clients = await open_clients(settings, stack, clock, ledger, generation)
    roster = Roster(REGISTRY, provider_clients, missing_settings(settings))
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
    supervise(stack, "housekeeping", lambda: keep_house(ledger, provider_clients, clock))
    return SearchServicer(searcher, roster, ledger, clock)


async def _learn_languages(languages: asyncio.Event, clock: Clock) -> None:
    """Let the library for dates load its languages, a second or more, beside the requests.

    It does so with the first text that it does not know; that must not be one of a request.
    """
    await asyncio.sleep(LANGUAGES_AFTER_S)
    await asyncio.to_thread(read_other_language, "3 dny nazpět", clock.now())
    languages.set()


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
