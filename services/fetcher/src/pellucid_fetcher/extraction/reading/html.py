"""HTML pages: parse, choose the main content, write it down, and judge what kind of page it is."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from pellucid_fetcher.document import Document, Extracted
from pellucid_fetcher.extraction.choosing.selecting import Choice, Selector, open_selector
from pellucid_fetcher.extraction.metadata.authors import shown_author
from pellucid_fetcher.extraction.metadata.bylines import earlier_date, visible_date
from pellucid_fetcher.extraction.metadata.metadata import Metadata, read_metadata
from pellucid_fetcher.extraction.metadata.shown import Page
from pellucid_fetcher.extraction.reading import charset, excerpt, markdown
from pellucid_fetcher.extraction.reading.leading import leads_to
from pellucid_fetcher.extraction.reading.plain import all_of
from pellucid_fetcher.extraction.reading.walls import Wall, load_walls, recognise
from pellucid_fetcher.extraction.structure.blocks import PageBlocks
from pellucid_fetcher.extraction.structure.links import absolute
from pellucid_fetcher.extraction.structure.nesting import shallow
from pellucid_fetcher.extraction.structure.shadows import fill_slots, with_open_roots
from pellucid_fetcher.extraction.structure.walking import walk_page
from pellucid_fetcher.outcome import FetchStatus, PublishedDate

_BARE_WORDS: Final = 5  # a page that shows next to nothing waits for its scripts …
_SHELL_WORDS: Final = 25  # … and so does one with a little more and the marks of a shell
_SHELL_MARKS: Final = re.compile(
    r"<div[^>]+id=[\"']?(?:root|app|__next|__nuxt|svelte)|enable javascript|requires javascript",
    re.IGNORECASE,
)
_FULL_QUALITY_WORDS: Final = 120


@dataclass(frozen=True, slots=True)
class HtmlReader:
    """Reads HTML with the table of walls at hand."""

    walls: tuple[Wall, ...]
    selector: Selector

    def read(self, document: Document) -> Extracted:
        """Extract an HTML page."""
        decoded = charset.decode(document.body, document.charset)
        whole = shallow(decoded.text)
        is_cut = len(whole) < len(decoded.text)
        markup = with_open_roots(whole)
        parser = LexborHTMLParser(markup)
        fill_slots(parser, markup)
        page = walk_page(parser, _base(parser, document) if document.links else "")
        page.limited |= is_cut
        if page.limited and not page.blocks:
            return Extracted(status=FetchStatus.PARSE_LIMIT, charset=decoded.charset)
        metadata = read_metadata(parser, document.url)
        choice = self.selector.select(page, metadata, document.url)
        extracted = self._assemble(page, choice, metadata, decoded)
        return replace(
            extracted,
            published=None if page.limited else _published(parser, page, metadata, document.url),
            leads_to=leads_to(parser, _base(parser, document), page.words),
        )

    def _assemble(
        self, page: PageBlocks, choice: Choice, metadata: Metadata, decoded: charset.Decoded
    ) -> Extracted:
        chosen = choice.blocks
        text = markdown.render(chosen, page.links)
        words = sum(block.words for block in chosen)
        walls = recognise(
            self.walls,
            title=metadata.title,
            text="\n".join(block.text for block in page.blocks),
            main=text,
            shown=page.words,
            words=words,
            markup=decoded.text,
        )
        return Extracted(
            status=_status(text, page, walls),
            title=metadata.title,
            author=shown_author(page.blocks, metadata.author, metadata.site_name),
            site_name=metadata.site_name,
            language=metadata.language,
            text=text,
            excerpt=excerpt.of(block.text for block in chosen if block.kind in ("p", "quote")),
            charset=decoded.charset,
            quality=_quality(choice, words),
            warnings=(*(wall for wall in walls if wall != "bot_wall"), *decoded.warnings),
            truncated=page.limited,
            needs_script=_needs_script(page, decoded.text),
        )


def read_whole(document: Document) -> Extracted:
    """Read HTML of which everything is content."""
    decoded = charset.decode(document.body, document.charset)
    parser = LexborHTMLParser(shallow(decoded.text))
    page = walk_page(parser, document.url if document.links else "")
    paragraphs = [block.text for block in page.blocks if block.kind == "p"]
    extracted = all_of(markdown.render(page.blocks, page.links), decoded, paragraphs)
    return replace(extracted, truncated=page.limited)


def open_html_reader() -> HtmlReader:
    """Build a reader with the shipped tables."""
    return HtmlReader(load_walls(), open_selector())


def _base(parser: LexborHTMLParser, document: Document) -> str:
    """Return the address that the links of a page start from."""
    node = parser.css_first("base[href]")
    named = (node.attributes.get("href") or "") if node is not None else ""
    return absolute(named, document.url) or document.url


def _published(
    parser: LexborHTMLParser, page: PageBlocks, metadata: Metadata, url: str
) -> PublishedDate | None:
    about = Page(url, metadata.title, metadata.types)
    if metadata.published is not None:
        return earlier_date(parser, page.blocks, about, metadata.published, metadata.declared)
    return visible_date(parser, page.blocks, about)


def _status(text: str, page: PageBlocks, walls: Sequence[str]) -> FetchStatus:
    if "bot_wall" in walls:
        return FetchStatus.BLOCKED_BY_SITE
    if text:
        return FetchStatus.OK
    return FetchStatus.PARSE_LIMIT if page.limited else FetchStatus.NO_TEXT


def _quality(choice: Choice, words: int) -> float:
    """Judge by how sure the choice was and how much text it gave; 0 to 1."""
    return round(math.sqrt(min(1.0, words / _FULL_QUALITY_WORDS)) * choice.confidence, 3)


def _needs_script(page: PageBlocks, markup: str) -> bool:
    shown = sum(block.words for block in page.blocks if not block.noscript)
    if shown < _BARE_WORDS and page.scripts > 0:
        return True
    return shown < _SHELL_WORDS and bool(_SHELL_MARKS.search(markup))
