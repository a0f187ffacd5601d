"""Composition root: opens what the fetcher stands on and wires it."""

import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Final

import structlog
from pellucid.fetcher.v1 import fetcher_pb2_grpc

from pellucid_fetcher.adapters.browser import ChromiumRenderer
from pellucid_fetcher.adapters.dialling import Dialler, TcpDialler
from pellucid_fetcher.adapters.egress_proxy import EgressProxy
from pellucid_fetcher.adapters.http_transport import (
    HttpxTransport,
    Patience,
    open_trust,
    silence_engines,
)
from pellucid_fetcher.adapters.page_cache import StorePageCache
from pellucid_fetcher.adapters.resolving import SystemResolver
from pellucid_fetcher.adapters.worker_pool import WorkerPool
from pellucid_fetcher.egress.exemptions import Exemptions, read_exemptions
from pellucid_fetcher.egress.gate import EgressGate
from pellucid_fetcher.egress.ranges import load_rule
from pellucid_fetcher.fetching import FetchPolicy, PageFetcher, Steps
from pellucid_fetcher.http_path import HttpPath, HttpPolicy
from pellucid_fetcher.metrics import BROWSER_AVAILABLE, MetricsObserver
from pellucid_fetcher.politeness import LocalRateLimit
from pellucid_fetcher.ports import Resolver
from pellucid_fetcher.receiving import BodyCaps
from pellucid_fetcher.robots_guard import RobotsGuard, RobotsPolicy
from pellucid_fetcher.server import SERVICE, FetcherServicer
from pellucid_fetcher.settings import FetcherSettings, items, rates
from pellucid_runtime.health import Health
from pellucid_runtime.metrics import MetricsServer
from pellucid_runtime.server import GrpcServer
from pellucid_runtime.service import Service
from pellucid_runtime.store import open_store

_log = structlog.get_logger("pellucid_fetcher")
_RESOLVER_THREADS: Final = 16
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
    fetcher = await open_fetcher(settings, stack, _system_network(stack))
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
    settings: FetcherSettings, stack: AsyncExitStack, network: Network
) -> PageFetcher:
    """Wire a fetcher.

    Args:
        settings: What the operator chose.
        stack: Closes what is opened.
        network: The ways to the outside.
    """
    silence_engines()
    observer = MetricsObserver()
    exemptions = read_exemptions(
        items(settings.fetcher_allow_private_hosts), items(settings.fetcher_static_hosts)
    )
    gate = _gate(settings, exemptions, network, observer)
    http = _http_path(settings, gate, network)
    store = await open_store(settings, stack, "fetch", is_cache=True)
    pool = await stack.enter_async_context(WorkerPool(settings.fetcher_extract_workers))
    steps = Steps(
        http=http,
        extractor=pool,
        cache=StorePageCache(store, settings.fetcher_cache_ttl_s),
        rate=_rate(settings),
        robots=_robots(settings, http),
        exemptions=exemptions,
        observer=observer,
        renderer=await _renderer(settings, gate, network, stack),
    )
    policy = FetchPolicy(settings.fetcher_total_timeout_s, settings.fetcher_extract_timeout_s)
    return PageFetcher(steps, policy)


async def _renderer(
    settings: FetcherSettings, gate: EgressGate, network: Network, stack: AsyncExitStack
) -> ChromiumRenderer | None:
    found = (shutil.which(name) for name in (settings.fetcher_chromium or "chromium", *_CHROMIUMS))
    executable = next(filter(None, found), None)
    available = settings.fetcher_browser and executable is not None
    BROWSER_AVAILABLE.set(available)
    _log.info("browser", available=available)
    if executable is None or not settings.fetcher_browser:
        return None
    proxy = await stack.enter_async_context(EgressProxy(gate, network.dialler))
    renderer = ChromiumRenderer(executable, proxy, settings.fetcher_browser_pages)
    return await stack.enter_async_context(renderer)


def _gate(
    settings: FetcherSettings, exemptions: Exemptions, network: Network, log: MetricsObserver
) -> EgressGate:
    return EgressGate(
        resolver=network.resolver,
        rule=load_rule(items(settings.fetcher_denied_ranges)),
        exemptions=exemptions,
        ports=frozenset(map(int, items(settings.fetcher_ports))),
        blocked=frozenset(map(str.lower, items(settings.fetcher_blocked_domains))),
        log=log,
    )


def _http_path(settings: FetcherSettings, gate: EgressGate, network: Network) -> HttpPath:
    trust = open_trust(
        settings.fetcher_ca_bundle,
        frozenset(map(str.lower, items(settings.fetcher_insecure_hosts))),
    )
    transport = HttpxTransport(network.dialler, trust, Patience(), http2=settings.fetcher_http2)
    policy = HttpPolicy(
        user_agent=settings.fetcher_user_agent,
        browser_agent=settings.fetcher_browser_agent,
        max_redirects=settings.fetcher_max_redirects,
        insecure_hosts=trust.insecure_hosts,
        caps=BodyCaps(pdf=settings.fetcher_pdf_max_bytes, text=settings.fetcher_html_max_bytes),
    )
    return HttpPath(gate, transport, policy)


def _rate(settings: FetcherSettings) -> LocalRateLimit:
    overrides = rates(settings.fetcher_host_rates)
    return LocalRateLimit(settings.fetcher_requests_per_second, overrides, time.monotonic)


def _robots(settings: FetcherSettings, http: HttpPath) -> RobotsGuard | None:
    if not settings.fetcher_robots:
        return None
    return RobotsGuard(http, RobotsPolicy(settings.fetcher_robots_agent), time.monotonic)
