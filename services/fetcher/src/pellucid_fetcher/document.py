"""What goes into extraction and what comes out of it.

Both sides cross a process border as JSON plus raw bytes, so they hold plain values only.
"""

import json
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any

from pellucid_fetcher.outcome import FetchStatus, PublishedDate


@dataclass(frozen=True, slots=True)
class Document:
    """Bytes of one document.

    Attributes:
        body: After content decoding.
        url: Final address; used for relative links, dates and the page type.
        content_type: As sniffed.
        charset: From the response header; empty when it names none.
        links: Links are to be written down.
    """

    body: bytes
    url: str
    content_type: str
    charset: str = ""
    links: bool = False

    def about(self) -> dict[str, Any]:
        """Return all but the body, as JSON values."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name != "body"}


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


def to_json(extracted: Extracted) -> bytes:
    """Write a result; what is no character becomes a question mark."""
    text = json.dumps(asdict(extracted), ensure_ascii=False, default=datetime.isoformat)
    return text.encode("utf-8", "replace")
