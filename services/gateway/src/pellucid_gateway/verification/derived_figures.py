"""Whether a claim's figure follows from figures that a passage gives: "by 6 million", "in half".

A reader who is told of 58 and 64 million may say "6 million more". What may follow is worked out
from two figures of one sentence, or of two neighbours for a share of an amount. That a figure could
be worked out does not yet say that it was meant: only with a word for the operation beside it does
it count as stated, else it is left to whoever reads both.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from importlib import resources
from itertools import chain, combinations, pairwise

import yaml

from pellucid_language.folding import fold
from pellucid_language.quantities import Figure, figures, spelled_figures
from pellucid_language.text_memory import remembered

_MOST_FIGURES = 8
"""Of a sentence; one with more of them is a table."""
_BEFORE_CHARS = 40
_BEHIND_CHARS = 48
_WHOLE = 100.0
_MONTHS = 12
_TOLERANCE = 1e-6
# Of a value that is said to be about, above or below it.
_ROUGH = 0.1
# A share is rarely told to less than a whole percent.
_PERCENT_GRAIN = 1.0


class Following(IntEnum):
    """How a figure follows from those of a passage."""

    NOT = 0
    PERHAPS = 1
    STATED = 2


@dataclass(frozen=True, slots=True)
class _Cues:
    before: re.Pattern[str]
    behind: re.Pattern[str]
    total: re.Pattern[str]
    rest: re.Pattern[str]
    as_much: re.Pattern[str]
    out_of: re.Pattern[str]


def following(figure: Figure, claim: str, sentences: Sequence[str]) -> Following:
    """Tell how a figure of a claim follows from a passage.

    Args:
        figure: One of the claim's that the passage does not have.
        claim: Where it stands.
        sentences: Of the passage, without the numbers of dates.

    >>> (six,) = figures("Profit grew by 6 million pounds")
    >>> page = ["It rose to 64 million pounds from 58 million."]
    >>> following(six, "Profit grew by 6 million pounds", page).name
    'STATED'
    """
    if figure.measure == "ordinal" or figure.is_year:
        return Following.NOT
    found = chain(
        chain.from_iterable(_within(figure, claim, sentence) for sentence in sentences),
        chain.from_iterable(_across(figure, one, other) for one, other in pairwise(sentences)),
    )
    return max(found, default=Following.NOT)


@remembered
def _given(sentence: str) -> tuple[Figure, ...]:
    every = sorted((*figures(sentence), *spelled_figures(sentence)), key=lambda f: f.start)
    return tuple(every) if len(every) <= _MOST_FIGURES else ()


def _within(figure: Figure, claim: str, sentence: str) -> Iterator[Following]:
    given = _given(sentence)
    amounts = [one for one in given if one.measure != "ordinal"]
    for one, other in combinations(amounts, 2):
        yield from _of_two(figure, claim, sentence, (one, other))
    for one in amounts:
        yield from _of_one(figure, claim, sentence, one)
    yield from _across_figures(figure, amounts, amounts)


def _across(figure: Figure, one: str, other: str) -> Iterator[Following]:
    yield from _across_figures(figure, _given(one), _given(other))
    yield from _across_figures(figure, _given(other), _given(one))


def _across_figures(
    figure: Figure, shares: Sequence[Figure], wholes: Sequence[Figure]
) -> Iterator[Following]:
    """A share in percent of an amount."""
    for share in shares:
        for whole in wholes:
            if share.measure != "percent" or whole.measure in {"percent", "times", "ordinal"}:
                continue
            if whole.is_year or not _is_of_kind(figure, whole):
                continue
            values = (s / _WHOLE * w for s in share.values for w in _values(whole, figure))
            if _has(figure, values) and share.hedge in {"", "part"}:
                yield Following.STATED if not figure.is_small else Following.PERHAPS


def _of_two(
    figure: Figure, claim: str, sentence: str, pair: tuple[Figure, Figure]
) -> Iterator[Following]:
    one, other = pair
    if one.is_year and other.is_year:
        spans = (abs(a - b) * _MONTHS for a in one.values for b in other.values)
        if figure.measure == "months" and _has(figure, spans):
            yield Following.STATED
        return
    if one.is_year or other.is_year or not _is_of_kind(one, other):
        return
    pairs = [(a, b) for a in _values(one, other) for b in _values(other, one)]
    if _is_of_kind(figure, one) and _is_of_kind(figure, other):
        if _has(figure, (abs(a - b) for a, b in pairs)):
            yield Following.STATED if _is_difference(figure, claim) else Following.PERHAPS
        if _has(figure, (a + b for a, b in pairs)):
            is_told = bool(_cues().total.search(fold(claim)))
            yield Following.STATED if is_told else Following.PERHAPS
    if figure.measure == "percent" and one.measure != "percent" != other.measure:
        ratios = (_WHOLE * ratio for a, b in pairs for ratio in _ratios(a, b))
        if _has(figure, ratios, _PERCENT_GRAIN):
            between = fold(sentence)[one.end : other.start]
            yield Following.STATED if _cues().out_of.match(between) else Following.PERHAPS


def _of_one(figure: Figure, claim: str, sentence: str, known: Figure) -> Iterator[Following]:
    if not _is_of_kind(figure, known) or known.is_year:
        return
    if figure.measure == known.measure == "percent":
        if _has(figure, (_WHOLE - value for value in known.values if value > 1)):
            is_rest = bool(_cues().rest.search(fold(claim)))
            yield Following.STATED if is_rest else Following.PERHAPS
    elif _cues().as_much.search(fold(sentence)):
        values = _values(known, figure)
        if _has(figure, (value * times for value in values for times in (0.5, 2.0))):
            is_same_thing = bool(figure.measure) and figure.measure == known.measure
            yield Following.STATED if is_same_thing else Following.PERHAPS


def _ratios(a: float, b: float) -> Iterator[float]:
    small, large = sorted((a, b))
    if small > 0:
        yield from (small / large, (large - small) / large, (large - small) / small)


def _is_of_kind(one: Figure, other: Figure) -> bool:
    return one.measure == other.measure or "" in {one.measure, other.measure}


def _values(figure: Figure, beside: Figure) -> list[float]:
    """Values in the first unit of the measure, which the other may tell: "from 5.2 to 4 hours"."""
    worth = beside.worth if not figure.measure else 1.0
    return [value * worth for value in figure.values]


def _has(figure: Figure, values: Iterator[float], grain: float = 0.0) -> bool:
    """Whether the figure is one of the values, as far as it may be rounded."""
    return any(
        _is_rounded(claimed, value, figure, max(grain, 0.0))
        for value in values
        if value > 0
        for claimed in figure.values
    )


def _is_rounded(claimed: float, value: float, figure: Figure, grain: float) -> bool:
    apart = value - claimed
    rough = min(max(figure.grain, grain), _ROUGH * max(claimed, value))
    if figure.hedge == "above":
        return 0 <= apart <= 2 * rough
    if figure.hedge == "below":
        return 0 <= -apart <= 2 * rough
    if figure.hedge in {"about", "part"}:
        return abs(apart) <= rough
    return abs(apart) <= max(_TOLERANCE * value, grain / 2 if grain else 0.0)


def _is_difference(figure: Figure, claim: str) -> bool:
    folded, cues = fold(claim), _cues()
    before = folded[max(0, figure.start - _BEFORE_CHARS) : figure.start]
    behind = folded[figure.end : figure.end + _BEHIND_CHARS]
    return bool(cues.before.search(before) or cues.behind.match(behind))


@cache
def _cues() -> _Cues:
    source = resources.files(__package__).joinpath("derived_figures.yaml")
    table = yaml.safe_load(source.read_text("utf-8"))
    before = "|".join(table["difference_before"])
    return _Cues(
        before=re.compile(rf"(?:{before})[$€£¥]?$"),
        behind=re.compile("|".join(f"(?:{each})" for each in table["difference_behind"])),
        total=re.compile("|".join(table["total"])),
        rest=re.compile("|".join(table["rest"])),
        as_much=re.compile(table["as_much"]),
        out_of=re.compile(table["out_of"]),
    )
