"""The project's own labelled pages: invented content in the mark-up of usual systems.

What a page says is written by hand in the ``*.yaml`` beside this module, and so is what stands
around it; this module only puts both into mark-up. The labelled text is the written content, never
what an extractor makes of it.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml
from pages.layouts import HIDDEN, RENDERERS, Line, Words, Written, anchors, esc

FOLDER = Path(__file__).parent
KINDS = ("article", "documentation", "forum", "product", "listing", "collection", "service")


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page and what is right about it."""

    id: str
    kind: str
    lang: str
    url: str
    body: bytes
    text: str
    title: str
    author: str
    date: str
    must: tuple[str, ...]
    must_not: tuple[str, ...]


def labelled_pages() -> Iterator[LabelledPage]:
    """Build the set, kind by kind."""
    around = yaml.safe_load((FOLDER / "frame.yaml").read_text("utf-8"))
    for kind in KINDS:
        for place, row in enumerate(yaml.safe_load((FOLDER / f"{kind}.yaml").read_text("utf-8"))):
            lines = tuple(_line(line) for line in row["body"].splitlines() if line.strip())
            yield _labelled(Written(kind, place, row, lines, around[row["lang"]]))


def _line(line: str) -> Line:
    mark, _, rest = line.partition(" ")
    return (mark, rest) if mark in {"##", "-", "1.", ">", "|", "$", "*"} else _unmarked(line)


def _unmarked(line: str) -> Line:
    return ("@", line[1:]) if line.startswith("@") else ("p", line)


def _labelled(page: Written) -> LabelledPage:
    row, around = page.row, page.around
    content = [text for mark, text in page.lines if mark != "@"]
    if "price" in row:
        content.insert(0, row["price"])
    content.insert(0, row["title"])
    cells = [text.replace(" | ", " ") for text in content]
    return LabelledPage(
        id=row["id"],
        kind=page.kind,
        lang=row["lang"],
        url=f"https://www.lantern.example/{page.kind}/{row['id']}",
        body=_document(page).encode(),
        text="\n".join(cells),
        title=row["title"],
        author=row.get("author", "") if page.kind == "article" else "",
        date=row.get("date", ""),
        must=(_snippet(page.lines, 0), _snippet(page.lines, -1)),
        must_not=(around["cookie"], around["footer"], around["newsletter"], HIDDEN),
    )


def _snippet(lines: tuple[Line, ...], at: int) -> str:
    """Take a line of running text that every rendering keeps together."""
    plain = [text for mark, text in lines if mark in {"p", ">"}]
    return (plain or [text for mark, text in lines if mark == "*"])[at].split(" | ")[0]


def _document(page: Written) -> str:
    around, row = page.around, page.row
    shell = SHELLS[(page.place * 3 + KINDS.index(page.kind)) % len(SHELLS)]
    return (
        f'<!doctype html><html lang="{row["lang"]}"><head><meta charset="utf-8">{_head(page)}'
        f"</head><body>{shell(RENDERERS[page.kind](page), around)}</body></html>"
    )


def _head(page: Written) -> str:
    row = page.row
    parts = [f"<title>{esc(row['title'])} | Lantern</title>"]
    if page.place % 2:
        parts.append(f'<meta property="og:title" content="{esc(row["title"])}">')
    if row.get("date") and page.kind == "forum":
        parts.append(f'<meta property="article:published_time" content="{row["date"]}T08:00:00Z">')
    elif row.get("date"):
        facts = {"@type": "Article", "headline": row["title"], "datePublished": row["date"]}
        if row["author"]:
            facts["author"] = {"@type": "Person", "name": row["author"]}
        parts.append(f'<script type="application/ld+json">{json.dumps(facts)}</script>')
    return "".join(parts)


def _plain(content: str, around: Words) -> str:
    return (
        f"<header><a href=/>Lantern</a><nav><ul>{anchors(around['nav'])}</ul></nav></header>"
        f"<main>{content}</main><footer><p>{esc(around['newsletter'])}</p>"
        f"<p>{esc(around['footer'])}</p></footer>"
    )


def _divisions(content: str, around: Words) -> str:
    return (
        f'<div id="cookie-banner" class="consent"><p>{esc(around["cookie"])}</p></div>'
        f'<div class="topbar"><div class="menu">{anchors(around["nav"], "span")}</div></div>'
        f'<div class="page"><div class="column-main">{content}</div></div>'
        f'<div class="bottom"><p>{esc(around["footer"])}</p></div>'
    )


def _sidebar(content: str, around: Words) -> str:
    latest = f'<h3 class="widget-title">{esc(around["related_head"])}</h3>'
    return (
        f'<div id="masthead" role="banner"><nav class="main-navigation"><ul>'
        f"{anchors(around['nav'])}</ul></nav></div>"
        f'<div id="primary" class="content-area">{content}</div>'
        f'<div id="secondary" class="widget-area" role="complementary"><div class="widget">{latest}'
        f'<ul>{anchors(around["related"])}</ul></div><div class="widget newsletter">'
        f"<p>{esc(around['newsletter'])}</p></div></div>"
        f'<div id="colophon" role="contentinfo">{esc(around["footer"])}</div>'
    )


def _table(content: str, around: Words) -> str:
    return (
        '<table width="100%" border="0"><tr><td colspan="2" class="head">'
        f"{anchors(around['nav'], 'b')}</td></tr><tr><td width='160' class='left'><ul>"
        f"{anchors(around['related'])}</ul></td><td valign='top'>{content}</td></tr>"
        f"<tr><td colspan='2' class='foot'>{esc(around['footer'])}</td></tr></table>"
        f'<div class="cookie-notice" role="dialog">{esc(around["cookie"])}</div>'
    )


SHELLS: tuple[Callable[[str, Words], str], ...] = (_plain, _divisions, _sidebar, _table)
