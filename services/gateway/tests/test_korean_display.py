"""What a Korean reader is shown: properties that hold for any results."""

import re
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st
from port_fakes import NOW, FakeDecision, FakeModel, FakeSearch, search_decision
from turn_fakes import Rig

from pellucid_gateway.answering.korean_list import korean_list
from pellucid_gateway.domain.events import Done, TurnResult
from pellucid_gateway.domain.findings import Hit, PublishedDate, Source
from pellucid_gateway.domain.notices import wording_for
from pellucid_gateway.domain.request import CitationStyle, SearchCommand
from pellucid_gateway.retrieval.labels import labelled
from pellucid_language.detection import is_mostly_korean
from rig.sample import often

KO = wording_for("ko")
QUESTION = "해담대교는 언제 개통했나요?"
HANGUL = re.compile(r"[\uac00-\ud7af]")
KOREAN = st.sampled_from(
    [
        "해담대교가 2026년 10월 5일 개통했다.",
        "시장 윤서하는 해담대교 개통식에 참석했다.",
        "해담대교의 길이는 1,240미터이며 공사비는 3,200억 원이다.",
    ]
)
FOREIGN = st.sampled_from(
    [
        "The Haedam Bridge opened on 5 October 2026 after four years of work.",
        "Die Haedam-Brücke wurde am 5. Oktober 2026 eröffnet.",
        "海潭大桥于2026年10月5日通车。",
    ]
)
DAYS = st.integers(0, 900)


def source(n: int, text: str, age_days: int | None) -> Source:
    published = None if age_days is None else PublishedDate(NOW - timedelta(days=age_days))
    return Source(
        n=n,
        url=f"http://s{n}.example/a",
        title=f"해담대교 {n}",
        domain=f"s{n}.example",
        publisher=f"신문 {n}",
        snippet=text,
        facts=text,
        published=published,
    )


SOURCES = st.lists(
    st.tuples(st.one_of(KOREAN, FOREIGN), st.one_of(st.none(), DAYS)), min_size=1, max_size=8
).map(lambda rows: [source(n, text, age) for n, (text, age) in enumerate(rows, start=1)])


def listed(sources: list[Source], summaries: dict[int, str] | None = None) -> str:
    return korean_list(labelled(sources, KO, NOW), wording=KO, summaries=summaries or {})


@settings(max_examples=often(120), deadline=None)
@given(SOURCES)
def test_p3_korean_display_has_korean_text_and_sources(sources: list[Source]) -> None:
    """P3: Korean display has Korean text and source attribution."""
    text = listed(sources)

    assert text.startswith("### 참고한 출처")
    for each in sources:
        entry = next(line for line in text.split("\n") if line.startswith(f"{each.n}. "))
        assert f"출처: {each.publisher}" in entry


@settings(max_examples=often(120), deadline=None)
@given(SOURCES)
def test_p13_every_shown_result_has_title_summary_and_url(sources: list[Source]) -> None:
    """P13: every shown result has title, summary and URL."""
    lines = listed(sources).split("\n")[2:]

    for each, entry in zip(
        sources, [lines[i : i + 3] for i in range(0, len(lines), 3)], strict=True
    ):
        assert each.title in entry[0]
        assert each.snippet.split()[0] in entry[1]
        assert entry[2].strip() == each.url


@settings(max_examples=often(120), deadline=None)
@given(
    st.lists(st.text("가나다라마바사해담대교 ", min_size=4, max_size=60), min_size=1, max_size=5)
)
def test_p14_korean_text_is_preserved(texts: list[str]) -> None:
    """P14: Korean text is preserved."""
    texts = [f"{text}개통했다." for text in texts]
    text = listed([source(n, each, 3) for n, each in enumerate(texts, start=1)])

    for each in texts:
        assert " ".join(each.split()) in text


@settings(max_examples=often(120), deadline=None)
@given(SOURCES, st.booleans())
def test_p15_foreign_results_get_a_korean_summary_or_a_marked_excerpt(
    sources: list[Source],
    summarised: bool,  # noqa: FBT001 - drawn by Hypothesis
) -> None:
    """P15: foreign results get a Korean summary, else their own words marked as such."""
    foreign = [each for each in sources if not is_mostly_korean(each.snippet)]
    summaries = {each.n: "다리가 개통했다는 내용" for each in foreign} if summarised else {}
    text = listed(sources, summaries)

    wanted = "한국어 요약: 다리가 개통했다는 내용" if summarised else "원문 발췌: “"
    assert text.count(wanted) == len(foreign)


@settings(max_examples=often(120), deadline=None)
@given(SOURCES)
def test_p16_several_results_form_a_numbered_list(sources: list[Source]) -> None:
    """P16: several results form a list."""
    numbers = re.findall(r"^(\d+)\. ", listed(sources), re.MULTILINE)

    assert numbers == [str(each.n) for each in sources]


@settings(max_examples=often(120), deadline=None)
@given(SOURCES)
def test_p17_recent_dates_are_marked(sources: list[Source]) -> None:
    """P17: recent dates are highlighted, others are not."""
    entries = [line for line in listed(sources).split("\n") if re.match(r"\d+\. ", line)]

    for each, entry in zip(sources, entries, strict=True):
        is_recent = bool(each.published and NOW - each.published.time <= timedelta(days=7))
        assert ("**최근**" in entry) is is_recent
        (label,) = labelled([each], KO, NOW)
        assert label.recent is is_recent


def korean_rig(model: FakeModel | None) -> Rig:
    hits = (
        Hit(
            url="http://haedam.example/1",
            title="해담대교 개통",
            snippet="해담대교가 2026년 11월 15일 개통했다고 시가 밝혔다.",
            domain="haedam.example",
            published=PublishedDate(datetime(2026, 11, 16, tzinfo=UTC)),
        ),
        Hit(
            url="http://post.example/2",
            title="Haedam Bridge opens 해담대교",
            snippet="The Haedam Bridge (해담대교) opened, the mayor said on Monday.",
            domain="post.example",
        ),
    )
    decision = search_decision(standalone_question=QUESTION, language="ko")
    return Rig(decision=FakeDecision(decision), search=FakeSearch(hits=hits), model=model)


def result_of(events: list[object]) -> TurnResult:
    assert isinstance(events[-1], Done)
    return events[-1].result


async def test_a_korean_model_answer_ends_with_numbered_sources_and_marked_dates() -> None:
    model = FakeModel(["해담대교는 2026년 11월 15일 개통했다고 ", "시가 밝혔습니다 [1]."])
    result = result_of(await korean_rig(model).events(QUESTION))

    assert result.answer.startswith("해담대교는 2026년 11월 15일 개통했다고 시가 밝혔습니다.")
    assert "\n\n### 참고한 출처\n\n1. **해담대교 개통** (출처: haedam.example" in result.answer
    assert "**최근**" in result.answer
    assert [citation.source for citation in result.citations] == [1]


async def test_a_korean_answer_without_citations_wanted_has_no_list() -> None:
    rig = korean_rig(FakeModel(["해담대교는 개통했습니다 [1]."]))
    result = result_of(await rig.events(QUESTION, citation_style=CitationStyle.NONE))

    assert "참고한 출처" not in result.answer


async def test_a_korean_answer_without_a_model_is_korean_and_numbered() -> None:
    result = result_of(await korean_rig(None).events(QUESTION))

    assert HANGUL.search(result.answer)
    assert re.search(r"^1\. “", result.answer, re.MULTILINE)
    assert "출처: haedam.example" in result.answer
    assert "**최근**" in result.answer


async def test_results_in_korean_say_whose_they_are_and_which_are_foreign_or_new() -> None:
    """P3, P15 and P17 where no answer is written: a forced search and /v1/search."""
    rig = korean_rig(None)
    forced = result_of(await rig.events(QUESTION, force_search=True)).sources
    found = (await rig.engine.search(SearchCommand(query=QUESTION))).results

    for sources in (forced, found):
        assert [s.attribution for s in sources] == [
            "출처: haedam.example",
            "출처: post.example (외국어 자료)",
        ]
        assert [s.language for s in sources] == ["ko", "en"]
        assert [s.recent for s in sources] == [True, False]


async def test_a_forced_search_in_korean_has_summaries_where_a_model_may_be_asked() -> None:
    model = FakeModel(["해담대교가 개통했다."])
    result = result_of(await korean_rig(model).events(QUESTION, force_search=True))

    assert [source.summary for source in result.sources] == ["", "해담대교가 개통했다."]
