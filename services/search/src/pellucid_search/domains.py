"""Host names: their one spelling, which belong to a domain, and which a request wants."""

import re
from collections.abc import Iterable, Sequence

_HOST = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*", re.IGNORECASE)
_MAX_HOST = 253


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


def is_wanted(host: str, *, include: Sequence[str], exclude: Iterable[str]) -> bool:
    """Apply a request's own filters to a host; all in lower case."""
    if any(belongs_to(host, domain) for domain in exclude):
        return False
    return not include or any(belongs_to(host, domain) for domain in include)
