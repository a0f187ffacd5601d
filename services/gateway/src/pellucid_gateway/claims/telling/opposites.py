"""Words that are the opposite of each other, and words for one deed seen from its two sides."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

import yaml

from pellucid_language.folding import fold
from pellucid_language.text_memory import remembered

Pair = tuple[re.Pattern[str], re.Pattern[str]]


def are_opposite(one: str, other: str) -> bool:
    """Tell whether one text has one word of a pair of opposites, the other text the other one.

    >>> are_opposite("Fares rose", "Fares fell"), are_opposite("Fares rose or fell", "Fares fell")
    (True, False)
    """
    return _stand_against(_opposite_sides(one), _opposite_sides(other))


def are_converse(one: str, other: str) -> bool:
    """Tell whether one says bought where the other, from the other side, says sold."""
    return _stand_against(_converse_sides(one), _converse_sides(other))


def are_on_one_side(word: str, other: str) -> bool:
    """Tell whether two words stand on one side of a pair of opposites."""
    sides = (side for pair in _pairs("opposites") for side in pair)
    return any(side.search(word) and side.search(other) for side in sides)


@dataclass(frozen=True, slots=True)
class _Sides:
    """Pairs of which a text has but the first word, and those of which it has but the second."""

    first: frozenset[int]
    second: frozenset[int]


def _stand_against(one: _Sides, other: _Sides) -> bool:
    return bool(one.first & other.second or one.second & other.first)


@remembered
def _opposite_sides(text: str) -> _Sides:
    return _sides_in(_pairs("opposites"), fold(text))


@remembered
def _converse_sides(text: str) -> _Sides:
    return _sides_in(_pairs("converses"), fold(text))


def _sides_in(pairs: Sequence[Pair], folded: str) -> _Sides:
    firsts = frozenset(i for i, (one, _) in enumerate(pairs) if one.search(folded))
    seconds = frozenset(i for i, (_, other) in enumerate(pairs) if other.search(folded))
    return _Sides(firsts - seconds, seconds - firsts)


@cache
def _pairs(kind: str) -> tuple[Pair, ...]:
    source = resources.files("pellucid_gateway.claims").joinpath("contradictions.yaml")
    written = yaml.safe_load(source.read_text("utf-8"))[kind]
    return tuple((re.compile(one), re.compile(other)) for one, other in written)
