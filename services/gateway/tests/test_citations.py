"""Citations planted wrong never leave; right ones do."""

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from citation_fakes import SOURCES, verified, verifier
from hostile_markdown import reached, shown
from port_fakes import FakeScorer

from pellucid_gateway.domain.ports import Passage, PassageSupport
from pellucid_gateway.domain.request import CitationStyle


@pytest.mark.parametrize(
    ("text", "sources"),
    [
        ("The toll for cars is 4.50 crowns [1].", [1]),
        ("The toll for cars is 4.50 crowns. [1]", [1]),
        ("The toll for cars is 4.50 crowns【1】.", [1]),
        ("The toll for cars is 4.50 crowns [Source 1].", [1]),
        ("The toll for cars is 4.50 crowns [1†harbourpost].", [1]),
        ("The toll for cars is 4.50 crowns [[1]].", [1]),
        ("The toll for cars is 4.50 crowns [[citation:1]].", [1]),
        ("The toll for cars is 4.50 crowns. [citation:1]", [1]),
        ("The toll for cars is 4.50 crowns [doc_1].", [1]),
        ("The toll for cars is 4.50 crowns [#1].", [1]),
        ("The toll for cars is 4.50 crowns \\[1\\].", [1]),
        ("The toll for cars is 4.50 crowns **[1]**.", [1]),
        ("The toll for cars is 4.50 crowns (Source 1).", [1]),
        ("Building the bridge cost 310 million crowns [2].", [2]),
        ("Building the Skerry Bridge cost 310,000,000 crowns [2].", [2]),
        ("Skerry has 4200 people [3].", [3]),
        ("Marta Quill opened the bridge on 3 October 2026 [1].", [1]),
        ("The bridge was opened by Marta Quill in October 2026 [1].", [1]),
        ("The Harbour Post reports that the toll for cars is 4.50 crowns [1].", [1]),
        ("According to the Harbour Post, the toll for cars is 4.50 crowns.", [1]),
        ("The toll for cars is 4.50 crowns [1], while lorries pay a toll of 9 crowns [2].", [1, 2]),
    ],
)
async def test_right_citations_are_kept(text: str, sources: list[int]) -> None:
    answer, citations, report = await verified([text])

    assert [citation.source for citation in citations] == sources
    assert report.kept == len(sources)
    assert report.dropped == 0
    assert not re.search(r"[\[【]", answer)


@pytest.mark.parametrize(
    "text",
    [
        "The toll for cars is 4.50 crowns [Sources: Harbour Post, Reuters.com].",
        "The toll for cars is 4.50 crowns. [Source: Harbour Post]",
        "The toll for cars is 4.50 crowns.\n\n[Quellen: Harbour Post; Reuters.com]",
    ],
)
async def test_a_list_of_names_in_brackets_does_not_stand(text: str) -> None:
    answer, citations, _ = await verified([text])

    assert answer.strip() == "The toll for cars is 4.50 crowns."
    assert [citation.source for citation in citations] == [1]


@pytest.mark.parametrize(
    "text",
    [
        "The toll for cars is 4.50 crowns on the moon base [97].",
        "Dogs may not cross at any time [0].",
        "Dogs may not cross at any time [4-9].",
        "The toll for cars on the Skerry Bridge is 5.50 crowns [1].",
        "The toll for cars on the Skerry Bridge is 12 crowns [1].",
        "Marta Quill opened the bridge on 4 October 2025 [1].",
        "Marta Quill opened the bridge on 3 March 2026 [1].",
        "Piet Vandal opened the bridge on 3 October 2026 [1].",
        "The bridge was opened by Piet Vandal on 3 October 2026 [1].",
        "The toll for cars is 4.50 crowns [here](https://evil.example/toll).",
        "The toll for cars is 4.50 crowns [1](https://evil.example/toll).",
        "Building the Skerry Bridge cost 310 thousand crowns [2].",
        "Whales sing at night in every ocean [3].",
    ],
)
async def test_planted_wrong_citations_never_leave(text: str) -> None:
    answer, citations, report = await verified([text])

    shown = [c for c in citations if c.source in {0, 4, 5, 6, 7, 8, 9, 97}]
    assert shown == []
    assert report.kept == 0 or "evil" in text
    for citation in citations:
        assert "4.50" in answer[citation.start : citation.end]
    assert "evil" not in answer
    assert "[" not in answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("It costs 9 crowns. See https://evil.example/leak?q=1.", "It costs 9 crowns."),
        ("Look ![x](https://evil.example/p.png) here now.", "Look  here now."),
        ('Look <img src="https://evil.example/p.png"> here.', "Look  here."),
        ("Go to www.evil.example/x for more.", ""),
        ("Siehe evil.example/x für Weiteres.", ""),
        ("Open [this](javascript:alert(1)) now.", "Open this now."),
        ("Open mailto:me@evil.example?body=x right now.", "Open right now."),
        ("Read http://harbourpost.example/toll now.", "Read http://harbourpost.example/toll now."),
        ("Open http://harbourpost.example/toll?leak=1 now.", "Open now."),
        ("It costs 9 crowns (see https://evil.example/x).", "It costs 9 crowns."),
        ("It costs 9 crowns ([97]).", "It costs 9 crowns."),
    ],
)
async def test_only_addresses_of_the_evidence_leave(text: str, answer: str) -> None:
    given, _, _ = await verified([text])

    assert re.sub(r" +", " ", given) == re.sub(r" +", " ", answer)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (
            "Reuters reports that the toll for cars is 4.50 crowns [1].",
            "Harbour Post reports that the toll for cars is 4.50 crowns.",
        ),
        ("Reuters reports that dogs may cross.", "Dogs may cross."),
        ("Dogs may cross, according to the Daily Whale.", "Dogs may cross."),
        ("According to source 1, the toll for cars is 4.50 crowns [1].",
         "According to Harbour Post, the toll for cars is 4.50 crowns."),
        ("Marta Quill said the bridge has 12 lanes for cars.",
         "Marta Quill said the bridge has 12 lanes for cars."),
        ("The Open Almanac reports that dogs may cross.", "Dogs may cross."),
    ],
)  # fmt: skip
async def test_invented_publishers_are_replaced_or_removed(text: str, answer: str) -> None:
    given, _, _ = await verified([text])

    assert given == answer


async def test_a_claim_is_rebound_to_the_source_that_supports_it() -> None:
    _, citations, report = await verified(
        ["Building the Skerry Bridge cost 310 million crowns [3]."]
    )

    assert [citation.source for citation in citations] == [2]
    assert (report.rebound, report.kept, report.dropped) == (1, 0, 0)


async def test_spans_stand_over_the_claims_and_passages_are_verbatim() -> None:
    text = (
        "Intro 🙂 first. The toll for cars is 4.50 crowns [1]. Lorries pay a toll of 9 crowns [2]!"
    )
    answer, citations, _ = await verified([text])

    assert [answer[c.start : c.end] for c in citations] == [
        "The toll for cars is 4.50 crowns",
        "Lorries pay a toll of 9 crowns",
    ]
    for citation in citations:
        assert citation.cited_text in SOURCES[citation.source - 1].facts


class _LikestFirst(FakeScorer):
    """Finds the first sentence of each passage the likest, whatever it says."""

    async def support(
        self, claims: Sequence[str], passages: Sequence[Passage]
    ) -> tuple[tuple[PassageSupport, ...], ...]:
        rows = await super().support(claims, passages)
        windows = {p.id: (p.text.index(".") + 2, p.text.index(". ", 60) + 1) for p in passages}
        return tuple(
            tuple(
                replace(one, window_start=start, window_end=end)
                for one in row
                for start, end in (windows[one.passage_id],)
            )
            for row in rows
        )


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("Davin Ekoro is the chief executive [1].", "Davin Ekoro, chief executive officer."),
        (
            "The founder chairs the board [1].",
            "Ottilie Marsh, founder and chief executive until September, chairs the board.",
        ),
    ],
)
async def test_the_passage_has_the_names_of_the_claim(claim: str, passage: str) -> None:
    people = replace(
        SOURCES[2],
        n=1,
        title="Leadership",
        facts="Ottilie Marsh, founder and chief executive until September, chairs the board. "
        "Davin Ekoro, chief executive officer. Renske Holloway, chief financial officer.",
    )
    checked = verifier([people], scorer=_LikestFirst())
    _ = [event async for event in checked.feed(claim)]
    _ = [event async for event in checked.finish()]

    assert [citation.cited_text for citation in checked.citations] == [passage]


async def test_list_marks_are_outside_the_span() -> None:
    answer, citations, _ = await verified(["- The toll for cars is 4.50 crowns [1]\n- Bye\n"])

    assert [answer[c.start : c.end] for c in citations] == ["The toll for cars is 4.50 crowns"]
    assert answer == "- The toll for cars is 4.50 crowns\n- Bye\n"


async def test_code_blocks_are_left_as_they_are() -> None:
    code = "```python\nx = a[1] + b[97]  # https://evil.example/x\n```\n"
    answer, _, report = await verified([f"Text.\n{code}Use `a[1]` here [97]."])

    assert code in answer
    assert "`a[1]`" in answer
    assert report.checked == 1


@pytest.mark.parametrize(
    "marker", ["[[9]]", "\\[9\\]", "[citation:9]", "[7]-[9]", "[#9]", "(Source 9)", "[doc_9]"]
)
async def test_a_wrong_number_leaves_in_no_form(marker: str) -> None:
    answer, citations, _ = await verified([f"The sky above it is blue {marker}."])

    assert (answer, citations) == ("The sky above it is blue.", ())


@pytest.mark.parametrize(
    "code",
    [
        "````\n```\na[97]\n```\n````\n",
        "```\na[97]\n```python\nb[97]\n```\n",
        "~~~ a`b\nx[97]\n~~~\n",
        "- It is so:\n  ```\n  a[97]\n\n  b[97]\n  ```\n",
        "- ```\n  a[97]\n  ```\n",
        "1. One\n   - Two\n\n     ```\n     a[97]\n     ```\n",
    ],
)
async def test_a_code_block_ends_where_markdown_ends_it(code: str) -> None:
    answer, _, report = await verified([f"{code}It is blue [97]."])

    assert answer == f"{code}It is blue."
    assert report.checked == 1


IMAGE = "![x](https://evil.example/p.png?q=1)"


@pytest.mark.parametrize(
    "text",
    [
        f"- It is so\n  ```\n{IMAGE}\n",
        f"It is so\n    ```\n    {IMAGE}\n",
        f"- ```\n  a\n  ```\n{IMAGE}\n",
        f"- It is\nso indeed\n  ```\n{IMAGE}\n",
        f" ```\na\n ```\n {IMAGE}\n",
        f"```\na\n    ```\n```\n{IMAGE}\n",
        '<div>\n```\n<img src="https://evil.example/p.png">\n',
    ],
)
async def test_what_only_looks_like_code_is_checked(text: str) -> None:
    answer, _, _ = await verified([text])

    assert not any(reached(page) for page in shown(answer).values())


@pytest.mark.parametrize("quote", ["“{}”", '"{}"', "«{}»", "»{}«", "‘{}’", "„{}“", "‹{}›"])
async def test_long_quotations_are_cut_in_every_form(quote: str) -> None:
    words = " ".join(f"don’t{n}" for n in range(20))
    answer, _, _ = await verified([f"The sign has {quote.format(words)} on it."])

    assert "don’t14" in answer
    assert "don’t15" not in answer


async def test_numeric_style_shows_only_what_held() -> None:
    text = "The toll for cars is 4.50 crowns [1][97]. Dogs may fly there [3]."
    answer, _, _ = await verified([text], CitationStyle.NUMERIC)

    assert answer == "The toll for cars is 4.50 crowns [1]. Dogs may fly there."


async def test_without_sources_no_marker_survives() -> None:
    answer, citations, report = await verified(["It is so [1]. Truly [2][3]."], sources=())

    assert answer == "It is so. Truly."
    assert citations == ()
    assert report.dropped == report.checked == 3


async def test_text_flows_before_its_sentence_ends_but_markers_wait() -> None:
    checked = verifier()
    first = [event async for event in checked.feed("the toll for cars is ")]
    held = [event async for event in checked.feed("4.50 crowns [1")]

    assert "".join(e.text for e in first) == "the toll for cars is"  # type: ignore[union-attr]
    assert "".join(e.text for e in held) == " 4.50 crowns"  # type: ignore[union-attr]


async def test_the_report_adds_up() -> None:
    text = "The toll for cars is 4.50 crowns [1][3]. A wholly free sentence here. Costs 9 [97]."
    _, _, report = await verified([text])

    assert report.checked == report.kept + report.rebound + report.dropped
    assert report.uncited_sentences == 1


async def test_facts_of_one_source_do_not_speak_for_another() -> None:
    lonely = (replace(SOURCES[2], n=1),)
    _, citations, report = await verified(["The toll is 4.50 crowns [1]."], sources=lonely)

    assert citations == ()
    assert report.dropped == 1
