"""PDF documents, page by page."""

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import pypdfium2  # type: ignore[import-untyped]
from pypdfium2 import PdfDocument, PdfiumError, raw

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


def _runs(text_page: Any) -> Iterator[Run]:
    """Return the words of a page as they are painted, with their places."""
    handle = text_page.raw
    first, letters = 0, ""
    for index in range(min(text_page.count_chars(), MAX_LETTERS)):
        letter = chr(raw.FPDFText_GetUnicode(handle, index))
        if not letter.isspace():
            first = first if letters else index
            letters += letter
        # No break follows a hyphen that breaks a word.
        if letters and (letter.isspace() or letter == _HYPHEN):
            yield from _run(handle, letters, first, first + len(letters) - 1)
            letters = ""
    if letters:
        yield from _run(handle, letters, first, first + len(letters) - 1)


def _run(handle: Any, letters: str, first: int, last: int) -> Iterator[Run]:
    text = without_invisible(letters.translate(_LIGATURES))
    start, end = _box(handle, first), _box(handle, last)
    if text and start and end:
        box = raw.FS_RECTF()
        found = raw.FPDFText_GetLooseCharBox(handle, first, ctypes.byref(box))
        size = abs(box.top - box.bottom) if found else start.top - start.bottom
        bold = _is_bold(handle, first)
        across, base = ctypes.c_double(), ctypes.c_double(start.bottom)
        raw.FPDFText_GetCharOrigin(handle, first, ctypes.byref(across), ctypes.byref(base))
        bottom, top = (box.bottom, box.top) if found else (start.bottom, start.top)
        right = max(end.right, start.right)
        yield Run(text, start.left, bottom, right, top, base.value, size, bold=bold)


def _is_bold(handle: Any, index: int) -> bool:
    """Tell by the weight; fonts that name none tell it in their own name."""
    weight = raw.FPDFText_GetFontWeight(handle, index)
    if weight > 0:
        return bool(weight >= _BOLD)
    name = ctypes.create_string_buffer(_FONT_NAME_BYTES)
    flags = ctypes.c_int()
    raw.FPDFText_GetFontInfo(handle, index, name, _FONT_NAME_BYTES, ctypes.byref(flags))
    return b"bold" in name.value.lower()


@dataclass(frozen=True, slots=True)
class _Box:
    left: float
    right: float
    bottom: float
    top: float


def _box(handle: Any, index: int) -> _Box | None:
    sides = [ctypes.c_double() for _ in range(4)]
    if not raw.FPDFText_GetCharBox(handle, index, *map(ctypes.byref, sides)):
        return None
    return _Box(*(side.value for side in sides))


def _first_line(text: str) -> str:
    return text.split("\n", 1)[0].lstrip("# ") if text else ""


def _created(value: str) -> PublishedDate | None:
    digits = value.removeprefix("D:")[:8]
    try:
        moment = datetime.strptime(digits, "%Y%m%d").replace(tzinfo=UTC)
    except ValueError:
        return None
    return PublishedDate(moment, DateOrigin.META, 0.5)
