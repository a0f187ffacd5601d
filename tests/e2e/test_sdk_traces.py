"""With the OpenTelemetry SDK's variables set: one trace through all five services, at a sink."""

import re
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass

import httpx
import pytest

from rig.fake_model import FakeModel, serve_model
from rig.installation import Installation, start_installation
from rig.otlp import SCHEDULE, Collector, Span, serve_collector, serve_http_collector
from rig.watched import of_model
from rig.wire import Wire, serve_wire

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(400)]

TRACE = "5cf92f3577b34da6a3ce929d0e0e4737"
BROWSER = "00f067aa0ba902b8"
RESOURCE = "deployment.environment.name=blue,service.namespace=web"
# Baggage of the caller's, which no service knows of.
BAGGAGE = "cohort=blue-lantern"
PORTS = {"decision": 50051, "search": 50052, "scorer": 50053, "fetcher": 50054}
METRICS = {"gateway": 9100, "decision": 9101, "search": 9102, "scorer": 9103, "fetcher": 9104}
DROPPED = re.compile(r'^pellucid_dropped_spans_total\{cause="(\w+)"\} (\S+)', re.MULTILINE)
# Each protocol has an installation, by its port offset.
PROTOCOLS = {"grpc": 13600, "http/protobuf": 13700}
# What test_traces shows goes over gRPC.
EVERY_PROTOCOL = [pytest.param("grpc", marks=pytest.mark.nightly), "http/protobuf"]


@dataclass
class Site:
    """An installation with a sink and a relay before each service.

    Attributes:
        sink: Closes the collector.
    """

    installation: Installation
    collector: Collector
    wires: Mapping[str, Wire]
    sink: ExitStack

    def ask(self, headers: Mapping[str, str], question: str) -> None:
        """Run a turn that needs all five."""
        body = {"message": question, "depth": "deep"}
        reply = httpx.post(
            f"{self.installation.url}/v1/chat",
            json=body,
            headers=headers,
            timeout=90,
            trust_env=False,
        )
        assert reply.status_code == 200, reply.text

    def dropped(self, service: str) -> dict[str, float]:
        """Spans that a service lost so far, by cause."""
        address = f"http://127.0.0.1:{METRICS[service] + self.installation.offset}/metrics"
        text = httpx.get(address, timeout=10, trust_env=False).text
        return {cause: float(count) for cause, count in DROPPED.findall(text)}


def sink_for(protocol: str) -> AbstractContextManager[Collector]:
    return serve_collector() if protocol == "grpc" else serve_http_collector()


@pytest.fixture(scope="module", params=EVERY_PROTOCOL)
def site(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    protocol, offset = request.param, PROTOCOLS[request.param]
    with ExitStack() as stack:
        sink = stack.enter_context(ExitStack())
        collector = sink.enter_context(sink_for(protocol))
        model = stack.enter_context(serve_model(FakeModel(pieces=["Norrvik is led ", "[1]."])))
        wires = {
            name: stack.enter_context(serve_wire(port + offset)) for name, port in PORTS.items()
        }
        running = start_installation(
            tmp_path_factory.mktemp("data"),
            offset,
            {
                "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
                "OTEL_EXPORTER_OTLP_PROTOCOL": protocol,
                "OTEL_SERVICE_NAME": "house-search",
                "OTEL_RESOURCE_ATTRIBUTES": RESOURCE,
                "OTEL_TRACES_SAMPLER": "parentbased_traceidratio",
                "OTEL_TRACES_SAMPLER_ARG": "0",
                "OTEL_PROPAGATORS": "tracecontext,baggage",
                **SCHEDULE,
                **of_model(model),
                **{
                    f"{name.upper()}_TARGET": f"127.0.0.1:{wire.port}"
                    for name, wire in wires.items()
                },
            },
        )
        stack.callback(running.stop)
        running.wait_for_line("ready after")
        yield Site(running, collector, wires, sink)


def test_one_trace_through_all_services_and_lost_spans_are_counted(site: Site) -> None:
    """In one test, because each step needs what the one before left behind."""
    site.ask({}, "Who is the current CEO of Norrvik Cells?")
    assert site.collector.settled() == [], "the sampler keeps no trace that nobody began"

    sampled = {"traceparent": f"00-{TRACE}-{BROWSER}-01", "baggage": BAGGAGE}
    site.ask(sampled, "Who is the current CEO of Norrvik Cells, and since when?")
    spans = site.collector.settled()
    _is_one_trace_of_five(spans)
    for name, wire in site.wires.items():
        assert BAGGAGE.encode() in bytes(wire.said), f"baggage reached {name}"

    assert all(site.dropped(service) == {} for service in METRICS), "nothing was lost so far"
    site.sink.close()
    site.ask(sampled, "Who is the current CEO of Norrvik Cells today?")
    end = time.monotonic() + 60
    while time.monotonic() < end and not all(site.dropped(service) for service in METRICS):
        time.sleep(0.5)
    for service in METRICS:
        assert site.dropped(service).get("export", 0) > 0, service


def _is_one_trace_of_five(spans: list[Span]) -> None:
    assert {span.trace_id for span in spans} == {TRACE}
    known = {span.span_id for span in spans} | {BROWSER}
    assert {span.parent_id for span in spans} <= known, "every span hangs below the browser's"
    assert {span.service for span in spans} == {"house-search"}
    assert len({span.resource["service.instance.id"] for span in spans}) == len(METRICS)
    for span in spans:
        assert span.resource["deployment.environment.name"] == "blue"
        assert span.resource["service.namespace"] == "web"
        assert span.resource["service.version"]
    served = {span.attributes.get("rpc.service", "") for span in spans if span.kind == "SERVER"}
    assert {f"pellucid.{name}.v1.{name.title()}Service" for name in PORTS} <= served
    # The test model answers some calls for JSON with something else; those are errors, and a call
    # that is given up in time has no answer either.
    chats = [span for span in spans if span.name == "chat test-model"]
    told = [span.attributes.get("gen_ai.response.model") for span in chats]
    assert "test-model" in told
    assert set(told) <= {"test-model", None}
