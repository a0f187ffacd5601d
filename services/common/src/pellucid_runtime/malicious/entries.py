"""What lists of malicious addresses say: whole hosts, and single addresses on hosts of others.

Reads the forms in which such lists are given away: hosts files ("0.0.0.0 bad.example"), plain lists
of names, filter lists ("||bad.example^"), lists of addresses, and URLhaus' CSV.
"""

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

_COMMENT = re.compile(r"^\s*[#!;\[]")
_FILTER = re.compile(r"\|\|(?P<host>[\w.-]+)\^")
_HOST = re.compile(r"(?:[a-z0-9_](?:[a-z0-9_-]{0,62})\.)+[a-z0-9-]{2,63}", re.IGNORECASE)
# What hosts files say of the machine itself.
_OWN = frozenset({"localhost", "localhost.localdomain", "local", "broadcasthost", "0.0.0.0"})  # noqa: S104 - a name
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Malicious:
    """Known malicious places; a subdomain belongs to its host.

    Attributes:
        hosts: Names and IP addresses, in lower case.
        addresses: Single pages, as `_key` writes them; the rest of their host is not meant.
    """

    hosts: frozenset[str] = frozenset()
    addresses: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return len(self.hosts) + len(self.addresses)

    def names(self, url: str) -> bool:
        """Whether an address is one of them.

        >>> Malicious(frozenset({"bad.example"})).names("https://www.bad.example/x")
        True
        """
        host, key = _read(url)
        labels = host.split(".")
        above = (".".join(labels[start:]) for start in range(len(labels)))
        return key in self.addresses or any(name in self.hosts for name in above)


NOTHING = Malicious()


def parsed(text: str) -> Malicious:
    r"""Read a list in any of the forms; what is none of them is passed over.

    >>> parsed("# c\n0.0.0.0 bad.example\nhttp://files.example/x.exe").hosts
    frozenset({'bad.example'})
    """
    hosts: set[str] = set()
    addresses: set[str] = set()
    for entry in _entries(text):
        if "://" in entry:
            addresses.add(_read(entry)[1])
        elif _is_host(entry):
            hosts.add(entry.lower().rstrip("."))
    return Malicious(frozenset(hosts - _OWN), frozenset(addresses - {""}))


def joined(lists: Iterable[Malicious]) -> Malicious:
    """All lists as one."""
    every = tuple(lists)
    return Malicious(
        frozenset().union(*(one.hosts for one in every)),
        frozenset().union(*(one.addresses for one in every)),
    )


def _entries(text: str) -> Iterator[str]:
    for raw in text.splitlines():
        line = raw.strip()
        if not line or _COMMENT.match(line):
            continue
        if line.startswith('"'):
            yield from (cell for cell in next(csv.reader([line])) if cell.startswith("http"))
        elif listed := _FILTER.match(line):
            yield listed["host"]
        elif "://" in line:
            yield line.split()[0]
        else:
            yield from _of_hosts_line(line.partition("#")[0].split())


def _of_hosts_line(words: list[str]) -> Iterator[str]:
    """Names of a line of a hosts file, or the one name of a plain list."""
    if len(words) == 1:
        yield words[0].removeprefix("*.")
    elif words and _is_address(words[0]):
        yield from words[1:]


def _is_host(entry: str) -> bool:
    return _HOST.fullmatch(entry.rstrip(".")) is not None or _is_address(entry)


def _is_address(text: str) -> bool:
    try:
        ip_address(text.strip("[]"))
    except ValueError:
        return False
    return True


def _read(url: str) -> tuple[str, str]:
    """Host and comparable form of an address; empty where it is none."""
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        return "", ""
    scheme, host = parts.scheme.lower(), (parts.hostname or "").rstrip(".")
    if not host:
        return "", ""
    shown = f":{port}" if port and port != _DEFAULT_PORTS.get(scheme) else ""
    query = f"?{parts.query}" if parts.query else ""
    # The same page over http and https.
    return host, f"{host}{shown}{parts.path.rstrip('/')}{query}"
