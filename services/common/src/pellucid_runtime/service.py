"""Runs a service: settings, logs, traces, listeners, and a shutdown that loses no call.

Exit codes: 0 after a signal, 1 when it cannot start, 2 for a wrong setting.
"""

import asyncio
import gc
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import NoReturn, TypeVar

import structlog
import uvloop
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

from pellucid_runtime.health import Health
from pellucid_runtime.listener import Listener, StartError
from pellucid_runtime.logs import configure_logging
from pellucid_runtime.settings import ServiceSettings, WrongSettingError, load_settings
from pellucid_runtime.tracing import tracer_provider

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


Build = Callable[[S, AsyncExitStack], Awaitable[Service]]


def run(build: Build[S], settings_class: type[S]) -> NoReturn:
    """Run until SIGTERM or SIGINT; `--check` only validates the settings.

    Args:
        build: Opens resources on the stack, which is closed last, and wires them.
        settings_class: Read from the environment.
    """
    sys.exit(_run(build, settings_class))


def _run(build: Build[S], settings_class: type[S]) -> int:
    try:
        settings = load_settings(settings_class)
    except WrongSettingError as error:
        name = settings_class.__name__.removesuffix("Settings").lower()
        return _fail(f"{name}: wrong setting: {error}", EXIT_WRONG_SETTING)
    if "--check" in sys.argv[1:]:
        sys.stdout.write(f"{settings.service_name}: settings are valid\n")
        return 0
    configure_logging(settings)
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(serve(build, settings))
    except StartError as error:
        return _fail(f"{settings.service_name}: cannot start: {error}", EXIT_CANNOT_START)
    return 0


def _fail(line: str, code: int) -> int:
    sys.stderr.write(line + "\n")
    return code


async def serve(build: Build[S], settings: S) -> None:
    """Start everything, wait for a signal, drain, close.

    Raises:
        StartError: A port is taken, or the composition root found something missing.
    """
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    async with AsyncExitStack() as stack:
        provider = tracer_provider(settings)
        trace.set_tracer_provider(provider)
        stack.push_async_callback(_flush, provider)
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
        await stopping.wait()
        _log.info("stopping", grace_s=settings.shutdown_grace_s)
        service.health.enter_graceful_shutdown()
        await asyncio.sleep(settings.drain_delay_s)


async def _flush(provider: TracerProvider) -> None:
    """Send the last spans; a dead collector must not hold up the exit."""
    flushed = asyncio.to_thread(provider.shutdown)
    try:
        await asyncio.wait_for(flushed, _FLUSH_TIMEOUT_S)
    except TimeoutError:
        _log.warning("traces_lost")
