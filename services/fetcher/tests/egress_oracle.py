"""What was dialled, judged without the code under test.

The oracle knows inner space from the standard library and from a list of its own, so that a mistake
in the fetcher's table does not excuse itself.
"""

import ipaddress
from typing import Final

import httpcore
from hostile_urls import answers

PORTS: Final = frozenset({80, 443, 8080, 8443})
_MORE_INNER: Final = tuple(
    ipaddress.ip_network(text)
    for text in ("100.64.0.0/10", "168.63.129.16/32", "224.0.0.0/4", "240.0.0.0/4", "192.0.0.0/24",
                 "198.18.0.0/15", "2002::/16", "2001::/23", "64:ff9b::/96", "fec0::/10")
)  # fmt: skip


def is_allowed(address: str, port: int) -> bool:
    """Tell whether dialling this place is right."""
    ip = ipaddress.ip_address(address)
    if ip.version == 6 and ip not in ipaddress.ip_network("2000::/3"):
        return False
    inner = any(ip.version == net.version and ip in net for net in _MORE_INNER)
    return port in PORTS and ip.is_global and not ip.is_multicast and not inner


class HostileResolver:
    """Answers every name; a second question to a name that rebinds leads inside."""

    def __init__(self) -> None:
        self.asked = 0

    async def resolve(self, host: str) -> tuple[str, ...]:
        self.asked += 1
        return answers(host)


class JudgedDialler:
    """Dials nothing; remembers what it was asked for and what of it was wrong."""

    def __init__(self) -> None:
        self.dialled = 0
        self.wrong: list[tuple[str, int]] = []
        self.answer = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\nok"

    async def connect(
        self, address: str, port: int, *, timeout_s: float
    ) -> httpcore.AsyncNetworkStream:
        del timeout_s
        self.dialled += 1
        if not is_allowed(address, port):
            self.wrong.append((address, port))
        return _Scripted(self.answer, (address, port))


class _Scripted(httpcore.AsyncMockStream):
    def __init__(self, answer: bytes, peer: tuple[str, int]) -> None:
        super().__init__([answer])
        self._peer = peer

    async def start_tls(self, *_: object, **__: object) -> httpcore.AsyncNetworkStream:
        return self

    def get_extra_info(self, info: str) -> object:
        return self._peer if info == "server_addr" else None
