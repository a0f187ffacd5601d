"""Why an encrypted connection was not made, as a stable word."""

import ssl
from typing import Final

import httpcore

# Verification codes of OpenSSL (x509_vfy.h).
_BY_CODE: Final = {
    9: "not_yet_valid",
    10: "expired",
    18: "self_signed",
    19: "unknown_issuer",  # a chain that ends in a root which nobody here trusts
    20: "unknown_issuer",
    21: "unknown_issuer",
    62: "wrong_host",
    64: "wrong_host",
}
# Reasons in OpenSSL's own words; the alert of a server that wants another version included.
_BY_WORD: Final = (
    ("UNSUPPORTED_PROTOCOL", "old_protocol"),
    ("PROTOCOL_VERSION", "old_protocol"),
    ("WRONG_VERSION_NUMBER", "not_tls"),
    ("HTTP_REQUEST", "not_tls"),
    ("RECORD_LAYER_FAILURE", "not_tls"),
    ("UNRECOGNIZED_NAME", "wrong_host"),
)
OTHER: Final = "handshake"


def tls_reason(error: Exception) -> str:
    """Name the reason.

    Args:
        error: What the engine raised; the library's own error may be wrapped in it.

    Returns:
        One of the words that the contract lists for TLS errors.
    """
    if isinstance(error, httpcore.ConnectTimeout | TimeoutError):
        return "handshake_timeout"
    inner = next((cause for cause in _chain(error) if isinstance(cause, ssl.SSLError)), None)
    if isinstance(inner, ssl.SSLCertVerificationError):
        return _BY_CODE.get(inner.verify_code, OTHER)
    words = (inner.reason or "") if inner is not None else ""
    return next((word for mark, word in _BY_WORD if mark in words), OTHER)


def _chain(error: BaseException | None) -> list[BaseException]:
    found: list[BaseException] = []
    while error is not None and len(found) < 8:  # noqa: PLR2004 - deeper wrapping does not happen
        found.append(error)
        error = error.__cause__ or error.__context__
    return found
