"""Whatever a model writes and however it is cut: the same answer, spans inside, nothing foreign."""

from citation_fakes import SOURCES, verified
from hostile_markdown import reached, shown
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pellucid_gateway.domain.request import CitationStyle
from rig.sample import often

PARTS = st.sampled_from(
    [
        "The toll for cars is 4.50 crowns",
        "Lorries pay a toll of 9 crowns",
        *(
            " [1]",
            "[2]",
            " [1, 3]",
            "【2】",
            " [97]",
            *(
                "[[97]]",
                "[[citation:1]]",
                "\\[97\\]",
                " [doc_97]",
                " **[97]**",
                "[1]–[3]",
                " (Source 97)",
            ),
            *(
                "~~~~\n",
                "````\n",
                "- ```\n",
                "  ```\n",
                "    ```\n",
                "  text ",
                "<div>\n",
                "mailto:x@e.example",
            ),
            *("‘a b c d e f g h i j k l m n o p q’ ", "»a b ", "« "),
            "[",
            "]",
            "(",
            ")",
            ". ",
            "! ",
            "? ",
            ".",
            "\n",
        ),
        *("\n\n", "- ", "1. ", "| a | b [1] |\n", "```\n", "`x[1]`", "~~~\n", "# Head\n"),
        *("https://evil.example/x?y=1", "http://harbourpost.example/toll", " www.evil.example"),
        *("[text](https://evil.example/)", "[text](http://almanac.example/skerry)"),
        *("![i](http://e.example/)", "<img src=x>", "<b>", "Reuters reports that "),
        *("The Harbour Post says ", "according to the Times, ", ", according to Reuters"),
        *("Marta Quill said ", "Dr. Quill ", "e.g. this ", "3.5 ", "no. 5 ", "am 3. Mai "),
        *("통행료는 4.50 크라운이다. ", "通行费是4.50。", "로이터에 따르면, ", " ", "  ", "🙂"),
        *(
            "**bold** ",
            "The ",
            "A",
            "\u00e9t\u00e9 ",
            "in 2026",
            " [2024]",
            "[^1]",
            "…",
            '"quoted." ',
            "See ",
            "Siehe ",
            "(see ",
            ") ",
            "“a b c d e f g h i j k l m n o p q” ",
            "« un",
            "The toll is not 4.50 crowns",
        ),
    ]
)


def cut(text: str, points: list[int]) -> list[str]:
    """The text in chunks that end at the points."""
    ends = sorted({p % (len(text) + 1) for p in points} | {len(text)})
    return [text[a:b] for a, b in zip([0, *ends], ends, strict=False)]


@settings(max_examples=often(300), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(PARTS, max_size=14).map("".join),
    st.lists(st.integers(0, 10_000), max_size=40),
    st.sampled_from(list(CitationStyle)),
)
async def test_any_chunking_gives_the_same_answer_spans_and_report(
    text: str, points: list[int], style: CitationStyle
) -> None:
    whole = await verified([text], style)

    assert await verified(cut(text, points), style) == whole
    assert await verified(list(text), style) == whole


@settings(max_examples=often(150), deadline=None)
@given(st.lists(PARTS, max_size=14).map("".join), st.sampled_from(list(CitationStyle)))
async def test_whatever_the_model_writes_spans_lie_inside_and_nothing_foreign_leaves(
    text: str, style: CitationStyle
) -> None:
    answer, citations, report = await verified([text], style)

    for citation in citations:
        assert 0 <= citation.start < citation.end <= len(answer)
        assert citation.url in {source.url for source in SOURCES}
        assert citation.cited_text in SOURCES[citation.source - 1].facts
    assert not any(reached(page) for page in shown(answer).values())
    assert report.checked == report.kept + report.rebound + report.dropped
