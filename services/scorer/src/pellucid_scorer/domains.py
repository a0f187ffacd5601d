"""Hosts and registrable domains of untrusted addresses.

Addresses are read as browsers read them (WHATWG), so that backslashes, user names, full-width
letters and odd IP spellings cannot make a host look like another one. International names are
compared in their ASCII form.
"""

import ipaddress
import re
from functools import cache, lru_cache

import ada_url
import tldextract

LOCAL_LABELS = 2
"""A name under no public suffix (``localhost``, intranets) counts by its last two labels."""


PLAIN = re.compile(r"https?://((?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,63})(?=[/?#]|\Z)")
"""An address whose host reads as it is written, as most do: lower-case names, no port, no user."""


@cache
def _suffixes() -> tldextract.TLDExtract:
    """Return the public suffix list that the package ships, hosting suffixes included."""
    return tldextract.TLDExtract(
        suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True
    )


def host_of(url: str) -> str:
    """Return the host of an absolute address in ASCII lower case; empty when there is none.

    >>> host_of("https://reuters.com@evil.example/")
    'evil.example'
    """
    if plain := PLAIN.match(url):
        return plain[1]
    try:
        return ada_url.URL(url).hostname.rstrip(".")
    except ValueError:
        return ""


@lru_cache(maxsize=8192)
def registrable(host: str) -> str:
    """Return the part of a host that somebody registered; the host itself when there is none.

    >>> registrable("news.bbc.co.uk"), registrable("someone.github.io")
    ('bbc.co.uk', 'someone.github.io')
    """
    if not host or is_address(host):
        return host
    parts = _suffixes().extract_str(host)
    if parts.suffix:
        return parts.top_domain_under_public_suffix or host
    return ".".join(host.split(".")[-LOCAL_LABELS:])


def is_address(host: str) -> bool:
    """Tell whether a host is an IP address rather than a name."""
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


def label(domain: str) -> str:
    """Return the registrable label, the part before the public suffix.

    >>> label("openai.com")
    'openai'
    """
    return domain.partition(".")[0]
