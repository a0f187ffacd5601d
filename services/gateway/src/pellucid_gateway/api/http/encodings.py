"""Bodies that clients sent compressed, unpacked within the limit of the unpacked size."""

import zlib

from pellucid_gateway.api.http.problems import FieldError, ProblemError, invalid

_GZIP_WINDOW = 16 + zlib.MAX_WBITS
_OFFERED = frozenset({"", "identity"})


def unpacked(body: bytes, encoding: str, limit: int) -> bytes | None:
    """The plain body; None when it is longer than `limit` bytes.

    Args:
        body: As it came.
        encoding: Value of Content-Encoding.
        limit: Longest plain body; no more than that is ever unpacked.

    Raises:
        ProblemError: Another encoding than gzip, or not what it says.
    """
    named = encoding.strip().lower()
    if named in _OFFERED:
        return body
    if named != "gzip":
        raise _refused("gzip, identity or absent")
    unpacking = zlib.decompressobj(_GZIP_WINDOW)
    try:
        plain = unpacking.decompress(body, limit + 1)
    except zlib.error:
        raise _refused("what the body is encoded with") from None
    if len(plain) > limit:
        return None
    if not unpacking.eof:
        raise _refused("of a whole gzip stream")
    return plain


def _refused(limit: str) -> ProblemError:
    return ProblemError(invalid([FieldError("Content-Encoding", limit, f"must be {limit}")]))
