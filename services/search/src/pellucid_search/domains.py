"""Host names: registrable domains and belonging."""

import ipaddress
import re
from functools import lru_cache

import tldextract

# The list that ships with the package; nothing is downloaded.
_EXTRACT = tldextract.TLDExtract(
    suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True
)
_HOST = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*", re.IGNORECASE)
_MAX_HOST = 253


@lru_cache(maxsize=16_384)
def registrable_domain(host: str) -> str:
    """Return the part of a host that somebody registered; an address stays itself.

    >>> registrable_domain("news.bbc.co.uk")
    'bbc.co.uk'
    >>> registrable_domain("www.news.localhost")
    'news.localhost'
    """
    name = host.lower().rstrip(".")
    if is_address(name):
        return name
    if name.endswith(".localhost"):
        return ".".join(name.split(".")[-2:])
    return _EXTRACT.extract_str(name).top_domain_under_public_suffix or name


def is_address(host: str) -> bool:
    """Tell whether a host is an IP address."""
    if ":" not in host and not host[-1:].isdigit():
        return False
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


def belongs_to(host: str, domain: str) -> bool:
    """Tell whether a host is a domain or one of its subdomains; both in lower case."""
    return host == domain or host.endswith("." + domain)


def host_name(text: str) -> str | None:
    """Return a host in lower case and ASCII form; None when it is not one.

    >>> host_name("https://Docs.Example.com/a")
    'docs.example.com'
    >>> host_name("not a host") is None
    True
    """
    name = text.strip().lower().removeprefix("https://").removeprefix("http://")
    name = name.partition("/")[0].rstrip(".")
    if not name.isascii():
        try:
            name = name.encode("idna").decode("ascii")
        except UnicodeError:
            return None
    return name if len(name) <= _MAX_HOST and _HOST.fullmatch(name) else None
