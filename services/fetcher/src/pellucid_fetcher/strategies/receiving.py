"""Taking in a response body under every cap at once.

Decides when enough has arrived and what a broken transfer is still worth. The caps hold for decoded
bytes; what lies beyond them is never read.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from pellucid_fetcher.errors import FetchFault
from pellucid_fetcher.extraction.reading import sniffing
from pellucid_fetcher.outcome import FetchStatus
from pellucid_fetcher.ports import Answer
from pellucid_fetcher.strategies.decoding import Decoder

# Breaks after which the part that came is still worth reading.
_PARTIAL: Final = frozenset(
    {FetchStatus.RESET, FetchStatus.DECODE_ERROR, FetchStatus.EMPTY_RESPONSE}
)


@dataclass(frozen=True, slots=True)
class BodyCaps:
    """Largest decoded sizes in bytes: of a PDF, and of anything else."""

    pdf: int = 10 * 1024 * 1024
    text: int = 1024 * 1024


@dataclass(slots=True)
class Intake:
    """A body while it arrives; keeps what came when the transfer is cut off from outside."""

    caps: BodyCaps
    path: str
    declared: str = ""
    kind: str = ""
    truncated: bool = False
    bytes_wire: int = 0
    _pieces: list[bytes] = field(default_factory=list)
    _size: int = 0

    @classmethod
    def of_text(cls, html: str) -> "Intake":
        """Take a document that is there already, as the browser gives it."""
        intake = cls(BodyCaps(), "/", declared="text/html; charset=utf-8", kind=sniffing.HTML)
        intake._pieces = [html.encode("utf-8", "replace")[: intake.caps.text]]
        intake._size = len(intake._pieces[0])
        return intake

    @property
    def body(self) -> bytes:
        """What has arrived, decoded."""
        return b"".join(self._pieces)

    @property
    def size(self) -> int:
        """Decoded bytes so far."""
        return self._size

    async def take(self, answer: Answer) -> None:
        """Read the body up to its cap.

        Raises:
            FetchFault: Nothing usable can come of it.
        """
        self.declared = answer.headers.get("content-type", "")
        if sniffing.is_endless(self.declared):
            raise FetchFault(FetchStatus.UNSUPPORTED_TYPE)
        decoder = Decoder(answer.headers.get("content-encoding", ""))
        try:
            await self._drain(answer, decoder)
        except FetchFault as fault:
            if fault.status not in _PARTIAL or not self._size:
                raise
            self.truncated = True
        self._settle_kind(last=True)

    async def _drain(self, answer: Answer, decoder: Decoder) -> None:
        async for chunk in answer.chunks():
            self.bytes_wire += len(chunk)
            for piece in decoder.feed(chunk):
                if not self._keep(piece):
                    return
        self.truncated = not decoder.complete

    def _keep(self, piece: bytes) -> bool:
        self._pieces.append(piece)
        self._size += len(piece)
        self._settle_kind(last=False)
        cap = self.caps.pdf if self.kind == sniffing.PDF else self.caps.text
        if self._size <= cap:
            return True
        self._cut(cap)
        return False

    def _cut(self, cap: int) -> None:
        self.truncated = True
        self._pieces = [self.body[:cap]]
        self._size = cap
        if self.kind == sniffing.PDF:
            raise FetchFault(FetchStatus.TOO_LARGE)

    def _settle_kind(self, *, last: bool) -> None:
        if self.kind or not (last or self._size >= sniffing.SNIFF_BYTES):
            return
        self.kind = sniffing.sniff(self.body, self.declared, self.path)
        if self.kind not in sniffing.READABLE and self._size:
            raise FetchFault(FetchStatus.UNSUPPORTED_TYPE)


def retry_after_s(headers: Mapping[str, str], now: float) -> int:
    """Read a Retry-After header, as seconds or as a date.

    Args:
        headers: By lower-case name.
        now: Present POSIX time, in seconds.

    Returns:
        Seconds, 0 to one day; 0 when the header is missing or unreadable.
    """
    from email.utils import parsedate_to_datetime

    value = headers.get("retry-after", "").strip()
    if value.isdigit() and len(value) < 10:  # noqa: PLR2004 - longer numbers are nonsense
        return min(int(value), 86_400)
    try:
        return max(0, min(int(parsedate_to_datetime(value).timestamp() - now), 86_400))
    except (ValueError, TypeError, IndexError):
        return 0
