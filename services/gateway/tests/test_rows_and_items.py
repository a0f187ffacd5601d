"""Table rows and list items without a marker are cited one by one, and stay what they are."""

from dataclasses import replace
from itertools import pairwise

import pytest
from citation_fakes import SOURCES, verified
from markdown_it import MarkdownIt

from pellucid_gateway.domain.request import CitationStyle
from pellucid_gateway.verification.lead_ins import LeadIns

TABLE = """\
Tolls on the Skerry Bridge:

| Vehicle | Toll |
|:--------|-----:|
| Cars pay a toll of | 4.50 crowns |
| Lorries pay a toll of | 9 crowns |
| Buses pay a toll of | 77 crowns |
"""
LIST = """\
Tolls on the Skerry Bridge:

- Cars: 4.50 crowns
- Buses: 77 crowns
"""


def cells_of(text: str) -> list[list[str]]:
    """The cells of a text's only table, row by row, as a reader of GFM sees them."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    rows: list[list[str]] = []
    for before, token in pairwise(tokens):
        if before.type == "tr_open":
            rows.append([])
        if before.type in {"th_open", "td_open"}:
            rows[-1].append(token.content)
    return rows


@pytest.mark.parametrize("style", CitationStyle)
@pytest.mark.parametrize("size", [1, 7, 1_000])
async def test_each_row_is_cited_and_the_table_stays(style: CitationStyle, size: int) -> None:
    piped = replace(SOURCES[0], publisher="Harbour | Post")
    chunks = [TABLE[i : i + size] for i in range(0, len(TABLE), size)]
    answer, citations, report = await verified(chunks, style, (piped, *SOURCES[1:]))

    assert [(c.source, c.added, answer[c.start : c.end]) for c in citations] == [
        (1, True, "Cars pay a toll of | 4.50 crowns"),
        (2, True, "Lorries pay a toll of | 9 crowns"),
    ]
    assert report.uncited_sentences == 1 + 1  # the line above, and the row that no source has
    shown = {
        CitationStyle.NUMERIC: [" [1]", " [2]"],
        CitationStyle.MARKDOWN: [
            r" ([Harbour \| Post](http://harbourpost.example/toll))",
            " ([Vellmark Council](https://council.example/bridge?id=7))",
        ],
    }.get(style, ["", ""])
    assert cells_of(answer) == [
        ["Vehicle", "Toll"],
        ["Cars pay a toll of", f"4.50 crowns{shown[0]}".replace("\\", "")],
        ["Lorries pay a toll of", f"9 crowns{shown[1]}"],
        ["Buses pay a toll of", "77 crowns"],
    ]


async def test_an_item_is_held_against_sources_with_the_line_that_introduces_it() -> None:
    answer, citations, _ = await verified([LIST])

    assert answer == LIST
    assert [answer[c.start : c.end] for c in citations] == ["Cars: 4.50 crowns"]


def test_what_stands_above_ends_with_the_table_or_list() -> None:
    lines = LeadIns()
    claims = []
    for line in (
        "Tolls:",
        "",
        "1. Cars 4.50.",
        "Prose.",
        "- Cars 9.",
        "| A | B |",
        "",
        "| C | D |",
    ):
        lines.take(f"{line}\n")
        claims.append((lines.joined("x"), lines.is_head))

    assert [is_head for _, is_head in claims] == [False] * 5 + [True, False, True]
    assert [claim for claim, _ in claims[:5]] == ["x", "x", "Tolls: x", "x", "x"]


async def test_a_figure_below_a_heading_is_no_entry_of_a_list_of_sources() -> None:
    text = "The bridge is open.\n\nTolls\n\n- Toll on the Skerry Bridge: 4.50 crowns\n"
    answer, _, _ = await verified([text])

    assert answer == text


async def test_without_a_judge_a_figure_that_is_worked_out_keeps_a_citation_but_gets_none() -> None:
    facts = "The yearly profit of the bridge rose to 64 million crowns from 58 million."
    sources = (replace(SOURCES[0], facts=facts),)
    said = "The yearly profit of the bridge rose by 6 million crowns"
    marked, kept, _ = await verified([f"{said} [1]."], sources=sources)
    bare, added, _ = await verified([f"{said}."], sources=sources)

    assert (marked, bare) == (f"{said}.", f"{said}.")
    assert ([c.added for c in kept], added) == ([False], ())
