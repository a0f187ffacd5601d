"""From a sentence with markers to claims: parsing, pointing sentences, quotations."""

import pytest

from pellucid_gateway.markdown.addresses import Addresses
from pellucid_gateway.verification import pointing, quotes
from pellucid_gateway.verification.claim_extraction import claims_of, trimmed
from pellucid_gateway.verification.markup import parse, settled_end
from pellucid_gateway.verification.pieces import Marker, Text

SOURCES = Addresses({1: "https://skerry.example/toll", 2: "https://ondry.example/bridge"})


def test_a_sentence_is_text_and_markers() -> None:
    pieces = parse("The toll rose to 9 crowns [1][2].", SOURCES)
    assert [p.numbers for p in pieces if isinstance(p, Marker)] == [(1, 2)]
    assert "".join(p.text for p in pieces if isinstance(p, Text)).strip(" .") == (
        "The toll rose to 9 crowns"
    )


def test_a_link_to_a_source_is_a_marker_and_another_none() -> None:
    own = parse("It rose ([Skerry](https://skerry.example/toll)).", SOURCES)
    assert (1,) in [p.numbers for p in own if isinstance(p, Marker)]
    foreign = parse("It rose ([Evil](https://evil.example/x)).", SOURCES)
    assert "evil.example" not in "".join(p.text for p in foreign if isinstance(p, Text))


def test_code_stays_literal() -> None:
    pieces = parse("Set `a[1]` first.", SOURCES)
    assert not [p for p in pieces if isinstance(p, Marker)]
    assert any(p.literal for p in pieces if isinstance(p, Text))


def test_an_open_bracket_is_not_settled() -> None:
    assert settled_end("The toll rose") == len("The toll rose")
    assert settled_end("The toll rose [") <= len("The toll rose ")


def test_each_marker_stands_for_the_words_since_the_one_before() -> None:
    claims = claims_of(parse("The toll rose to 9 crowns [1], and the bridge closed [2].", SOURCES))
    assert [claim.numbers for claim in claims] == [(1,), (2,)]
    assert "toll" in claims[0].text
    assert "bridge" not in claims[0].text
    assert "bridge" in claims[1].text


def test_a_span_is_trimmed() -> None:
    text = "- The toll rose , "
    start, end = trimmed(text, 0, len(text))
    assert text[start:end] == "The toll rose"


@pytest.mark.parametrize(
    ("sentence", "points"),
    [
        ("See for more.", True),
        ("See how the toll rose to 9 crowns in 2026.", False),
        ("The bridge closed in May.", False),
    ],
)
def test_a_sentence_that_only_points(sentence: str, *, points: bool) -> None:
    assert pointing.only_points(sentence) is points


def test_an_empty_bracket_goes() -> None:
    text = "The toll rose (source: "
    assert text[: pointing.opened_bracket(text, ") in May.")] == "The toll rose"
    assert pointing.opened_bracket("The toll rose", ") in May.") == len("The toll rose")
    assert pointing.without_closing(") in May.") == " in May."
    assert pointing.settled_end(text) == len("The toll rose")


def test_long_quotations_are_cut() -> None:
    long = " ".join(f"word{n}" for n in range(30))
    cut = quotes.shortened(f'She said "{long}".')
    assert len(cut.split()) < 25
    assert quotes.shortened('He said "yes".') == 'He said "yes".'
    assert quotes.settled_end('He said "yes') == len("He said ")
