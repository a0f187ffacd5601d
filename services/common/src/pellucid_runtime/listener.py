"""What a service listens with, and the error when somebody else already does."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Listener(Protocol):
    """A server inside the process."""

    @property
    def name(self) -> str:
        """Name for logs, for example "grpc"."""
        ...

    @property
    def port(self) -> int:
        """The port; the real one after `start` when 0 was asked for."""
        ...

    async def start(self) -> None:
        """Begin to answer.

        Raises:
            PortInUseError: Another process has the port.
        """
        ...

    async def ended(self) -> None:
        """Wait until it no longer answers although nobody stopped it; may raise what ended it."""
        ...

    async def stop(self, grace_s: float) -> None:
        """Refuse new calls, give those in progress `grace_s` seconds, and close."""
        ...


class StartError(Exception):
    """A service cannot start; the text is one line for the operator."""


class PortInUseError(StartError):
    """Another process listens there; the text names address, port and setting."""


@contextmanager
def bound(host: str, port: int, setting: str) -> Iterator[None]:
    """Name the setting when the enclosed binding finds the port taken or not permitted."""
    try:
        yield
    except OSError as error:
        cause = "is already in use" if error.errno == errno.EADDRINUSE else str(error.strerror)
        raise PortInUseError(f"port {port} on {host}: {cause} (setting {setting})") from error
