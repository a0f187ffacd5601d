"""Freshness, quality, the lexical lift and n-grams."""

from collections.abc import Collection
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid_language import words
from pellucid_language.scripts import is_read_by
from pellucid_scorer.models import Scale
from pellucid_scorer.ranking import lexical, ngrams, phrases, semantic
from pellucid_scorer.ranking.candidates import Candidate, SemanticMethod
from pellucid_scorer.ranking.scores import Tables

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
LATIN = frozenset({"LATIN"})


def found(*texts: str) -> list[Candidate]:
    return [Candidate(id=str(place), snippet=text) for place, text in enumerate(texts)]


def reading(
    *cosines: float, scripts: Collection[str] = LATIN, scale: Scale | None = None
) -> semantic.Reading:
    return semantic.Reading(np.array(cosines, np.float32), scripts, scale or Scale())


@pytest.mark.parametrize(
    ("days", "score"),
    [
        (0, 1.0), (7, 1.0), (7.9, 1.0), (8, 0.9), (30, 0.9), (31, 0.8), (90, 0.8), (91, 0.7),
        (180, 0.7), (181, 0.6), (365, 0.6), (366, 0.3), (9999, 0.3), (-1, 1.0), (-1.1, 0.5),
    ],
)  # fmt: skip
def test_freshness_by_age_in_days(score_tables: Tables, days: float, score: float) -> None:
    assert score_tables.freshness.score(NOW - timedelta(days=days), NOW) == score


def test_freshness_of_an_unknown_date(score_tables: Tables) -> None:
    assert score_tables.freshness.score(None, NOW) == 0.5


SNIPPET = "The committee met on Monday. " * 4


@pytest.mark.parametrize(
    ("title", "snippet", "score"),
    [
        ("", "", 0.5),
        ("A quiet day", "", 0.7),
        ("A quiet day", SNIPPET, 0.8),
        ("A quiet day", SNIPPET + "A study found it.", 0.9),
        ("Ein ruhiger Tag", SNIPPET + "Laut einer Studie.", 0.9),
        ("조용한 하루", SNIPPET + "연구에 따르면", 0.9),
        ("Cheap flights", "", 0.6),
        ("50% off everything", "", 0.5),
        ("A QUIET DAY", "", 0.4),
        ("A quiet day", "Click here to see", 0.5),
        ("Fiets kopen", "여기를 클릭 하세요", 0.5),
        ("A quiet day", "... ... ... …", 0.5),
        ("Wow 🎉🎉🎉🎉", "", 0.5),
        ("NATO", "", 0.7),
    ],
)
def test_quality_rules(score_tables: Tables, title: str, snippet: str, score: float) -> None:
    assert score_tables.quality.score(title, snippet) == pytest.approx(score)


def test_studio_in_another_language_is_a_whole_word(score_tables: Tables) -> None:
    plain = score_tables.quality.score("A day", "The reportage was understudied")
    assert plain == pytest.approx(0.7)


@given(title=st.text(max_size=300), snippet=st.text(max_size=600))
def test_quality_is_a_share_for_any_text(score_tables: Tables, title: str, snippet: str) -> None:
    assert 0.0 <= score_tables.quality.score(title, snippet) <= 1.0


def test_an_exact_part_number_beats_vague_likeness() -> None:
    question = "replacement belt for grinder KX-4471"
    texts = ("A belt for grinder KX-4417", "KX-4471 spare parts")
    parts = semantic.rate_all(question, found(*texts), [reading(0.62, 0.58)])
    assert parts[1].score > parts[0].score
    assert parts[1].lift > parts[0].lift


@given(cosine=st.floats(-1, 1), text=st.text(max_size=80), question=st.text(max_size=80))
def test_the_lift_is_bounded(cosine: float, text: str, question: str) -> None:
    (part,) = semantic.rate_all(question, found(text), [reading(cosine)])
    assert 0.0 <= part.score <= 1.0
    assert 0.0 <= part.lift <= lexical.MAX_LIFT


def test_plain_words_of_the_question_alone_cannot_lift_an_off_topic_page_over_the_floor() -> None:
    question = "What is the annual report of fish stocks today?"
    off_topic = "Annual report of the tax office. Published today."
    (part,) = semantic.rate_all(question, found(off_topic), [reading(0.12)])
    assert part.score < 0.20


@given(rank=st.integers(0, 40), score=st.floats(0, 1))
def test_a_providers_rank_adds_little_and_nothing_to_what_is_off_topic(
    rank: int, score: float
) -> None:
    lift = semantic.rank_lift(rank, score)
    assert 0.0 <= lift <= semantic.MAX_RANK_LIFT * (1 - score) + 1e-9
    assert lift >= semantic.rank_lift(rank + 1, score) or rank == 0
    assert score + lift < 0.22 or score > 0.18


def test_years_and_common_words_are_not_rare() -> None:
    sought = lexical.wanted("what happened in the world in 2026")
    assert sought.identifiers == {}
    assert max(sought.words.values()) == lexical.WORD_WEIGHT


def test_scripts_that_the_model_cannot_read_fall_back_to_ngrams() -> None:
    question = "전기 자전거 배터리 수명"
    texts = ("전기 자전거의 배터리는 수명이 삼 년이다", "오늘 서울 날씨는 맑다", "A bicycle")
    parts = semantic.rate_all(question, found(*texts), [reading(0.9, 0.9, 0.9)])
    assert {part.method for part in parts} == {SemanticMethod.NGRAM}
    assert parts[0].score > 0.5
    assert parts[1].score < 0.2
    assert parts[2].score == 0.0


def test_the_likeness_is_the_mean_of_the_models_that_read_both_texts() -> None:
    wide = Scale(zero=0.7, one=0.9)
    texts = ["Quiet tides", "조용한 밀물"]
    parts = semantic.rate_all(
        "harbour seals",
        found(*texts),
        [reading(0.4, 0.9), reading(0.8, 0.8, scripts={"all"}, scale=wide)],
    )
    assert [round(part.score, 4) for part in parts] == [0.45, 0.5]
    assert {part.method for part in parts} == {SemanticMethod.EMBEDDING}


def test_a_multilingual_model_reads_every_script() -> None:
    (part,) = semantic.rate_all("날씨", found("날씨"), [reading(0.7, scripts={"all"})])
    assert part.method is SemanticMethod.EMBEDDING


def test_texts_without_letters_are_read_by_every_model() -> None:
    assert is_read_by(LATIN, "42 🎉 ...")


def test_containment_ignores_the_length_of_the_passage() -> None:
    assert ngrams.containment(ngrams.grams("港口关闭"), "由于大雾,港口整个上午关闭。" * 20) >= 2 / 3


@given(text=st.text(st.characters(max_codepoint=127), max_size=80))
def test_plain_text_is_cut_as_any_other(text: str) -> None:
    pieces = phrases.Prepared.read(text).pieces
    assert list(pieces) == phrases.PIECE.findall(text.casefold())


@given(
    text=st.text("abE's1._-+# \u3000\té가", max_size=40),
    sought=st.lists(st.text("abes1._-+#é가", min_size=1, max_size=4), max_size=80),
)
def test_sought_words_are_found_as_if_all_words_had_been_read(text: str, sought: list[str]) -> None:
    tokens = words.TOKEN.findall(words.fold(text))
    stems = {words.stem(part) for token in tokens for part in words.JOINTS.split(token)}
    found = words.vocabulary(text, sought)
    assert [one in found.tokens for one in sought] == [one in tokens for one in sought]
    assert [one in found.stems for one in sought] == [one in stems for one in sought]
