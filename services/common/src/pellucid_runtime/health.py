"""Whether the service can take traffic, told over grpc.health.v1.

Ready means that every named component is ready and that the service is not shutting down. A
component is something of this process (a loaded model, an opened index), never another service:
a lost dependency degrades answers and must not take the whole service out of rotation.
"""

import asyncio
from collections.abc import Iterable, Mapping

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

# Name for liveness probes: serving for as long as the event loop runs.
LIVE = "live"

_Response = health_pb2.HealthCheckResponse
_Context = grpc.aio.ServicerContext[health_pb2.HealthCheckRequest, health_pb2.HealthCheckResponse]


class Component:
    """One part that must be ready. Only to be used from the event loop's thread."""

    def __init__(self, health: "Health", name: str) -> None:
        self._health = health
        self._name = name

    def set_ready(self) -> None:
        """Say that it can work."""
        self._health.set_component(self._name, ready=True)

    def set_not_ready(self) -> None:
        """Say that it cannot work."""
        self._health.set_component(self._name, ready=False)


class Health:
    """Readiness of named components, and the news of its change."""

    def __init__(self) -> None:
        self._components: dict[str, bool] = {}
        self._stopping = False
        self._changed = asyncio.Event()

    def component(self, name: str, *, ready: bool = False) -> Component:
        """Register a component, not ready unless said otherwise."""
        self.set_component(name, ready=ready)
        return Component(self, name)

    def set_component(self, name: str, *, ready: bool) -> None:
        """Record a component's state."""
        self._components[name] = ready
        self.wake_watchers()

    def enter_graceful_shutdown(self) -> None:
        """Be not ready from now on, whatever the components say."""
        self._stopping = True
        self.wake_watchers()

    @property
    def ready(self) -> bool:
        """Every component is ready and the service is not shutting down."""
        return not self._stopping and all(self._components.values())

    @property
    def components(self) -> Mapping[str, bool]:
        """State of each component by name."""
        return dict(self._components)

    @property
    def changed(self) -> asyncio.Event:
        """Set at the next change. Take it before reading `ready`, so that no change is missed."""
        return self._changed

    def wake_watchers(self) -> None:
        """Have whoever waits for a change look again."""
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()


class HealthServicer(health_pb2_grpc.HealthServicer):
    """grpc.health.v1 over a `Health`.

    Args:
        health: What is reported.
        services: Full names that are answered, besides the overall "" and `LIVE`.
    """

    def __init__(self, health: Health, services: Iterable[str]) -> None:
        self._health = health
        self._services = frozenset(services) | {""}
        self._is_closed = False

    def close(self) -> None:
        """End the watches, which would otherwise hold up the server's shutdown."""
        self._is_closed = True
        self._health.wake_watchers()

    def _status(self, service: str) -> int:
        if service == LIVE:
            return _Response.SERVING
        if service not in self._services:
            return _Response.SERVICE_UNKNOWN
        return _Response.SERVING if self._health.ready else _Response.NOT_SERVING

    async def Check(  # noqa: N802 - name of the RPC
        self,
        request: health_pb2.HealthCheckRequest,
        context: _Context,
    ) -> health_pb2.HealthCheckResponse:
        """Answer the present status; NOT_FOUND for a service that is not here."""
        status = self._status(request.service)
        if status == _Response.SERVICE_UNKNOWN:
            await context.abort(grpc.StatusCode.NOT_FOUND, "no such service")
        return health_pb2.HealthCheckResponse(status=status)

    async def Watch(  # noqa: N802 - name of the RPC
        self,
        request: health_pb2.HealthCheckRequest,
        context: _Context,
    ) -> None:
        """Send the present status and then each change, until the caller or the server leaves."""
        last = None
        while True:
            changed = self._health.changed
            status = self._status(request.service)
            if status != last:
                await context.write(health_pb2.HealthCheckResponse(status=status))
                last = status
            if self._is_closed:
                return
            await changed.wait()
