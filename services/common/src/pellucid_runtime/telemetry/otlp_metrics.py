"""Sends what Prometheus would read to an OTLP collector, where OTEL_METRICS_EXPORTER asks for it.

The instruments stay Prometheus' own, so that both see the same numbers under the same names.
"""

import asyncio
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AsyncExitStack
from itertools import pairwise

from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    Gauge,
    Histogram,
    HistogramDataPoint,
    Metric,
    MetricExporter,
    MetricExportResult,
    MetricsData,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
    Sum,
)
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from prometheus_client import REGISTRY, CollectorRegistry
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.samples import Sample

from pellucid_runtime.settings import ServiceSettings
from pellucid_runtime.supervision import supervise
from pellucid_runtime.telemetry.metrics import FAILED_METRIC_EXPORTS
from pellucid_runtime.telemetry.tracing import otlp_exporter, resource_of

_SCOPE = InstrumentationScope("pellucid_runtime")
_CUMULATIVE = AggregationTemporality.CUMULATIVE
_MS = 1_000

Labels = tuple[tuple[str, str], ...]


def push_metrics(settings: ServiceSettings, stack: AsyncExitStack) -> None:
    """Begin to send."""
    pusher = _Pusher(otlp_exporter(settings, "metric"), resource_of(settings))
    stack.push_async_callback(pusher.close)
    interval_s = settings.otel_metric_export_interval / _MS

    async def push_regularly() -> None:
        while True:
            await asyncio.sleep(interval_s)
            await pusher.push()

    supervise(stack, "otlp-metrics", push_regularly)


class _Pusher:
    """Sends the registry of this process."""

    def __init__(self, exporter: MetricExporter, resource: Resource) -> None:
        self._exporter = exporter
        self._resource = resource
        self._begun = time.time_ns()

    async def push(self) -> None:
        """Send once; what cannot be sent is counted, and sent with the next."""
        told = as_otlp(REGISTRY, self._resource, begun=self._begun, now=time.time_ns())
        result = await asyncio.to_thread(self._exporter.export, told)
        if result is not MetricExportResult.SUCCESS:
            FAILED_METRIC_EXPORTS.inc()

    async def close(self) -> None:
        """Send the last state."""
        await self.push()
        await asyncio.to_thread(self._exporter.shutdown)


def as_otlp(
    registry: CollectorRegistry, resource: Resource, *, begun: int, now: int
) -> MetricsData:
    """What a registry holds, as the SDK's exporters take it.

    Args:
        registry: Prometheus' instruments.
        resource: Who sends it.
        begun: When counting began, in ns since 1970.
        now: In the same.
    """
    found = (_metric(family, begun, now) for family in registry.collect())
    metrics = [metric for metric in found if metric is not None]
    scopes = [ScopeMetrics(scope=_SCOPE, metrics=metrics, schema_url="")]
    return MetricsData([ResourceMetrics(resource=resource, scope_metrics=scopes, schema_url="")])


def _metric(family: Family, begun: int, now: int) -> Metric | None:
    data: Sum | Gauge | Histogram
    match family.type:
        case "counter":
            totals = (s for s in family.samples if s.name.endswith("_total"))
            points = [_number(sample, begun, now) for sample in totals]
            data = Sum(points, aggregation_temporality=_CUMULATIVE, is_monotonic=True)
        case "gauge" | "info" | "unknown":
            data = Gauge([_number(sample, begun, now) for sample in family.samples])
        case "histogram":
            spread = list(_histograms(family.samples, begun, now))
            data = Histogram(spread, aggregation_temporality=_CUMULATIVE)
        case _:
            return None
    return Metric(name=family.name, description=family.documentation, unit="", data=data)


def _number(sample: Sample, begun: int, now: int) -> NumberDataPoint:
    return NumberDataPoint(
        attributes=dict(sample.labels),
        start_time_unix_nano=begun,
        time_unix_nano=now,
        value=sample.value,
    )


def _histograms(samples: Iterable[Sample], begun: int, now: int) -> Iterator[HistogramDataPoint]:
    """One point for each set of labels; Prometheus counts all below a bound, OTLP between two."""
    below: dict[Labels, list[tuple[float, float]]] = {}
    sums: dict[Labels, float] = {}
    for sample in samples:
        labels = {name: value for name, value in sample.labels.items() if name != "le"}
        key = tuple(sorted(labels.items()))
        if sample.name.endswith("_bucket"):
            below.setdefault(key, []).append((float(sample.labels["le"]), sample.value))
        elif sample.name.endswith("_sum"):
            sums[key] = sample.value
    for key, buckets in below.items():
        yield _spread(key, sorted(buckets), sums.get(key, 0.0), (begun, now))


def _spread(
    key: Labels, buckets: Sequence[tuple[float, float]], total: float, when: tuple[int, int]
) -> HistogramDataPoint:
    counts = [int(count) for _, count in buckets]
    return HistogramDataPoint(
        attributes=dict(key),
        start_time_unix_nano=when[0],
        time_unix_nano=when[1],
        count=counts[-1],
        sum=total,
        bucket_counts=[counts[0], *(after - before for before, after in pairwise(counts))],
        explicit_bounds=[bound for bound, _ in buckets[:-1]],
        # Prometheus keeps neither; the wire format has them optional.
        min=None,  # type: ignore[arg-type]
        max=None,  # type: ignore[arg-type]
    )
