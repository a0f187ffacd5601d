"""RSS and Atom feeds as a list of entries."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pellucid_fetcher.document import Document, Extracted
from pellucid_fetcher.extraction.metadata.dates import read_moment
from pellucid_fetcher.extraction.reading import charset
from pellucid_fetcher.extraction.reading.plain import all_of
from pellucid_fetcher.extraction.structure.blocks import clean
from pellucid_fetcher.extraction.structure.links import absolute

MAX_ENTRIES: Final = 200
_MAX_SUMMARY: Final = 600
_LINK: Final = re.compile(r"<link\b([^>]*)/>")
_CDATA: Final = ("<![CDATA[", "]]>")


def read_feed(document: Document) -> Extracted:
    """Read a feed: its title, then each entry with date and summary."""
    decoded = charset.decode(document.body, document.charset)
    # Without its brackets a CDATA section is ordinary text to the HTML parser.
    source = decoded.text
    for bracket in _CDATA:
        source = source.replace(bracket, "")
    # An HTML parser takes <link> for void and <title> for raw text; neutral names keep both whole.
    source = source.replace("<title", "<x-title").replace("</title", "</x-title")
    source = _LINK.sub(r"<x-link\1></x-link>", source)
    source = source.replace("<link>", "<x-link>").replace("</link", "</x-link")
    parser = LexborHTMLParser(source)
    entries = parser.css("item, entry")[:MAX_ENTRIES]
    title = _first_text(parser.css("x-title")[:1])
    written = [text for text in map(_entry, entries) if text]
    text = "\n\n".join(([f"# {title}"] if title else []) + written)
    return replace(all_of(text if written else "", decoded, written, title), page_type="listing")


def _entry(node: LexborNode) -> str:
    title = _first_text(node.css("x-title")[:1])
    day = _day(_first_text(node.css("pubdate, published, updated, dc\\:date")[:1]))
    summary = _first_text(node.css("description, summary, content")[:1])
    head = f"## {title}" if title else ""
    return "\n".join(part for part in (head, day, summary[:_MAX_SUMMARY], _link(node)) if part)


def _link(node: LexborNode) -> str:
    """Return where an entry leads: the text of a link in RSS, its address in Atom."""
    told = [link.attributes.get("href") or clean(link.text()) for link in _alternates(node)]
    return next((address for each in told if (address := absolute(each, ""))), "")


def _alternates(node: LexborNode) -> list[LexborNode]:
    links = node.css("x-link")
    return [link for link in links if (link.attributes.get("rel") or "alternate") == "alternate"]


def _day(text: str) -> str:
    moment = read_moment(text)
    return f"{moment:%Y-%m-%d}" if moment is not None else ""


def _first_text(nodes: Sequence[LexborNode]) -> str:
    if not nodes:
        return ""
    raw = nodes[0].text(deep=True, separator=" ")
    # Summaries are often escaped mark-up.
    return clean(LexborHTMLParser(raw).text(separator=" ") if "<" in raw else raw)
