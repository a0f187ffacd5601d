"""Title, author, site, language and publication date of a page.

Decides which of several sources is believed. A date is only reported when the page states it;
none is inferred from a copyright year or from today.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pellucid_fetcher.extraction.metadata import jsonld
from pellucid_fetcher.extraction.metadata.authors import declared_author
from pellucid_fetcher.extraction.metadata.dates import declared_dates, published_date
from pellucid_fetcher.extraction.metadata.titles import Names, best_title
from pellucid_fetcher.extraction.metadata.written import style_of
from pellucid_fetcher.extraction.structure.blocks import clean
from pellucid_fetcher.outcome import PublishedDate

_MAX_TITLE: Final = 500
_MAX_NAME: Final = 200
_MAX_DESCRIPTION: Final = 5_000


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a page says about itself.

    ``published`` is believed before what the page shows; ``declared`` are all days that it states
    as its publication.
    """

    title: str = ""
    author: str = ""
    site_name: str = ""
    language: str = ""
    published: PublishedDate | None = None
    declared: tuple[PublishedDate, ...] = ()
    types: frozenset[str] = frozenset()
    description: str = ""
    og_type: str = ""


def read_metadata(parser: LexborHTMLParser, url: str) -> Metadata:
    """Read a page's metadata.

    Args:
        parser: The parsed page.
        url: Its address, for dates in paths.
    """
    metas = _metas(parser)
    nodes = jsonld.read_nodes(parser)
    style = style_of(parser, url)
    site = _site_name(metas, nodes)
    return Metadata(
        title=_title(parser, metas, site)[:_MAX_TITLE],
        author=declared_author(parser, metas, nodes)[:_MAX_NAME],
        site_name=site[:_MAX_NAME],
        language=_language(parser, metas),
        published=published_date(metas, nodes, url, style),
        declared=declared_dates(metas, nodes, url, style),
        types=frozenset().union(*map(jsonld.types_of, nodes)),
        description=_description(metas, nodes),
        og_type=metas.get("og:type", "").lower(),
    )


def _metas(parser: LexborHTMLParser) -> Mapping[str, str]:
    """Collect meta tags by lower-case name; the first of each counts."""
    metas: dict[str, str] = {}
    for node in parser.css("meta[content]")[:400]:
        attributes = node.attributes
        name = attributes.get("property") or attributes.get("name") or attributes.get("itemprop")
        content = clean(attributes.get("content") or "")
        if name and content:
            metas.setdefault(name.strip().lower(), content)
    return metas


def _title(
    parser: LexborHTMLParser,
    metas: Mapping[str, str],
    site: str,
) -> str:
    full = _element_text(parser, "title")
    headings = [_heading_text(node) for node in parser.css("h1")[:5]]
    declared = (metas.get("og:title", ""), metas.get("twitter:title", ""))
    return best_title(Names(full, headings, declared, site))


def _heading_text(node: LexborNode) -> str:
    gap = " " if node.css_first("br") is not None else ""
    return clean(node.text(deep=True, separator=gap)).rstrip("¶#§ ")


def _element_text(parser: LexborHTMLParser, selector: str) -> str:
    node = parser.css_first(selector)
    return clean(node.text(deep=True)) if node is not None else ""


def _description(metas: Mapping[str, str], nodes: Sequence[Mapping[str, Any]]) -> str:
    """Gather what the page says of itself in a few sentences; a hint for extraction only."""
    told = [metas.get("description", ""), metas.get("og:description", "")]
    told += [jsonld.text_of(node.get("description")) for node in nodes[:20]]
    return " ".join(told)[:_MAX_DESCRIPTION]


def _site_name(metas: Mapping[str, str], nodes: Sequence[Mapping[str, Any]]) -> str:
    declared = metas.get("og:site_name") or metas.get("application-name", "")
    if declared:
        return declared
    for node in nodes:
        if "WebSite" in jsonld.types_of(node):
            return clean(jsonld.text_of(node.get("name")))
        publisher = jsonld.text_of(node.get("publisher"))
        if publisher:
            return clean(publisher)
    return ""


def _language(parser: LexborHTMLParser, metas: Mapping[str, str]) -> str:
    root = parser.css_first("html")
    declared = (
        (root.attributes.get("lang") or root.attributes.get("xml:lang") or "") if root else ""
    )
    declared = declared or metas.get("content-language", "") or metas.get("og:locale", "")
    code = re.split(r"[-_,; ]", declared.strip().lower())[0]
    return code if re.fullmatch(r"[a-z]{2}", code) else ""
