"""What a document really is, from its first bytes; headers lie.

Follows the idea of WHATWG MIME sniffing for the kinds that can hold text; everything else is
binary. Decides the type only, not whether it will be read.
"""

import re
from typing import Final

SNIFF_BYTES: Final = 1445  # WHATWG MIME sniffing: length of the resource header
HTML: Final = "text/html"
PDF: Final = "application/pdf"
JSON: Final = "application/json"
FEED: Final = "application/xml+feed"
XML: Final = "text/xml"
MARKDOWN: Final = "text/markdown"
PLAIN: Final = "text/plain"
# HTML that is all content; never sniffed, only made by readers of sites.
WHOLE: Final = "text/html+whole"
BINARY: Final = "application/octet-stream"
READABLE: Final = frozenset({HTML, PDF, JSON, FEED, XML, MARKDOWN, PLAIN})

# Streams never end and carry no page.
_ENDLESS: Final = ("text/event-stream", "multipart/")
_HTML_TAG: Final = re.compile(
    rb"<(!doctype html|html|head|body|script|iframe|h[1-6]|div|font|table|a|style|title|b|br|p"
    rb"|meta|link|main|article|section|nav|header|span|ul|noscript)[\s>/]|<!--",
    re.IGNORECASE,
)
_FEED_TAG: Final = re.compile(rb"<(rss|feed|rdf:rdf)[\s>]", re.IGNORECASE)
_BINARY_BYTES: Final = frozenset([*range(0x09), 0x0B, *range(0x0E, 0x1B), *range(0x1C, 0x20)])
_BOMS: Final = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


def essence(content_type: str) -> str:
    """Return the type without parameters, lower-case.

    >>> essence("Text/HTML; charset=x")
    'text/html'
    """
    return content_type.split(";", 1)[0].strip().lower()


def charset_parameter(content_type: str) -> str:
    """Return the charset that a header names, or an empty text."""
    found = re.search(r"charset\s*=\s*[\"']?([^\s\"';,]+)", content_type, re.IGNORECASE)
    return found.group(1).lower() if found else ""


def is_endless(content_type: str) -> bool:
    """Tell whether a header announces a stream that never ends."""
    return essence(content_type).startswith(_ENDLESS)


def sniff(head: bytes, content_type: str, path: str = "") -> str:
    """Tell the type of a document.

    Args:
        head: Its first bytes; 1445 suffice.
        content_type: Header value, possibly wrong or empty.
        path: Path of the address; its ending decides between kinds of plain text.

    Returns:
        One of the constants above; ``BINARY`` for whatever holds no text.
    """
    declared = essence(content_type)
    if is_endless(content_type):
        return BINARY
    head = head[:SNIFF_BYTES]
    if head.lstrip().startswith(b"%PDF-"):
        return PDF
    if _looks_binary(head):
        return BINARY
    return _marked_up(head) or _by_name(head.lstrip(), declared, path)


def _looks_binary(head: bytes) -> bool:
    if head.startswith(_BOMS) or _looks_utf16(head):
        return False
    return not _BINARY_BYTES.isdisjoint(head)


def _looks_utf16(head: bytes) -> bool:
    # Mark-up in UTF-16 has a zero in nearly every other byte.
    pairs = len(head) // 2
    return pairs > 8 and max(head[::2].count(0), head[1::2].count(0)) > 0.6 * pairs  # noqa: PLR2004


def _marked_up(head: bytes) -> str | None:
    flat = head.replace(b"\x00", b"") if _looks_utf16(head) or head.startswith(_BOMS) else head
    start = flat.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n\x0c")
    if _FEED_TAG.search(start) and start.startswith(b"<"):
        return FEED
    if _HTML_TAG.match(start) or (start.startswith(b"<") and b"<html" in start.lower()):
        return HTML
    return XML if start.startswith(b"<?xml") else None


def _by_name(start: bytes, declared: str, path: str) -> str:
    if declared.endswith(("/json", "+json")) or (
        declared != HTML and start[:1] in (b"{", b"[") and path.endswith(".json")
    ):
        return JSON
    if declared in ("text/markdown", "text/x-markdown") or path.endswith((".md", ".markdown")):
        return MARKDOWN
    if declared in (HTML, "application/xhtml+xml"):
        return HTML
    if declared.endswith(("/xml", "+xml")):
        return XML
    return HTML if not declared and b"</" in start else PLAIN
