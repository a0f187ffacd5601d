"""Undoing content encodings with a counter on what comes out.

Decides when a body inflates beyond reason. Every decoder is asked for a bounded amount at a time,
so that memory never holds more than the cap plus one chunk.
"""

import zlib
from collections.abc import Iterator
from typing import Final

from pellucid_fetcher.errors import FetchFault
from pellucid_fetcher.outcome import FetchStatus

ACCEPTED: Final = "gzip, deflate"  # only what can be decoded with an output bound
MAX_LAYERS: Final = 2
MAX_RATIO: Final = 100
RATIO_GRACE_BYTES: Final = 256 * 1024  # small pages may compress extremely well
_STEP_BYTES: Final = 64 * 1024
_TRAILER_BYTES: Final = 8  # RFC 1952: check sum and size
_SLICE_BYTES: Final = 1024  # input is counted in steps this small, so that a bomb shows early
_GZIP_MAGIC: Final = b"\x1f\x8b"


class Inflater:
    """gzip or deflate; data that is not compressed at all passes through unchanged."""

    def __init__(self, *, gzip: bool) -> None:
        self._gzip = gzip
        self._layer: zlib._Decompress | None = None
        self._started = False
        self._held = b""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield decoded pieces.

        Raises:
            FetchFault: DECODE_ERROR when the stream is damaged.
        """
        if not self._started:
            data = self._held + data
            if len(data) < len(_GZIP_MAGIC):
                self._held = data
                return
            self._start(data)
        if self._layer is None:
            yield data
            return
        # The check sum comes last: what stands before it is out when it turns out to be wrong.
        yield from self._inflate(self._layer, data[:-_TRAILER_BYTES])
        yield from self._inflate(self._layer, data[-_TRAILER_BYTES:])

    @property
    def complete(self) -> bool:
        """Whether the compressed stream reached its end mark."""
        return self._layer is None or self._layer.eof

    def _start(self, head: bytes) -> None:
        self._started = True
        self._held = b""
        if self._gzip:
            wraps = head.startswith(_GZIP_MAGIC)
            self._layer = zlib.decompressobj(16 + zlib.MAX_WBITS) if wraps else None
        elif _is_zlib(head):
            self._layer = zlib.decompressobj()
        else:
            self._layer = zlib.decompressobj(-zlib.MAX_WBITS)

    def _inflate(self, layer: "zlib._Decompress", data: bytes) -> Iterator[bytes]:
        try:
            while data and not layer.eof:
                yield layer.decompress(data, _STEP_BYTES)
                data = layer.unconsumed_tail
        except zlib.error as error:
            raise FetchFault(FetchStatus.DECODE_ERROR) from error


def _is_zlib(head: bytes) -> bool:
    # RFC 1950: method 8 and a header that is a multiple of 31.
    return head[0] & 0x0F == 8 and int.from_bytes(head[:2], "big") % 31 == 0  # noqa: PLR2004


# Whether an encoding is gzip or deflate.
_IS_GZIP: Final = {"gzip": True, "x-gzip": True, "deflate": False}
# A charset in the wrong header is common and harmless.
_PLAIN: Final = frozenset({"identity", "none", "utf-8"})


class Decoder:
    """All layers of one body, outermost last, with the ratio watched.

    Args:
        content_encoding: Header value; empty for none.

    Raises:
        FetchFault: UNSUPPORTED_ENCODING for unknown or too many layers.
    """

    def __init__(self, content_encoding: str) -> None:
        names = [name.strip().lower() for name in content_encoding.split(",") if name.strip()]
        if len(names) > MAX_LAYERS or not set(names) <= _IS_GZIP.keys() | _PLAIN:
            raise FetchFault(FetchStatus.UNSUPPORTED_ENCODING)
        encoded = (name for name in reversed(names) if name not in _PLAIN)
        self._layers = [Inflater(gzip=_IS_GZIP[name]) for name in encoded]
        self.bytes_in = 0
        self.bytes_out = 0

    @property
    def complete(self) -> bool:
        """Whether every layer saw its own end."""
        return all(layer.complete for layer in self._layers)

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield decoded pieces of at most 64 KiB (or the chunk itself when not encoded).

        Raises:
            FetchFault: DECODE_ERROR or DECOMPRESSION_BOMB.
        """
        step = _SLICE_BYTES if self._layers else max(1, len(data))
        for start in range(0, len(data), step):
            yield from self._counted(data[start : start + step])

    def _counted(self, data: bytes) -> Iterator[bytes]:
        self.bytes_in += len(data)
        for piece in self._through(self._layers, data):
            self.bytes_out += len(piece)
            if self.bytes_out > max(RATIO_GRACE_BYTES, MAX_RATIO * self.bytes_in):
                raise FetchFault(FetchStatus.DECOMPRESSION_BOMB)
            yield piece

    def _through(self, layers: list[Inflater], data: bytes) -> Iterator[bytes]:
        if not layers:
            yield data
            return
        for piece in layers[0].feed(data):
            yield from self._through(layers[1:], piece)
