"""What the egress gate hands out: permission to dial, and how far a request may go."""

import ipaddress
from dataclasses import dataclass
from enum import StrEnum

from pellucid_fetcher.egress.address import Address, Target


class Reach(StrEnum):
    """On whose behalf something is asked, and with that how far it may go."""

    # Only hosts that the operator named.
    NAMED = "named"
    # Those and the public web: an address that was asked for directly, and what a named host leads
    # to.
    ALL = "all"
    # Only the public web. A public page must not use the operator's exemptions: it would act, with
    # the place of this service in the network, on hosts that its author cannot reach.
    PUBLIC = "public"


@dataclass(frozen=True, slots=True)
class Clearance:
    """Permission to dial one target at checked addresses, in this order."""

    target: Target
    addresses: tuple[Address, ...]
    exempt: bool

    def holds_for(self, peer: str) -> bool:
        """Tell whether a connected peer is one of the checked addresses."""
        try:
            return _unmapped(ipaddress.ip_address(peer)) in map(_unmapped, self.addresses)
        except ValueError:
            return False


def _unmapped(address: Address) -> Address:
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address
