"""The operator's own proxy, as a setting names it."""

import base64
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote, urlsplit

_PORTS: Final = {"http": 3128, "https": 443}


@dataclass(frozen=True, slots=True)
class ProxyAddress:
    """Where the proxy is and how it is asked.

    Attributes:
        host: Name or address; resolved by the system, because the operator chose it.
        port: TCP port.
        secure: Speak TLS to the proxy itself.
        authorization: Value of Proxy-Authorization; empty for none.
    """

    host: str
    port: int
    secure: bool
    authorization: str = ""


def read_proxy(url: str) -> ProxyAddress:
    """Read a setting such as ``http://user:word@proxy.example:3128``.

    Raises:
        ValueError: It is not an http or https address of a host.
    """
    parts = urlsplit(url)
    if parts.scheme not in _PORTS or not parts.hostname or parts.path not in ("", "/"):
        raise ValueError("not http://[user:word@]host[:port]")
    authorization = ""
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        authorization = f"Basic {base64.b64encode(pair.encode()).decode('ascii')}"
    port = parts.port or _PORTS[parts.scheme]
    return ProxyAddress(parts.hostname, port, parts.scheme == "https", authorization)
