"""What a question asks about, and whether quoted sentences state it."""

import time
from dataclasses import replace

import pytest

from pellucid_gateway.answering import extractive
from pellucid_gateway.answering.choice import choose
from pellucid_gateway.answering.excerpt_worth import Likeness
from pellucid_gateway.answering.quotable import Candidate, candidates_of
from pellucid_gateway.answering.sufficiency import is_stated, near
from pellucid_gateway.domain import notices
from pellucid_gateway.domain.findings import Source
from pellucid_gateway.domain.request import CitationStyle, Depth
from pellucid_gateway.question.asked_things import beyond, share_told, things_of
from pellucid_language.calendar import LANGUAGES

PAGE = (
    "Cars pay 4.50 crowns on the Skerry Bridge from April. "
    "The bridge was designed by Ada Example and opened in 2019. "
    "It has a view of the sound."
)


def _source(text: str, title: str = "Skerry Bridge", language: str = "") -> Source:
    return Source(
        n=1, url="http://a.example/", title=title, domain="a.example", text=text, language=language
    )


def _sentences(text: str, title: str = "Skerry Bridge", language: str = "") -> list[Candidate]:
    return list(candidates_of([_source(text, title, language)]))


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How much does a bicycle pay at Skerry Bridge?", ["bicycle", "pay"]),
        ("Was kostet ein Busticket in Harrowmere?", ["kostet", "busticket"]),
        ("오토바이 요금은 얼마인가요?", ["오토바이", "요금"]),
        ("摩托车过大桥要多少钱？", ["摩托车", "大桥"]),
        ("What is it?", []),
    ],
)
def test_things_are_named_without_names_and_words_that_ask(question: str, words: list[str]) -> None:
    assert [thing.written for thing in things_of(question)] == words


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("What is the fare for a vehicle?", "A car pays 4.50 crowns."),
        ("Wie hoch ist die Maut?", "Le péage est de 3,20 euros."),
        ("요금은 얼마인가요?", "The toll is 4.50 crowns."),
        ("Wer leitet den Betrieb?", "Betriebsleiterin ist Ada Example."),
        ("小汽车要多少钱？", "小客车通行费为25元。"),
    ],
)
def test_a_thing_is_found_in_other_words_and_languages(question: str, sentence: str) -> None:
    assert share_told(things_of(question), sentence) == 1.0


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("What does a motorcycle pay?", "A car pays 4.50 crowns."),
        ("摩托车要多少钱？", "小客车通行费为25元。"),
        ("小客车要多少钱？", "摩托车通行费为5元。"),
    ],
)
def test_another_thing_is_not_it(question: str, sentence: str) -> None:
    assert share_told(things_of(question), sentence) < 1.0


def test_what_the_title_tells_the_sentences_need_not() -> None:
    things = things_of("What does the ferry cost?")

    assert [thing.written for thing in beyond(things, "The boat to Skerry")] == ["cost"]


@pytest.mark.parametrize(
    ("question", "stated"),
    [
        ("How much is the toll for cars on the Skerry Bridge?", True),
        ("How much is the toll for motorcycles on the Skerry Bridge?", False),
        ("Who designed the Skerry Bridge?", True),
        ("Who is the mayor of Skerry?", False),
        ("When did the Skerry Bridge open?", True),
        ("When will the Skerry Bridge be closed?", False),
        ("What time does the Skerry Bridge office open?", False),
        ("Will Skerry 5.0 have a bridge?", False),
        ("Is the Skerry Bridge older than the Tarnholm viaduct?", False),
        ("Does the Skerry Bridge accept the pass SKB400?", False),
        ("Tell me about the Skerry Bridge", True),
    ],
)
def test_whether_sentences_state_what_was_asked(question: str, stated: bool) -> None:  # noqa: FBT001
    chosen = choose(_sentences(PAGE), question, Depth.STANDARD)

    assert is_stated(chosen, question, "en") is stated


def test_what_cannot_be_looked_up_in_another_language_is_not_taken_for_an_answer() -> None:
    chosen = _sentences("Le pont de Skerry est beau.", language="fr")

    assert not is_stated(chosen, "Does the Skerry vibraphone wobble?", "en")


def test_what_the_title_tells_need_not_stand_in_a_sentence_of_another_language() -> None:
    chosen = _sentences(
        "It closed at 212.40 crowns on Friday.", "Shares of Tarnholm close higher", "en"
    )

    assert is_stated(chosen, "Wie steht die Tarnholm Aktie?", "de")


@pytest.mark.parametrize(
    ("question", "likeness", "kept"),
    [
        ("Is the locksmith in Skerry open?", 0.7, True),
        ("Is the locksmith in Skerry open?", 0.2, False),
        ("What view is there of the sound?", 0.4, True),
        ("Which brand of printer jams?", 0.4, False),
    ],
)
def test_only_what_comes_near_is_quoted_where_nothing_answers(
    question: str, likeness: float, *, kept: bool
) -> None:
    found = _sentences("It has a view of the sound.", "Skerry")
    alike = [Likeness((likeness,), (likeness,))]

    assert bool(near(found, found, question, alike)) is kept


def test_without_a_scorer_the_things_asked_about_decide_what_comes_near() -> None:
    found = _sentences("Bicycles cross for free. The mayor cut a ribbon.", "Skerry")

    chosen = near(found, found, "Which bicycles are forbidden?", None)

    assert [candidate.text for candidate in chosen] == ["Bicycles cross for free."]


def test_a_page_that_the_person_named_is_quoted_however_near_it_comes() -> None:
    source = replace(_source("It has a view of the sound."), user_supplied=True)
    found = candidates_of([source])

    assert near(found, found, "Which brand of printer jams?", [Likeness((0.0,), (0.0,))]) == found


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("What is the fare for a car?", f"Cars pay 4 crowns. {'Zmlyc3Q' * 500}"),
        ("may Close its plant in Hull " * 1000, "The plant in Hull was closed."),
    ],
)
def test_neither_a_page_nor_a_question_can_keep_the_gateway_busy(
    question: str, sentence: str
) -> None:
    """A run of 2,100 letters took 2 s and 1.6 GB, a question of 28,000 took 5.5 s."""
    begun_s = time.process_time()

    assert share_told(things_of(question), sentence) > 0
    assert time.process_time() - begun_s < 1.5


def test_sentences_may_state_it_together() -> None:
    chosen = _sentences("The captain is Ada Example. The mayor is Bo Example.", "Skerry")
    question = "Who is the captain and who is the mayor of Skerry?"

    assert is_stated(chosen, question, "en")
    assert not is_stated(chosen[:1], question, "en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_reader_is_told_that_nothing_answers(language: str) -> None:
    wording = notices.wording_for(language)
    written = extractive.write(
        _sentences(PAGE)[:1],
        wording=wording,
        style=CitationStyle.NONE,
        are_near_only=True,
    )

    assert written.text.startswith(wording.answer("not_stated"))
    cited = written.citations[0]
    assert written.text[cited.start : cited.end].startswith("Cars pay 4.50 crowns")


def test_who_is_asked_for_is_named_first() -> None:
    question = "Who is the chief executive of Brask Cells?"
    found = [
        *_sentences("Brask Cells will have a new chief executive.", "Brask Cells"),
        *_sentences("Ada Example took over as chief executive in October.", "Brask Cells news"),
    ]
    # The first is the more like of the two.
    like = Likeness((0.8, 0.7), (0.8, 0.7))

    assert "Ada Example" in choose(found, question, Depth.STANDARD, (like,))[0].text


def test_the_page_of_a_part_number_answers_for_it() -> None:
    question = "What is the cycle life of the battery with part number BC-HB400-R3?"
    page = "Part number BC-HB400-R3, a battery for harbours.\nCycle life: 8,000 cycles."
    row = [one for one in _sentences(page, "Harbour Block") if "8,000" in one.text]

    assert is_stated(row, question, "en")
    assert near(row, row, question, (Likeness((0.1,), (0.1,)),)) == tuple(row)


def test_a_question_on_a_page_adds_nothing() -> None:
    found = [
        *_sentences("The bridge opened on 14 May 2019.", "Skerry Bridge"),
        *_sentences("When does the bridge open?", "Questions"),
    ]
    like = Likeness((0.7, 0.9), (0.7, 0.9))

    chosen = choose(found, "When did the bridge open?", Depth.STANDARD, (like,))
    assert chosen[0].text.startswith("The bridge opened")
    assert not any(one.text.endswith("?") for one in chosen[1:])
