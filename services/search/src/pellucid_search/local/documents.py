"""Reads one file of the corpus: title, text, language, date."""

import re
from dataclasses import dataclass
from pathlib import Path

import orjson
import pypdfium2  # type: ignore[import-untyped]
import yaml
from selectolax.lexbor import LexborHTMLParser

from pellucid_search.hits import DateSource

HTML_SUFFIXES = frozenset({".html", ".htm", ".xhtml"})
MARKDOWN_SUFFIXES = frozenset({".md", ".markdown"})
TEXT_SUFFIXES = frozenset({".txt", ".rst"})
PDF_SUFFIXES = frozenset({".pdf"})
SUFFIXES = HTML_SUFFIXES | MARKDOWN_SUFFIXES | TEXT_SUFFIXES | PDF_SUFFIXES
# Larger files are not documents that a person reads.
MAX_FILE_BYTES = 20 * 1024 * 1024
MAX_TEXT = 400_000
_MAX_PAGES = 300
# The banner of a site goes with its menu: it is not what the page says.
_BANNER = "header:has(nav):not(:has(h1))"
_UNREAD = (
    _BANNER, "script", "style", "noscript", "template", "svg", "nav", "footer", "form", "button",
    "iframe",
)  # fmt: skip
_DATE_METAS = (
    'meta[property="article:published_time"]',
    'meta[name="date"]',
    'meta[name="dc.date"]',
    'meta[itemprop="datePublished"]',
    'meta[name="pubdate"]',
)
_FRONT_MATTER = re.compile(r"\A---\r?\n(.*?)\r?\n---\r?\n", re.DOTALL)
_HEADING = re.compile(r"^#\s+(.+)$", re.MULTILINE)
_MARKDOWN_SIGNS = re.compile(
    r"^\s{0,3}(?:#{1,6}|>|[-*+])\s+|[*_`]{1,3}|!?\[([^\]]*)\]\([^)]*\)", re.MULTILINE
)
_CHARSET = re.compile(rb"""<meta[^>]+charset=["']?([A-Za-z0-9_-]+)""", re.IGNORECASE)
_UTF_8 = frozenset({"utf-8", "utf8"})
# HTML asks authors to declare the encoding within so many bytes.
_DECLARATION_BYTES = 1024
_PDF_DATE = re.compile(r"D:(\d{4})(\d{2})?(\d{2})?")


class UnreadableDocumentError(Exception):
    """A file of the corpus cannot be read; the text says why."""


@dataclass(frozen=True, slots=True)
class Document:
    """What a file says; `published` in the file's own spelling, empty when it has none."""

    title: str
    body: str
    language: str = ""
    published: str = ""
    date_source: DateSource = DateSource.META


def read_document(path: Path) -> Document:
    """Return a file's document.

    Raises:
        UnreadableDocumentError: It is damaged, protected or too large.
        OSError: It cannot be opened.
    """
    if path.stat().st_size > MAX_FILE_BYTES:
        raise UnreadableDocumentError("larger than 20 MiB")
    suffix = path.suffix.lower()
    if suffix in PDF_SUFFIXES:
        return _pdf(path)
    source = decoded(path.read_bytes())
    if suffix in HTML_SUFFIXES:
        return html_document(source)
    if suffix in MARKDOWN_SUFFIXES:
        return markdown_document(source, path.stem)
    first, _, _ = source.strip().partition("\n")
    return Document(title=first[:200].strip() or path.stem, body=source[:MAX_TEXT])


def decoded(content: bytes) -> str:
    """Return a file's text: in the encoding that a page declares, else UTF-8."""
    declared = _CHARSET.search(content[:_DECLARATION_BYTES])
    name = declared[1].decode("ascii") if declared else "utf-8"
    try:
        return content.decode("utf-8-sig" if name.lower() in _UTF_8 else name, errors="replace")
    except LookupError:
        return content.decode("utf-8", errors="replace")


def html_document(source: str) -> Document:
    """Return the document of a web page."""
    tree = LexborHTMLParser(source)
    linked = _linked_data(tree)
    published = linked or _meta_date(tree)
    root = tree.css_first("html")
    title = tree.css_first("title") or tree.css_first("h1")
    language = (root.attributes.get("lang") or "") if root else ""
    for name in _UNREAD:
        for node in tree.css(name):
            node.decompose()
    main = tree.css_first("main") or tree.css_first("article") or tree.body
    body = main.text(separator=" ", strip=True) if main else ""
    return Document(
        title=title.text(strip=True) if title else "",
        body=body[:MAX_TEXT],
        language=language,
        published=published,
        date_source=DateSource.JSON_LD if linked else DateSource.META,
    )


def _linked_data(tree: LexborHTMLParser) -> str:
    for node in tree.css('script[type="application/ld+json"]'):
        try:
            value = orjson.loads(node.text())
        except orjson.JSONDecodeError:
            continue
        found = _date_in(value)
        if found:
            return found
    return ""


def _date_in(value: object) -> str:
    """Find `datePublished` in an object, a list of objects or a graph."""
    if isinstance(value, list):
        return next((date for date in map(_date_in, value) if date), "")
    if not isinstance(value, dict):
        return ""
    date = value.get("datePublished")
    return date if isinstance(date, str) else _date_in(value.get("@graph"))


def _meta_date(tree: LexborHTMLParser) -> str:
    for selector in _DATE_METAS:
        node = tree.css_first(selector)
        if node and node.attributes.get("content"):
            return node.attributes["content"] or ""
    node = tree.css_first("time[datetime]")
    return (node.attributes.get("datetime") or "") if node else ""


def markdown_document(source: str, name: str) -> Document:
    """Return the document of a Markdown file; its front matter may give title, date and lang.

    Args:
        source: The file's text.
        name: Title when the text has none.
    """
    match = _FRONT_MATTER.match(source)
    front = _front_matter(match[1]) if match else {}
    text = source[match.end() :] if match else source
    heading = _HEADING.search(text)
    return Document(
        title=front.get("title") or (heading[1].strip() if heading else name),
        body=_MARKDOWN_SIGNS.sub(r"\1", text)[:MAX_TEXT],
        language=front.get("lang", front.get("language", "")),
        published=front.get("date", ""),
    )


def _front_matter(source: str) -> dict[str, str]:
    try:
        table = yaml.safe_load(source)
    except yaml.YAMLError:
        return {}
    return {str(k): str(v) for k, v in table.items()} if isinstance(table, dict) else {}


def _pdf(path: Path) -> Document:
    try:
        pdf = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        raise UnreadableDocumentError("not a readable PDF") from error
    try:
        metadata = pdf.get_metadata_dict()
        pages = [_page_text(pdf, number) for number in range(min(len(pdf), _MAX_PAGES))]
    finally:
        pdf.close()
    date = _PDF_DATE.match(metadata.get("CreationDate", ""))
    return Document(
        title=metadata.get("Title", "") or path.stem,
        body="\n".join(pages)[:MAX_TEXT],
        published="-".join(part for part in date.groups() if part) if date else "",
    )


def _page_text(pdf: pypdfium2.PdfDocument, number: int) -> str:
    page = pdf[number]
    textpage = page.get_textpage()
    try:
        return str(textpage.get_text_range())
    finally:
        textpage.close()
        page.close()
