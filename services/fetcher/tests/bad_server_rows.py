# ruff: noqa: E501 - a table is read by its columns
"""What bad servers send, by the number of the behaviour, and what must come of it.

Numbers are those of the project's list of forty behaviours. Rows that need a script
of their own (slow bodies, redirect mazes, TLS, the browser) stand in the tests beside this table.
"""

import gzip
import zlib
from dataclasses import dataclass

from pellucid_fetcher.outcome import FetchStatus

WORDS = "The valley holds three villages and one mill that still grinds rye every autumn. "
TEXT = f"<html><body><main><p>{WORDS}</p><p>{WORDS * 3}</p></main></body></html>".encode()
OK_LINE = b"HTTP/1.1 200 OK\r\n"
HEAD = OK_LINE + b"content-type: text/html\r\n"
CHUNKED = HEAD + b"transfer-encoding: chunked\r\n\r\n"


@dataclass(frozen=True)
class Row:
    """One behaviour.

    Attributes:
        number: In the list.
        name: What is special.
        wire: Bytes that answer every request.
        then: "close", "reset" after the bytes, or "hang".
        status: Expected outcome.
        truncated: Expected mark; for pages with text.
        retryable: Expected mark; nothing when the row says nothing about it.
    """

    number: int
    name: str
    wire: bytes
    status: FetchStatus
    then: str = "close"
    truncated: bool = False
    retryable: bool | None = None

    @property
    def has_text(self) -> bool:
        return self.status is FetchStatus.OK

    def __str__(self) -> str:
        return f"row {self.number}: {self.name}"


def encoded(body: bytes, encoding: str) -> bytes:
    return HEAD + f"content-encoding: {encoding}\r\n\r\n".encode() + body


def gzip_bomb() -> bytes:
    packer = zlib.compressobj(wbits=31)
    return packer.compress(b"\x00" * 52_428_800) + packer.flush()


def _lengths(value: bytes) -> bytes:
    return HEAD + b"content-length: " + value + b"\r\n\r\n" + TEXT


def _typed(kind: bytes, body: bytes) -> bytes:
    return OK_LINE + b"content-type: " + kind + b"\r\n\r\n" + body


_S = FetchStatus
_MANY = TEXT + b"<p>more words of it</p>" * 600

REFUSED = (
    Row(3, "accepts and stays silent", b"", _S.FIRST_BYTE_TIMEOUT, "hang", retryable=True),
    Row(4, "closes at once", b"", _S.EMPTY_RESPONSE, retryable=True),
    Row(5, "reset in the headers", OK_LINE + b"content-ty", _S.RESET, "reset", retryable=True),
    Row(6, "reset before any text", HEAD + b"content-length: 90\r\n\r\n", _S.RESET, "reset"),
    Row(11, "gzip bomb", encoded(gzip_bomb(), "gzip"), _S.DECOMPRESSION_BOMB),
    Row(11, "deflate bomb", encoded(zlib.compress(b" " * 50_000_000), "deflate"), _S.DECOMPRESSION_BOMB),
    Row(12, "three encodings", encoded(b"x", "gzip, gzip, gzip"), _S.UNSUPPORTED_ENCODING),
    Row(12, "ten encodings", encoded(b"x", ", ".join(["gzip"] * 10)), _S.UNSUPPORTED_ENCODING),
    Row(13, "brotli unasked", encoded(b"x" * 99, "br"), _S.UNSUPPORTED_ENCODING),
    Row(13, "zstd unasked", encoded(b"\x28\xb5\x2f\xfd", "zstd"), _S.UNSUPPORTED_ENCODING),
    Row(16, "damaged gzip", encoded(b"\x1f\x8b" + b"z" * 99, "gzip"), _S.DECODE_ERROR),
    Row(18, "length, no body", HEAD + b"content-length: 50\r\n\r\n", _S.RESET),
    Row(20, "two lengths", HEAD + b"content-length: 5\r\ncontent-length: 6\r\n\r\n" + TEXT, _S.PROTOCOL_ERROR),
    Row(20, "two lengths in one", _lengths(b"5, 6"), _S.PROTOCOL_ERROR),
    Row(22, "negative length", _lengths(b"-5"), _S.PROTOCOL_ERROR),
    Row(22, "hexadecimal length", _lengths(b"0x50"), _S.PROTOCOL_ERROR),
    Row(22, "signed length", _lengths(b"+5"), _S.PROTOCOL_ERROR),
    Row(22, "absurd length", _lengths(b"1" + b"0" * 20), _S.PROTOCOL_ERROR),
    Row(22, "length of words", _lengths(b"five"), _S.PROTOCOL_ERROR),
    Row(23, "chunk size of letters", CHUNKED + b"zz\r\n" + TEXT, _S.PROTOCOL_ERROR),
    Row(23, "chunk of eight exabytes", CHUNKED + b"7fffffffffffffff\r\n" + TEXT, _S.PROTOCOL_ERROR),
    Row(23, "chunk size with a prefix", CHUNKED + b"0x7fffffffffffffff\r\n" + TEXT, _S.PROTOCOL_ERROR),
    Row(23, "negative chunk", CHUNKED + b"-1\r\n" + TEXT, _S.PROTOCOL_ERROR),
    Row(23, "chunk extension of a megabyte", CHUNKED + b"5;" + b"a" * 1_000_000, _S.PROTOCOL_ERROR),
    Row(24, "ten thousand headers", HEAD + b"x-a: b\r\n" * 10_000 + b"\r\n" + TEXT, _S.HEADERS_TOO_LARGE),
    Row(24, "a hundred and twenty", HEAD + b"x-a: b\r\n" * 120 + b"\r\n" + TEXT, _S.HEADERS_TOO_LARGE),
    Row(24, "one of ten megabytes", HEAD + b"x-a: " + b"b" * 10_000_000 + b"\r\n\r\n", _S.HEADERS_TOO_LARGE),
    Row(24, "cookies of 700 KB", HEAD + (b"set-cookie: a=" + b"b" * 4000 + b"\r\n") * 180 + b"\r\n", _S.HEADERS_TOO_LARGE),
    Row(25, "nul in a header", HEAD + b"x-a: b\x00c\r\n\r\n" + TEXT, _S.PROTOCOL_ERROR),
    Row(26, "ssh", b"SSH-2.0-OpenSSH_9.9\r\n", _S.PROTOCOL_ERROR),
    Row(26, "redis", b"-ERR unknown command\r\n\r\n", _S.PROTOCOL_ERROR),
    Row(26, "unknown version", b"HTTP/9.9 abc\r\n\r\n", _S.PROTOCOL_ERROR),
    Row(26, "icy", b"ICY 200 OK\r\n\r\n", _S.PROTOCOL_ERROR),
    Row(26, "http 0.9", TEXT, _S.PROTOCOL_ERROR),
    Row(27, "endless interim", b"HTTP/1.1 103 Early Hints\r\n\r\n" * 10_000 + HEAD + b"\r\n" + TEXT, _S.HEADERS_TOO_LARGE),
    Row(27, "endless continue", b"HTTP/1.1 100 Continue\r\n\r\n" * 10_000 + HEAD + b"\r\n" + TEXT, _S.HEADERS_TOO_LARGE),
    Row(28, "204 with a body", b"HTTP/1.1 204 No Content\r\n\r\n" + TEXT, _S.NO_TEXT),
    Row(28, "304 with a body", b"HTTP/1.1 304 Not Modified\r\n\r\n" + TEXT, _S.NO_TEXT),
    Row(29, "to itself", b"HTTP/1.1 302 F\r\nlocation: /\r\n\r\n", _S.REDIRECT_LOOP),
    Row(31, "without location", b"HTTP/1.1 302 F\r\n\r\n", _S.BAD_REDIRECT),
    Row(31, "of a megabyte", b"HTTP/1.1 302 F\r\nlocation: /" + b"a" * 1_000_000 + b"\r\n\r\n", _S.BAD_REDIRECT),
    Row(34, "500 always", b"HTTP/1.1 500 X\r\n\r\n", _S.HTTP_ERROR, retryable=True),
    Row(34, "503 always", b"HTTP/1.1 503 X\r\n\r\n", _S.HTTP_ERROR, retryable=True),
    Row(34, "401", b"HTTP/1.1 401 X\r\n\r\n", _S.FORBIDDEN, retryable=False),
    Row(34, "403", b"HTTP/1.1 403 X\r\n\r\n", _S.FORBIDDEN, retryable=False),
    Row(34, "451", b"HTTP/1.1 451 X\r\n\r\n", _S.FORBIDDEN, retryable=False),
    Row(37, "png", HEAD + b"\r\n\x89PNG\r\n\x1a\n\x00\x00", _S.UNSUPPORTED_TYPE),
    Row(37, "elf", HEAD + b"\r\n\x7fELF\x02\x01\x01\x00", _S.UNSUPPORTED_TYPE),
    Row(37, "zip", HEAD + b"\r\nPK\x03\x04\x14\x00\x00", _S.UNSUPPORTED_TYPE),
    Row(39, "event stream", _typed(b"text/event-stream", b"data: 1\n\n" * 2), _S.UNSUPPORTED_TYPE, "hang"),
    Row(39, "pushed frames", _typed(b"multipart/x-mixed-replace; boundary=b", b"--b\r\n"), _S.UNSUPPORTED_TYPE, "hang"),
    Row(39, "upgrade", b"HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n", _S.PROTOCOL_ERROR),
)  # fmt: skip

READABLE = (
    Row(6, "reset after text", HEAD + b"content-length: 900000\r\n\r\n" + _MANY, _S.OK, "reset", truncated=True),
    Row(12, "two encodings", encoded(gzip.compress(gzip.compress(TEXT)), "gzip, gzip"), _S.OK),
    Row(16, "plain called gzip", encoded(TEXT, "gzip"), _S.OK),
    Row(17, "bad check sum", encoded(gzip.compress(TEXT)[:-8] + b"\x00" * 8, "gzip"), _S.OK, truncated=True),
    Row(17, "deflate with header", encoded(zlib.compress(TEXT), "deflate"), _S.OK),
    Row(17, "deflate without header", encoded(zlib.compress(TEXT)[2:-4], "deflate"), _S.OK),
    Row(18, "length too long", HEAD + b"content-length: 1000000\r\n\r\n" + TEXT, _S.OK, truncated=True),
    Row(19, "length too short", HEAD + f"content-length: {len(TEXT)}\r\n\r\n".encode() + TEXT + OK_LINE, _S.OK),
    Row(21, "length and chunks", HEAD + b"content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n"
        + f"{len(TEXT):x}\r\n".encode() + TEXT + b"\r\n0\r\n\r\n", _S.OK),
    Row(23, "chunks that end early", CHUNKED + b"ffff\r\n" + TEXT, _S.OK, truncated=True),
    Row(25, "folded header", HEAD + b"x-a: b\r\n c\r\n\r\n" + TEXT, _S.OK),
    Row(25, "header beyond ASCII", HEAD + b"x-a: caf\xe9 \xff\r\n\r\n" + TEXT, _S.OK),
    Row(27, "a few interim answers", b"HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n" * 3 + HEAD + b"\r\n" + TEXT, _S.OK),
    Row(37, "no type", OK_LINE + b"\r\n" + TEXT, _S.OK),
    Row(37, "image type over a page", _typed(b"image/png", TEXT), _S.OK),
)  # fmt: skip
