"""Composition root: opens what the fetcher stands on and wires it."""

import importlib.util
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from typing import Final

import structlog
from pellucid.fetcher.v1 import fetcher_pb2_grpc

from pellucid_fetcher.adapters.corporate_proxy import ProxiedDialler, is_denied_by
from pellucid_fetcher.adapters.decision_log import decided
from pellucid_fetcher.adapters.dialling import Dialler, TcpDialler
from pellucid_fetcher.adapters.egress_proxy import EgressProxy
from pellucid_fetcher.adapters.http_transport import (
    HttpxTransport,
    Patience,
    open_trust,
    silence_engines,
)
from pellucid_fetcher.adapters.own_addresses import is_own
from pellucid_fetcher.adapters.page_cache import StorePageCache
from pellucid_fetcher.adapters.resolving import SystemResolver
from pellucid_fetcher.adapters.shared_turns import SharedRateLimit
from pellucid_fetcher.adapters.store_leases import StoreLeases
from pellucid_fetcher.adapters.store_limits import FILE_S, READ_S, WRITE_S
from pellucid_fetcher.adapters.traced import TracedFetcher
from pellucid_fetcher.adapters.worker_pool import WorkerPool
from pellucid_fetcher.egress.address import read_host
from pellucid_fetcher.egress.clearance import Reach
from pellucid_fetcher.egress.exemptions import Exemptions, read_exemptions
from pellucid_fetcher.egress.gate import EgressGate
from pellucid_fetcher.egress.ports import Resolver
from pellucid_fetcher.egress.proxy_address import read_proxy
from pellucid_fetcher.egress.ranges import load_rule
from pellucid_fetcher.fetching import FetchPolicy, PageFetcher, Steps
from pellucid_fetcher.metrics import BROWSER_AVAILABLE, STORE_ERRORS, note_page
from pellucid_fetcher.politeness.flights import Flights
from pellucid_fetcher.politeness.politeness import LocalRateLimit
from pellucid_fetcher.politeness.robots_guard import RobotsGuard
from pellucid_fetcher.politeness.track_record import TrackRecord
from pellucid_fetcher.ports import Extractor, RateLimit, Renderer
from pellucid_fetcher.server import SERVICE, FetcherServicer
from pellucid_fetcher.settings import OFF, FetcherSettings, items, rates
from pellucid_fetcher.sites.registry import REGISTRY
from pellucid_fetcher.strategies.chain import Chain, Ways
from pellucid_fetcher.strategies.http_path import HttpPath, HttpPolicy
from pellucid_fetcher.strategies.receiving import BodyCaps
from pellucid_fetcher.strategies.third_parties import ReaderService, ThirdParty, WebArchive
from pellucid_runtime.clock import clock_from
from pellucid_runtime.errors import DependencyDownError
from pellucid_runtime.health import Health
from pellucid_runtime.malicious.lists import watched
from pellucid_runtime.rpc.server import GrpcServer
from pellucid_runtime.service import Service
from pellucid_runtime.store import Store, open_store
from pellucid_runtime.store_guard import Background
from pellucid_runtime.telemetry.metrics import MetricsServer

_log = structlog.get_logger("pellucid_fetcher")
_RESOLVER_THREADS: Final = 16
_STORE_PREFIX: Final = "fetch:v1"
_CHROMIUMS: Final = ("chromium", "chromium-browser", "google-chrome")


@dataclass(frozen=True, slots=True)
class Network:
    """The two ways to the outside; tests put their own here."""

    resolver: Resolver
    dialler: Dialler


async def build(settings: FetcherSettings, stack: AsyncExitStack) -> Service:
    """Open everything and return the service, ready to be started."""
    health = Health()
    workers = health.component("extraction")
    fetcher = await open_fetcher(settings, stack, _system_network(stack), probes_browser=True)
    workers.set_ready()
    servicer = FetcherServicer(fetcher)
    server = GrpcServer(
        settings,
        register=[
            lambda grpc: fetcher_pb2_grpc.add_FetcherServiceServicer_to_server(servicer, grpc)
        ],
        services=[SERVICE],
        health=health,
    )
    return Service("fetcher", [server, MetricsServer(settings, health)], health)


def _system_network(stack: AsyncExitStack) -> Network:
    threads = ThreadPoolExecutor(_RESOLVER_THREADS, thread_name_prefix="resolver")
    stack.callback(threads.shutdown, wait=False, cancel_futures=True)
    return Network(SystemResolver(threads, time.monotonic), TcpDialler())


async def open_fetcher(
    settings: FetcherSettings,
    stack: AsyncExitStack,
    network: Network,
    extractor: Extractor | None = None,
    *,
    probes_browser: bool = False,
) -> PageFetcher:
    """Wire a fetcher.

    Args:
        settings: What the operator chose.
        stack: Closes what is opened.
        network: The ways to the outside.
        extractor: Used in place of the pool of worker processes.
        probes_browser: Launch a browser at once, to learn whether one can be used.
    """
    silence_engines()
    exemptions = read_exemptions(
        items(settings.fetcher_allow_private_hosts), items(settings.fetcher_static_hosts)
    )
    network = _by_way_of_proxy(settings, network)
    gate = _gate(settings, exemptions, network, stack)
    http = _http_path(settings, gate, network)
    store = await _store(settings, stack)
    rate = await _rate(settings, stack)
    if extractor is None:
        extractor = await stack.enter_async_context(WorkerPool(settings.fetcher_extract_workers))
    ways = Ways(
        http=http,
        extractor=extractor,
        rate=rate,
        exemptions=exemptions,
        renderer=await _renderer(settings, gate, network, stack, probes=probes_browser),
        third_parties=_third_parties(settings),
        sites=[REGISTRY[name] for name in items(settings.fetcher_site_readers) if name != OFF],
    )
    steps = Steps(
        chain=Chain(ways),
        cache=await _cache(settings, store, stack),
        flights=Flights(StoreLeases(store, time.monotonic) if _is_shared(settings) else None),
        rate=rate,
        robots=_robots(settings, http),
        exemptions=exemptions,
        record=TrackRecord(),
        observer=note_page,
    )
    policy = FetchPolicy(settings.fetcher_total_timeout_s, settings.fetcher_whole_timeout_s)
    return TracedFetcher(steps, policy)


def _is_shared(settings: FetcherSettings) -> bool:
    return bool(settings.redis_cache_url or settings.redis_url)


async def _store(settings: FetcherSettings, stack: AsyncExitStack) -> Store:
    store = await open_store(settings, stack, "page", is_cache=True, prefix=_STORE_PREFIX)
    # The first connection takes longer than any later operation; a dead store is found out later.
    with suppress(DependencyDownError):
        await store.get("first")
    return store


async def _cache(settings: FetcherSettings, store: Store, stack: AsyncExitStack) -> StorePageCache:
    shared = _is_shared(settings)
    limits_s = (READ_S, WRITE_S) if shared else (FILE_S, FILE_S)
    dropped = STORE_ERRORS.labels("dropped").inc
    background = await stack.enter_async_context(Background(grace_s=FILE_S, dropped=dropped))
    return StorePageCache(store, settings.fetcher_cache_ttl_s, limits_s, background, time.monotonic)


def _by_way_of_proxy(settings: FetcherSettings, network: Network) -> Network:
    if settings.egress_proxy_url is None:
        return network
    proxy = read_proxy(settings.egress_proxy_url.get_secret_value())
    trust = open_trust(settings.fetcher_ca_bundle).verified
    inside = is_denied_by(load_rule(items(settings.fetcher_denied_ranges)).reason_against)
    return Network(network.resolver, ProxiedDialler(network.dialler, proxy, trust, inside))


def _third_parties(settings: FetcherSettings) -> tuple[ThirdParty, ...]:
    parties: list[ThirdParty] = []
    if settings.reader_base_url is not None:
        key = settings.reader_api_key.get_secret_value() if settings.reader_api_key else ""
        base = settings.reader_base_url.rstrip("/")
        parties.append(ReaderService(base, settings.fetcher_reader_user_urls, key))
    if settings.archive_base_url != OFF:
        parties.append(WebArchive(settings.archive_base_url.rstrip("/")))
    return tuple(parties)


async def _renderer(
    settings: FetcherSettings,
    gate: EgressGate,
    network: Network,
    stack: AsyncExitStack,
    *,
    probes: bool,
) -> Renderer | None:
    found = (shutil.which(name) for name in (settings.fetcher_chromium or "chromium", *_CHROMIUMS))
    executable = next(filter(None, found), None)
    # Until a launch has shown that it can be used.
    BROWSER_AVAILABLE.set(0)
    # Half of a fetcher without a browser would be the Node that drives one: the extra `browser`.
    driver = importlib.util.find_spec("playwright") is not None
    _log.info(
        "browser", found=executable is not None, driver=driver, wanted=settings.fetcher_browser
    )
    if executable is None or not driver or not settings.fetcher_browser:
        return None
    from pellucid_fetcher.adapters.browser import ChromiumRenderer

    proxies = {
        reach: await stack.enter_async_context(EgressProxy(gate, network.dialler, reach))
        for reach in Reach
    }
    renderer = ChromiumRenderer(
        executable, proxies, settings.fetcher_browser_pages, settings.fetcher_browser_memory_mib
    )
    await stack.enter_async_context(renderer)
    if probes:
        renderer.probe()
    return renderer


def _proxy_url(settings: FetcherSettings) -> str | None:
    return settings.egress_proxy_url.get_secret_value() if settings.egress_proxy_url else None


def _gate(
    settings: FetcherSettings, exemptions: Exemptions, network: Network, stack: AsyncExitStack
) -> EgressGate:
    return EgressGate(
        resolver=network.resolver,
        rule=load_rule(items(settings.fetcher_denied_ranges)),
        exemptions=exemptions,
        ports=frozenset(map(int, items(settings.fetcher_ports))),
        blocked=frozenset(map(read_host, items(settings.fetcher_blocked_domains))),
        log=decided,
        is_malicious=watched(settings, stack, clock_from(settings), _proxy_url(settings)),
        is_own=is_own,
    )


def _http_path(settings: FetcherSettings, gate: EgressGate, network: Network) -> HttpPath:
    trust = open_trust(
        settings.fetcher_ca_bundle,
        frozenset(map(read_host, items(settings.fetcher_insecure_hosts))),
    )
    patience = Patience(settings.fetcher_connect_timeout_s, settings.fetcher_silence_timeout_s)
    transport = HttpxTransport(network.dialler, trust, patience)
    policy = HttpPolicy(
        user_agent=settings.fetcher_user_agent,
        browser_agent=""
        if settings.fetcher_browser_agent == OFF
        else settings.fetcher_browser_agent,
        max_redirects=settings.fetcher_max_redirects,
        insecure_hosts=trust.insecure_hosts,
        caps=BodyCaps(pdf=settings.fetcher_pdf_max_bytes, text=settings.fetcher_html_max_bytes),
    )
    return HttpPath(gate, transport, policy)


async def _rate(settings: FetcherSettings, stack: AsyncExitStack) -> RateLimit:
    per_second, overrides = settings.fetcher_requests_per_second, rates(settings.fetcher_host_rates)
    replicas = settings.fetcher_replicas
    own = LocalRateLimit(
        per_second / replicas,
        {host: rate / replicas for host, rate in overrides.items()},
        time.monotonic,
    )
    url = settings.redis_url or settings.redis_cache_url
    if url is None:
        return own
    shared = SharedRateLimit(url, per_second, overrides, own, time.monotonic)
    return await stack.enter_async_context(shared)


def _robots(settings: FetcherSettings, http: HttpPath) -> RobotsGuard | None:
    if not settings.fetcher_robots:
        return None
    return RobotsGuard(http, settings.fetcher_robots_agent, time.monotonic)
