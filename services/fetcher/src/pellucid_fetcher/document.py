"""What goes into extraction and what comes out of it.

Both sides cross a process border as JSON plus raw bytes, so they hold plain values only.
"""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from pellucid_fetcher.outcome import DateOrigin, FetchStatus, PublishedDate


@dataclass(frozen=True, slots=True)
class Document:
    """Bytes of one document.

    Attributes:
        body: After content decoding.
        url: Final address; used for relative links, dates and the page type.
        content_type: As sniffed.
        charset: From the response header; empty when it names none.
        truncated: The body is cut.
        links: Links are to be written down.
    """

    body: bytes
    url: str
    content_type: str
    charset: str = ""
    truncated: bool = False
    links: bool = False


@dataclass(frozen=True, slots=True)
class Extracted:
    """What a document says.

    Attributes:
        status: OK, NO_TEXT, PARSE_LIMIT, UNSUPPORTED_TYPE, DECODE_ERROR or BLOCKED_BY_SITE.
        reason: Stable word that says more about a failure; empty when there is nothing to add.
        text: Light Markdown of the main content.
        quality: 0 to 1; how well the extraction seems to have gone.
        needs_script: The document is a shell that a script would fill.
        leads_to: Address of the document that it refreshes to, or that its only frame holds;
            empty for none.
    """

    status: FetchStatus = FetchStatus.OK
    reason: str = ""
    title: str = ""
    author: str = ""
    site_name: str = ""
    language: str = ""
    published: PublishedDate | None = None
    text: str = ""
    excerpt: str = ""
    charset: str = ""
    quality: float = 0.0
    page_type: str = ""
    warnings: tuple[str, ...] = ()
    truncated: bool = False
    needs_script: bool = False
    leads_to: str = ""


def to_plain(extracted: Extracted) -> dict[str, Any]:
    """Turn the result into JSON values."""
    plain = asdict(extracted)
    if extracted.published is not None:
        plain["published"]["time"] = extracted.published.time.isoformat()
    return plain


def from_plain(plain: dict[str, Any]) -> Extracted:
    """Rebuild a result from JSON values.

    Raises:
        KeyError, TypeError, ValueError: They are not a result.
    """
    published = plain.pop("published", None)
    warnings = tuple(plain.pop("warnings", ()))
    status = FetchStatus(plain.pop("status"))
    date = read_date(published) if published else None
    return Extracted(status=status, published=date, warnings=warnings, **plain)


def read_date(plain: dict[str, Any]) -> PublishedDate:
    """Rebuild a date from JSON values.

    Raises:
        KeyError, ValueError: They are not a date.
    """
    return PublishedDate(
        datetime.fromisoformat(plain["time"]),
        DateOrigin(plain["origin"]),
        float(plain["confidence"]),
    )
