"""The project's own labelled pages: invented content in the mark-up of usual systems.

What a page says is written by hand in the ``*.yaml`` beside this module, and so is what stands
around it. ``growing`` makes the pages as long as usual ones, ``layouts`` and ``sites`` put them
into mark-up, ``weight`` adds what is never read. The labelled text is the content as it was put in,
never what an extractor makes of it; in threads it names who wrote each post.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import yaml
from pages.growing import grown
from pages.layouts import HIDDEN, RENDERERS, Line, Words, Written, esc
from pages.sites import document

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
    around, others, prose = _table("frame"), _table("wordings"), _table("prose")
    for kind in KINDS:
        for place, row in enumerate(_table(kind)):
            lines = tuple(_line(line) for line in row["body"].splitlines() if line.strip())
            dice = Random(f"{row['id']}, longer")  # noqa: S311 - only has to be repeatable
            longer = grown(kind, lines, prose[row["lang"]], dice)
            words = _worded(row, around[row["lang"]], others[row["lang"]])
            yield _labelled(Written(kind, place, row, longer, words))


def _table(name: str) -> Any:
    return yaml.safe_load((FOLDER / f"{name}.yaml").read_text("utf-8"))


def _worded(row: Mapping[str, Any], first: Words, others: Words) -> Words:
    """Choose how a page's site says each thing that stands around the content."""
    dice = Random(f"{row['id']}, wording")  # noqa: S311 - only has to be repeatable
    return {key: dice.choice([said, *others.get(key, [])]) for key, said in first.items()}


def _line(line: str) -> Line:
    mark, _, rest = line.partition(" ")
    return (mark, rest) if mark in {"##", "-", "1.", ">", "|", "$", "*"} else _unmarked(line)


def _unmarked(line: str) -> Line:
    return ("@", line[1:]) if line.startswith("@") else ("p", line)


def _labelled(page: Written) -> LabelledPage:
    row, around = page.row, page.around
    content = [text for _, text in page.lines]
    if "price" in row:
        content.insert(0, row["price"])
    content.insert(0, row["title"])
    cells = [text.replace(" | ", " ") for text in content]
    return LabelledPage(
        id=row["id"],
        kind=page.kind,
        lang=row["lang"],
        url=f"https://www.lantern.example/{page.kind}/{row['id']}",
        body=document(page, _head(page), RENDERERS[page.kind](page)).encode(),
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
