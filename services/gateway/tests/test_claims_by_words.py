"""The checks by words, each on its own. All texts are our own."""

import pytest

from pellucid_gateway.claims import parties
from pellucid_gateway.claims.exchanges import are_exchanged
from pellucid_gateway.claims.substitutions import is_substituted
from pellucid_language.names import names
from pellucid_language.words import content_terms


def never_alike(_one: str, _other: str) -> bool:
    return False


@pytest.mark.parametrize(
    ("claim", "sentence", "expected"),
    [
        (
            "The mayor of Skerry praised the council's decision on ferries.",
            "The mayor of Skerry regretted the council's decision on ferries.",
            True,
        ),
        (
            "The mayor of Skerry regretted the council's decision on ferries.",
            "The mayor of Skerry regretted the council's decision on ferries.",
            False,
        ),
        ("The harbour was closed on Friday.", "Fishing boats may leave on Saturday.", False),
        ("市長は計画を承認した。", "市長は計画を拒否した。", True),
    ],
)
def test_one_word_exchanged(claim: str, sentence: str, *, expected: bool) -> None:
    assert is_substituted(claim, [sentence], are_alike=never_alike) is expected


def test_words_that_say_the_same_may_be_exchanged() -> None:
    found = ["The mayor purchased the old ferry."]
    claim = "The mayor bought the old ferry."
    assert not is_substituted(claim, found, are_alike=lambda _one, _other: True)
    assert is_substituted(claim, found, are_alike=never_alike)


@pytest.mark.parametrize(
    ("claim", "found", "expected"),
    [
        ("Eastport beat Northport 3-1.", ["Northport beat Eastport 3-1 in the final."], True),
        ("Northport beat Eastport 3-1.", ["Northport beat Eastport 3-1 in the final."], False),
        ("The toll rose from 9 to 5 crowns.", ["The toll rose from 5 to 9 crowns."], True),
        ("The toll rose from 5 to 9 crowns.", ["The toll rose from 5 to 9 crowns."], False),
    ],
)
def test_sides_and_ends_exchanged(claim: str, found: list[str], *, expected: bool) -> None:
    assert are_exchanged(claim, found) is expected


def said_of(claim: str, passage: str) -> parties.Said | None:
    return parties.said(claim, names(claim), content_terms(claim), passage)


def test_a_claim_is_its_subject_and_what_is_said_of_it() -> None:
    said = said_of("Ash Corp closed its plant.", "In May the firm Ash Corp closed its plant.")
    assert said is not None
    assert said.subject == {"corp"}
    assert content_terms("plant") <= said.words


@pytest.mark.parametrize("claim", ["The plant was closed.", "Ash and Birch closed the plant."])
def test_a_claim_of_nobody_or_of_two_has_no_one_subject(claim: str) -> None:
    assert said_of(claim, "In May Ash closed the plant, and so did Birch.") is None


def test_what_is_said_far_from_the_subject_is_said_of_another() -> None:
    sentences = [
        "The trade is old and poor.",
        "Prices fell in spring.",
        "Wages fell as well.",
        "Winters are long.",
        "In autumn Ash opened offices in Skerry.",
        "Offices there are small.",
        "Rents are low in the old town.",
        "Streets are narrow.",
        "Birch closed its steel plant in Hull.",
    ]
    said = said_of("Ash closed its steel plant in Hull.", " ".join(sentences))
    assert said is not None
    assert parties.is_of_another(said, [content_terms(one) for one in sentences])
    own = [*sentences[:4], "Last year Ash closed its steel plant in Hull."]
    assert not parties.is_of_another(said, [content_terms(one) for one in own])
