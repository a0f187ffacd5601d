"""Dates relative to now: "3 days ago", "3일 전", "vor 2 Stunden", "yesterday", "last week"."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from pellucid_search.dates.readings import (
    LIKELY,
    ROUGH,
    SURE,
    Reading,
    before,
    date_words,
    either,
    months_before,
    normalised_date_text,
)

# Dates ahead are read as well, so that a caller can tell nonsense from silence.
_AHEAD = re.compile(r"in (.+)$|(.+?)\s*(?:later|from now|내|뒤|후|后|後|以后|之后)$")
_BEFORE_YESTERDAY = re.compile(r"(.+ days?) before yesterday")
_MONTHS = {"month": 1, "year": 12, "decade": 120, "half_year": 6}
_SECONDS = {"second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86_400.0, "week": 604_800.0}
_SECONDS_A_MONTH = 30.4375 * 86_400
_FINE_UNITS = frozenset({"second", "minute", "hour", "day"})


@dataclass(frozen=True, slots=True)
class _Lexicon:
    units: Mapping[str, str]
    numbers: Mapping[str, float]
    days: Mapping[str, int]
    spans: Mapping[str, str]
    amount: re.Pattern[str]
    ago: re.Pattern[str]


@lru_cache(maxsize=1)
def _lexicon() -> _Lexicon:
    words = date_words()
    units = {word: unit for unit, names in words["units"].items() for word in names}
    numbers = {str(word): float(n) for n, names in words["numbers"].items() for word in names}
    return _Lexicon(
        units=units,
        numbers=numbers,
        days={word: int(n) for n, names in words["days"].items() for word in names},
        spans={word: unit for unit, names in words["spans"].items() for word in names},
        amount=_amount_pattern(tuple(units), tuple(numbers), tuple(words["and"])),
        ago=re.compile(_ago_pattern(tuple(words["ago"]))),
    )


def _numbers(words: tuple[str, ...]) -> str:
    """A Latin number word needs a space after it ("a d" but not "ad"), a CJK one does not."""
    latin = tuple(word for word in words if word[0] < "\u2e80")
    cjk = tuple(word for word in words if word[0] >= "\u2e80")
    return rf"(?:{either(latin)})(?=\s)|{either(cjk)}"


def _amount_pattern(
    units: tuple[str, ...], numbers: tuple[str, ...], joins: tuple[str, ...]
) -> re.Pattern[str]:
    """A Latin unit ends with its word ("m" is no beginning of "march"); a CJK one need not."""
    return re.compile(
        rf"(?:,?\s*(?:{either(joins)})\s+|,\s*)?"
        rf"(?P<number>\d+(?:[.,]\d+)?|{_numbers(numbers)})\s*(?P<unit>{either(units)})\.?(?![a-zà-ÿ])\s*"
    )


def _ago_pattern(words: tuple[str, ...]) -> str:
    return rf"(?:^|\s*)(?:{either(words)})(?![a-zà-ÿ])\s*"


def read_relative(text: str, now: datetime) -> Reading | None:
    """Return what a text relative to now means; None when it is none.

    Args:
        text: As `normalised_date_text` returns it.
        now: Aware.
    """
    folded = text.lower()
    lexicon = _lexicon()
    if folded in lexicon.days:
        time = before(now, days=lexicon.days[folded])
        return Reading(time, LIKELY) if time else None
    further = _BEFORE_YESTERDAY.fullmatch(folded)
    if further:
        earlier = read_relative(further[1], now)
        return Reading(earlier.time - timedelta(days=1), LIKELY) if earlier else None
    if folded in lexicon.spans:
        return _step(now, [(1.0, lexicon.spans[folded])], ROUGH)
    ahead = _AHEAD.match(folded)
    amounts = list(
        _amounts(normalised_date_text(ahead[1] or ahead[2]) if ahead else folded, lexicon)
    )
    if not amounts:
        return None
    if ahead:
        amounts = [(-amount, unit) for amount, unit in amounts]
    is_fine = amounts[-1][1] in _FINE_UNITS
    return _step(now, amounts, SURE if is_fine else LIKELY)


def _amounts(text: str, lexicon: _Lexicon) -> Iterator[tuple[float, str]]:
    """Yield amounts with units; nothing unless the whole text consists of them."""
    rest = lexicon.ago.sub(" ", text).strip(" ,")
    found: list[tuple[float, str]] = []
    place = 0
    while place < len(rest):
        match = lexicon.amount.match(rest, place)
        if match is None:
            return
        number = match["number"]
        amount = (
            lexicon.numbers[number]
            if number in lexicon.numbers
            else float(number.replace(",", "."))
        )
        found.append((amount, lexicon.units[match["unit"]]))
        place = match.end()
    yield from found


def _step(now: datetime, amounts: list[tuple[float, str]], confidence: float) -> Reading | None:
    """Go back by calendar months first, then by seconds."""
    months = sum(amount * _MONTHS[unit] for amount, unit in amounts if unit in _MONTHS)
    seconds = sum(amount * _SECONDS[unit] for amount, unit in amounts if unit in _SECONDS)
    seconds += (months - int(months)) * _SECONDS_A_MONTH
    time = months_before(now, int(months)) if abs(months) >= 1 else now
    time = before(time, seconds=seconds) if time else None
    return Reading(time, confidence) if time else None
