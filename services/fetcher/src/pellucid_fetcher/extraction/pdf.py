"""PDF documents, page by page."""

from datetime import UTC, datetime
from typing import Final

import pypdfium2  # type: ignore[import-untyped]
from pypdfium2 import PdfDocument, PdfiumError

from pellucid_fetcher.document import Document, Extracted
from pellucid_fetcher.errors import FetchFault
from pellucid_fetcher.extraction import excerpt
from pellucid_fetcher.extraction.blocks import without_invisible
from pellucid_fetcher.outcome import DateOrigin, FetchStatus, PublishedDate

MAX_PAGES: Final = 300
MAX_CHARS: Final = 400_000


def read_pdf(document: Document) -> Extracted:
    """Extract a PDF's text; scripts and actions in it are never run.

    Raises:
        FetchFault: DECODE_ERROR when it cannot be opened.
    """
    try:
        pdf = pypdfium2.PdfDocument(document.body)
    except PdfiumError as error:
        raise FetchFault(FetchStatus.DECODE_ERROR) from error
    try:
        return _read(pdf)
    finally:
        pdf.close()


def _read(pdf: PdfDocument) -> Extracted:
    pages, cut = _pages(pdf)
    facts = pdf.get_metadata_dict()
    text = "\n\n".join(page for page in pages if page)
    return Extracted(
        status=FetchStatus.OK if text else FetchStatus.NO_TEXT,
        title=(facts.get("Title") or _first_line(text))[:500],
        author=(facts.get("Author") or "")[:200],
        published=_created(facts.get("CreationDate") or ""),
        text=text,
        excerpt=excerpt.of(text.split("\n\n")),
        charset="utf-8",
        quality=1.0 if text else 0.0,
        truncated=cut,
    )


def _pages(pdf: PdfDocument) -> tuple[list[str], bool]:
    pages: list[str] = []
    size = 0
    for index in range(min(len(pdf), MAX_PAGES)):
        page = _page_text(pdf, index)
        pages.append(page)
        size += len(page)
        if size > MAX_CHARS:
            return pages, True
    return pages, len(pdf) > MAX_PAGES


def _page_text(pdf: PdfDocument, index: int) -> str:
    try:
        page = pdf[index]
        text_page = page.get_textpage()
    except PdfiumError:
        return ""
    raw = text_page.get_text_bounded()
    text_page.close()
    page.close()
    return _paragraphs(without_invisible(raw.replace("\r\n", "\n").replace("\r", "\n")))


def _paragraphs(text: str) -> str:
    """Join lines that a page width broke; keep short lines and empty ones as borders."""
    lines = [" ".join(line.split()) for line in text.split("\n")]
    width = max((len(line) for line in lines), default=0)
    joined: list[str] = []
    open_line = False
    for line in lines:
        if open_line and line and joined[-1].endswith("-") and line[:1].islower():
            joined[-1] = joined[-1][:-1] + line
        elif open_line and line:
            joined[-1] += f" {line}"
        elif line:
            joined.append(line)
        open_line = bool(line) and len(line) > 0.7 * width and line[-1:] not in ".:!?。"
    return "\n\n".join(joined)


def _first_line(text: str) -> str:
    return text.split("\n", 1)[0] if text else ""


def _created(value: str) -> PublishedDate | None:
    digits = value.removeprefix("D:")[:8]
    try:
        moment = datetime.strptime(digits, "%Y%m%d").replace(tzinfo=UTC)
    except ValueError:
        return None
    return PublishedDate(moment, DateOrigin.META, 0.5)
