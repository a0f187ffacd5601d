"""PDF documents, page by page."""

import ctypes
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

import pypdfium2  # type: ignore[import-untyped]
from pypdfium2 import PdfDocument, PdfiumError, PdfTextPage, raw

from pellucid_fetcher.document import Document, Extracted
from pellucid_fetcher.errors import FetchFault
from pellucid_fetcher.extraction.reading import excerpt
from pellucid_fetcher.extraction.structure.blocks import without_invisible
from pellucid_fetcher.extraction.structure.pdf_lines import Page, Run, page_of
from pellucid_fetcher.extraction.structure.pdf_paragraphs import text_of
from pellucid_fetcher.outcome import ENCRYPTED, DateOrigin, FetchStatus, PublishedDate

MAX_PAGES: Final = 1_000
MAX_CHARS: Final = 2_000_000  # read on by its parts
MAX_LETTERS: Final = 100_000  # of one page; drawings made of letters have more
_BOLD: Final = 600
_FONT_NAME_BYTES: Final = 64
_HYPHEN: Final = "\x02"  # what the library gives for a hyphen that breaks a word
_LIGATURES: Final = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", _HYPHEN: "-"}
)


def read_pdf(document: Document) -> Extracted:
    """Extract a PDF's text; scripts and actions in it are never run.

    Raises:
        FetchFault: DECODE_ERROR when it cannot be opened, `encrypted` where it wants a password.
    """
    try:
        pdf = pypdfium2.PdfDocument(document.body)
    except PdfiumError as error:
        detail = ENCRYPTED if error.err_code == raw.FPDF_ERR_PASSWORD else ""
        raise FetchFault(FetchStatus.DECODE_ERROR, detail=detail) from error
    try:
        return _read(pdf)
    finally:
        pdf.close()


def _read(pdf: PdfDocument) -> Extracted:
    pages, cut = _pages(pdf)
    facts = pdf.get_metadata_dict()
    text = text_of(pages)
    return Extracted(
        status=FetchStatus.OK if text else FetchStatus.NO_TEXT,
        title=(facts.get("Title") or _first_line(text))[:500],
        author=(facts.get("Author") or "")[:200],
        published=_created(facts.get("CreationDate") or ""),
        text=text,
        excerpt=excerpt.of(part for part in text.split("\n\n") if part[:1] not in "#|"),
        charset="utf-8",
        quality=1.0 if text else 0.0,
        truncated=cut,
    )


def _pages(pdf: PdfDocument) -> tuple[list[Page], bool]:
    pages: list[Page] = []
    size = 0
    for index in range(min(len(pdf), MAX_PAGES)):
        page = _page(pdf, index)
        pages.append(page)
        size += sum(len(line.text) for line in page.lines)
        if size > MAX_CHARS:
            return pages, True
    return pages, len(pdf) > MAX_PAGES


def _page(pdf: PdfDocument, index: int) -> Page:
    try:
        page = pdf[index]
        text_page = page.get_textpage()
    except PdfiumError:
        return Page((), 0.0)
    try:
        return page_of(_runs(text_page), height=page.get_height())
    finally:
        text_page.close()
        page.close()


def _runs(text_page: PdfTextPage) -> Iterator[Run]:
    """Return the words of a page as they are painted, with their places."""
    first, letters = 0, ""
    for index in range(min(text_page.count_chars(), MAX_LETTERS)):
        letter = chr(raw.FPDFText_GetUnicode(text_page, index))
        if not letter.isspace():
            first = first if letters else index
            letters += letter
        # No break follows a hyphen that breaks a word.
        if letters and (letter.isspace() or letter == _HYPHEN):
            yield from _run(text_page, letters, first, first + len(letters) - 1)
            letters = ""
    if letters:
        yield from _run(text_page, letters, first, first + len(letters) - 1)


def _run(text_page: PdfTextPage, letters: str, first: int, last: int) -> Iterator[Run]:
    text = without_invisible(letters.translate(_LIGATURES))
    try:
        left, low, start, _ = text_page.get_charbox(first)
        _, bottom, _, top = text_page.get_charbox(first, loose=True)
        _, _, end, _ = text_page.get_charbox(last)
    except PdfiumError:
        return
    if text:
        across, base = ctypes.c_double(), ctypes.c_double(low)
        raw.FPDFText_GetCharOrigin(text_page, first, ctypes.byref(across), ctypes.byref(base))
        bold = _is_bold(text_page, first)
        size = abs(top - bottom)
        yield Run(text, left, bottom, max(end, start), top, base.value, size, bold=bold)


def _is_bold(text_page: PdfTextPage, index: int) -> bool:
    """Tell by the weight; fonts that name none tell it in their own name."""
    weight = raw.FPDFText_GetFontWeight(text_page, index)
    if weight > 0:
        return bool(weight >= _BOLD)
    name = ctypes.create_string_buffer(_FONT_NAME_BYTES)
    flags = ctypes.c_int()
    raw.FPDFText_GetFontInfo(text_page, index, name, _FONT_NAME_BYTES, ctypes.byref(flags))
    return b"bold" in name.value.lower()


def _first_line(text: str) -> str:
    return text.split("\n", 1)[0].lstrip("# ") if text else ""


def _created(value: str) -> PublishedDate | None:
    digits = value.removeprefix("D:")[:8]
    try:
        moment = datetime.strptime(digits, "%Y%m%d").replace(tzinfo=UTC)
    except ValueError:
        return None
    return PublishedDate(moment, DateOrigin.META, 0.5)
