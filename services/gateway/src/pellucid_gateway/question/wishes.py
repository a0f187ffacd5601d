"""What a message wishes of its answer: a summary of the whole page, so many sentences or points.

It reads the words of the message alone; whether there is a page is not its business.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

import yaml

from pellucid_gateway.question.key_facts import subject_terms
from pellucid_gateway.question.plain_text import without_urls
from pellucid_language.folding import fold, fold_expression

# "In 500 words" is a wish, "in 40 points" is a page of its own.


class Unit(StrEnum):
    """By what a wished length is counted."""

    SENTENCE = "sentence"
    POINT = "point"
    WORD = "word"


# "In 500 words" is a wish, "in 40 points" is a page of its own.
_MOST = MappingProxyType({Unit.SENTENCE: 20, Unit.POINT: 20, Unit.WORD: 1_000})


@dataclass(frozen=True, slots=True)
class Wish:
    """What is wished.

    Attributes:
        whole: The page as a whole is meant, not one thing in it.
        amount: How many of the unit, 0 where no length is named.
        unit: None where no length is named.
    """

    whole: bool = False
    amount: int = 0
    unit: Unit | None = None


def wish_of(message: str) -> Wish:
    """Read the wish off a message.

    >>> wish_of("Summarise this in two sentences please")
    Wish(whole=True, amount=2, unit=<Unit.SENTENCE: 'sentence'>)
    """
    folded = fold(without_urls(message))
    whole = bool(_table().whole.search(folded))
    for unit, pattern in _table().lengths(whole=whole):
        if match := pattern.search(folded):
            amount = _number(match.group("n"))
            if 0 < amount <= _MOST[unit]:
                return Wish(whole, amount, unit)
    return Wish(whole)


def asks_of_the_whole(message: str) -> bool:
    """Whether the page is meant as a whole: it says so, or asks after nothing in particular.

    >>> asks_of_the_whole("https://news.example/bridge what do you think?")
    True
    >>> asks_of_the_whole("https://news.example/bridge how high are the towers?")
    False
    """
    if wish_of(message).whole:
        return True
    return not subject_terms(_table().empty.sub(" ", fold(without_urls(message))))


def without_wish(message: str) -> str:
    """A message less the words that wish for a length: "in five bullets" asks after no bullet."""
    if len(fold(message)) != len(message):
        return message
    left = message
    for _, pattern in _table().lengths(whole=bool(_table().whole.search(fold(message)))):
        if match := pattern.search(fold(left)):
            left = f"{left[: match.start()]} {left[match.end() :]}"
    return left


def _number(written: str) -> int:
    return int(written) if written.isdigit() else _table().numbers.get(written, 0)


@dataclass(frozen=True, slots=True)
class _Table:
    whole: re.Pattern[str]
    empty: re.Pattern[str]
    by_unit: Mapping[str, re.Pattern[str]]
    numbers: Mapping[str, int]

    def lengths(self, *, whole: bool) -> Iterator[tuple[Unit, re.Pattern[str]]]:
        for unit in Unit:
            yield unit, self.by_unit[unit.value]
        if whole:
            yield Unit.POINT, self.by_unit["point_of_whole"]


def _words(by_script: Mapping[str, str]) -> re.Pattern[str]:
    """Whole words where spaces part them, and pieces of text where none do."""
    spaced, unspaced = ("|".join(fold(by_script[n]).split()) for n in ("spaced", "unspaced"))
    return re.compile(rf"\b(?:{spaced})\b|{unspaced}")


@cache
def _table() -> _Table:
    source = resources.files("pellucid_gateway.question").joinpath("wishes.yaml")
    lists: dict[str, Any] = yaml.safe_load(source.read_text("utf-8"))
    numbers = {fold(word): n for n, words in lists.pop("numbers").items() for word in words.split()}
    written = "|".join(sorted(map(re.escape, numbers), key=len, reverse=True))
    before = r"(?:(?:short|brief|simple|key|main|kurzen?|courtes?|breves?|cortas?)\s)?"
    return _Table(
        whole=re.compile(fold_expression("|".join(lists.pop("whole")))),
        empty=_words(lists.pop("empty")),
        by_unit={
            # In Chinese and Japanese no space stands before a number.
            name: re.compile(
                rf"(?<![a-z0-9.])(?P<n>\d{{1,4}}|{written})[\s-]*{before}"
                rf"(?:{fold_expression('|'.join(words))})(?![a-z])"
            )
            for name, words in lists.items()
        },
        numbers=numbers,
    )
