"""Composition root: the only reader of the settings; opens resources and wires them."""

import hashlib
import secrets
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from functools import lru_cache
from ipaddress import ip_address, ip_network

from pellucid.gateway.v1 import gateway_pb2_grpc

from pellucid_gateway.access.quota import DailySearches
from pellucid_gateway.access.scoring_profiles import KnownProfiles, TrafficSplit
from pellucid_gateway.adapters.evidence_store import NoEvidence, StoredEvidence
from pellucid_gateway.adapters.identity_key import KEY_BYTES, SharedIdentityKey
from pellucid_gateway.adapters.model_server import open_model_server
from pellucid_gateway.adapters.state import open_state
from pellucid_gateway.analytics.learned_trust import LearnedStandings, LearnedTrust
from pellucid_gateway.api.application import ApiParts, http_app
from pellucid_gateway.api.compatible.head_start import HeadStarts
from pellucid_gateway.api.http.admission import RequestLimits
from pellucid_gateway.api.http.guard import GuardRules
from pellucid_gateway.api.http.identity import Identity, OwnCallers
from pellucid_gateway.api.http.keys import FindKey, KeyRing, WrongKeyFileError
from pellucid_gateway.conversation.afterwards import Afterwards
from pellucid_gateway.conversation.feedback import StoredFeedback
from pellucid_gateway.conversation.source_preferences import SourcePreferences
from pellucid_gateway.domain.passed_on import PassedOn
from pellucid_gateway.domain.ports import EvidenceStore
from pellucid_gateway.domain.standing import Standings
from pellucid_gateway.domain.state_ports import State
from pellucid_gateway.grpc.server import SERVICE_NAME, GatewayServicer
from pellucid_gateway.load_shedding.adaptive_limit import AdaptiveLimit
from pellucid_gateway.load_shedding.concurrency_limit import Cause, ConcurrencyLimit
from pellucid_gateway.load_shedding.gated_engine import GatedEngine
from pellucid_gateway.load_shedding.latency_signal import LatencySignal
from pellucid_gateway.metrics import (
    HTTP_CONNECTIONS,
    HTTP_REFUSED,
    REFUSED_TURNS,
    SEARCH_BOUND,
    ObservedEngine,
    observe_http,
    observe_passed,
)
from pellucid_gateway.settings import GatewaySettings
from pellucid_gateway.turn.replay import replay
from pellucid_gateway.wiring.engine import open_engine
from pellucid_gateway.wiring.keeping import DAY_S, open_keeping, remembering
from pellucid_runtime.clock import Clock, clock_from
from pellucid_runtime.errors import DependencyDownError
from pellucid_runtime.health import Health
from pellucid_runtime.http_bounds import Connections, HttpBounds
from pellucid_runtime.http_server import HttpServer
from pellucid_runtime.listener import Listener
from pellucid_runtime.rpc.server import GrpcServer
from pellucid_runtime.service import Service, StartError
from pellucid_runtime.store import open_store
from pellucid_runtime.supervision import supervise
from pellucid_runtime.telemetry.metrics import MetricsServer


async def build(settings: GatewaySettings, stack: AsyncExitStack) -> Service:
    """Open what the gateway needs and wire it.

    Raises:
        StartError: The key file cannot be used.
    """
    clock = clock_from(settings)
    health = Health()
    identity, settle = await _identity(settings, stack)
    state = await open_state(
        settings,
        stack,
        clock,
        settings.gateway_replicas,
        evidence_url=settings.gateway_evidence_redis_url,
        before_use=settle,
    )
    evidence = _evidence(settings, state)
    exempt = OwnCallers(identity)
    latency_signal = LatencySignal()
    learned = _learned_trust(settings, state, clock)
    engine, services = await open_engine(
        settings,
        stack,
        clock,
        evidence=evidence or NoEvidence(),
        quota=DailySearches(state.limiter, settings.gateway_searches_per_day, exempt),
        standings=_standings(state, clock, learned),
        latency_signal=latency_signal,
    )
    kept = open_keeping(settings, stack, clock, state, services.scorer, learned=learned)
    remembered, afterwards = await remembering(
        engine, settings, stack, kept=kept, scorer=services.scorer, exempt=exempt
    )
    concurrency_limit = _concurrency_limit(settings, latency_signal)
    supervise(stack, "turnstile-lag", concurrency_limit.watch_lag)
    parts = ApiParts(
        engine=KnownProfiles(
            GatedEngine(ObservedEngine(remembered), concurrency_limit),
            settings.scoring_profiles,
            TrafficSplit(settings.scoring_split),
        ),
        identity=identity,
        health=health,
        rules=_rules(settings),
        observe=observe_http,
        evidence=evidence,
        feedback=StoredFeedback(state.records, kept.counting, clock, learned),
        replay=lambda record: replay(record, services.scorer, clock),
        kept=kept,
        limiter=state.limiter,
        request_limits=_request_limits(settings),
        max_body_bytes=settings.gateway_max_body_bytes,
        find_key=_find_key(settings, clock),
        clock=clock,
        upstream=await open_model_server(settings, stack),
        own_model=settings.llm_model,
        note_passed=_note_passed(afterwards),
        head_starts=HeadStarts(settings.gateway_head_starts),
        concurrency_limit=concurrency_limit,
        examples=settings.gateway_examples,
        fast_model=settings.llm_fast_model or "",
        challenge_script=settings.gateway_challenge_script,
    )
    listeners: list[Listener] = [MetricsServer(settings, health)]
    listeners += [_grpc(settings, parts), _http(settings, parts)]
    return Service(name="gateway", listeners=listeners, health=health)


async def _identity(
    settings: GatewaySettings, stack: AsyncExitStack
) -> tuple[Identity, Callable[[], Awaitable[None]] | None]:
    """Who callers are, and what has to be done before the shared store is used; None: nothing."""
    proxies, header = settings.gateway_trusted_proxies, settings.gateway_user_header
    if given := settings.gateway_identity_key.get_secret_value():
        return Identity(hashlib.sha256(given.encode()).digest(), proxies, header), None
    identity = Identity(secrets.token_bytes(KEY_BYTES), proxies, header, provisional=True)
    shared = SharedIdentityKey(await open_store(settings, stack, "identity"), identity)
    supervise(stack, "identity-key", shared.watch)
    if settings.redis_url is None:
        await _settle_file(shared)
        return identity, None
    return identity, shared.settle


async def _settle_file(shared: SharedIdentityKey) -> None:
    try:
        await shared.settle()
    except DependencyDownError as error:
        raise StartError("the state file cannot be written (setting DATA_DIR)") from error


def _learned_trust(settings: GatewaySettings, state: State, clock: Clock) -> LearnedTrust | None:
    limit = settings.gateway_learned_trust
    return LearnedTrust(state.rollups, clock, limit) if limit else None


def _standings(state: State, clock: Clock, learned: LearnedTrust | None) -> Standings:
    preferences = SourcePreferences(state.records, clock)
    return LearnedStandings(preferences, learned) if learned else preferences


def _note_passed(afterwards: Afterwards) -> Callable[[PassedOn], None]:
    def note(turn: PassedOn) -> None:
        observe_passed(turn)
        afterwards.passed(turn)

    return note


def _evidence(settings: GatewaySettings, state: State) -> EvidenceStore | None:
    days = settings.gateway_evidence_ttl_days
    if not days:
        return None
    room_bytes = settings.gateway_evidence_max_mib * 1024 * 1024
    return StoredEvidence(state.evidence, ttl_s=days * DAY_S, room_bytes=room_bytes)


def _request_limits(settings: GatewaySettings) -> RequestLimits:
    return RequestLimits(
        key_per_minute=settings.gateway_key_requests_per_minute,
        address_per_minute=settings.gateway_address_requests_per_minute,
        places=settings.gateway_concurrent_requests,
    )


def _concurrency_limit(
    settings: GatewaySettings, latency_signal: LatencySignal
) -> ConcurrencyLimit:
    for cause in Cause:
        # Told as zero from the start: a rate of what begins with its first refusal misses it.
        REFUSED_TURNS.labels(cause.value)
    return ConcurrencyLimit(
        most_turns=settings.gateway_max_turns,
        searches=AdaptiveLimit(
            least=settings.gateway_min_searches,
            most=settings.gateway_max_searches,
            late_s=settings.gateway_late_ms / 1000,
        ),
        most_lag_s=settings.gateway_max_lag_ms / 1000,
        most_waiting=settings.gateway_max_waiting,
        refused=lambda cause: REFUSED_TURNS.labels(cause.value).inc(),
        settled=SEARCH_BOUND.set,
        latency_signal=latency_signal,
    )


def _http(settings: GatewaySettings, parts: ApiParts) -> HttpServer:
    return HttpServer(
        http_app(parts),
        settings.gateway_host,
        settings.gateway_port,
        root_path=settings.gateway_root_path,
        ws_max_size=settings.gateway_max_body_bytes,
        connections=_connections(settings),
    )


def _connections(settings: GatewaySettings) -> Connections:
    networks = tuple(map(ip_network, settings.gateway_trusted_proxies))

    @lru_cache(maxsize=4_096)
    def is_ours(address: str) -> bool:
        return any(ip_address(address) in network for network in networks)

    bounds = HttpBounds(
        head_bytes=settings.gateway_max_head_bytes,
        headers=settings.gateway_max_headers,
        head_s=settings.gateway_head_timeout_s,
        body_s=settings.gateway_body_timeout_s,
        idle_s=settings.gateway_idle_timeout_s,
        write_s=settings.gateway_write_timeout_s,
        connections=settings.gateway_max_connections,
        per_address=settings.gateway_address_connections,
        trusted=is_ours,
    )
    return Connections(
        bounds, lambda reason: HTTP_REFUSED.labels(reason).inc(), HTTP_CONNECTIONS.set
    )


def _rules(settings: GatewaySettings) -> GuardRules:
    return GuardRules(
        any_host=settings.gateway_auth == "keys",
        extra_hosts=tuple(host.lower() for host in settings.gateway_allowed_hosts),
        origins=settings.gateway_cors_origins,
    )


def _find_key(settings: GatewaySettings, clock: Clock) -> FindKey | None:
    if settings.gateway_auth == "off" or settings.gateway_keys_file is None:
        return None
    try:
        return KeyRing(settings.gateway_keys_file, clock).find
    except WrongKeyFileError as error:
        raise StartError(f"GATEWAY_KEYS_FILE: {error}") from None


def _grpc(settings: GatewaySettings, parts: ApiParts) -> GrpcServer:
    servicer = GatewayServicer(parts.engine, parts.identity, parts.find_key)
    return GrpcServer(
        settings,
        register=[
            lambda server: gateway_pb2_grpc.add_GatewayServiceServicer_to_server(servicer, server)
        ],
        services=[SERVICE_NAME],
        health=parts.health,
        admission=parts.concurrency_limit,
    )
