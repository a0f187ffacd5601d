"""Numbers that a text writes as words: "eleven weeks", "by a third", 三年.

A claim may write in words what its source writes in digits, and the other way round; a changed
figure is wrong in either form. Hundreds and compounds of several words are not read.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml

_PER_CENT = 100
_TEN = "十"


@dataclass(frozen=True, slots=True)
class Spelled:
    """A number in words: what it may mean, and where it stands."""

    values: frozenset[float]
    start: int
    end: int


def spelled_numbers(folded: str) -> Iterator[Spelled]:
    """Numbers in words in a folded text, in order for each kind.

    >>> [sorted(found.values) for found in spelled_numbers("eleven of twenty-two weeks")]
    [[11.0], [22.0]]
    """
    table = _table()
    for match in table.words.finditer(folded):
        parts = match.group().split("-")
        value = float(sum(table.values[part] for part in parts))
        yield Spelled(frozenset({value}), match.start(), match.end())
    for match in table.parts.finditer(folded):
        share = table.shares[match.group()]
        yield Spelled(frozenset({share, share / _PER_CENT}), match.start(), match.end())
    for match in table.characters.finditer(folded):
        value = _value_of(match.group(), table.digits)
        yield Spelled(frozenset({value}), match.start(), match.end())


def _value_of(number: str, digits: Mapping[str, int]) -> float:
    """Value of one to three characters such as 十二 or 四十."""
    tens, ten, units = number.partition(_TEN)
    if not ten:
        return float(digits[number])
    return float(10 * digits.get(tens, 1) + digits.get(units, 0))


@dataclass(frozen=True, slots=True)
class _Table:
    values: Mapping[str, int]
    shares: Mapping[str, float]
    digits: Mapping[str, int]
    words: re.Pattern[str]
    parts: re.Pattern[str]
    characters: re.Pattern[str]


@cache
def _table() -> _Table:
    source = resources.files("pellucid_gateway").joinpath("spelled_numbers.yaml")
    data: dict[str, Any] = yaml.safe_load(source.read_text("utf-8"))
    tens = {word: value for value, words in data["tens"].items() for word in words}
    units = {word: value for value, words in data["units"].items() for word in words}
    shares = {word: float(value) for value, words in data["parts"].items() for word in words}
    digit = "".join(data["characters"])
    return _Table(
        values=tens | units,
        shares=shares,
        digits=data["characters"],
        words=re.compile(rf"\b(?:(?:{_any(tens)})-(?:{_any(units)})|{_any(tens | units)})\b"),
        parts=re.compile(rf"\b(?:{_any(shares)})\b"),
        characters=re.compile(rf"(?:[{digit}]?{_TEN}[{digit}]?|[{digit}])(?=[{data['counters']}])"),
    )


def _any(words: Mapping[str, Any]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))
