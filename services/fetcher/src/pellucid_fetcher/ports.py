"""The outside things that the domain stands on, as small protocols."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pellucid_fetcher.document import Document, Extracted
    from pellucid_fetcher.egress.clearance import Clearance, Reach
    from pellucid_fetcher.outcome import Page


class Answer(Protocol):
    """A response whose headers have arrived."""

    @property
    def status(self) -> int:
        """HTTP status."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """Headers by lower-case name; repeated ones joined with a comma."""
        ...

    def chunks(self) -> AsyncIterator[bytes]:
        """Body as it comes off the wire, still encoded.

        Raises:
            FetchFault: RESET, PROTOCOL_ERROR or TOTAL_TIMEOUT when the transfer breaks.
        """
        ...


class HttpTransport(Protocol):
    """Sends one request over a fresh connection to a cleared address."""

    def send(
        self, clearance: "Clearance", headers: Mapping[str, str], content: bytes
    ) -> AbstractAsyncContextManager[Answer]:
        """Open the exchange, a POST where there is content, else a GET.

        The connection is closed on leaving, whatever happened.

        Raises:
            FetchFault: No answer came, with the typed outcome.
        """
        ...


class Extractor(Protocol):
    """Turns bytes into text where a hostile document cannot hurt the service."""

    async def extract(self, document: "Document", *, timeout_s: float) -> "Extracted":
        """Extract within the time.

        Raises:
            FetchFault: PARSE_LIMIT when the document killed or outlasted its worker.
        """
        ...


@dataclass(frozen=True, slots=True)
class Rendered:
    """A page after its scripts have run.

    Attributes:
        html: Serialised document.
        url: Final address.
        http_status: Of the document's own response.
    """

    html: str
    url: str
    http_status: int


class Renderer(Protocol):
    """A browser."""

    async def render(self, url: str, reach: "Reach", *, timeout_s: float) -> Rendered:
        """Load a page and let its scripts run; nothing it asks for lies beyond its reach.

        Raises:
            FetchFault: It did not work in time.
        """
        ...


class PageCache(Protocol):
    """Pages that a search provider named, for up to an hour."""

    async def get(self, url: str) -> "Page | None":
        """Return a page that was read earlier; nothing when the store does not answer in time."""
        ...

    def put(self, url: str, page: "Page") -> None:
        """Keep a page; nobody waits for the writing."""
        ...


@dataclass(frozen=True, slots=True)
class Turn:
    """A place in the queue at a host.

    Attributes:
        wait_s: Seconds until it.
        taken: False when the wait would be too long; then nothing was taken.
    """

    wait_s: float
    taken: bool


class RateLimit(Protocol):
    """Hands out turns at a host."""

    async def take(self, host: str, *, max_wait_s: float) -> Turn:
        """Take the next turn unless it is further away than ``max_wait_s``."""
        ...

    async def cool_down(self, host: str, seconds: float) -> None:
        """Give the host a rest, as it asked."""
        ...


class Leases(Protocol):
    """Short marks, shared by all replicas, that somebody is busy with something."""

    async def acquire(self, key: str) -> bool:
        """Take the mark; True when it was free, and also when the store does not answer."""
        ...

    async def renew(self, key: str) -> None:
        """Hold the mark a while longer."""
        ...

    async def release(self, key: str) -> None:
        """Give the mark back."""
        ...


class Observer(Protocol):
    """Is told about finished fetches; of an address it keeps the host at most."""

    def __call__(self, page: "Page", *, purpose: str) -> None:
        """Record one outcome."""
        ...
