"""Composition root: the only reader of the settings; opens resources and wires them."""

import secrets
from collections.abc import Callable
from contextlib import AsyncExitStack

import structlog
from pellucid.gateway.v1 import gateway_pb2_grpc

from pellucid_gateway.adapters.assembly import open_engine
from pellucid_gateway.adapters.evidence_store import NoEvidence, StoredEvidence
from pellucid_gateway.adapters.feedback_store import StoredFeedback
from pellucid_gateway.adapters.keeping import DAY_S, Keeping, open_keeping, remembering
from pellucid_gateway.adapters.model_server import open_model_server
from pellucid_gateway.adapters.state import State, open_state
from pellucid_gateway.faces.admission import DoorLimits
from pellucid_gateway.faces.guard import GuardRules
from pellucid_gateway.faces.head_start import HeadStarts
from pellucid_gateway.faces.http import Doors, http_app
from pellucid_gateway.faces.identity import Identity
from pellucid_gateway.faces.kept import KeptDoors
from pellucid_gateway.faces.keys import FindKey, KeyRing, WrongKeyFileError
from pellucid_gateway.metrics import (
    REFUSED_TURNS,
    SEARCH_BOUND,
    ObservedEngine,
    observe_http,
    observe_passed,
)
from pellucid_gateway.passed_on import PassedOn
from pellucid_gateway.ports import EvidenceStore
from pellucid_gateway.quota import DailySearches
from pellucid_gateway.replay import replay
from pellucid_gateway.search_bound import SearchBound
from pellucid_gateway.server import SERVICE_NAME, GatewayServicer
from pellucid_gateway.settings import GatewaySettings
from pellucid_gateway.strain import Strain
from pellucid_gateway.turnstile import Cause, GatedEngine, Turnstile
from pellucid_runtime.clock import Clock, clock_from
from pellucid_runtime.errors import DependencyDownError
from pellucid_runtime.health import Health
from pellucid_runtime.http_server import HttpServer
from pellucid_runtime.listener import Listener
from pellucid_runtime.metrics import MetricsServer
from pellucid_runtime.server import GrpcServer
from pellucid_runtime.service import Service, StartError
from pellucid_runtime.store import open_store
from pellucid_runtime.supervision import supervise

_IDENTITY_KEY_BYTES = 32

log = structlog.get_logger(__name__)


async def build(settings: GatewaySettings, stack: AsyncExitStack) -> Service:
    """Open what the gateway needs and wire it.

    Raises:
        StartError: The key file cannot be used.
    """
    clock = clock_from(settings)
    health = Health()
    identity = await _identity(settings, stack)
    state = await open_state(settings, stack, clock, settings.gateway_replicas)
    evidence = _evidence(settings, state)
    exempt = _own_callers(identity)
    strain = Strain()
    engine, services = await open_engine(
        settings,
        settings,
        stack,
        clock,
        evidence=evidence or NoEvidence(),
        quota=DailySearches(state.limiter, settings.gateway_searches_per_day, exempt),
        strain=strain,
    )
    keeping = open_keeping(settings, stack, clock, state, services.scorer)
    remembered = await remembering(
        engine,
        settings,
        stack,
        clock,
        keeping=keeping,
        scorer=services.scorer,
        exempt=exempt,
    )
    turnstile = _turnstile(settings, strain)
    supervise(stack, "turnstile-lag", turnstile.watch_lag)
    doors = Doors(
        engine=GatedEngine(ObservedEngine(remembered), turnstile),
        identity=identity,
        health=health,
        rules=_rules(settings),
        observe=observe_http,
        evidence=evidence,
        feedback=StoredFeedback(state.records, keeping.counting, clock),
        replay=lambda record: replay(record, services.scorer, clock),
        kept=_kept_doors(keeping, clock),
        limiter=state.limiter,
        door_limits=_door_limits(settings),
        max_body_bytes=settings.gateway_max_body_bytes,
        find_key=_find_key(settings, clock),
        clock=clock,
        upstream=await open_model_server(settings, stack),
        own_model=settings.llm_model,
        note_passed=_note_passed(keeping),
        head_starts=HeadStarts(settings.gateway_head_starts),
        turnstile=turnstile,
    )
    listeners: list[Listener] = [MetricsServer(settings, health)]
    listeners += [_grpc(settings, doors), _http(settings, doors)]
    return Service(name="gateway", listeners=listeners, health=health)


async def _identity(settings: GatewaySettings, stack: AsyncExitStack) -> Identity:
    """One HMAC key for all replicas, made at the first start and kept in the store.

    Without the store the key lives as long as the process: nobody is taken for somebody else, but
    what was kept for a person is not found until the next start.
    """
    fresh = secrets.token_bytes(_IDENTITY_KEY_BYTES)
    store = await open_store(settings, stack, "identity")
    try:
        await store.set_if_absent("hmac-key", fresh)
        key = await store.get("hmac-key") or fresh
    except DependencyDownError:
        log.warning("identity_key_not_kept")
        key = fresh
    return Identity(key, settings.gateway_trusted_proxies, settings.gateway_user_header)


def _kept_doors(keeping: Keeping, clock: Clock) -> KeptDoors:
    return KeptDoors(
        conversations=keeping.conversations,
        memories=keeping.memories,
        query_log=keeping.query_log,
        records=keeping.state.records,
        stats=keeping.stats,
        clock=clock,
    )


def _note_passed(keeping: Keeping) -> Callable[[PassedOn], None]:
    def note(turn: PassedOn) -> None:
        observe_passed(turn)
        keeping.afterwards.passed(turn)

    return note


def _evidence(settings: GatewaySettings, state: State) -> EvidenceStore | None:
    days = settings.gateway_evidence_ttl_days
    return StoredEvidence(state.records, ttl_s=days * DAY_S) if days else None


def _own_callers(identity: Identity) -> frozenset[str]:
    """Callers that nobody limits: this machine, and the cluster's own without a person."""
    addresses = (identity.of_address(address) for address in ("127.0.0.1", "::1"))
    return frozenset((*addresses, identity.of_user("")))


def _door_limits(settings: GatewaySettings) -> DoorLimits:
    return DoorLimits(
        key_per_minute=settings.gateway_key_requests_per_minute,
        address_per_minute=settings.gateway_address_requests_per_minute,
        places=settings.gateway_concurrent_requests,
    )


def _turnstile(settings: GatewaySettings, strain: Strain) -> Turnstile:
    for cause in Cause:
        # Told as zero from the start: a rate of what begins with its first refusal misses it.
        REFUSED_TURNS.labels(cause.value)
    return Turnstile(
        most_turns=settings.gateway_max_turns,
        searches=SearchBound(
            least=settings.gateway_min_searches,
            most=settings.gateway_max_searches,
            late_s=settings.gateway_late_ms / 1000,
        ),
        most_lag_s=settings.gateway_max_lag_ms / 1000,
        refused=lambda cause: REFUSED_TURNS.labels(cause.value).inc(),
        settled=SEARCH_BOUND.set,
        strain=strain,
    )


def _http(settings: GatewaySettings, doors: Doors) -> HttpServer:
    return HttpServer(
        http_app(doors),
        settings.gateway_host,
        settings.gateway_port,
        root_path=settings.gateway_root_path,
        ws_max_size=settings.gateway_max_body_bytes,
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


def _grpc(settings: GatewaySettings, doors: Doors) -> GrpcServer:
    servicer = GatewayServicer(doors.engine, doors.identity, doors.find_key)
    return GrpcServer(
        settings,
        register=[
            lambda server: gateway_pb2_grpc.add_GatewayServiceServicer_to_server(servicer, server)
        ],
        services=[SERVICE_NAME],
        health=doors.health,
        admission=doors.turnstile,
    )
