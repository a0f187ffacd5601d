"""An ASGI application as a listener, in the service's own event loop."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import uvicorn

from pellucid_runtime.http_bounds import Connections, HttpBounds, protocol_class
from pellucid_runtime.listener import StartError, bound
from pellucid_runtime.socket_bounds import socket_class

SOCKET_WORKS = "pellucid.socket_works"
"""Name in the scope of a WebSocket of what is called with `works=True` or `works=False`."""

_BACKLOG = 1024
_OPTIONS: dict[str, Any] = {
    "log_config": None,
    "access_log": False,
    "server_header": False,
    # By itself uvicorn believes what any process of this machine says of the client's address.
    "proxy_headers": False,
}


class _Server(uvicorn.Server):
    """Leaves signals to `pellucid_runtime.service`, and tells when start-up is over."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.start_ended = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start as usual, but leave the process alone when the application cannot."""
        try:
            await super().startup(sockets)
        except SystemExit:
            self.should_exit = True
        finally:
            self.start_ended.set()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture nothing."""
        yield


class _Marking:
    """Lets an application say whether something is in progress on a WebSocket of its own.

    A socket without anything in progress makes room for new connections like any silent one.
    """

    def __init__(self, app: Any, connections: Connections) -> None:
        self._app = app
        self._connections = connections

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve one connection."""
        if scope["type"] == "websocket":
            client = tuple(scope["client"]) if scope.get("client") else None
            scope[SOCKET_WORKS] = partial(self._connections.mark, client)
        await self._app(scope, receive, send)


class HttpServer:
    """Serves HTTP/1.1 and WebSockets with uvicorn.

    Args:
        app: The ASGI application.
        host: Address to listen on.
        port: Port; 0 picks a free one.
        port_setting: Variable to name when the port is taken.
        connections: Bounds of heads, bodies and connections, with what is told of refusals.
        options: Further `uvicorn.Config` options.
    """

    name = "http"

    def __init__(
        self,
        app: Any,
        host: str,
        port: int,
        *,
        port_setting: str = "GATEWAY_PORT",
        connections: Connections | None = None,
        **options: Any,
    ) -> None:
        self._host = host
        self._port_setting = port_setting
        self.port = port
        counted = Connections(HttpBounds()) if connections is None else connections
        bounded = {"http": protocol_class(counted), "ws": socket_class(counted)}
        self._config = uvicorn.Config(_Marking(app, counted), **_OPTIONS | bounded | options)

    async def start(self) -> None:
        """Begin to answer, after the application's own start-up.

        Raises:
            PortInUseError: Another process has the port.
            StartError: The application's start-up failed; its own log tells why.
        """
        listening = self._listen()
        self.port = listening.getsockname()[1]
        self._server = _Server(self._config)
        self._task = asyncio.create_task(self._server.serve([listening]), name="http")
        await asyncio.wait(
            {self._task, asyncio.ensure_future(self._server.start_ended.wait())},
            return_when=asyncio.FIRST_COMPLETED,
        )
        if not self._server.started:
            await self._task
            listening.close()
            raise StartError("the application did not start")

    async def ended(self) -> None:
        """See `Listener`."""
        await asyncio.wait({self._task})
        await self._task

    async def stop(self, grace_s: float = 0.0) -> None:
        """Refuse new requests, give those in progress `grace_s` seconds, then close."""
        # uvicorn counts in whole seconds; 0 would mean not waiting at all, None forever.
        self._server.config.timeout_graceful_shutdown = max(1, round(grace_s))
        self._server.should_exit = True
        await asyncio.wait({self._task})

    def _listen(self) -> socket.socket:
        family = socket.AF_INET6 if ":" in self._host else socket.AF_INET
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.setblocking(False)  # noqa: FBT003 - positional in the standard library
        try:
            with bound(self._host, self.port, self._port_setting):
                listening.bind((self._host, self.port))
                listening.listen(_BACKLOG)
        except StartError:
            listening.close()
            raise
        return listening
