"""What a fetch yields: the typed status, the page, and where the time went.

Decides the vocabulary of outcomes, which of them a later attempt may change, and the sentence that
people read. It does not decide how a page is obtained.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Final


class FetchStatus(StrEnum):
    """Typed outcome; the names are those of the contract without their prefix."""

    OK = "ok"
    BLOCKED_TARGET = "blocked_target"
    DNS_ERROR = "dns_error"
    CONNECT_ERROR = "connect_error"
    CONNECT_TIMEOUT = "connect_timeout"
    FIRST_BYTE_TIMEOUT = "first_byte_timeout"
    TOTAL_TIMEOUT = "total_timeout"
    TLS_ERROR = "tls_error"
    EMPTY_RESPONSE = "empty_response"
    RESET = "reset"
    PROTOCOL_ERROR = "protocol_error"
    HEADERS_TOO_LARGE = "headers_too_large"
    TOO_LARGE = "too_large"
    DECOMPRESSION_BOMB = "decompression_bomb"
    UNSUPPORTED_ENCODING = "unsupported_encoding"
    DECODE_ERROR = "decode_error"
    UNSUPPORTED_TYPE = "unsupported_type"
    REDIRECT_LOOP = "redirect_loop"
    TOO_MANY_REDIRECTS = "too_many_redirects"
    BAD_REDIRECT = "bad_redirect"
    NOT_FOUND = "not_found"
    FORBIDDEN = "forbidden"
    RATE_LIMITED = "rate_limited"
    HTTP_ERROR = "http_error"
    BLOCKED_BY_SITE = "blocked_by_site"
    ROBOTS_DENIED = "robots_denied"
    NO_TEXT = "no_text"
    PARSE_LIMIT = "parse_limit"
    DEADLINE = "deadline"


class Method(StrEnum):
    """How the text was obtained."""

    NONE = "none"
    HTTP = "http"
    BROWSER = "browser"
    READER = "reader"
    ARCHIVE = "archive"
    CACHE = "cache"


class Purpose(StrEnum):
    """Why a page is read; decides caching, politeness and third parties."""

    USER_URL = "user_url"
    SEARCH_RESULT = "search_result"


class DateOrigin(StrEnum):
    """Where a publication date was read."""

    JSON_LD = "json_ld"
    META = "meta"
    URL = "url"
    HTTP = "http"
    TEXT = "text"


# One sentence for "may not", "does not exist" and "does not answer", so that the text is no oracle
# for what stands inside the network.
_UNREACHABLE: Final = "This address could not be reached."

SENTENCES: Final[dict[FetchStatus, str]] = {
    FetchStatus.OK: "",
    FetchStatus.BLOCKED_TARGET: _UNREACHABLE,
    FetchStatus.DNS_ERROR: _UNREACHABLE,
    FetchStatus.CONNECT_ERROR: _UNREACHABLE,
    FetchStatus.CONNECT_TIMEOUT: "The site did not accept a connection in time.",
    FetchStatus.FIRST_BYTE_TIMEOUT: "The site accepted the connection and then stayed silent.",
    FetchStatus.TOTAL_TIMEOUT: "The page took too long to arrive.",
    FetchStatus.TLS_ERROR: "The site's certificate or encryption could not be verified.",
    FetchStatus.EMPTY_RESPONSE: "The site closed the connection without an answer.",
    FetchStatus.RESET: "The site broke the connection off.",
    FetchStatus.PROTOCOL_ERROR: "The site's answer is not valid HTTP.",
    FetchStatus.HEADERS_TOO_LARGE: "The site's answer begins with too many headers.",
    FetchStatus.TOO_LARGE: "The document is too large to read.",
    FetchStatus.DECOMPRESSION_BOMB: "The document expands beyond any reasonable size.",
    FetchStatus.UNSUPPORTED_ENCODING: "The page is compressed in a way that is not supported.",
    FetchStatus.DECODE_ERROR: "The page's compression is damaged.",
    FetchStatus.UNSUPPORTED_TYPE: "The address leads to a file without readable text.",
    FetchStatus.REDIRECT_LOOP: "The site redirects in a circle.",
    FetchStatus.TOO_MANY_REDIRECTS: "The site redirects too many times.",
    FetchStatus.BAD_REDIRECT: "The site redirects to an address that makes no sense.",
    FetchStatus.NOT_FOUND: "The page does not exist.",
    FetchStatus.FORBIDDEN: "The site does not give this page to us.",
    FetchStatus.RATE_LIMITED: "The site asks to come back later.",
    FetchStatus.HTTP_ERROR: "The site answered with an error.",
    FetchStatus.BLOCKED_BY_SITE: "The site wants to see a human first.",
    FetchStatus.ROBOTS_DENIED: "The site asks automated readers to stay away from this page.",
    FetchStatus.NO_TEXT: "The page holds no readable text.",
    FetchStatus.PARSE_LIMIT: "The page is too complex to read.",
    FetchStatus.DEADLINE: "There was no time left to read the page.",
}

# Reason of a document that wants a password.
ENCRYPTED: Final = "encrypted"

# Sentences for failures of which more is known; by status and reason.
DETAILS: Final[dict[tuple[FetchStatus, str], str]] = {
    (FetchStatus.DECODE_ERROR, ENCRYPTED): "The document is protected with a password."
} | {
    (FetchStatus.TLS_ERROR, word): sentence
    for word, sentence in (
        ("expired", "The site's certificate has expired."),
        ("not_yet_valid", "The site's certificate is not valid yet."),
        ("self_signed", "The site's certificate is signed by nobody but itself."),
        ("wrong_host", "The site's certificate belongs to another name."),
        ("unknown_issuer", "The site's certificate comes from an unknown authority."),
        ("old_protocol", "The site offers only outdated encryption."),
        ("handshake_timeout", "The site did not finish the encrypted handshake in time."),
        ("not_tls", "The site does not speak encryption where it should."),
    )
}

RETRYABLE: Final = frozenset(
    {
        FetchStatus.DNS_ERROR,
        FetchStatus.CONNECT_ERROR,
        FetchStatus.CONNECT_TIMEOUT,
        FetchStatus.FIRST_BYTE_TIMEOUT,
        FetchStatus.TOTAL_TIMEOUT,
        FetchStatus.EMPTY_RESPONSE,
        FetchStatus.RESET,
        FetchStatus.RATE_LIMITED,
        FetchStatus.DEADLINE,
    }
)
_RETRYABLE_HTTP: Final = frozenset({500, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class PublishedDate:
    """A publication date and where it was read.

    Attributes:
        time: Aware UTC instant; midnight when only the day is known.
        origin: Provenance.
        confidence: 0 to 1, higher is surer.
    """

    time: datetime
    origin: DateOrigin
    confidence: float


@dataclass(frozen=True, slots=True)
class Timings:
    """Milliseconds by stage; they need not add up, because stages may overlap."""

    wait_ms: int = 0
    dns_ms: int = 0
    http_ms: int = 0
    browser_ms: int = 0
    extract_ms: int = 0
    total_ms: int = 0


@dataclass(frozen=True, slots=True)
class PageRequest:
    """One page to read.

    Attributes:
        url: As the caller wrote it.
        purpose: Why it is read.
        max_chars: Most characters of text to return, 1 to 200,000.
        timeout_s: Time for this page in seconds.
        internal_only: Ask only hosts that the operator named.
        offset: Where the text begins that is returned, in characters; nothing to have a longer text
            cut from the middle.
        links: Write links as Markdown links.
        content: The document itself; then nothing is fetched.
    """

    url: str
    purpose: Purpose
    max_chars: int
    timeout_s: float
    internal_only: bool = False
    offset: int | None = None
    links: bool = False
    content: bytes | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """The outcome for one address; all its text is untrusted."""

    url: str
    status: FetchStatus
    final_url: str = ""
    http_status: int = 0
    method: Method = Method.NONE
    title: str = ""
    author: str = ""
    site_name: str = ""
    language: str = ""
    published: PublishedDate | None = None
    text: str = ""
    excerpt: str = ""
    truncated: bool = False
    content_type: str = ""
    charset: str = ""
    redirects: tuple[str, ...] = ()
    retry_after_s: int = 0
    warnings: tuple[str, ...] = ()
    timings: Timings = field(default_factory=Timings)
    bytes_wire: int = 0
    bytes_decoded: int = 0
    quality: float = 0.0
    page_type: str = ""
    reason: str = ""
    host_reliability: float = 0.0
    next_offset: int = 0

    @property
    def success(self) -> bool:
        """Whether text was read completely enough to be used."""
        return self.status is FetchStatus.OK

    @property
    def retryable(self) -> bool:
        """Whether asking again later may help."""
        transient = self.status is FetchStatus.HTTP_ERROR and self.http_status in _RETRYABLE_HTTP
        return transient or self.status in RETRYABLE

    @property
    def error(self) -> str:
        """One sentence for people; empty on success."""
        return DETAILS.get((self.status, self.reason)) or SENTENCES[self.status]

    def warned(self, *words: str) -> "Page":
        """Return the page with further warning words, sorted and distinct."""
        return replace(self, warnings=tuple(sorted({*self.warnings, *words})))
