"""The runtime's instruments, and the endpoint where Prometheus reads all of a service's."""

import asyncio
import platform

from prometheus_client import REGISTRY, Counter, Gauge, Histogram

from pellucid_runtime.build import version_of
from pellucid_runtime.health import Health
from pellucid_runtime.listener import bound
from pellucid_runtime.settings import ServiceSettings
from pellucid_runtime.telemetry.probes import ProbeServer

# From a cache hit to a long answer; seconds.
LATENCY_BUCKETS = (
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2.5, 5, 10, 30, 60,
)  # fmt: skip
_LAG_PERIOD_S = 0.5

SERVER_SECONDS = Histogram(
    "pellucid_grpc_server_seconds",
    "Time to serve a gRPC call.",
    ("method", "code"),
    buckets=LATENCY_BUCKETS,
)
SERVER_IN_FLIGHT = Gauge(
    "pellucid_grpc_server_in_flight_calls", "gRPC calls in progress.", ("method",)
)
CLIENT_SECONDS = Histogram(
    "pellucid_grpc_client_seconds",
    "Time that a gRPC call to another service took.",
    ("dependency", "method", "code"),
    buckets=LATENCY_BUCKETS,
)
HEDGES = Counter(
    "pellucid_hedged_calls_total",
    "Extra calls made because the first was slow or its answer could not be true.",
    ("name",),
)
LLM_CALLS = Counter("pellucid_llm_calls_total", "Calls of language models.", ("model", "outcome"))
LLM_FIRST_TOKEN_SECONDS = Histogram(
    "pellucid_llm_first_token_seconds",
    "Time from the request to the first text.",
    ("model",),
    buckets=LATENCY_BUCKETS,
)
LLM_TOKENS = Counter(
    "pellucid_llm_tokens_total", "Tokens as counted by the endpoint.", ("model", "direction")
)
LLM_COST_USD = Counter(
    "pellucid_llm_cost_usd_total", "Cost by the price list of LLM_PRICES, US dollars.", ("model",)
)
REDIS_SECONDS = Histogram(
    "pellucid_redis_seconds",
    "Time of a command to Redis, by which of the two servers and how it ended.",
    ("server", "outcome"),
    buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1),
)
DROPPED_SPANS = Counter(
    "pellucid_dropped_spans_total",
    "Spans that never reached the collector: the queue was full, or sending failed.",
    ("cause",),
)
FAILED_METRIC_EXPORTS = Counter(
    "pellucid_failed_metric_exports_total", "Times that metrics could not be sent by OTLP."
)
MALICIOUS_ENTRIES = Gauge(
    "pellucid_malicious_entries", "Malicious hosts and addresses that lists name."
)
MALICIOUS_READ_AT = Gauge(
    "pellucid_malicious_read_timestamp_seconds", "When all these lists were last read, since 1970."
)
MALICIOUS_FAILURES = Counter(
    "pellucid_malicious_failures_total", "Lists of malicious places that could not be read."
)
LOOP_LAG_SECONDS = Gauge(
    "pellucid_event_loop_lag_seconds", "How late the event loop ran its last timer."
)
BUILD = Gauge(
    "pellucid_build_info", "Constant 1; what runs, as labels.", ("service", "version", "python")
)


class MetricsServer:
    """`/metrics`, `/livez` and `/readyz`, from a thread so that a busy loop can be seen.

    Args:
        settings: Gives address, port and the service's name.
        health: What `/readyz` reports.
    """

    name = "metrics"

    def __init__(self, settings: ServiceSettings, health: Health) -> None:
        self._settings = settings
        self._health = health
        self.port = settings.metrics_port

    async def start(self) -> None:
        """Begin to answer.

        Raises:
            PortInUseError: Another process has the port.
        """
        settings = self._settings
        with bound(settings.metrics_host, settings.metrics_port, "METRICS_PORT"):
            self._server = ProbeServer(
                settings.metrics_host,
                settings.metrics_port,
                ready=lambda: self._health.ready,
                registry=REGISTRY,
            )
        self.port = self._server.port
        BUILD.labels(
            settings.service_name, version_of(settings.service_name), platform.python_version()
        ).set(1)
        self._lag = asyncio.create_task(self._measure_lag(), name="event-loop-lag")

    async def ended(self) -> None:
        """See `Listener`; the thread is looked at whenever the lag is measured."""
        await asyncio.wait({self._lag})

    async def stop(self, grace_s: float) -> None:
        """Close the port; scrapes take no time worth waiting for."""
        del grace_s
        self._lag.cancel()
        await asyncio.wait([self._lag])
        await asyncio.to_thread(self._server.close)

    async def _measure_lag(self) -> None:
        loop = asyncio.get_running_loop()
        while self._server.is_serving:
            due = loop.time() + _LAG_PERIOD_S
            await asyncio.sleep(_LAG_PERIOD_S)
            LOOP_LAG_SECONDS.set(max(0.0, loop.time() - due))
            self._server.note_alive()
