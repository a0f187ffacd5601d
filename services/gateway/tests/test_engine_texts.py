"""Texts and their parts: sentences, key facts, excerpts, notices, lexical checks, publishers."""

from dataclasses import replace
from string import Formatter

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from turn_fakes import turn

from pellucid_gateway.answering import extractive
from pellucid_gateway.answering.choice import choose
from pellucid_gateway.answering.quotable import candidates_of
from pellucid_gateway.domain import notices
from pellucid_gateway.domain.decision import Action, WebMode
from pellucid_gateway.domain.findings import PageContent, Source
from pellucid_gateway.domain.request import CitationStyle, Depth
from pellucid_gateway.question.fallback_decision import decide_by_rule, find_urls, query_from
from pellucid_gateway.question.key_facts import tells
from pellucid_gateway.question.plain_text import plain
from pellucid_gateway.retrieval.sources import publisher_of
from pellucid_gateway.verification.attributions import (
    find_attributions,
    names_publisher,
    settled_end,
)
from pellucid_gateway.verification.fact_matching import match_facts
from pellucid_language.calendar import LANGUAGES
from pellucid_language.sentences import Segmenter, split
from rig.sample import often

PAGE = """# Bridge opens

By A. Writer · 3 May 2026

The Skerry Bridge opened after six years of work on Saturday. Gulls were everywhere that morning.
A toll of 4.50 crowns applies to cars from April. The mayor wore a blue hat to the event.
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("It rose 3.5 % on Monday. Good.", ["It rose 3.5 % on Monday.", "Good."]),
        ("Dr. Quill met J. Doe. They left.", ["Dr. Quill met J. Doe.", "They left."]),
        ("Am 3. Mai war es so. Gut.", ["Am 3. Mai war es so.", "Gut."]),
        ("통행료는 비싸다. 끝이다.", ["통행료는 비싸다.", "끝이다."]),
        ("通行费很贵。结束了！", ["通行费很贵。", "结束了！"]),
        ("A claim. [1] Another [2].", ["A claim. [1]", "Another [2]."]),
        ("See e.g. this one. Yes.", ["See e.g. this one.", "Yes."]),
        ("First line\nsecond line", ["First line", "second line"]),
    ],
)
def test_sentences_end_where_people_end_them(text: str, expected: list[str]) -> None:
    assert split(text) == expected


@settings(max_examples=often(200), deadline=None)
@given(st.text(alphabet="ab. !?[1]\n`~|#。【】(:", max_size=200))
def test_segments_join_to_the_text_and_do_not_depend_on_chunks(text: str) -> None:
    whole, single = Segmenter(), Segmenter()
    at_once = [*whole.feed(text), *whole.finish()]
    by_character = [segment for c in text for segment in single.feed(c)]
    by_character += single.finish()

    assert at_once == by_character
    assert "".join(segment.text for segment in at_once) == text


def test_endless_text_without_a_stop_is_cut() -> None:
    segmenter = Segmenter()
    segments = segmenter.feed("word " * 2_000)

    assert segments
    assert len(segmenter.pending) < 3_000


def test_invisible_characters_and_markup_are_gone() -> None:
    assert plain("a\u200bb \u202ec **d** [e](http://x.example)\x00") == "ab c d e"


def test_excerpts_are_short_and_end_at_a_clause() -> None:
    long = "The bridge, which is long, " + "and old and wide " * 20 + "stands."
    short = extractive.excerpt(long)

    assert len(short.split()) <= extractive.MAX_EXCERPT_WORDS + 1
    assert short.endswith("…")
    assert long.startswith(short.removesuffix(" …"))


def _source(n: int, domain: str, facts: str) -> Source:
    return Source(n=n, url=f"http://{domain}/{n}", title="T", domain=domain, facts=facts,
                  publisher=domain)  # fmt: skip


def test_excerpts_come_from_two_domains_where_there_are_two() -> None:
    sources = [
        _source(
            1, "a.example", "The toll for cars is 4 crowns. The toll for cars will be 5 crowns."
        ),
        _source(2, "b.example", "Lorries pay three times the toll of cars."),
    ]
    found = candidates_of(sources)
    chosen = choose(found, "What is the toll for cars?", Depth.STANDARD)

    assert {candidate.source.domain for candidate in chosen} == {"a.example", "b.example"}
    assert chosen[0].source.domain == "a.example"


def test_what_says_nothing_to_the_question_is_not_quoted_to_fill_up() -> None:
    sources = [
        _source(1, "a.example", "The toll for cars is 4 crowns."),
        _source(2, "b.example", "Rain of 12 millimetres is expected over the whole coast."),
    ]
    found = candidates_of(sources)
    chosen = choose(found, "What is the toll for cars?", Depth.STANDARD)

    assert [candidate.source.domain for candidate in chosen] == ["a.example"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("style", list(CitationStyle))
def test_spans_of_excerpts_hold_in_every_language_and_style(
    language: str, style: CitationStyle
) -> None:
    sources = [
        _source(1, "a.example", "The “toll” for cars is 4 crowns."),
        _source(2, "b.example", "통행료는 4 크라운이다."),
    ]
    written = extractive.write(
        candidates_of(sources),
        wording=notices.wording_for(language),
        style=style,
    )

    spans = [written.text[c.start : c.end] for c in written.citations]
    assert spans == ["The “toll” for cars is 4 crowns.", "통행료는 4 크라운이다."]
    assert ("[1]" in written.text) == (style is CitationStyle.NUMERIC)


@pytest.mark.parametrize("language", ["en", "ko", "ja"])
def test_a_line_is_quoted_with_the_list_or_the_code_that_it_introduces(language: str) -> None:
    page = """# Recall

To get your money back do the following:

- Stop using the kettle.
- Bring it to a shop.

The number can also be read by a command.

```
kettle --serial
```
"""
    found = candidates_of([_source(1, "a.example", page)])
    written = extractive.write(
        [one for one in found if one.listed],
        wording=notices.wording_for(language),
        style=CitationStyle.NUMERIC,
    )

    spans = [written.text[c.start : c.end] for c in written.citations]
    assert spans == [
        "To get your money back do the following:",
        "Stop using the kettle.",
        "Bring it to a shop.",
        "The number can also be read by a command.",
        "kettle --serial",
    ]
    assert [c.cited_text for c in written.citations] == spans
    assert "- Bring it to a shop.\n" in written.text


def test_a_price_on_the_line_below_a_name_is_quoted_with_the_name() -> None:
    page = """# Boots

- Ridgewalker Mid
  $190.00
  189 reviews
- Coldpeak Low
  $129.73
"""
    found = {one.text: one.listed for one in candidates_of([_source(1, "a.example", page)])}

    assert found["Ridgewalker Mid"] == ("$190.00", "189 reviews")
    assert found["Coldpeak Low"] == ("$129.73",)


@pytest.mark.parametrize(
    ("page", "quoted"),
    [
        ("Charging time\n\n1.5 hours\n\nColour\n\nBlack or white", ["Charging time | 1.5 hours"]),
        ("Lamps of tomorrow\n\nApr 23, 2025", ["Lamps of tomorrow", "Apr 23, 2025"]),
        ("Price: $4,899.00", ["Price: $4,899.00"]),
        ("Price: on demand", ["Price: on demand"]),
    ],
)
def test_a_label_is_quoted_with_the_value_below_it(page: str, quoted: list[str]) -> None:
    found = [one.text for one in candidates_of([_source(1, "a.example", page)])]

    assert [one for one in found if one in quoted] == quoted
    assert "1.5 hours" not in found


def test_the_price_of_the_next_article_is_not_quoted() -> None:
    page = """# Projectors

## Brightbox 500

Price: $4,899.00

## Glowmaster 7

Price: $7,499.00
"""
    found = candidates_of([_source(1, "a.example", page)])
    chosen = choose(found, "How much is the Brightbox 500?", Depth.STANDARD)

    assert [one.text for one in chosen] == ["Price: $4,899.00"]


def test_the_end_of_a_long_page_is_read_for_a_sentence() -> None:
    page = " ".join(f"The pier number {i} has a lamp of its own." for i in range(600))
    found = candidates_of([_source(1, "a.example", f"{page}\n\nThe toll for lorries is 9 crowns.")])

    assert found[-1].text == "The toll for lorries is 9 crowns."


def _templates() -> dict[str, dict[str, dict[str, str]]]:
    from importlib import resources

    file = resources.files("pellucid_gateway.domain").joinpath("notices.yaml")
    table: dict[str, dict[str, dict[str, str]]] = yaml.safe_load(file.read_text("utf-8"))
    return table


@pytest.mark.parametrize("section", ["notices", "progress", "answer"])
def test_every_text_exists_in_all_languages_with_the_same_placeholders(section: str) -> None:
    for name, texts in _templates()[section].items():
        assert set(texts) == set(LANGUAGES), name
        fields = {
            frozenset(field for _, field, _, _ in Formatter().parse(text) if field)
            for text in texts.values()
        }
        assert len(fields) == 1, name


def test_an_unknown_language_reads_english() -> None:
    assert notices.wording_for("xx").language == "en"
    assert notices.wording_for("de-AT").language == "de"


@pytest.mark.parametrize(
    ("message", "action"),
    [
        ("What is the latest toll?", Action.SEARCH),
        ("오늘 날씨 어때?", Action.SEARCH),
        ("今天的新闻", Action.SEARCH),
        ("最新のニュース", Action.SEARCH),
        ("¿Qué pasó hoy?", Action.SEARCH),
        ("Suche nach Brücken", Action.SEARCH),
        ("les dernières nouvelles", Action.SEARCH),
        ("Read https://post.example/x today", Action.FETCH),
        ("Explain recursion", Action.ANSWER),
        ("Tell me the latest, but don't search", Action.ANSWER),
    ],
)
def test_the_rule_of_last_resort(message: str, action: Action) -> None:
    decision = decide_by_rule(turn(message))

    assert decision.action is action
    assert bool(decision.queries) == (action is Action.SEARCH)


def test_the_rule_obeys_the_switches() -> None:
    assert decide_by_rule(turn("hello there", web_mode=WebMode.ON)).needs_search
    assert decide_by_rule(turn("latest news", web_mode=WebMode.OFF)).action is Action.ANSWER


def test_addresses_are_found_without_their_punctuation() -> None:
    message = "See (https://a.example/x), https://b.example/y. and https://a.example/x"

    assert find_urls(message) == ("https://a.example/x", "https://b.example/y")


@given(st.text(min_size=1, max_size=300).filter(lambda text: text.strip()))
def test_a_query_is_never_empty_nor_too_long(message: str) -> None:
    assert 1 <= len(query_from(message)) <= 200


@pytest.mark.parametrize(
    ("claim", "text", "holds"),
    [
        ("The toll is 4.50 crowns", "a toll of 4,50 crowns", True),
        ("It cost 1.3 billion", "It cost 1,300,000,000 crowns", True),
        ("It cost 1.3 billion", "It cost 1.3 million", False),
        ("12,000 cars a day", "12 000 cars a day", True),
        ("The toll is 5 crowns", "The toll is 4 crowns on 5 lanes", False),
        ("It opened on 3 May 2026", "It opened on 2026-05-03", True),
        ("It opened in June 2026", "It opened on 2026-05-03", False),
        ("Marta Quill opened it", "It was opened by Marta Quill", True),
        ("Piet Quill opened it", "It was opened by Marta Quill", False),
        ("비용은 13억이다", "비용은 13억 크라운이다", True),
        ("비용은 15억이다", "비용은 13억 크라운이다", False),
        ("It took eleven weeks", "It took 11 weeks", True),
        ("It took eleven months", "It took 11 weeks", False),
        ("Fuel use fell by half", "Fuel use fell by a third", False),
        ("Fuel use fell by 50 %", "Fuel use fell by half", True),
        ("五年不收费", "三年不收费", False),
        ("박서린 시장은 말했다", "시장 박서린은 말했다", True),
        ("김도현 시장은 말했다", "시장 박서린은 말했다", False),
        ("新任知事は認めた", "森下知事は認めた", True),
        ("云岭大桥已通车", "澄江大桥通车", False),
    ],
)
def test_figures_dates_and_names_are_looked_up(claim: str, text: str, *, holds: bool) -> None:
    found = match_facts(claim, text)
    # What stays open is held by a judge alone.
    assert (found.all_found and not found.is_open) is holds


@pytest.mark.parametrize(
    ("domain", "site", "title", "publisher"),
    [
        ("harbourpost.example", "The Harbour Post", "X", "The Harbour Post"),
        ("vell-council.example", "", "News - Vell Town Council", "Vell Town Council"),
        ("evil.example", "Reuters", "X | Reuters", "evil.example"),
        ("plain.example", "", "X", "plain.example"),
        ("merrowbank.example", "National Bank of Merrow", "X", "National Bank of Merrow"),
        ("saltandsignal.example", "Salt & Signal", "X", "Salt & Signal"),
        (
            "coastinstitute.example",
            "Institute for Coastal Studies",
            "X",
            "Institute for Coastal Studies",
        ),
        ("evilbank.example", "National Bank of Merrow", "X", "evilbank.example"),
    ],
)
def test_a_page_cannot_pose_as_another_publisher(
    domain: str, site: str, title: str, publisher: str
) -> None:
    page = PageContent(url="http://x.example/", success=True, status="ok", site_name=site)

    assert publisher_of(domain, page, title) == publisher


def test_publishers_are_known_by_name_or_domain() -> None:
    source = replace(_source(1, "harbourpost.example", "x"), publisher="The Harbour Post")

    assert names_publisher("the Harbour Post", source)
    assert names_publisher("Harbourpost", source)
    assert not names_publisher("Reuters", source)


@pytest.mark.parametrize(
    ("text", "settled"),
    [
        ("The toll is ", "The toll is"),
        ("The ", ""),
        ("Prices rose, according to ", "Prices rose"),
        ("Prices rose and Harbour Post ", "Prices rose"),
        ("Reuters reported a ", ""),
        ("다리는 ", ""),
    ],
)
def test_what_may_become_an_attribution_waits(text: str, settled: str) -> None:
    assert text[: settled_end(text)] == settled


@settings(max_examples=often(200), deadline=5_000)
@given(st.text(alphabet="Aa .,d'7-", max_size=400))
def test_looking_for_attributions_takes_no_long_time(text: str) -> None:
    find_attributions(text)
    settled_end(text)


def test_rows_of_a_table_are_candidates_and_its_heads_are_none() -> None:
    table = """| Property | Value |
| --- | --- |
| Cycle life | 8,000 cycles to 80 % |
| 2026-11-18 | Login, object storage | 2 h 35 min | expired certificate |
"""
    found = candidates_of([_source(1, "a.example", table)])

    assert [candidate.text for candidate in found] == [
        "Cycle life | 8,000 cycles to 80 %",
        "2026-11-18 | Login, object storage | 2 h 35 min | expired certificate",
    ]


def test_what_was_given_up_does_not_lead() -> None:
    given_up, valid = "We had announced 11 May 2027.", "It takes place on 8 May 2027."
    told = tells([given_up, valid], "When is it?", [0.5, 0.5])

    assert told[0] < told[1]
