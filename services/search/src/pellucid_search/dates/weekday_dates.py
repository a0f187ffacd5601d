"""Dates named by a weekday: "last Sunday", "이번 주 월요일", "上周三", "second Sunday"."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import lru_cache

from pellucid_language.calendar import printed_weekdays
from pellucid_search.dates.readings import (
    GUESSED,
    LIKELY,
    ROUGH,
    Reading,
    either,
    months_before,
)

_WEEK = 7
_LONGEST_SEARCH_DAYS = 366
# "mo", "di" and "so" are words of their own; "sun" and "mon" are when nothing stands beside them.
_SHORT_NAME = 2
_BARE_NAME = 3
# Weeks from the present one, for words that name a week.
_WEEK_WORDS = {
    "this": 0, "this week": 0, "이번 주": 0, "이번주": 0, "이번": 0, "这个": 0, "這個": 0, "这": 0,
    "這": 0, "本": 0, "今週": 0, "last": -1, "last week": -1, "previous": -1, "previous week": -1,
    "지난 주": -1, "지난주": -1, "저번 주": -1, "저번주": -1, "上": -1, "上个": -1, "上個": -1,
    "先週": -1, "上上": -2, "上上个": -2, "上上個": -2, "지지난 주": -2,
}  # fmt: skip
# The last day of that name before today.
_LATEST_WORDS = frozenset(
    {"past", "지난", "dernier", "letzten", "letzter", "pasado", "vergangenen"}
)
_ORDINALS = {
    "first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4,
    "fifth": 5, "5th": 5, "첫": 1, "첫째": 1, "첫 번째": 1, "둘째": 2, "두 번째": 2, "셋째": 3,
    "세 번째": 3, "넷째": 4, "네 번째": 4, "다섯째": 5, "다섯 번째": 5,
}  # fmt: skip
_THIS_MONTH = r"(?P<month>이번 ?달|저번 ?달|지난 ?달|this month|last month)?\s*"


@lru_cache(maxsize=1)
def _weekdays() -> Mapping[str, int]:
    """Short forms are too ambiguous outside a full date."""
    return {name: day for name, day in printed_weekdays().items() if _is_long(name)}


def _is_long(name: str) -> bool:
    return len(name) > _SHORT_NAME or _is_cjk(name)


def _is_cjk(name: str) -> bool:
    return not name.isascii() and len(name) > 1 and name[0] > "\u2e80"


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    days = rf"(?P<day>{either(_weekdays())})"
    week = re.compile(
        rf"(?:the )?(?P<week>{either(_WEEK_WORDS)}|{either(_LATEST_WORDS)})?[\s,-]*{days}"
    )
    numbered = re.compile(
        rf"(?:{days},?\s*(?:the )?(?P<n>\d{{1,2}})(?:st|nd|rd|th|일|日|号)?"
        rf"|(?P<n2>\d{{1,2}})(?:일|日|号)\s*(?P<day2>{either(_weekdays())}))"
    )
    nth = re.compile(
        rf"{_THIS_MONTH}(?:the )?(?P<nth>{either(_ORDINALS)})\s*(?:주)?\s*{days}"
        r"(?: of (?P<of>this|last) month)?"
    )
    return week, numbered, nth


def read_weekday(text: str, now: datetime) -> Reading | None:
    """Return what a weekday expression in lower case means; None when it is none.

    Weeks begin on Monday.
    """
    week, numbered, nth = _patterns()
    match = nth.fullmatch(text)
    if match:
        return _nth_of_month(match, now)
    match = numbered.fullmatch(text)
    if match:
        return _numbered(match, now)
    match = week.fullmatch(text)
    return _in_week(match, now) if match else None


def _midnight(instant: datetime) -> datetime:
    return instant.replace(hour=0, minute=0, second=0, microsecond=0)


def _in_week(match: re.Match[str], now: datetime) -> Reading | None:
    weekday, word = _weekdays()[match["day"]], match["week"]
    today = _midnight(now)
    if word is None and len(match["day"]) <= _BARE_NAME and match["day"].isascii():
        return None
    if word is None or word in _LATEST_WORDS:
        back = (today.weekday() - weekday - 1) % _WEEK + 1
        return Reading(today - timedelta(days=back), ROUGH if word else GUESSED)
    monday = today - timedelta(days=today.weekday())
    return Reading(monday + timedelta(days=weekday + _WEEK * _WEEK_WORDS[word]), LIKELY)


def _numbered(match: re.Match[str], now: datetime) -> Reading | None:
    """Return the last day that was both."""
    weekday = _weekdays()[match["day"] or match["day2"]]
    number = int(match["n"] or match["n2"])
    for back in range(_LONGEST_SEARCH_DAYS):
        day = _midnight(now) - timedelta(days=back)
        if day.day == number and day.weekday() == weekday:
            return Reading(day, ROUGH)
    return None


def _nth_of_month(match: re.Match[str], now: datetime) -> Reading | None:
    is_last = (match["month"] or "").startswith(("저번", "지난", "last")) or match["of"] == "last"
    first = _midnight(months_before(now, 1) or now if is_last else now).replace(day=1)
    ahead = (_weekdays()[match["day"]] - first.weekday()) % _WEEK
    day = first + timedelta(days=ahead + _WEEK * (_ORDINALS[match["nth"]] - 1))
    return Reading(day, ROUGH) if day.month == first.month else None
