"""Which IP addresses are public enough to be asked.

Decides by an own table (``ranges.yaml``) instead of the standard library's ``is_global``, whose
answers change between patch releases and miss addresses that carry another one inside.
"""

import ipaddress
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

import yaml

from pellucid_fetcher.egress.address import Address

_IPV4_BITS: Final = 0xFFFFFFFF
_Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True, slots=True)
class Embedding:
    """An IPv6 range that carries an IPv4 address ``shift`` bits above the lowest."""

    range: _Network
    shift: int
    inverted: bool

    def inner(self, address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
        """Return the carried address, or nothing when this range does not apply."""
        if address not in self.range:
            return None
        bits = (int(address) >> self.shift) & _IPV4_BITS
        return ipaddress.IPv4Address(bits ^ _IPV4_BITS if self.inverted else bits)


@dataclass(frozen=True, slots=True)
class RangeRule:
    """The table, ready to ask.

    Attributes:
        denied: Ranges with a reason word.
        ipv6_global: The only IPv6 space that may be asked.
        embeddings: Ranges that carry an IPv4 address.
        reserved_suffixes: Names that mean something only inside a network.
    """

    denied: tuple[tuple[_Network, str], ...]
    ipv6_global: ipaddress.IPv6Network
    embeddings: tuple[Embedding, ...]
    reserved_suffixes: tuple[str, ...]

    def reason_against(self, address: Address) -> str | None:
        """Return why the address may not be asked, or nothing when it may."""
        for network, reason in self.denied:
            if address.version == network.version and address in network:
                return reason
        return self._against_ipv6(address) if isinstance(address, ipaddress.IPv6Address) else None

    def _against_ipv6(self, address: ipaddress.IPv6Address) -> str | None:
        if address.scope_id is not None:
            return "zone"
        for embedding in self.embeddings:
            inner = embedding.inner(address)
            if inner is not None and self.reason_against(inner) is not None:
                return "embedded_address"
        return None if address in self.ipv6_global else "not_global_ipv6"

    def is_reserved_name(self, host: str) -> bool:
        """Tell whether a name is single-label or under a suffix of inner networks."""
        return "." not in host or any(
            host == suffix or host.endswith(f".{suffix}") for suffix in self.reserved_suffixes
        )


def load_rule(extra: Sequence[str] = ()) -> RangeRule:
    """Read the shipped table and add the operator's ranges.

    Args:
        extra: CIDR texts, for example the pod and service networks of the cluster.

    Raises:
        ValueError: A range is malformed.
    """
    table = yaml.safe_load(files(__package__).joinpath("ranges.yaml").read_text("utf-8"))
    return RangeRule(
        denied=(*_denied(table), *((ipaddress.ip_network(cidr), "operator") for cidr in extra)),
        ipv6_global=ipaddress.IPv6Network(table["ipv6_global"]),
        embeddings=tuple(_embedding(entry) for entry in table["embedded"]),
        reserved_suffixes=tuple(table["reserved_suffixes"]),
    )


def _denied(table: Mapping[str, Any]) -> tuple[tuple[_Network, str], ...]:
    entries = [*table["ipv4"], *table["ipv6"]]
    return tuple((ipaddress.ip_network(entry["range"]), entry["reason"]) for entry in entries)


def _embedding(entry: Mapping[str, Any]) -> Embedding:
    network = ipaddress.ip_network(entry["range"])
    return Embedding(network, entry["shift"], entry.get("inverted", False))
