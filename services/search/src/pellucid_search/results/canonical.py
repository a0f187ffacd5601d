"""Canonical addresses: which spellings lead to one page.

`canonical_url` is safe to open; `page_key` is only for comparing and forgets more (scheme, `www`,
slash at the end, order of parameters).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from urllib.parse import unquote

import ada_url
import yaml

_SUBDOMAIN_LABELS = 3
_MOBILE = re.compile(r"^(?:m|mobile|amp|touch)\.(?=[^.]+\.[^.]+)")
_WIKI_MOBILE = re.compile(r"^([a-z-]+)\.m\.(wikipedia|wiktionary|wikinews|wikivoyage)\.org$")
_INDEX = re.compile(r"/(?:index|default)\.(?:html?|php|aspx?|jsp|shtml|cgi)$", re.IGNORECASE)
_AMP_TAIL = re.compile(r"(?:/amp)+(?=/*$)|(?<=[^/])\.amp$", re.IGNORECASE)
_LAST_SLASHES = re.compile(r"/{2,}$")
_AMP_HTML = re.compile(r"\.amp(?=\.html?$)", re.IGNORECASE)
_AMP_VIEWER = re.compile(r"^/amp/s/(?=[^/]+\.[^/]+)", re.IGNORECASE)
_AMP_CACHE = re.compile(r"/[a-z]/(s/)?([^/]+\.[^/]+.*)")
_AMP_PARAMS = frozenset({"amp", "amp=1", "amp=true", "outputtype=amp", "output=amp"})
# The parser's own spelling of a web address without user and password.
_PARTS = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[^\]]*\]|[^/:@]+)(?P<port>:\d+)?(?P<path>/[^?#]*)"
    r"(?:\?(?P<query>[^#]*))?(?P<fragment>#.*)?"
)
# Each pass removes at least one thing; real addresses need one or two.
_MAX_PASSES = 12
_MAX_URL = 2_048
_ROUTES = ("#!", "#/")


@dataclass(frozen=True, slots=True)
class _Tracking:
    prefixes: tuple[str, ...]
    names: frozenset[str]


@lru_cache(maxsize=1)
def _tracking() -> _Tracking:
    table = yaml.safe_load((files("pellucid_search") / "policy/tracking.yaml").read_text("utf-8"))
    return _Tracking(tuple(table["prefixes"]), frozenset(table["names"]))


def canonical_url(url: str) -> str | None:
    """Return the canonical spelling of an http(s) address; None for anything else.

    Host in lower case, no default port, fragment, tracking parameters, AMP or mobile form, or
    `index.*` at the end. A slash at the end stays: a plain file server knows a folder only with it.
    Idempotent. Addresses with a password are refused.

    >>> canonical_url("HTTP://m.Example.com:80/a/index.html?utm_source=x#top")
    'http://example.com/a/'
    """
    present = url.strip()
    for _ in range(_MAX_PASSES):
        following = _one_pass(present)
        if following is None or following == present:
            return following
        present = following
    return present


def host_of(canonical: str) -> str:
    """Return the host of a canonical address.

    >>> host_of("https://docs.example.com:8443/a")
    'docs.example.com'
    """
    parts = _PARTS.match(canonical)
    return parts["host"] if parts else ""


def _one_pass(url: str) -> str | None:
    if len(url) > _MAX_URL:
        return None
    try:
        parts = _PARTS.fullmatch(ada_url.URL(url).href)
    except ValueError:
        return None
    if parts is None:
        return None
    scheme, host, port, path, query, fragment = parts.groups("")
    viewed = _behind_amp_viewer(host, path)
    if viewed:
        return f"{viewed}?{query}" if query else viewed
    query = _without_tracking(query)
    path = _tidy_path(path, has_query=bool(query))
    # Such a fragment names a page of its own in an application that runs in the browser.
    fragment = fragment if fragment.startswith(_ROUTES) else ""
    mark = "?" if query else ""
    return f"{scheme}://{_desktop_host(host)}{port}{path}{mark}{query}{fragment}"


def _behind_amp_viewer(host: str, path: str) -> str | None:
    """Return the page that Google's AMP viewer or cache shows."""
    if host in {"www.google.com", "google.com"} and _AMP_VIEWER.match(path):
        return "https://" + _AMP_VIEWER.sub("", path)
    match = _AMP_CACHE.match(path) if host.endswith(".cdn.ampproject.org") else None
    return f"{'https' if match[1] else 'http'}://{match[2]}" if match else None


def _desktop_host(host: str) -> str:
    wiki = _WIKI_MOBILE.match(host) if host.endswith(".org") else None
    if wiki:
        return f"{wiki[1]}.{wiki[2]}.org"
    return _MOBILE.sub("", host.rstrip(".")) or host


def _tidy_path(path: str, *, has_query: bool) -> str:
    if "amp" in path.lower():
        path = _AMP_HTML.sub("", _AMP_TAIL.sub("", path))
    # With parameters, index.php is often the program that tells pages apart.
    if not has_query:
        path = _INDEX.sub("/", path)
    return _LAST_SLASHES.sub("/", path) or "/"


def _without_tracking(query: str) -> str:
    return "&".join(pair for pair in query.split("&") if pair and not _is_tracking(pair))


def _is_tracking(pair: str) -> bool:
    name = unquote(pair.partition("=")[0]).lower()
    table = _tracking()
    return (
        name in table.names
        or name.startswith(table.prefixes)
        or pair.lower().rstrip("=") in _AMP_PARAMS
    )


def page_key(canonical: str) -> str:
    """Return what two canonical addresses of one page have in common.

    >>> page_key("https://www.example.com/a/?y=2&x=1") == page_key("http://example.com/a?x=1&y=2")
    True
    """
    rest = canonical.partition("://")[2]
    rest, bang, fragment = rest.partition("#")
    address, mark, query = rest.partition("?")
    host, slash, path = address.partition("/")
    # The order of names says nothing; that of one name's values may.
    ordered = "&".join(sorted(query.split("&"), key=lambda pair: pair.partition("=")[0]))
    place = _decoded(path.rstrip("/"))
    return f"{_without_www(host)}{slash}{place}{mark}{ordered}{bang}{fragment}"


def _without_www(host: str) -> str:
    bare = host.removeprefix("www.")
    return bare if len(host.split(".")) >= _SUBDOMAIN_LABELS else host


# Letters, digits and "-._~" mean the same with and without percent encoding (RFC 3986, 2.3).
_UNRESERVED = re.compile(
    r"%(4[1-9A-F]|5[0-9A]|6[1-9A-F]|7[0-9A]|3[0-9]|2[DE]|5F|7E)", re.IGNORECASE
)
_upper: Callable[[re.Match[str]], str] = lambda match: match[0].upper()  # noqa: E731


def _decoded(path: str) -> str:
    if "%" not in path:
        return path
    plain = _UNRESERVED.sub(lambda match: chr(int(match[1], 16)), path)
    return re.sub(r"%[0-9a-fA-F]{2}", _upper, plain)
