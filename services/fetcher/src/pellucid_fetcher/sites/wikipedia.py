"""Wikipedia and its sisters: a page as its wiki gives it to programs, without the boxes around it.

Source: https://www.mediawiki.org/wiki/API:REST_API/Reference (page with HTML). Not run against the
live service.
"""

from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import SplitResult, parse_qs, quote, unquote

from selectolax.lexbor import LexborHTMLParser

from pellucid_fetcher.sites.port import SitePage, required, text_at

NAME: Final = "wikipedia"
_FAMILIES: Final = frozenset(
    f"{name}.org"
    for name in ("wikipedia", "wiktionary", "wikivoyage", "wikibooks", "wikisource", "wikiquote")
)
_PATH: Final = "/wiki/"
# Parameters that ask for something else than the page as it is now.
_OTHER_VIEWS: Final = frozenset({"action", "curid", "diff", "oldid"})
# Links to other pages in boxes, marks for editors, and what is not printed.
_AROUND: Final = ".navbox, .vertical-navbox, .sistersitebox, .metadata, .noprint, .mw-editsection"


def questions(url: SplitResult) -> Sequence[str]:
    """Return the address of a page's HTML."""
    language, _, family = (url.hostname or "").replace(".m.", ".").partition(".")
    title = quote(unquote(url.path.removeprefix(_PATH)), safe="")
    known = family in _FAMILIES and language != "www" and url.path.startswith(_PATH) and title
    if not known or not _OTHER_VIEWS.isdisjoint(parse_qs(url.query)):
        return ()
    return (f"https://{language}.{family}/w/rest.php/v1/page/{title}/with_html",)


def read(url: SplitResult, answers: Sequence[Any]) -> SitePage:  # noqa: ARG001 - of the port
    """Read a page; many have written it over years, so it has neither an author nor a day.

    Raises:
        FetchFault: NO_TEXT when there is no page.
    """
    parser = LexborHTMLParser(required(text_at(answers[0], "html")))
    for node in parser.css(_AROUND):
        node.decompose()
    body = parser.body.inner_html if parser.body is not None else None
    return SitePage(required(text_at(answers[0], "title")), required(body or ""))
