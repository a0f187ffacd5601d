"""Who wrote a page, as its data or its byline says.

Decides which of several sources is believed: schema.org data, meta tags, elements that are marked
or named as the author, links to an author's page, then a line near the heading that begins with
"by". A name that is the site's own counts only where nobody else is named.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from typing import Any, Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pellucid_fetcher.extraction.metadata import jsonld
from pellucid_fetcher.extraction.structure.blocks import Block, clean

WRITINGS: Final = re.compile(r"Article|Posting|Report|Review|Recipe|WebPage|CreativeWork|Product")
_METAS: Final = ("author", "article:author", "parsely-author", "sailthru.author", "dc.creator")
_LEAD: Final = re.compile(
    r"^(?:(?:written|posted|reviewed|text|words|story) by|by|author|von|par|por|di|da|door|av|af)\b"
    r"[:\s]+",
    re.IGNORECASE,
)
_BYLINE: Final = re.compile(
    r"^(?:(?:written|posted|started|text|words|story) by|by|author:|von|par|por|di|door|av|af)"
    r"[:\s]+(?P<name>[^\W\d][\w.'’-]*(?:\s+[^\W\d_][\w.'’-]*){0,4}?)"
    r"\s*(?:$|\n|[|•·,(/–—]|\s-\s|\bon\b|\bin\b|\bpublished\b|\bposted\b|\bupdated\b|\d)",
    re.IGNORECASE,
)
# Marked by what they mean, then named by their class, then leading to an author's page.
_MARKED: Final = (
    '[itemprop="author"] [itemprop="name"]',
    '[rel="author"]',
    '[itemprop="author"]',
    '[class*="author"][class*="name"], [class*="author"][class*="Name"], .byline-name',
    '.entry-author, .post-author, .author-link, [class*="meta-author"]',
    'a[href*="/author/"], a[href*="/authors/"], a[href*="/contributor/"]',
)
_MAX_NAME: Final = 60  # longer is a biography
_MAX_WORDS: Final = 6
_MAX_SEEN: Final = 5
_ABOVE: Final = 6
_BELOW: Final = 10
_NOBODY: Final = re.compile(
    r"\d{3}|://|@|\b(?:about|admin|all|articles?|authors?|bio|by|editor|posts?|profile|read|more|view)\b",
    re.IGNORECASE,
)


def declared_author(
    parser: LexborHTMLParser, metas: Mapping[str, str], nodes: Sequence[Mapping[str, Any]]
) -> str:
    """Return the author that a page's data or marked elements name, empty when there is none."""
    named = (tidy(name) for name in _in_data(metas, nodes))
    return next(filter(None, named), "") or _marked(parser)


def shown_author(blocks: Sequence[Block], declared: str, site: str) -> str:
    """Return the author, from the byline where data names nobody or only the site.

    Args:
        blocks: What the page shows, in order.
        declared: What ``declared_author`` found.
        site: Name of the site.
    """
    if declared and declared.lower() != site.lower():
        return declared
    top = next((i for i, b in enumerate(blocks) if b.kind == "h" and b.level == 1), 0)
    for block in blocks[max(0, top - _ABOVE) : top + _BELOW]:
        found = _BYLINE.match(block.text) if block.kind != "h" else None
        if found is not None and _is_name(found["name"]):
            return found["name"]
    return declared


def tidy(name: str) -> str:
    """Return a name without mark-up's escapes and the word before it; empty when it is none.

    >>> tidy("Written by: Ada &amp; Bea"), tidy("262588213843476")
    ('Ada & Bea', '')
    """
    plain = _LEAD.sub("", clean(unescape(name)))
    return "" if "://" in plain or plain.isdigit() else plain


def _in_data(metas: Mapping[str, str], nodes: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for node in nodes:
        if any(map(WRITINGS.search, jsonld.types_of(node))):
            yield jsonld.text_of(node.get("author"))
    yield from (metas.get(name, "") for name in _METAS)


def _marked(parser: LexborHTMLParser) -> str:
    for selector in _MARKED:
        for node in parser.css(selector)[:_MAX_SEEN]:
            name = tidy(_first_line(node))
            if _is_name(name):
                return name
    return ""


def _first_line(node: LexborNode) -> str:
    lines = filter(None, map(clean, (node.text(deep=True) or "").strip().split("\n")))
    return node.attributes.get("content") or next(lines, "")


def _is_name(name: str) -> bool:
    count = len(name.split())
    if not 1 < len(name) <= _MAX_NAME or count > _MAX_WORDS:
        return False
    # "By joining us" names nobody; a user may be called "ibby".
    return (count == 1 or not name[0].islower()) and _NOBODY.search(name) is None
