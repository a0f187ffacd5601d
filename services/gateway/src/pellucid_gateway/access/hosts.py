"""Which host names can only mean this machine."""

import ipaddress
from functools import lru_cache

# Names and addresses that are remembered; a machine is asked by few.
_MOST_KNOWN = 1024


@lru_cache(_MOST_KNOWN)
def is_loopback(name: str) -> bool:
    """Whether a host name or address can only mean this machine.

    >>> is_loopback("localhost"), is_loopback("127.0.0.2"), is_loopback("rebind.example")
    (True, True, False)
    """
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
