"""The days and months that a text names, in every way of writing them that the languages have.

What a date means for a claim or a source is decided where it is asked; here it is only read.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import date, datetime

from pellucid_language.calendar import (
    AMBIGUOUS_MONTHS,
    HAN_MONTH,
    han_month_number,
    month_numbers,
    time_words,
)
from pellucid_language.folding import fold
from pellucid_language.text_memory import remembered

# Longest first, so that no month ends where its abbreviation does.
_MONTHS = "|".join(map(re.escape, sorted(month_numbers(), key=len, reverse=True)))
_DAY = re.compile(
    rf"\b(?P<day_before>\d{{1,2}})(?:st|nd|rd|th|er|\.|º)?\s+(?:of\s+|de\s+)?(?P<month_after>{_MONTHS})\b"
    rf"|\b(?P<month_before>{_MONTHS})\.?\s+(?P<day_after>\d{{1,2}})(?:st|nd|rd|th)?(?![\d.,]*\d)"
    r"|\b\d{4}-(?P<iso_month>\d{2})-(?P<iso_day>\d{2})"
    r"|(?P<cjk_month>\d{1,2})\s?[월月]\s?(?P<cjk_day>\d{1,2})\s?[일日号]",
    re.IGNORECASE,
)
# The numbers of a date are checked as a date.
_DAY_NUMBERS = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th|er|\.|º)?(?=\s+(?:of\s+|de\s+)?(?:{_MONTHS})\b)"
    # "In April. 46 percent": only short forms of months have a full stop of their own.
    rf"|(?:(?<=\s)|^)(?:{_MONTHS})(?:(?<=\b\w\w\w)\.|(?<=\b\w\w\w\w)\.)?\s+\d{{1,2}}(?:st|nd|rd|th)?(?![\d.,]*\d)"
    r"|(?<=\d)-\d{2}-\d{2}|\d{1,2}\s?[월月](?:\s?\d{1,2}\s?[일日号])?",
    re.IGNORECASE,
)
_YEAR_IN = re.compile(r"(\d{4})-")
_YEAR_BEHIND = re.compile(r",?\s+(?:de\s+)?(\d{4})(?!\d)")
_YEAR_BEFORE = re.compile(r"(?<!\d)(\d{4})\s?[년年]\s?$")
# In small letters "mai" and "mars" are months after what leads to one.
_FRENCH_MONTH = re.compile(r"\b(?:en|de|du|fin|début|mi-|depuis|\d{1,2}(?:er)?)[ -]?(mai|mars)\b")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


def days_of(text: str) -> dict[tuple[int, int], str]:
    """Month and day of each whole date in a text, with the date as written, first come first.

    >>> days_of("It opened on 3 October 2026.")
    {(10, 3): '3 October'}
    """
    names = month_numbers()
    found: dict[tuple[int, int], str] = {}
    for match in _DAY.finditer(text):
        word = (match["month_after"] or match["month_before"] or "").lower()
        day = match["day_before"] or match["day_after"] or match["iso_day"] or match["cjk_day"]
        month = names.get(word) or match["iso_month"] or match["cjk_month"]
        if month and day:
            found.setdefault((int(month), int(day)), match.group())
    return found


@remembered
def days(text: str) -> frozenset[tuple[int, int]]:
    """Month and day of each date that has both."""
    return frozenset(days_of(text))


@remembered
def whole_dates(text: str) -> frozenset[date]:
    """Each date that has a day, a month and a year.

    >>> whole_dates("On 22 January 2024, and in May 2025.")
    frozenset({datetime.date(2024, 1, 22)})
    """
    found = set()
    for match in _DAY.finditer(text):
        year = _YEAR_IN.match(match.group()) or _YEAR_BEHIND.match(text, match.end())
        year = year or _YEAR_BEFORE.search(text, 0, match.start())
        if year is None:
            continue
        for month, day in days_of(match.group()):
            with suppress(ValueError):
                found.add(date(int(year.group(1)), month, day))
    return frozenset(found)


@remembered
def months_of(text: str) -> frozenset[int]:
    """Months that are named or stand in an ISO date."""
    names = month_numbers()
    named = {
        names[word.lower()]
        for word in _WORD.findall(text)
        if word.lower() in names and (word.lower() not in AMBIGUOUS_MONTHS or word[0].isupper())
    } | {names[word] for word in _FRENCH_MONTH.findall(text)}
    iso = {int(month) for month in re.findall(r"\b\d{4}-(\d{2})(?:-\d{2})?\b", text)}
    cjk = {int(month) for month in re.findall(r"(\d{1,2})\s?[월月]", text)}
    spelled = set(map(han_month_number, HAN_MONTH.findall(text)))
    return frozenset(named | iso | cjk | spelled)


@remembered
def calendar_names(text: str) -> Mapping[str, frozenset[str]]:
    """Seasons, weekdays and the like that a text names, by kind."""
    folded = fold(text)
    return {
        kind: frozenset(name for name, pattern in names.items() if pattern.search(folded))
        for kind, names in time_words().items()
    }


@remembered
def undated(text: str) -> str:
    """The text with the numbers of its days and months blanked, everything else in its place."""
    return _DAY_NUMBERS.sub(lambda match: " " * len(match.group()), text)


def date_words(instant: datetime) -> str:
    """A date in the forms in which claims may write it."""
    return f"{instant:%Y-%m-%d} {instant.day} {instant:%B} {instant.year}"
