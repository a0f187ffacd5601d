"""Whether a claim's figure follows from others of a page by one step of arithmetic.

A reader who is told of 58 and 64 million may say "6 million more". Sums, differences, shares,
changes and durations are worked out. Many figures give many values, and one of them may be
anything: a value counts as worked out only where so few come near it that chance hardly explains
it, first beside the claim's words, then on the page. Else it is left to whoever reads both.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import chain, combinations, pairwise

from pellucid_language.quantities import Figure, figures, spelled_figures
from pellucid_language.terms import function_terms, terms
from pellucid_language.text_memory import remembered

_MOST_FIGURES = 60
"""Of a page, so that no page costs more than some milliseconds."""
_LIKELIEST_BESIDE = 0.12
"""Chance that a wrong figure is among the values of the sentence that is most like the claim."""
_LIKELIEST_NEAR = 0.12
_LIKELIEST = 0.03
"""The same of the whole page, which is asked last."""
_MOST_COUNTED = 12
"""Counts up to this one may be the number of things listed, which is not looked at."""
_WHOLE = 100.0
_MONTHS = 12
_TOLERANCE = 1e-6
# Of a value that is said to be about, above or below it.
_ROUGH = 0.1
# A share is rarely told to less than a whole percent.
_PERCENT_GRAIN = 1.0
_DECADE = 3.16
_DIGITS = 9
_CLOCK = re.compile(r"(?<![\d:])([01]?\d|2[0-4]):([0-5]\d)(?![\d:])")
_NO_AMOUNT = frozenset({"ordinal", "times", "percent"})


class Following(IntEnum):
    """How a figure follows from those of a passage."""

    NOT = 0
    PERHAPS = 1
    DERIVED = 2
    STATED = 3


@dataclass(frozen=True, slots=True)
class _Scope:
    """Figures that are read together, and how likely chance may explain a value of theirs."""

    given: tuple[Figure, ...]
    clocks: tuple[int, ...]
    likeliest: float


def following(figure: Figure, claim: str, sentences: Sequence[str]) -> Following:
    """Tell how a figure of a claim follows from a passage.

    Args:
        figure: One of the claim's that the passage does not have.
        claim: Where it stands.
        sentences: Of the passage, without the numbers of dates.

    >>> (six,) = figures("Profit grew by 6 million pounds")
    >>> page = ["It rose to 64 million pounds from 58 million."]
    >>> following(six, "Profit grew by 6 million pounds", page).name
    'DERIVED'
    """
    if figure.measure == "ordinal":
        return Following.NOT
    is_count = not figure.measure and all(value <= _MOST_COUNTED for value in figure.values)
    found = Following.PERHAPS if is_count else Following.NOT
    for scope in _scopes(claim, sentences):
        given = {value for one in scope.given for value in one.values}
        values = frozenset(_derived(figure, scope)) - given
        # Whose the rest of 100 percent is, a figure does not tell.
        if any(_is_rounded(a, b, figure) for a in figure.values for b in _rests(figure, scope)):
            found = Following.PERHAPS
        for claimed in figure.values:
            if any(_is_rounded(claimed, value, figure) for value in values):
                # A wrong year is mostly a few years off, so that it is easily reached.
                if not figure.is_year and _chance(figure, claimed, values) <= scope.likeliest:
                    return Following.DERIVED
                found = Following.PERHAPS
    return found


def _scopes(claim: str, sentences: Sequence[str]) -> Iterator[_Scope]:
    """The sentence with most of the claim, those beside it and the next best, the page."""
    wanted = terms(claim) - function_terms()
    order = sorted(range(len(sentences)), key=lambda i: (-len(wanted & terms(sentences[i])), i))
    best = order[:1]
    if best and wanted & terms(sentences[best[0]]):
        yield _scope([sentences[best[0]]], _LIKELIEST_BESIDE)
        beside = (range(max(0, best[0] - 1), best[0] + 1), range(best[0], best[0] + 2), order[:2])
        for places in beside:
            yield _scope([sentences[i] for i in places if i < len(sentences)], _LIKELIEST_NEAR)
    yield from (_scope(pair, _LIKELIEST / 2) for pair in pairwise(sentences))
    yield _scope([sentences[i] for i in order], _LIKELIEST)


def _scope(sentences: Sequence[str], likeliest: float) -> _Scope:
    given = chain.from_iterable(map(_given, sentences))
    clocks = chain.from_iterable(map(_clocks, sentences))
    return _Scope(tuple(given)[:_MOST_FIGURES], tuple(clocks)[:_MOST_FIGURES], likeliest)


@remembered
def _given(sentence: str) -> tuple[Figure, ...]:
    plain = _CLOCK.sub(lambda match: " " * len(match.group()), sentence)
    return tuple(sorted((*figures(plain), *spelled_figures(plain)), key=lambda f: f.start))


@remembered
def _clocks(sentence: str) -> tuple[int, ...]:
    """Times of day, in seconds from midnight."""
    return tuple(3600 * int(hour) + 60 * int(minute) for hour, minute in _CLOCK.findall(sentence))


def _derived(figure: Figure, scope: _Scope) -> Iterator[float]:
    """Every value of the figure's kind that one step gives."""
    amounts = [one for one in scope.given if one.measure not in _NO_AMOUNT and not one.is_year]
    shares = [one for one in scope.given if one.measure == "percent"]
    years = [value for one in scope.given if one.is_year for value in one.values]
    if figure.is_year:
        spans = [v / _MONTHS for one in amounts if one.measure == "months" for v in one.values]
        yield from (year + sign * span for year in years for span in spans for sign in (1, -1))
    elif figure.measure == "percent":
        yield from _of_pairs(shares, figure, _summed)
        yield from _of_pairs(amounts, None, _compared)
    elif figure.measure == "times":
        yield from _of_pairs(amounts, None, lambda a, b: (a / b, b / a))
    else:
        alike = _alike(figure, [one for one in amounts if _is_of_kind(figure, one)])
        yield from _of_pairs(alike, figure, _summed)
        yield from _parts(figure, amounts, scope.given)
        if figure.measure == "months" and figure.worth == _MONTHS:
            yield from (abs(a - b) * _MONTHS for a, b in combinations(years, 2))
        if figure.measure == "time":
            yield from (float(abs(a - b)) for a, b in combinations(scope.clocks, 2))


def _alike(figure: Figure, amounts: list[Figure]) -> list[Figure]:
    """The amounts of what the figure counts, or of its measure, where two are; else all."""
    counted = [one for one in amounts if one.counted & figure.counted]
    measured = [one for one in amounts if figure.measure and one.measure == figure.measure]
    return next((each for each in (counted, measured) if len(each) > 1), amounts)


def _of_pairs(
    given: Sequence[Figure],
    figure: Figure | None,
    step: Callable[[float, float], Sequence[float]],
) -> Iterator[float]:
    """What a step gives of each two figures of one kind, one of them of the claimed figure's."""
    for one, other in combinations(given, 2):
        is_told = not figure or not figure.measure or figure.measure in {one.measure, other.measure}
        if is_told and _is_of_kind(one, other):
            for a in _values(one, other):
                for b in _values(other, one):
                    if a > 0 and b > 0:
                        yield from step(a, b)


def _summed(a: float, b: float) -> tuple[float, float]:
    return a + b, abs(a - b)


def _compared(a: float, b: float) -> tuple[float, ...]:
    """The share of one amount in the other, and by how much each differs, in percent."""
    small, large = sorted((a, b))
    ratios = (small / large, (large - small) / large, (large - small) / small)
    return tuple(_WHOLE * ratio for ratio in ratios)


def _rests(figure: Figure, scope: _Scope) -> Iterator[float]:
    """What each share, and all together, leave of the whole, where the figure is a share."""
    shares = [one for one in scope.given if one.measure == figure.measure == "percent"]
    values = [max(share.values) for share in shares]
    yield from (_WHOLE - value for value in {*values, sum(values)} if value < _WHOLE)


def _parts(figure: Figure, amounts: Sequence[Figure], given: Sequence[Figure]) -> Iterator[float]:
    """Shares and multiples of amounts, what shares leave of them, and what they are shares of."""
    factors = [value for one in given if one.measure == "times" for value in one.values]
    shares = [max(one.values) / _WHOLE for one in given if one.measure == "percent"]
    for whole in (one for one in amounts if _is_of_kind(figure, one)):
        for value in _values(whole, figure):
            for factor in {*factors, *shares}:
                yield from (value * factor, value / factor if factor else value)
            yield from (value * (1 - share) for share in shares if share < 1)


def _is_of_kind(one: Figure, other: Figure) -> bool:
    """Whether two figures may be of one measure: where a text leaves it out, it is the other's."""
    left_out = (not each.measure and not each.counted for each in (one, other))
    return one.measure == other.measure or any(left_out)


def _values(figure: Figure, beside: Figure) -> list[float]:
    """Values in the first unit of the measure, which the other may tell: "from 5.2 to 4 hours"."""
    worth = beside.worth if not figure.measure else 1.0
    return [value * worth for value in figure.values]


def _chance(figure: Figure, claimed: float, values: frozenset[float]) -> float:
    """How likely a figure of this size and precision is one of the values by mere chance."""
    width, (least, most) = _width(figure, claimed), _size(figure, claimed)
    # Values that the figure could not tell apart count as one.
    near = {round(value / width) for value in values if least <= value <= most}
    return len(near) * width / (most - least)


def _size(figure: Figure, claimed: float) -> tuple[float, float]:
    """Least and most of the figures of about this size."""
    if claimed <= _DIGITS * figure.worth and not figure.hedge:
        return figure.worth / 2, (_DIGITS + 0.5) * figure.worth
    return claimed / _DECADE, claimed * _DECADE


def _width(figure: Figure, claimed: float) -> float:
    """How far values that the figure could stand for lie apart."""
    if figure.hedge:
        return 2 * _rough(figure, claimed)
    least = min(figure.grain or claimed, _ROUGH * claimed)
    return max(least, min(figure.worth, figure.grain))


def _rough(figure: Figure, value: float) -> float:
    grain = max(figure.grain, _PERCENT_GRAIN if figure.measure == "percent" else 0.0)
    return min(grain, _ROUGH * value)


def _is_rounded(claimed: float, value: float, figure: Figure) -> bool:
    apart, rough = value - claimed, _rough(figure, max(claimed, value))
    if figure.hedge == "above":
        return 0 <= apart <= 2 * rough
    if figure.hedge == "below":
        return 0 <= -apart <= 2 * rough
    if figure.hedge:
        return abs(apart) <= rough
    grain = rough if figure.measure in {"percent", "times"} else 0.0
    return abs(apart) <= max(_TOLERANCE * value, grain / 2)
