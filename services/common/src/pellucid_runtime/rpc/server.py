"""The gRPC server of a service, with the chain, health checks and sensible limits."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Self

import grpc
from grpc_health.v1 import health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from pellucid_runtime.health import Health, HealthServicer
from pellucid_runtime.listener import PortInUseError
from pellucid_runtime.rpc.admission import Admission
from pellucid_runtime.rpc.chain import Chain, standard_stages
from pellucid_runtime.rpc.tls import server_credentials
from pellucid_runtime.rpc.unread import Refuses, refuses_nothing
from pellucid_runtime.settings import ServiceSettings

Register = Callable[[grpc.aio.Server], None]

# Time for calls in progress on a connection that is being renewed. Longer than any call, because
# what is still open afterwards is killed.
_CONNECTION_GRACE_S = 3600
# Watches of the health need a moment to end; without it grpc kills them and says so in the log.
_LEAST_GRACE_S = 0.1
# No call for so long means that callers have turned away; they do within a round trip.
_QUIET_S = 0.1
# Callers that watch no health keep calling; a shutdown does not wait for them any longer.
_MOST_QUIET_WAIT_S = 2.0
# Callers may ping this often on a quiet connection; they do every 30 s. A server that expects
# fewer pings than that ends the connection, and the calls that are under way on it.
_PING_INTERVAL_MS = 10_000


class GrpcServer:
    """Listens on `grpc_host:grpc_port`; an asynchronous context manager for tests.

    Args:
        settings: Address, limits and default deadline.
        register: Each adds a servicer, as in
            `lambda server: add_ScorerServiceServicer_to_server(servicer, server)`.
        services: Full names of these services, for health checks and reflection.
        health: Readiness that the health checks report.
        admission: Bound on calls in progress; default `max_concurrent_rpcs`.
        refuses: Is asked about every call before its request is read; default: nothing is refused.
    """

    name = "grpc"

    def __init__(
        self,
        settings: ServiceSettings,
        *,
        register: Sequence[Register],
        services: Sequence[str],
        health: Health,
        admission: Admission | None = None,
        refuses: Refuses = refuses_nothing,
    ) -> None:
        self._settings = settings
        self._register = tuple(register)
        self._services = tuple(services)
        self._admission = admission or Admission(settings.max_concurrent_rpcs)
        stages = standard_stages(settings.default_deadline_s, self._admission, health)
        self._chain = Chain(stages, refuses)
        self._health_servicer = HealthServicer(health, services)
        self.port = settings.grpc_port

    async def start(self) -> None:
        """Begin to answer.

        Raises:
            PortInUseError: Another process has the port.
        """
        self._server = self._build()
        self.port = self._bind()
        await self._server.start()
        self._terminated = asyncio.create_task(self._server.wait_for_termination(), name="grpc")

    async def ended(self) -> None:
        """See `Listener`."""
        await asyncio.wait({self._terminated})

    async def stop(self, grace_s: float = 0.0) -> None:
        """Refuse new calls, give those in progress `grace_s` seconds, then close."""
        self._health_servicer.close()
        await self._quiet(min(grace_s, _MOST_QUIET_WAIT_S))
        await self._server.stop(max(grace_s, _LEAST_GRACE_S))
        await self._terminated

    async def _quiet(self, most_s: float) -> None:
        """Wait until calls have stopped coming, as they do when callers hear of the health.

        grpc cancels what it has received and not handed over yet when a server stops, and callers
        do not retry what was cancelled.
        """
        give_up = asyncio.get_running_loop().time() + most_s
        while asyncio.get_running_loop().time() < give_up:
            begun = self._chain.begun
            await asyncio.sleep(_QUIET_S)
            if self._chain.begun == begun:
                return

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self.stop()

    @property
    def target(self) -> str:
        """Address for `open_channel`."""
        return _address(self._settings.grpc_host, self.port)

    def _build(self) -> grpc.aio.Server:
        server = grpc.aio.server(interceptors=[self._chain], options=self._options())
        health_pb2_grpc.add_HealthServicer_to_server(self._health_servicer, server)
        if self._settings.grpc_reflection:
            reflection.enable_server_reflection([*self._services, reflection.SERVICE_NAME], server)
        for register in self._register:
            register(server)
        return server

    def _options(self) -> list[tuple[str, int]]:
        most = self._settings.grpc_max_message_bytes
        return [
            ("grpc.max_receive_message_length", most),
            ("grpc.max_send_message_length", most),
            # Without this a second process would share the port and take half of the calls.
            ("grpc.so_reuseport", 0),
            ("grpc.max_connection_age_ms", round(self._settings.grpc_max_connection_age_s * 1000)),
            ("grpc.max_connection_age_grace_ms", _CONNECTION_GRACE_S * 1000),
            ("grpc.http2.min_ping_interval_without_data_ms", _PING_INTERVAL_MS),
        ]

    def _bind(self) -> int:
        host, port = self._settings.grpc_host, self._settings.grpc_port
        files = self._settings.tls_files
        try:
            if files is None:
                return self._server.add_insecure_port(_address(host, port))
            return self._server.add_secure_port(_address(host, port), server_credentials(files))
        except RuntimeError as error:
            raise PortInUseError(
                f"port {port} on {host}: cannot be bound, probably in use (setting GRPC_PORT)"
            ) from error


def _address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
