"""Marks in every shape are read where citations stand; no other bracket is ever changed."""

import pytest
from citation_fakes import verified, verifier

from pellucid_gateway.domain.fencing import Unfencing, fenced
from pellucid_gateway.domain.request import CitationStyle

TOLL = "The toll for cars is 4.50 crowns"
MARKS = (
    *("[1]", "[1][1]", "[1, 1]", "【1†harbour】", "[^1]", "**[1]**", "(1)", "(source: 1)"),
    *("[Source 1]", "¹", "<sup>1</sup>", "<cite>1</cite>", "[[1]]", "[cite: 1]", "[1.1.2]"),
    *("\ue200cite\ue202turn0search1\ue201", "[1](http://harbourpost.example/toll)", "(Quelle 1)"),
)


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("text", [f"{TOLL} {{}}.", f"{TOLL}{{}}.", f"{TOLL}. {{}}", f"{TOLL}.{{}}"])
async def test_a_mark_in_every_shape_is_read(text: str, mark: str) -> None:
    answer, citations, report = await verified([text.format(mark)])

    assert answer.rstrip() == f"{TOLL}."
    assert [(c.source, answer[c.start : c.end].rstrip(".")) for c in citations] == [(1, TOLL)]
    assert (report.checked, report.kept) == (1, 1)


@pytest.mark.parametrize("mark", MARKS)
async def test_a_mark_after_the_full_stop_stays_with_its_sentence(mark: str) -> None:
    # With a space before it such a number begins what follows, unless nothing does.
    mark = f"{mark}\n" if mark in {"(1)", "¹"} else mark
    text = f"{TOLL}. {mark} Building the bridge cost 310 million crowns. [2]\n"
    answer, citations, _ = await verified(list(text), CitationStyle.NUMERIC)

    assert [c.source for c in citations] == [1, 2]
    assert "4.50 crowns. [1]" in answer
    assert answer.rstrip().endswith("310 million crowns. [2]")


async def test_marks_within_a_clause_are_like_the_others_of_the_sentence() -> None:
    text = f"{TOLL} [1], that for lorries 9 [2] and Skerry has 4,200 people [3]."
    answer, _, report = await verified([text])

    assert answer == f"{TOLL}, that for lorries 9 and Skerry has 4,200 people."
    assert report.checked == 3


async def test_a_mark_on_its_own_line_belongs_to_the_sentence_before() -> None:
    answer, citations, _ = await verified([f"Hello there, dear reader. {TOLL}.\n[1]\n"])

    assert [answer[c.start : c.end] for c in citations] == [TOLL]


UNCHANGED = (
    "The value of arr[0] is the first one.",
    "Then arr[1] holds the second one.",
    "Read matrix[1][2] and go on.",
    "Use matrix[1][2].",
    "The list [1, 2, 3] has three elements.",
    "The output is [1, 2, 3].",
    "sorted(x) returns [1, 2, 3].",
    "x = [1, 2, 3]",
    "Call f([1, 2]) twice.",
    "A nested one is [[1, 2], [3, 1]] here.",
    "[1, 2, 3]",
    "See [RFC 2119] for the words.",
    "He wrote [sic] in the margin.",
    "As of [2027] it is so.",
    "The train leaves at [12:30] sharp.",
    "The interval [0, 1] is closed.",
    "Numbers in [0, 10) are allowed.",
    "Press [1] to continue.",
    "Choose (1) the first or (2) the second.",
    "There are three (3) of them.",
    "It has two parts. (1) Apples. (2) Pears.",
    "An area of 5 m² is small.",
    "It holds 3 cm³ of water.",
    "Here x² + y² is the sum.",
    "It is 10<sup>2</sup> or so.",
    "- [ ] an open task\n- [x] a done one\n",
    "Type `a[1]` and then `b[2]`.",
    "```\nx = a[1] + [1, 2]\n```\n",
    "It holds that $a_{1} = [1]$ here.",
    'The key "[1]" is a string.',
    "Write [Step 1] first, says the form.",
    "Look at [Figure 1], says the book.",
    "His name [Redacted] was left out.",
    "The array [5] has one element.",
    "We have y=[1] there.",
    "Items [a, b, c] and {1, 2}.",
    "Its regex is [0-9]+ or so.",
    "Run `echo ${a[1]}` in a shell.",
    "The result (see above) is fine (really).",
    "In Python, print(a[1:3]) shows a slice.",
    "문장의 [참고] 는 그대로 둔다.",
    "Version (1.2.3) came out.",
)


@pytest.mark.parametrize("style", [CitationStyle.NATURAL, CitationStyle.NUMERIC])
@pytest.mark.parametrize("text", UNCHANGED)
async def test_no_other_bracket_is_changed(text: str, style: CitationStyle) -> None:
    for chunks in ([text], list(text)):
        answer, citations, report = await verified(chunks, style)

        assert answer == text
        assert (citations, report.checked) == ((), 0)


@pytest.mark.parametrize(
    "listing",
    [
        "Sources:\n[1] Toll on the Skerry Bridge\n[2] Bridge costs, Vellmark Council\n",
        "## References\n\n1. [Toll on the Skerry Bridge](http://harbourpost.example/toll)\n",
        "References:\n1. Harbour Post - http://harbourpost.example/toll\n2. A, http://a.example/\n",
        "**Quellen**\n- [1] Harbour Post: Toll on the Skerry Bridge, 4 October 2026\n",
        "[1]: http://harbourpost.example/toll\n",
        "Sources: [1], [2]\n",
        "Sources: [1][2]",
    ],
)
@pytest.mark.parametrize("by_character", [True, False])
async def test_a_list_of_sources_at_the_end_is_taken_out(
    listing: str, *, by_character: bool
) -> None:
    text = f"{TOLL} [1].\n\n{listing}"
    answer, citations, report = await verified(list(text) if by_character else [text])

    assert answer.strip() == f"{TOLL}."
    assert [c.source for c in citations] == [1]
    assert report.dropped == 0


@pytest.mark.parametrize(
    "text",
    [
        f"{TOLL} [1].\n\n## Costs\n\nBuilding the Skerry Bridge cost 310 million crowns [2].\n",
        "Here you go:\n1. Toll on the Skerry Bridge\n2. Bridge costs\n",
        f"{TOLL} [1].\n\nDetails:\n- Lorries pay a toll of 9 crowns [2].\n",
    ],
)
async def test_other_lists_and_headings_stay(text: str) -> None:
    answer, _, _ = await verified(list(text))

    assert answer == text.replace(" [1]", "").replace(" [2]", "")


async def test_what_follows_a_heading_flows() -> None:
    checked = verifier()
    for piece in ("A first sentence is here.\n", "Costs:\n"):
        _ = [event async for event in checked.feed(piece)]
    _ = [event async for event in checked.feed("lorries pay more than ")]

    assert checked.answer == "A first sentence is here.\nCosts:\nlorries pay more than"


@pytest.mark.parametrize("by_character", [True, False])
def test_no_fence_leaves_with_a_copied_line(*, by_character: bool) -> None:
    marker = "5c52d00d"
    copied = fenced("[1] Toll\nThe toll is 9 crowns.", marker)
    text = f"It says:\n{copied}\nand 5c52 crowns, <<<D, 5c5."
    unfencing = Unfencing(marker)
    pieces = [unfencing.feed(piece) for piece in (text if by_character else [text])]

    assert "".join(pieces) + unfencing.finish() == (
        "It says:\n[1] Toll\nThe toll is 9 crowns.\nand 5c52 crowns, <<<D, 5c5."
    )
