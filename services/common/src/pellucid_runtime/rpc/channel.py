"""Channels to other services: bounded in time, balanced, health-checked, with typed errors.

Every call gets `min(its timeout, what is left of the deadline - a margin)`, so no call is without
end, and fails with a `ServiceError` instead of grpc's own exception. Calls are retried here, and
only here, when the server did not take them.
"""

import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import grpc
from google.protobuf import descriptor_pool
from grpc.aio import ClientCallDetails, Metadata
from opentelemetry.trace import Span

from pellucid_runtime.rpc.deadline import child_timeout_s
from pellucid_runtime.rpc.rotation import RotatingChannel
from pellucid_runtime.rpc.status import from_rpc_error
from pellucid_runtime.rpc.tls import TlsFiles, WatchedFiles, channel_credentials
from pellucid_runtime.telemetry.metrics import CLIENT_SECONDS
from pellucid_runtime.telemetry.tracing import end_span, start_client_span

_MAX_MESSAGE_BYTES = 16 * 1024 * 1024
# A service that restarts is found again within a second.
_RECONNECT_FIRST_MS = 100
_RECONNECT_MOST_MS = 500
_CONNECT_TIMEOUT_MS = 2_000
# A peer that vanished without a word is noticed after these two.
_KEEPALIVE_MS = 30_000
_KEEPALIVE_TIMEOUT_MS = 5_000
_RETRY_POLICY: Mapping[str, Any] = {
    "maxAttempts": 3,
    "initialBackoff": "0.05s",
    "maxBackoff": "0.5s",
    "backoffMultiplier": 2,
    "retryableStatusCodes": ["UNAVAILABLE"],
}
# Each failure costs a token, each answer gives a tenth of one, and below half of the most nobody
# tries again: about one call in ten may, and all that one lost replica had in hand at once.
_RETRY_BUDGET: Mapping[str, Any] = {"maxTokens": 40, "tokenRatio": 0.1}
# A replica most of whose calls end without an answer is left alone for a while, longer each time;
# one that is slow counts, because its calls are given up. Half of the replicas stay in any case.
_OUTLIERS: Mapping[str, Any] = {
    "interval": "2s",
    "baseEjectionTime": "30s",
    "maxEjectionTime": "300s",
    "maxEjectionPercent": 50,
    "failurePercentageEjection": {"threshold": 60, "minimumHosts": 2, "requestVolume": 4},
    "childPolicy": [{"round_robin": {}}],
}


def open_channel(
    target: str,
    *,
    service: str,
    dependency: str | None = None,
    max_message_bytes: int = _MAX_MESSAGE_BYTES,
    tls: TlsFiles | None = None,
) -> grpc.aio.Channel:
    """Open a channel; connecting happens with the first call.

    Args:
        target: `host:port`, or `dns:///name:port` for all addresses of a headless service.
        service: Full name such as `pellucid.scorer.v1.ScorerService`; servers that do not report
            it as serving get no calls.
        dependency: Name in errors and metrics; default the domain of `service` ("scorer").
        max_message_bytes: Largest message in either direction.
        tls: Files of mutual TLS, followed when they change; None: plain text.

    Raises:
        OSError: A file of `tls` cannot be used.
    """
    calls = _OutgoingCalls(dependency or _domain_of(service))
    options = _options(service, max_message_bytes)
    interceptors = [_UnaryCalls(calls), _StreamingCalls(calls)]
    if tls is None:
        return grpc.aio.insecure_channel(target, options=options, interceptors=interceptors)
    return RotatingChannel(
        WatchedFiles(tls),
        lambda material: grpc.aio.secure_channel(
            target, channel_credentials(material), options=options, interceptors=interceptors
        ),
    )


def _domain_of(service: str) -> str:
    parts = service.split(".")
    return parts[1] if len(parts) > 1 else service


def _options(service: str, max_message_bytes: int) -> Sequence[tuple[str, int | str]]:
    return (
        ("grpc.service_config", json.dumps(service_config(service))),
        ("grpc.max_receive_message_length", max_message_bytes),
        ("grpc.max_send_message_length", max_message_bytes),
        ("grpc.initial_reconnect_backoff_ms", _RECONNECT_FIRST_MS),
        ("grpc.max_reconnect_backoff_ms", _RECONNECT_MOST_MS),
        ("grpc.min_reconnect_backoff_ms", _CONNECT_TIMEOUT_MS),
        ("grpc.dns_min_time_between_resolutions_ms", 1_000),
        ("grpc.keepalive_time_ms", _KEEPALIVE_MS),
        ("grpc.keepalive_timeout_ms", _KEEPALIVE_TIMEOUT_MS),
        # Proxies are explicit settings; one from the environment must not see inner calls.
        ("grpc.enable_http_proxy", 0),
    )


def service_config(service: str) -> dict[str, Any]:
    """Balancing over healthy servers, and retries of idempotent calls that no server took.

    Which calls are idempotent is read from the contract (`idempotency_level`).
    """
    config: dict[str, Any] = {
        "loadBalancingConfig": [{"outlier_detection_experimental": _OUTLIERS}],
        "healthCheckConfig": {"serviceName": service},
        "retryThrottling": _RETRY_BUDGET,
    }
    retried = [{"service": service, "method": name} for name in _idempotent_methods(service)]
    if retried:
        config["methodConfig"] = [{"name": retried, "retryPolicy": _RETRY_POLICY}]
    return config


def _idempotent_methods(service: str) -> list[str]:
    try:
        descriptor = descriptor_pool.Default().FindServiceByName(service)
    except KeyError:  # the caller does not use the generated stubs
        return []
    return [m.name for m in descriptor.methods if m.GetOptions().idempotency_level]


@dataclass(frozen=True, slots=True)
class _Outgoing:
    """A call that has begun: how it is made, and what is needed to report on it."""

    details: ClientCallDetails
    method: str
    span: Span
    started_s: float


class _OutgoingCalls:
    """What calls of both kinds have in common."""

    def __init__(self, dependency: str) -> None:
        self._dependency = dependency

    def begin(self, details: ClientCallDetails) -> _Outgoing:
        """Bound the call in time and give it the trace context.

        Raises:
            DeadlineExceededError: Too little time is left; nothing was dialled.
        """
        timeout = child_timeout_s(details.timeout, stage=self._dependency)
        method = _text(details.method)
        span, trace_metadata = start_client_span(method)
        metadata = Metadata(*(details.metadata or ()), *trace_metadata.items())
        bounded = ClientCallDetails(
            details.method, timeout, metadata, details.credentials, details.wait_for_ready
        )
        return _Outgoing(bounded, method, span, time.perf_counter())

    @contextmanager
    def observed(self, outgoing: _Outgoing) -> Iterator[None]:
        """Report on the enclosed call and translate its error."""
        code = grpc.StatusCode.CANCELLED
        try:
            yield
            code = grpc.StatusCode.OK
        except grpc.aio.AioRpcError as error:
            code = error.code()
            raise from_rpc_error(error, self._dependency) from error
        finally:
            end_span(outgoing.span, code)
            elapsed_s = time.perf_counter() - outgoing.started_s
            CLIENT_SECONDS.labels(self._dependency, outgoing.method, code.name).observe(elapsed_s)


def _text(method: str | bytes) -> str:
    return method.decode() if isinstance(method, bytes) else method


_Continuation = Callable[[ClientCallDetails, Any], Awaitable[Any]]


class _UnaryCalls(grpc.aio.UnaryUnaryClientInterceptor):
    def __init__(self, calls: _OutgoingCalls) -> None:
        self._calls = calls

    async def intercept_unary_unary(
        self, continuation: _Continuation, client_call_details: ClientCallDetails, request: Any
    ) -> Any:
        """Make one call."""
        outgoing = self._calls.begin(client_call_details)
        with self._calls.observed(outgoing):
            return await (await continuation(outgoing.details, request))


class _StreamingCalls(grpc.aio.UnaryStreamClientInterceptor):
    def __init__(self, calls: _OutgoingCalls) -> None:
        self._calls = calls

    async def intercept_unary_stream(
        self, continuation: _Continuation, client_call_details: ClientCallDetails, request: Any
    ) -> Any:
        """Make one call; it ends with its last response."""
        outgoing = self._calls.begin(client_call_details)
        call = await continuation(outgoing.details, request)
        return self._responses(call, outgoing)

    async def _responses(self, call: Any, outgoing: _Outgoing) -> AsyncIterator[Any]:
        with self._calls.observed(outgoing):
            async for response in call:
                yield response
