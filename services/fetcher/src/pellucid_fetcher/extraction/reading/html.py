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
        chosen = self.selector.select(page, metadata, document.url)
        extracted = self._assemble(page, chosen, metadata, decoded.text)
        if not page.limited:
            extracted = replace(
                extracted, published=_published(parser, page, metadata, document.url)
            )
        words = sum(block.words for block in page.blocks)
        led = leads_to(parser, _base(parser, document), words)
        extracted = replace(extracted, leads_to=led)
        suspect = ("charset_suspect",) if decoded.suspect else ()
        return _with_charset(extracted, decoded.charset, suspect)

    def _assemble(
        self, page: PageBlocks, choice: Choice, metadata: Metadata, markup: str
    ) -> Extracted:
        chosen = choice.blocks
        text = markdown.render(chosen, page.links)
        words = sum(block.words for block in chosen)
        visible = "\n".join(block.text for block in page.blocks)
        walls = recognise(
            self.walls,
            title=metadata.title,
            text=visible,
            main=text,
            shown=sum(block.words for block in page.blocks),
            words=words,
            markup=markup,
        )
        return Extracted(
            status=_status(text, page, walls),
            title=metadata.title,
            author=shown_author(page.blocks, metadata.author, metadata.site_name),
            site_name=metadata.site_name,
            language=metadata.language,
            published=metadata.published,
            text=text,
            excerpt=excerpt.of(block.text for block in chosen if block.kind in ("p", "quote")),
            quality=_quality(choice, words),
            warnings=tuple(wall for wall in walls if wall != "bot_wall"),
            truncated=page.limited,
            needs_script=_needs_script(page, markup),
        )


def read_whole(document: Document) -> Extracted:
    """Read HTML of which everything is content."""
    decoded = charset.decode(document.body, document.charset)
    parser = LexborHTMLParser(shallow(decoded.text))
    page = walk_page(parser, document.url if document.links else "")
    text = markdown.render(page.blocks, page.links)
    return Extracted(
        status=FetchStatus.OK if text else FetchStatus.NO_TEXT,
        text=text,
        excerpt=excerpt.of(block.text for block in page.blocks if block.kind == "p"),
        charset=decoded.charset,
        quality=1.0 if text else 0.0,
        truncated=page.limited,
    )


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
    return visible_date(parser, page.blocks, about) or metadata.changed


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


def _with_charset(extracted: Extracted, name: str, warnings: tuple[str, ...]) -> Extracted:
    return replace(extracted, charset=name, warnings=(*extracted.warnings, *warnings))
