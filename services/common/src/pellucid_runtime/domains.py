"""Host names: the part that somebody registered, by the public suffix list that a package ships.

Nothing is downloaded. Hosting suffixes count, so that two people's pages under ``github.io`` are
two sites.
"""

import ipaddress
from functools import cache, lru_cache
from typing import NamedTuple

import tldextract

LOCAL_LABELS = 2
"""A name under no public suffix (``localhost``, intranets) counts by its last two labels."""


class HostParts(NamedTuple):
    """A host name as its registries divide it.

    Attributes:
        subdomain: Labels before the name; may be empty.
        name: Label that was registered; empty for a bare suffix.
        suffix: Public suffix; empty where there is none.
    """

    subdomain: str
    name: str
    suffix: str


@cache
def _suffixes() -> tldextract.TLDExtract:
    return tldextract.TLDExtract(
        suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True
    )


@lru_cache(maxsize=16_384)
def registrable_domain(host: str) -> str:
    """Return the part of a host that somebody registered; the host itself when there is none.

    Args:
        host: Host name in ASCII, or an IP address, which stays as it is.

    >>> registrable_domain("news.bbc.co.uk"), registrable_domain("someone.github.io")
    ('bbc.co.uk', 'someone.github.io')
    >>> registrable_domain("www.news.localhost"), registrable_domain("192.0.2.1")
    ('news.localhost', '192.0.2.1')
    """
    name = host.lower().rstrip(".")
    if not name or is_address(name):
        return name
    parts = _suffixes().extract_str(name)
    if parts.suffix:
        return parts.top_domain_under_public_suffix or name
    return ".".join(name.split(".")[-LOCAL_LABELS:])


def host_parts(host: str) -> HostParts:
    """Divide a host as the registries of its top-level domain do; hosting suffixes do not count.

    >>> host_parts("docs.example.co.uk")
    HostParts(subdomain='docs', name='example', suffix='co.uk')
    """
    parts = _suffixes().extract_str(host, include_psl_private_domains=False)
    return HostParts(parts.subdomain, parts.domain, parts.suffix)


def is_address(host: str) -> bool:
    """Tell whether a host is an IP address rather than a name.

    >>> is_address("[2001:db8::1]"), is_address("example.com")
    (True, False)
    """
    if ":" not in host and not host[-1:].isdigit():
        return False
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True
