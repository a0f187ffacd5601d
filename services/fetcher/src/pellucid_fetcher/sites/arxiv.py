"""arXiv: the abstract of a paper, with the paper itself where it exists as HTML.

A paper without HTML is read as the PDF that it is. Source: https://info.arxiv.org/help/api (Atom)
and arxiv.org/html. Not run against the live service.
"""

import html
import re
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import SplitResult

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pellucid_fetcher.sites.port import SitePage, answered, instant, required

NAME: Final = "arxiv"
_HOSTS: Final = frozenset({"arxiv.org", "www.arxiv.org", "export.arxiv.org"})
_PATH: Final = re.compile(r"/(abs|pdf)/((?:[a-z-]+(?:\.[A-Z]{2})?/\d{7}|\d{4}\.\d{4,5})(?:v\d+)?)")
_ARTICLE: Final = re.compile(r"<article\b.*</article>", re.DOTALL)


def questions(url: SplitResult) -> Sequence[str]:
    """Return the addresses of a paper's entry and of its HTML."""
    found = _PATH.match(url.path) if url.hostname in _HOSTS else None
    if found is None:
        return ()
    asked = f"https://export.arxiv.org/api/query?id_list={found[2]}"
    return asked, f"https://arxiv.org/html/{found[2]}"


def read(url: SplitResult, answers: Sequence[Any]) -> SitePage:
    """Read an abstract and its paper.

    Raises:
        FetchFault: NO_TEXT when there is no abstract, or no HTML where the PDF is asked for.
    """
    entry = LexborHTMLParser(_with_titles(answers[0])).css_first("entry")
    abstract = required(_said(entry, "summary"))
    told = answers[1] if url.path.startswith("/abs") else answered(answers[1])
    paper = _ARTICLE.search(told) if isinstance(told, str) else None
    names = entry.css("author > name") if entry is not None else []
    return SitePage(
        required(_said(entry, "x-title")),
        f"<h2>Abstract</h2><p>{html.escape(abstract)}</p>{paper[0] if paper else ''}",
        author=", ".join(name.text(strip=True) for name in names),
        published=instant(_said(entry, "published")),
    )


def _with_titles(told: Any) -> str:
    """Rename the titles, whose content an HTML parser would not read as mark-up."""
    return re.sub(r"<(/?)title\b", r"<\1x-title", told) if isinstance(told, str) else ""


def _said(entry: LexborNode | None, name: str) -> str:
    node = entry.css_first(name) if entry is not None else None
    return " ".join(node.text().split()) if node is not None else ""
