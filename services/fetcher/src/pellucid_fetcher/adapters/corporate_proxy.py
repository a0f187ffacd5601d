"""Leaving through the proxy that an operator named: CONNECT to the checked address.

The name is resolved and checked here as always, and the proxy is asked for the address, so that it
resolves nothing and a name cannot change its mind on the way. What only an exemption of the
operator makes reachable is inside the network and is dialled directly. Proxies that the environment
names are never used.
"""

import ipaddress
from collections.abc import Callable
from dataclasses import dataclass
from ssl import SSLContext
from typing import Any, Final

import httpcore
from httpcore import AsyncNetworkStream

from pellucid_fetcher.adapters.dialling import Dialler, PassingStream
from pellucid_fetcher.egress.proxy_address import ProxyAddress

_MAX_ANSWER_BYTES: Final = 8 * 1024
_GRANTED: Final = b"200"


@dataclass(slots=True, eq=False)
class ProxiedDialler:
    """A dialler that asks the proxy for connections.

    Attributes:
        direct: Reaches the proxy, and what is inside.
        proxy: Where it is.
        trust: Judges the proxy's certificate.
        is_inside: Tells of an address whether it is dialled directly.
    """

    direct: Dialler
    proxy: ProxyAddress
    trust: SSLContext
    is_inside: Callable[[str], bool]

    async def connect(self, address: str, port: int, *, timeout_s: float) -> AsyncNetworkStream:
        """Connect to a checked address, by way of the proxy unless it is inside.

        Raises:
            httpcore.ConnectError, httpcore.ConnectTimeout: It did not work, or the proxy refused.
        """
        if self.is_inside(address):
            return await self.direct.connect(address, port, timeout_s=timeout_s)
        proxy = self.proxy
        stream = await self.direct.connect(proxy.host, proxy.port, timeout_s=timeout_s)
        try:
            if proxy.secure:
                stream = await stream.start_tls(self.trust, proxy.host, timeout_s)
            await self._ask(stream, address, port, timeout_s)
        except BaseException as error:
            await stream.aclose()
            if isinstance(error, httpcore.ReadError | httpcore.WriteError):
                raise httpcore.ConnectError("the proxy broke off") from error
            raise
        return _Tunnel(stream, (address, port))

    async def _ask(
        self, stream: AsyncNetworkStream, address: str, port: int, timeout_s: float
    ) -> None:
        place = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
        lines = [f"CONNECT {place} HTTP/1.1", f"Host: {place}"]
        if self.proxy.authorization:
            lines.append(f"Proxy-Authorization: {self.proxy.authorization}")
        await stream.write("\r\n".join([*lines, "", ""]).encode("ascii"), timeout_s)
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):
            try:
                byte = await stream.read(1, timeout_s)  # what follows belongs to the tunnel
            except httpcore.ReadTimeout as error:
                raise httpcore.ConnectTimeout(str(error)) from error
            answer += byte
            if not byte or len(answer) > _MAX_ANSWER_BYTES:
                raise httpcore.ConnectError("the proxy broke off")
        if answer.split(b" ", 2)[1:2] != [_GRANTED]:
            raise httpcore.ConnectError("the proxy refused")


class _Tunnel(PassingStream):
    """A stream whose peer is the address that the proxy was asked for."""

    def __init__(self, inner: AsyncNetworkStream, peer: tuple[str, int]) -> None:
        super().__init__(inner)
        self._peer = peer

    def get_extra_info(self, info: str) -> Any:
        return self._peer if info == "server_addr" else super().get_extra_info(info)


def is_denied_by(reason_against: Callable[[Any], str | None]) -> Callable[[str], bool]:
    """Return a test for addresses that are reached only by exemption."""
    return lambda address: reason_against(ipaddress.ip_address(address)) is not None
