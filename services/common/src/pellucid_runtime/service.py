"""Runs a service: settings, logs, traces, listeners, and a shutdown that loses no call.

Exit codes: 0 after a signal, 1 when it cannot start or has stopped listening by itself, 2 for a
wrong setting.
"""

import asyncio
import gc
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import NoReturn, TypeVar

import structlog
import uvloop
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

from pellucid_runtime.descriptors import watch_descriptors
from pellucid_runtime.health import Health
from pellucid_runtime.listener import Listener, StartError
from pellucid_runtime.settings import ServiceSettings, WrongSettingError, load_settings
from pellucid_runtime.supervision import supervise
from pellucid_runtime.telemetry.logs import configure_logging
from pellucid_runtime.telemetry.tracing import tracer_provider

__all__ = ["Build", "Service", "StartError", "run", "serve"]

S = TypeVar("S", bound=ServiceSettings)

EXIT_CANNOT_START = 1
EXIT_WRONG_SETTING = 2
_FLUSH_TIMEOUT_S = 3.0

_log = structlog.get_logger("pellucid_runtime.service")


@dataclass(frozen=True, slots=True)
class Service:
    """What a composition root makes.

    Attributes:
        name: Name for logs.
        listeners: Started in this order, stopped in reverse.
        health: Told about a shutdown before anything else.
    """

    name: str
    listeners: Sequence[Listener]
    health: Health = field(default_factory=Health)


class ListenerLostError(Exception):
    """A listener ended while the service ran; the text names it."""


Build = Callable[[S, AsyncExitStack], Awaitable[Service]]
Check = Callable[[S], AsyncIterator[str]]


def run(build: Build[S], settings_class: type[S], *, check: Check[S] | None = None) -> NoReturn:
    """Run until SIGTERM or SIGINT; `--check` only validates the settings.

    Args:
        build: Opens resources on the stack, which is closed last, and wires them.
        settings_class: Read from the environment.
        check: Gives further lines for `--check`: what else was tried and found.
    """
    sys.exit(_run(build, settings_class, check))


def _run(build: Build[S], settings_class: type[S], check: Check[S] | None) -> int:
    try:
        settings = load_settings(settings_class)
    except WrongSettingError as error:
        name = settings_class.__name__.removesuffix("Settings").lower()
        return _fail(f"{name}: wrong setting: {error}", EXIT_WRONG_SETTING)
    if "--check" in sys.argv[1:]:
        sys.stdout.write(f"{settings.service_name}: settings are valid\n")
        if check is not None:
            asyncio.run(_tell(check(settings), settings.service_name))
        return 0
    configure_logging(settings)
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(serve(build, settings))
    except StartError as error:
        return _fail(f"{settings.service_name}: cannot start: {error}", EXIT_CANNOT_START)
    except ListenerLostError as error:
        return _fail(f"{settings.service_name}: {error}", EXIT_CANNOT_START)
    return 0


async def _tell(lines: AsyncIterator[str], name: str) -> None:
    async for line in lines:
        sys.stdout.write(f"{name}: {line}\n")


def _fail(line: str, code: int) -> int:
    sys.stderr.write(line + "\n")
    return code


async def serve(build: Build[S], settings: S) -> None:
    """Start everything, wait for a signal, drain, close.

    Raises:
        StartError: A port is taken, or the composition root found something missing.
        ListenerLostError: One ended by itself; the others were drained and stopped.
    """
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    async with AsyncExitStack() as stack:
        provider = tracer_provider(settings)
        trace.set_tracer_provider(provider)
        stack.push_async_callback(_flush, provider)
        if settings.pushes_metrics:
            from pellucid_runtime.telemetry.otlp_metrics import push_metrics

            push_metrics(settings, stack)
        service = await _unless(stopping, build(settings, stack))
        if service is not None:
            await _serve(service, settings, stopping)
    _log.info("stopped")


async def _unless(stopping: asyncio.Event, building: Awaitable[Service]) -> Service | None:
    """What is built, or None when a signal comes first: loading a model takes its time."""
    built = asyncio.ensure_future(building)
    stopped = asyncio.ensure_future(stopping.wait())
    await asyncio.wait({built, stopped}, return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    if not built.done():
        built.cancel()
        await asyncio.wait([built])
        return None
    return built.result()


async def _serve(service: Service, settings: ServiceSettings, stopping: asyncio.Event) -> None:
    async with AsyncExitStack() as started:
        for listener in service.listeners:
            await listener.start()
            started.push_async_callback(listener.stop, settings.shutdown_grace_s)
        # What stands now stays: going through all of it again and again would only hold work up.
        gc.collect()
        gc.freeze()
        ports = {listener.name: listener.port for listener in service.listeners}
        _log.info("listening", **ports, ready=service.health.ready)
        supervise(started, "descriptors", lambda: watch_descriptors(service.health))
        lost = await _first_lost(service.listeners, stopping)
        _log.info("stopping", grace_s=settings.shutdown_grace_s)
        service.health.enter_graceful_shutdown()
        await asyncio.sleep(settings.drain_delay_s)
    if lost:
        raise ListenerLostError(f"{lost} no longer listens")


async def _first_lost(listeners: Sequence[Listener], stopping: asyncio.Event) -> str:
    """Wait for the signal, or for a listener that ends by itself; its name, else nothing.

    A process that no longer answers is of no use to anybody, however alive the rest of it is:
    whoever started it starts it again.
    """
    signalled = asyncio.create_task(stopping.wait())
    watched = {asyncio.create_task(one.ended()): one.name for one in listeners}
    done, _ = await asyncio.wait({signalled, *watched}, return_when=asyncio.FIRST_COMPLETED)
    for task in (signalled, *watched):
        task.cancel()
    ended = await asyncio.gather(*watched, return_exceptions=True)
    if signalled in done:
        return ""
    for (task, name), outcome in zip(watched.items(), ended, strict=True):
        if task in done:
            _log.error("listener_lost", listener=name, cause=type(outcome).__name__)
            return name
    return ""


async def _flush(provider: TracerProvider) -> None:
    """Send the last spans; a dead collector must not hold up the exit."""
    flushed = asyncio.to_thread(provider.shutdown)
    try:
        await asyncio.wait_for(flushed, _FLUSH_TIMEOUT_S)
    except TimeoutError:
        _log.warning("traces_lost")
