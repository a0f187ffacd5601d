"""What is counted as one host among the addresses of connections."""

from ipaddress import IPv6Address, ip_network


def counted_host(address: str) -> str:
    """An IPv4 address itself; of an IPv6 address its /64 network, as one host may have."""
    bare = address.partition("%")[0]
    if ":" not in bare:
        return address
    try:
        mapped = IPv6Address(bare).ipv4_mapped
        return str(mapped) if mapped else str(ip_network((bare, 64), strict=False))
    except ValueError:
        return address
