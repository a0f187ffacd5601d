"""Needles: no pattern that matches is left out, and most that do not match are."""

import json
import re
from pathlib import Path

import pytest

from pellucid_decision.rules.needles import MAX_CHARACTERS, Needles, needles_of
from pellucid_decision.rules.rulebook import Rulebook

MESSAGES = Path(__file__).resolve().parents[1] / "training" / "messages"
EACH = 40


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"\bcolou?r\b", {"color", "colour"}),
        (r"(?<!\w)(?:cat|dog)s?(?!\w)", {"cat", "cats", "dog", "dogs"}),
        (r"[sz]oo", {"soo", "zoo"}),
        (r"\d+ (?:km|miles)", {" km", " miles"}),
        (r"price\w* of", {"price"}),
        (r"(?:of ){1,3}\w", {"of "}),
        (r"a(?:b|)c", {"abc", "ac"}),
        (r"x(?=yz)", {"x"}),
        (r"(?:rain|\d)", set()),
        (r"(?:rain)?", set()),
        (r"\w+", set()),
        (r"[^a]b?", set()),
        (r"(?i)rain", set()),
        (r"(?i:rain) or shine", {" or shine"}),
        (r"(a)\1", {"a"}),
    ],
)
def test_needles_of_a_pattern(pattern: str, expected: set[str]) -> None:
    assert needles_of(re.compile(pattern)) == expected


def test_patterns_without_needles_are_always_possible() -> None:
    needles = Needles([re.compile("rain"), re.compile(r"\d"), re.compile("(?i)sun")])
    assert needles.possible("rain") == [0, 1, 2]
    assert needles.possible("snow") == [1, 2]
    assert needles.possible("snow", first=2) == [2]


def test_long_needles_are_cut_and_still_found() -> None:
    word = "unquestionably"
    assert len(word) > MAX_CHARACTERS
    assert Needles([re.compile(word)]).possible(f"that is {word} so") == [0]


def test_no_rule_that_matches_a_message_is_left_out(book: Rulebook) -> None:
    # A language without signals of its own takes the places of English.
    by_place = {
        place: matcher.pattern
        for rules in book.languages.values()
        for place, matcher in zip(rules.places, rules.matchers, strict=True)
    }
    patterns = [by_place[n] for n in range(len(by_place))] + [row.keywords for row in book.matrix]
    tried = looked_for = 0
    for text in messages():
        possible = book.needles.possible(text)
        matching = {place for place, pattern in enumerate(patterns) if pattern.search(text)}
        assert matching <= set(possible), text
        tried += len(patterns)
        looked_for += len(possible)
    assert looked_for < 0.1 * tried  # measured 0.03


def messages() -> list[str]:
    """Return some of the own messages in every language, in lower case."""
    rows = [
        line
        for path in sorted(MESSAGES.glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()[::EACH]
    ]
    return [json.loads(row)["text"].lower() for row in rows]
