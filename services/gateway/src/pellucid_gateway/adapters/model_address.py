"""Where a model server is, as a request over a connection needs it."""

import ssl
from dataclasses import dataclass
from urllib.parse import urlsplit

from pellucid_runtime.llm.base_url import BaseUrl

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Address:
    """Where the endpoint is.

    Attributes:
        host: Name or address, without brackets.
        authority: As in the Host header.
        base: Where it was taken from.
        path: What stands before the paths of the API.
        tls: None: plain text.
    """

    base: BaseUrl
    host: str
    port: int
    authority: str
    path: str
    tls: ssl.SSLContext | None

    @classmethod
    def of(cls, base_url: str) -> "Address":
        """Take an address apart, for example `https://models.example/v1`."""
        base = BaseUrl.of(base_url)
        parts = urlsplit(base.root)
        return cls(
            base=base,
            host=parts.hostname or "",
            port=parts.port or _PORTS[parts.scheme],
            authority=parts.netloc.rpartition("@")[2],
            path=parts.path,
            tls=ssl.create_default_context() if parts.scheme == "https" else None,
        )

    def target(self, path: str) -> str:
        """What is asked for on the request's first line."""
        return f"{self.path}{path}?{self.base.query}" if self.base.query else f"{self.path}{path}"
