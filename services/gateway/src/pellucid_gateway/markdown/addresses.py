"""Addresses that an answer may contain: those of its sources and those that the client wrote."""

import re
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import unquote, urlsplit

_WRITTEN = re.compile(r"https?://[^\s<>\"'`|\\^{}]+", re.IGNORECASE)
# What readers leave out of a bare address, or take into it, at its end.
_TAIL = ".,;:!?'\"*_~)]}>"
# Of one conversation; more are no longer told apart from what a page planted.
_MOST_OWN = 1_000


class Addresses:
    """What may be linked, and what may be shown as an image.

    Args:
        sources: Address of each source by its number.
        own: Texts of the client, whose addresses the answer may repeat, images included.
        answers: Earlier answers, whose addresses it may link but not show: who wrote them may have
            been told to by a page.
    """

    def __init__(
        self, sources: Mapping[int, str], own: Iterable[str] = (), answers: Iterable[str] = ()
    ) -> None:
        self._numbers: dict[str, int] = {}
        for n, url in sources.items():
            self._numbers.setdefault(comparable(url), n)
        self._hosts = {host for url in sources.values() for host in _hosts_of(url)}
        self._own = frozenset(_own_addresses(own))
        self._linked = self._own | frozenset(_own_addresses(answers))

    def number_of(self, address: str) -> int | None:
        """Number of the source with exactly this address, query included."""
        key = comparable(address) if address else ""
        return self._numbers.get(key) if key else None

    def is_own(self, address: str) -> bool:
        """Whether the conversation has this address."""
        key = comparable(address)
        return bool(key) and key in self._linked

    def may_link(self, address: str) -> bool:
        """Whether a link may lead there; a place on the same page always may."""
        bare = address.strip()
        if not bare or bare.startswith("#"):
            return True
        return self.number_of(bare) is not None or self.is_own(bare) or self._is_host(bare)

    def may_show(self, address: str) -> bool:
        """Whether an image may be loaded from there."""
        return not address.strip() or comparable(address) in self._own

    def _is_host(self, address: str) -> bool:
        """Whether it is no more than the name of a source's host, as prose names publishers."""
        key = comparable(address)
        return key in self._hosts and not re.search(r"[?#@]|:\d", address)


def _hosts_of(url: str) -> Iterator[str]:
    host = comparable(url).partition("/")[0].partition("?")[0].partition(":")[0]
    labels = host.split(".")
    # A publisher may be named by its registrable domain; a single label names nobody.
    yield from (".".join(labels[k:]) for k in range(len(labels) - 1))


def _own_addresses(texts: Iterable[str]) -> Iterator[str]:
    found = 0
    for text in texts:
        for match in _WRITTEN.finditer(text):
            found += 1
            if found > _MOST_OWN:
                return
            yield comparable(match.group())
            # "(https://client.example/a)" and "![a](https://client.example/a)" end before ")".
            yield comparable(match.group().partition(")")[0])


def comparable(address: str) -> str:
    """One form of an address: scheme, `www.`, fragment and what may end a sentence do not matter.

    Returns:
        Empty for what is no web address.

    >>> comparable("http://www.Harbour.example/a%20b?c=1#top")
    'harbour.example/a b?c=1'
    """
    bare = address.strip()
    if "://" not in bare:
        bare = f"https://{bare.removeprefix('//')}"
    try:
        parts = urlsplit(bare)
        port = f":{parts.port}" if parts.port else ""
        host = _ascii_host(unquote(parts.hostname or ""))
    except ValueError:
        return ""
    if parts.scheme not in {"http", "https"} or not host or parts.username is not None:
        return ""
    query = f"?{parts.query}" if parts.query else ""
    path = unquote(f"{parts.path.rstrip('/')}{query}").rstrip(_TAIL).rstrip("/")
    return f"{host.removeprefix('www.')}{port}{path}"


def _ascii_host(host: str) -> str:
    """Raises ValueError for a name that cannot be one."""
    if "\\" in host or any(c.isspace() for c in host):
        raise ValueError(host)
    bare = host.rstrip(_TAIL)
    return bare if bare.isascii() else bare.encode("idna").decode("ascii")
