"""Tells the machine's own addresses, public ones included, from all others."""

import socket

from pellucid_fetcher.egress.address import Address

_ANY_PORT = 9


def is_own(address: Address) -> bool:
    """Whether the kernel would deliver to this machine itself.

    A datagram socket is pointed there and nothing is sent: to one of its own addresses, and to no
    other, the kernel goes from that same address. So addresses that come and go need no list. One
    that a router translates to this machine is not seen.
    """
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6  # noqa: PLR2004 - IPv4
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as pointed:
            pointed.connect((str(address), _ANY_PORT))
            return str(pointed.getsockname()[0]) == str(address)
    except OSError:
        return False
