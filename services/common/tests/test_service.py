"""A service as a process: start, settings, signals, and a shutdown that loses no call."""

import asyncio
import json
import os
import signal
import socket
import sys
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
from opentelemetry.proto.collector.trace.v1 import (
    trace_service_pb2,
    trace_service_pb2_grpc,
)
from pellucid.scorer.v1 import scorer_pb2_grpc

from pellucid_runtime.errors import DependencyDownError, ServiceError
from pellucid_runtime.rpc.channel import open_channel

ECHO = Path(__file__).with_name("echo_scorer_service.py")
SCORER = "pellucid.scorer.v1.ScorerService"


@dataclass
class Process:
    """A running echo service."""

    process: asyncio.subprocess.Process
    grpc_port: int
    metrics_port: int
    log: asyncio.Task[bytes]  # read all the time: a full pipe would stop the service

    @property
    def target(self) -> str:
        return f"127.0.0.1:{self.grpc_port}"

    async def end(self) -> tuple[int, str, str]:
        code = await asyncio.wait_for(self.process.wait(), 20)
        assert self.process.stdout is not None
        return code, (await self.process.stdout.read()).decode(), (await self.log).decode()


async def launch(*arguments: str, **settings: object) -> asyncio.subprocess.Process:
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "LANG")}
    return await asyncio.create_subprocess_exec(
        sys.executable,
        str(ECHO),
        *arguments,
        env=kept | {name.upper(): str(value) for name, value in settings.items()},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def outcome(*arguments: str, **settings: object) -> tuple[int, str, str]:
    process = await launch(*arguments, **settings)
    out, err = await asyncio.wait_for(process.communicate(), 20)
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


StartEcho = Callable[..., Awaitable[Process]]


@pytest.fixture
async def start_echo() -> AsyncIterator[StartEcho]:
    async with AsyncExitStack() as stack:

        async def start(**settings: object) -> Process:
            process = await launch(log_format="json", **settings)
            stack.push_async_callback(_kill, process)
            assert process.stderr is not None
            line = json.loads(await asyncio.wait_for(process.stderr.readline(), 20))
            assert line["event"] == "listening"
            log = asyncio.create_task(process.stderr.read())
            return Process(process, line["grpc"], line["metrics"], log)

        yield start


async def _kill(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.kill()
    await process.wait()


async def test_check_validates_and_does_not_start() -> None:
    assert await outcome("--check") == (0, "echo: settings are valid\n", "")


@pytest.mark.parametrize(
    ("settings", "variable", "limit"),
    [
        ({"work_s": 31}, "WORK_S", "less than or equal to 30"),
        ({"grpc_port": 70000}, "GRPC_PORT", "less than or equal to 65535"),
        ({"grpc_port": "abc"}, "GRPC_PORT", "valid integer"),
        ({"log_level": "loud"}, "LOG_LEVEL", "'debug', 'info', 'warning' or 'error'"),
        ({"pellucid_clock": "2026-01-01T00:00:00"}, "PELLUCID_CLOCK", "timezone"),
        ({"redis_url": "http://secret@cache.example"}, "REDIS_URL", "pattern"),
    ],
)
async def test_wrong_setting_stops_with_one_line_naming_it(
    settings: dict[str, object], variable: str, limit: str
) -> None:
    code, out, err = await outcome(**settings)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert err.startswith(f"echo: wrong setting: {variable}: ")
    assert limit in err
    assert "secret" not in err


async def test_empty_variable_counts_as_unset() -> None:
    code, _, err = await outcome("--check", redis_url="", grpc_port="")
    assert (code, err) == (0, "")


@pytest.mark.parametrize("setting", ["GRPC_PORT", "METRICS_PORT"])
async def test_port_in_use_stops_with_one_line(setting: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, _, err = await outcome(log_level="error", **{setting: port})
    assert code == 1
    lines = [line for line in err.splitlines() if line.startswith("echo: cannot start:")]
    assert len(lines) == 1
    assert str(port) in lines[0]
    assert setting in lines[0]
    assert "Traceback" not in err


async def test_second_copy_does_not_share_the_first_ones_port(start_echo: StartEcho) -> None:
    first = await start_echo()
    code, _, err = await outcome(grpc_port=first.grpc_port)
    assert code == 1
    assert "in use" in err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_signal_ends_it_cleanly_and_closes_resources(
    start_echo: StartEcho, number: int
) -> None:
    echo = await start_echo()
    echo.process.send_signal(number)
    code, out, err = await echo.end()
    assert code == 0
    assert out == "resources closed\n"
    events = [json.loads(line)["event"] for line in err.splitlines()]
    assert events == ["stopping", "stopped"]


async def test_signal_during_a_long_start_is_obeyed_at_once() -> None:
    process = await launch(start_s=30, log_format="json")
    assert process.stdout is not None
    assert await asyncio.wait_for(process.stdout.readline(), 20) == b"starting\n"
    process.send_signal(signal.SIGTERM)
    out, _ = await asyncio.wait_for(process.communicate(), 5)
    assert (process.returncode, out) == (0, b"resources closed\n")


async def test_call_in_progress_is_answered_during_shutdown(
    start_echo: StartEcho, ask: Any
) -> None:
    echo = await start_echo(work_s=1.0)
    async with open_channel(echo.target, service=SCORER) as channel:
        call = asyncio.ensure_future(scorer_pb2_grpc.ScorerServiceStub(channel).Similarity(ask))
        await _is_in_hand(echo)
        echo.process.send_signal(signal.SIGTERM)
        assert list((await call).similarities) == [1.0]
    assert (await echo.end())[0] == 0


async def test_shutdown_does_not_wait_longer_than_its_grace(
    start_echo: StartEcho, ask: Any
) -> None:
    echo = await start_echo(work_s=20, shutdown_grace_s=0.3)
    async with open_channel(echo.target, service=SCORER) as channel:
        call = asyncio.ensure_future(scorer_pb2_grpc.ScorerServiceStub(channel).Similarity(ask))
        await _is_in_hand(echo)
        began = asyncio.get_running_loop().time()
        echo.process.send_signal(signal.SIGTERM)
        with pytest.raises((DependencyDownError, ServiceError, asyncio.CancelledError)):
            await call
    assert (await echo.end())[0] == 0
    assert asyncio.get_running_loop().time() - began < 10


@pytest.mark.parametrize("drain_delay_s", [0, 0.3])
async def test_rolling_restart_under_load_loses_no_call(
    start_echo: StartEcho, ask: Any, drain_delay_s: float
) -> None:
    """Two replicas, twenty callers; one replica is told to stop while all of them are calling."""
    replicas = [await start_echo(drain_delay_s=drain_delay_s) for _ in range(2)]
    addresses = ",".join(replica.target for replica in replicas)
    is_over = asyncio.Event()
    answered = 0

    async with open_channel(f"ipv4:{addresses}", service=SCORER) as channel:
        stub = scorer_pb2_grpc.ScorerServiceStub(channel)

        async def call_again_and_again() -> None:
            nonlocal answered
            while not is_over.is_set():
                await stub.Similarity(ask, timeout=5)
                answered += 1

        callers = [asyncio.create_task(call_again_and_again()) for _ in range(20)]
        async with asyncio.timeout(20):
            while answered <= 50:  # noqa: ASYNC110 - there really is load before
                await asyncio.sleep(0.05)
        replicas[0].process.send_signal(signal.SIGTERM)
        code, _, err = await replicas[0].end()
        at_exit = answered
        async with asyncio.timeout(20):
            while answered <= at_exit + 20:  # noqa: ASYNC110 - and after
                await asyncio.sleep(0.05)
        is_over.set()
        await asyncio.gather(*callers)  # raises the first error that any caller saw
    assert code == 0
    served = [json.loads(line) for line in err.splitlines()]
    assert {line["code"] for line in served if line["event"] == "rpc"} == {"OK"}


async def test_metrics_show_build_lag_and_calls(start_echo: StartEcho, ask: Any) -> None:
    echo = await start_echo()
    async with open_channel(echo.target, service=SCORER) as channel:
        await scorer_pb2_grpc.ScorerServiceStub(channel).Similarity(ask)
    page = await _metrics_with(echo, "pellucid_event_loop_lag_seconds")
    assert 'pellucid_build_info{python="3.' in page
    assert f'code="OK",method="/{SCORER}/Similarity"' in page


async def _metrics_with(echo: Process, text: str) -> str:
    """The metrics as soon as they have some text."""
    async with asyncio.timeout(20):
        while True:
            page = await asyncio.to_thread(_get, f"http://127.0.0.1:{echo.metrics_port}/metrics")
            if text in page:
                return page
            await asyncio.sleep(0.05)


async def _is_in_hand(echo: Process) -> None:
    """Wait until the call has arrived."""
    await _metrics_with(
        echo, f'pellucid_grpc_server_in_flight_calls{{method="/{SCORER}/Similarity"}} 1.0'
    )


def _get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=5) as response:
        return response.read().decode()


async def test_unreachable_collector_holds_up_neither_calls_nor_exit(
    start_echo: StartEcho, ask: Any, free_port: int
) -> None:
    echo = await start_echo(otel_exporter_otlp_endpoint=f"http://127.0.0.1:{free_port}")
    async with open_channel(echo.target, service=SCORER) as channel:
        stub = scorer_pb2_grpc.ScorerServiceStub(channel)
        began = asyncio.get_running_loop().time()
        await asyncio.gather(*[stub.Similarity(ask, timeout=2) for _ in range(50)])
        assert asyncio.get_running_loop().time() - began < 1.5
    echo.process.send_signal(signal.SIGTERM)
    began = asyncio.get_running_loop().time()
    assert (await echo.end())[0] == 0
    assert asyncio.get_running_loop().time() - began < 12


class Collector(trace_service_pb2_grpc.TraceServiceServicer):
    """An OpenTelemetry collector that remembers trace ids and names by service."""

    def __init__(self) -> None:
        self.spans: set[tuple[str, str, str]] = set()

    async def Export(self, request: Any, _context: Any) -> Any:  # noqa: N802 - name of the RPC
        for resource in request.resource_spans:
            names = {a.key: a.value.string_value for a in resource.resource.attributes}
            for span in (s for scope in resource.scope_spans for s in scope.spans):
                self.spans.add((names["service.name"], span.trace_id.hex(), span.name))
        return trace_service_pb2.ExportTraceServiceResponse()


async def test_spans_reach_the_collector_before_the_process_ends(
    start_echo: StartEcho, ask: Any
) -> None:
    collector, server = Collector(), grpc.aio.server()
    trace_service_pb2_grpc.add_TraceServiceServicer_to_server(collector, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    echo = await start_echo(otel_exporter_otlp_endpoint=f"http://127.0.0.1:{port}")
    trace_id = "0af7651916cd43dd8448eb211c80319c"
    async with grpc.aio.insecure_channel(echo.target) as channel:
        await scorer_pb2_grpc.ScorerServiceStub(channel).Similarity(
            ask, metadata=[("traceparent", f"00-{trace_id}-b7ad6b7169203331-01")]
        )
    echo.process.send_signal(signal.SIGTERM)
    _, _, log = await echo.end()
    await server.stop(0)
    assert collector.spans == {("pellucid-echo", trace_id, f"{SCORER}/Similarity")}
    assert trace_id in log
