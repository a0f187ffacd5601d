"""Bodies that clients sent compressed, unpacked within the limit of the unpacked size."""

import zlib

_GZIP_WINDOW = 16 + zlib.MAX_WBITS
_OFFERED = frozenset({"", "identity"})


class EncodingError(ValueError):
    """A body is not encoded as it may be; the text is what its encoding must be."""


def unpacked(body: bytes, encoding: str, limit: int) -> bytes | None:
    """The plain body; None when it is longer than `limit` bytes.

    Args:
        body: As it came.
        encoding: Value of Content-Encoding.
        limit: Longest plain body; no more than that is ever unpacked.

    Raises:
        EncodingError: Another encoding than gzip, or not what it says.
    """
    named = encoding.strip().lower()
    if named in _OFFERED:
        return body
    if named != "gzip":
        raise EncodingError("gzip, identity or absent")
    unpacking = zlib.decompressobj(_GZIP_WINDOW)
    try:
        plain = unpacking.decompress(body, limit + 1)
    except zlib.error:
        raise EncodingError("what the body is encoded with") from None
    if len(plain) > limit:
        return None
    if not unpacking.eof:
        raise EncodingError("of a whole gzip stream")
    return plain
