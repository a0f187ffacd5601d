"""What the operator allows beyond the rule: hosts by name and port, and fixed addresses of names.

Decides only on names and ports. An exemption is never inherited: each host and port is named, and
``*.`` stands for exactly the subdomains of what follows. Nor is it lent: who may make use of it is
for the gate to say (``gate.Reach``).
"""

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass

from pellucid_fetcher.egress.address import Address, Target, read_host


@dataclass(frozen=True, slots=True)
class NamePattern:
    """A host name, or every name below one when ``below`` is set."""

    name: str
    below: bool

    def matches(self, host: str) -> bool:
        """Tell whether the host is meant.

        >>> NamePattern("localhost", below=True).matches("news.localhost")
        True
        """
        return host.endswith(f".{self.name}") if self.below else host == self.name


@dataclass(frozen=True, slots=True)
class Exemptions:
    """Hosts that are exempt from the range and port rule, and names with fixed addresses."""

    hosts: tuple[tuple[NamePattern, int], ...] = ()
    addresses: tuple[tuple[NamePattern, Address], ...] = ()

    def covers(self, target: Target) -> bool:
        """Tell whether the operator named this host and port."""
        return any(port == target.port and name.matches(target.host) for name, port in self.hosts)

    def address_of(self, host: str) -> Address | None:
        """Return the fixed address of a name; an exact entry beats a wildcard."""
        found = [(name.below, address) for name, address in self.addresses if name.matches(host)]
        return min(found, key=lambda entry: entry[0])[1] if found else None


def read_exemptions(hosts: Sequence[str], addresses: Sequence[str]) -> Exemptions:
    """Read the two settings.

    Args:
        hosts: ``host:port`` entries; the host may begin with ``*.``.
        addresses: ``name=address`` entries; the name may begin with ``*.``.

    Raises:
        ValueError: An entry is malformed; the message quotes it.
    """
    return Exemptions(
        tuple(_host_entry(entry) for entry in hosts),
        tuple(_address_entry(entry) for entry in addresses),
    )


def _host_entry(entry: str) -> tuple[NamePattern, int]:
    host, separator, port = entry.strip().rpartition(":")
    if not separator or not port.isdigit() or not 0 < int(port) <= 0xFFFF:  # noqa: PLR2004 - 16 bit
        raise ValueError(f"{entry!r} is not host:port")
    return _pattern(host, entry), int(port)


def _address_entry(entry: str) -> tuple[NamePattern, Address]:
    name, _, address = entry.strip().partition("=")
    return _pattern(name, entry), ipaddress.ip_address(address.strip().strip("[]"))


def _pattern(name: str, entry: str) -> NamePattern:
    bare = name.strip()
    below = bare.startswith("*.")
    bare = bare.removeprefix("*.")
    if "*" in bare:
        raise ValueError(f"{entry!r} names no host")
    return NamePattern(read_host(bare), below)
