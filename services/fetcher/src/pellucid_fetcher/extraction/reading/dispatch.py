"""One document of any kind to text."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from pellucid_fetcher.document import Document, Extracted
from pellucid_fetcher.errors import FetchFault
from pellucid_fetcher.extraction.reading import feed, pdf, plain, sniffing
from pellucid_fetcher.extraction.reading.html import open_html_reader, read_whole
from pellucid_fetcher.outcome import FetchStatus

MAX_TEXT_CHARS: Final = 2_000_000  # read on by its parts

Reader = Callable[[Document], Extracted]


def open_readers() -> Mapping[str, Reader]:
    """Build the readers by type, with their tables loaded."""
    return {
        sniffing.HTML: open_html_reader().read,
        sniffing.WHOLE: read_whole,
        sniffing.PDF: pdf.read_pdf,
        sniffing.JSON: plain.read_json,
        sniffing.FEED: feed.read_feed,
        sniffing.XML: plain.read_xml,
        sniffing.MARKDOWN: plain.read_markdown,
        sniffing.PLAIN: plain.read_text,
    }


def read(readers: Mapping[str, Reader], document: Document) -> Extracted:
    """Extract a document; a document that cannot be read is a result too."""
    reader = readers.get(document.content_type)
    if reader is None:
        return Extracted(status=FetchStatus.UNSUPPORTED_TYPE)
    try:
        extracted = reader(document)
    except FetchFault as fault:
        return Extracted(status=fault.status, reason=fault.detail)
    except (RecursionError, MemoryError):
        return Extracted(status=FetchStatus.PARSE_LIMIT)
    return _bounded(extracted)


def _bounded(extracted: Extracted) -> Extracted:
    if len(extracted.text) <= MAX_TEXT_CHARS:
        return extracted
    return replace(extracted, text=extracted.text[:MAX_TEXT_CHARS], truncated=True)
