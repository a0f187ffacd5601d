"""Strict reading of an address: two parsers must see the same host and port.

Decides whether an address is well-formed and what exactly it names. It does not decide whether the
named place may be asked (``gate``), nor does it resolve anything. Clients that check with one
parser and dial with another have been led past their checks again and again; here a disagreement
is itself a refusal.
"""

import ipaddress
import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, urlsplit

import ada_url

from pellucid_fetcher.errors import RefusedError

MAX_URL_BYTES: Final = 8192
MAX_NAME_CHARS: Final = 253  # RFC 1035, without the final dot
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_FORBIDDEN: Final = frozenset(map(chr, [*range(0x20), *range(0x7F, 0xA0)])) | {
    "\\", "\u2028", "\u2029", "\ufeff", "\u200b", "\u00ad",
}  # fmt: skip

_NO_HOST_CHARS: Final = frozenset("/?#@:\\%") | frozenset(map(chr, range(0x21)))
_ABSOLUTE: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True, slots=True)
class Target:
    """A well-formed address.

    Attributes:
        href: Serialised form without fragment; what is sent and reported.
        scheme: "http" or "https".
        host: Lower-case ASCII name without a final dot, or an address without brackets.
        port: Effective port.
        literal: The host as an address when it is one.
    """

    href: str
    scheme: str
    host: str
    port: int
    literal: Address | None

    @property
    def origin(self) -> tuple[str, str, int]:
        """Scheme, host and port."""
        return (self.scheme, self.host, self.port)

    @property
    def authority(self) -> str:
        """Host and, where it is not the default, port, as the Host header names them."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return name if self.port == _DEFAULT_PORTS[self.scheme] else f"{name}:{self.port}"

    @property
    def request_path(self) -> str:
        """Path and query as they go on the wire."""
        parts = urlsplit(self.href)
        return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def parse(url: str) -> Target:
    """Read an address strictly.

    Args:
        url: As somebody wrote it; surrounding spaces are tolerated, nothing else is.

    Returns:
        The target with its normalised host and effective port.

    Raises:
        RefusedError: It is malformed, not http(s), carries credentials, or the two parsers differ.

    >>> parse("HTTP://Example.COM:80/a b#c").href
    'http://example.com/a%20b'
    """
    cleaned = url.strip(" ")
    _refuse_characters(cleaned)
    plain = _split(cleaned)
    standard = _whatwg(cleaned)
    scheme = standard.protocol.removesuffix(":")
    host, literal = _agreed_host(plain, standard.hostname)
    port = _agreed_port(plain, standard.port, scheme)
    return Target(_serialised(cleaned), scheme, host, port, literal)


def host_in(url: str) -> str:
    """Return the host that an address asks; empty when it cannot be read."""
    try:
        return parse(url).host
    except RefusedError:
        return ""


def join(base: Target, location: str) -> Target:
    """Read a redirect's location relative to the address that sent it.

    Raises:
        RefusedError: As ``parse``.
    """
    _refuse_characters(location)
    if _ABSOLUTE.match(location):
        return parse(location)
    if location.startswith("//"):
        return parse(f"{base.scheme}:{location}")
    try:
        return parse(ada_url.URL(location, base=base.href).href)
    except ValueError as error:
        raise RefusedError("malformed") from error


def read_host(name: str) -> str:
    """Read a host that an operator wrote, so that it equals ``Target.host`` of its addresses.

    Raises:
        ValueError: It names no host; the message quotes it.

    >>> read_host("Bücher.Example.")
    'xn--bcher-kva.example'
    """
    literal = _literal(name)
    if literal is not None:
        return str(literal)
    host = _canonical(name) if _NO_HOST_CHARS.isdisjoint(name) else ""
    if not host:
        raise ValueError(f"{name!r} names no host")
    return host


def _refuse_characters(url: str) -> None:
    if not url or len(url.encode("utf-8", "surrogatepass")) > MAX_URL_BYTES:
        raise RefusedError("length")
    if not _FORBIDDEN.isdisjoint(url) or any("\ud800" <= char <= "\udfff" for char in url):
        raise RefusedError("forbidden_character")


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise RefusedError("malformed") from error
    if parts.scheme not in _DEFAULT_PORTS:
        raise RefusedError("scheme")
    if "@" in parts.netloc:
        raise RefusedError("credentials")
    if "%" in parts.netloc:
        raise RefusedError("escaped_host")
    return parts


def _whatwg(url: str) -> ada_url.URL:
    try:
        parsed = ada_url.URL(url)
    except ValueError as error:
        raise RefusedError("malformed") from error
    if parsed.protocol.removesuffix(":") not in _DEFAULT_PORTS:
        raise RefusedError("scheme")
    if parsed.username or parsed.password:
        raise RefusedError("credentials")
    return parsed


def _serialised(url: str) -> str:
    parsed = ada_url.URL(url)
    parsed.hash = ""
    parsed.hostname = parsed.hostname.removesuffix(".")
    return parsed.href


def _agreed_host(plain: SplitResult, standard: str) -> tuple[str, Address | None]:
    raw = _hostname(plain)
    host = standard.removesuffix(".")
    literal = _literal(host)
    if literal is not None:
        # A literal must be written the plain way: no octal, hex, short or full-width forms.
        if _literal(raw) != literal:
            raise RefusedError("unusual_literal")
        return str(literal), literal
    _refuse_bad_name(host)
    if raw.isascii() and raw != host:
        raise RefusedError("parsers_disagree")
    if not raw.isascii() and _canonical(raw) != host:
        raise RefusedError("parsers_disagree")
    return host, None


def _refuse_bad_name(host: str) -> None:
    labels = host.split(".")
    if not host or len(host) > MAX_NAME_CHARS or not all(labels):
        raise RefusedError("malformed")
    if labels[-1].isdigit() or any(len(label) > 63 for label in labels):  # noqa: PLR2004 - RFC 1035
        raise RefusedError("malformed")


def _hostname(plain: SplitResult) -> str:
    host = plain.hostname
    if not host:
        raise RefusedError("malformed")
    return host.removesuffix(".")


def _canonical(name: str) -> str:
    try:
        return ada_url.URL(f"http://{name}/").hostname.removesuffix(".")
    except ValueError:
        return ""


def _literal(host: str) -> Address | None:
    try:
        return ipaddress.ip_address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        return None


def _agreed_port(plain: SplitResult, standard: str, scheme: str) -> int:
    try:
        first = plain.port
    except ValueError as error:
        raise RefusedError("malformed") from error
    default = _DEFAULT_PORTS[scheme]
    port = default if first is None else first
    if port != (int(standard) if standard else default):
        raise RefusedError("parsers_disagree")
    return port
