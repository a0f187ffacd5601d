"""Absolute dates: ISO 8601, RFC 2822, and what people write in the product's languages."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache

from pellucid_language.calendar import printed_months, printed_weekdays
from pellucid_search.dates.readings import GUESSED, LIKELY, SURE, Reading, either

_COMPACT = re.compile(r"(?P<y>(?:19|20)\d{2})(?P<m>\d{2})(?P<d>\d{2})")
_ISO_START = re.compile(r"\d{4}-\d{2}-\d{2}")
_YEAR_FIRST = re.compile(
    r"(?P<y>\d{4})(?:\s*(?:[-/.]|年|년)\s*|\s)(?P<m>\d{1,2})(?:\s*(?:[-/.]|月|월)\s*|\s)"
    r"(?P<d>\d{1,2})\s*(?:日|일)?\.?"
)
_YEAR_MONTH = re.compile(r"(?P<y>\d{4})\s*(?:年|년|[-/])\s*(?P<m>\d{1,2})\s*(?:月|월)?")
_MONTH_DAY = re.compile(r"(?P<m>\d{1,2})\s*[月월]\s*(?P<d>\d{1,2})\s*[日일号號](?!\s*[前전])")
_YEAR_LAST = re.compile(
    r"(?P<a>\d{1,2})\s*(?P<sep>[-/.])\s*(?P<b>\d{1,2})\s*[-/.,]\s*(?P<y>\d{4})\.?"
)
_SHORT_YEAR = re.compile(
    r"(?P<a>\d{1,2})(?P<sep>[-/]|\.)\s*(?P<b>\d{1,2})\s*[-/.,]\s*(?P<y>\d{2})(?!\d|[-/:])"
)
_RFC_2822 = re.compile(r"(?:\w{3}, )?\d{1,2} \w{3} \d{4} \d")
_EPOCH = re.compile(r"1\d{9}(?:\d{3})?")
_TIME = re.compile(
    r"(?P<h>\d{1,2})\s*(?::|h|時|点|시|시\s)\s*(?P<min>\d{2})?(?::(?P<s>\d{2})(?:\.\d+)?)?\s*(?:分|분)?"
    r"\s*(?P<half>am|pm|a\.m\.|p\.m\.|uhr)?\s*(?P<zone>z|utc|gmt|[+-]\d{2}:?\d{2})?",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th|er|º|ª|\.)(?=\s|,|$)", re.IGNORECASE)
# fmt: off
_ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth",
    "eighteenth", "nineteenth", "twentieth",
)
# fmt: on
_TENS = {"twenty": 20, "thirty": 30, "thirtieth": 30}
_SPELLED = re.compile(
    rf"\b(?:(?P<tens>twenty|thirty)[ -])?(?P<one>{'|'.join(_ORDINALS)}|thirtieth)\b(?: of)?"
)
_MILLISECONDS = 1_000
_LONGEST_SECONDS = 10
_MONTHS_A_YEAR = 12
_NOON = 12


def read_absolute(text: str, now: datetime) -> Reading | None:
    """Return what an absolute date means; midnight UTC when it has no time; None when it is none.

    Args:
        text: As `normalised_date_text` returns it.
        now: Gives the year of a date without one; aware.
    """
    return read_machine_form(text) or _number_form(text, now) or _word_form(text, now)


def read_machine_form(text: str) -> Reading | None:
    """Return what a date means that a program printed; None when it is none.

    Args:
        text: As printed; ISO 8601, RFC 2822, seconds since 1970 and eight digits need no cleaning.
    """
    if _ISO_START.match(text):
        try:
            return Reading(_aware(datetime.fromisoformat(text.replace(" UTC", "Z"))), SURE)
        except ValueError:
            return None
    if _EPOCH.fullmatch(text):
        seconds = int(text) / (_MILLISECONDS if len(text) > _LONGEST_SECONDS else 1)
        return Reading(datetime.fromtimestamp(seconds, UTC), LIKELY)
    compact = _COMPACT.fullmatch(text)
    if compact:
        return _at(compact["y"], compact["m"], compact["d"], "", LIKELY)
    return _rfc_2822(text)


def _rfc_2822(text: str) -> Reading | None:
    if not _RFC_2822.match(text):
        return None
    try:
        return Reading(_aware(parsedate_to_datetime(text)), SURE)
    except ValueError:
        return None


def _aware(time: datetime) -> datetime:
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _number_form(text: str, now: datetime) -> Reading | None:
    return (
        _dated(_YEAR_FIRST, text)
        or _year_last(text)
        or _year_and_month(text)
        or _month_and_day(text, now)
    )


def _month_and_day(text: str, now: datetime) -> Reading | None:
    """Read 11月15日 and 11월 15일, the last of that name."""
    match = _MONTH_DAY.match(text)
    if match is None:
        return None
    year = _nearest_year(int(match["m"]), int(match["d"]), now)
    return _at(str(year), match["m"], match["d"], text[match.end() :], LIKELY)


def _dated(pattern: re.Pattern[str], text: str) -> Reading | None:
    match = pattern.match(text)
    return _at(match["y"], match["m"], match["d"], text[match.end() :], SURE) if match else None


def _year_and_month(text: str) -> Reading | None:
    match = _YEAR_MONTH.fullmatch(text)
    return _at(match["y"], match["m"], "1", "", GUESSED) if match else None


def _year_last(text: str) -> Reading | None:
    """With dots the day comes first; with slashes the month, unless it cannot be one."""
    match = _YEAR_LAST.match(text) or _SHORT_YEAR.match(text)
    if not match:
        return None
    if len(match["y"]) == 2:  # noqa: PLR2004 - digits of a short year
        return _short_year(match, text)
    first, second = match["a"], match["b"]
    day_first = match["sep"] == "." or int(first) > _MONTHS_A_YEAR
    day, month = (first, second) if day_first else (second, first)
    is_clear = match["sep"] == "." or max(int(first), int(second)) > _MONTHS_A_YEAR
    return _at(match["y"], month, day, text[match.end() :], LIKELY if is_clear else GUESSED)


def _short_year(match: re.Match[str], text: str) -> Reading | None:
    """Years 00 to 69 are of this century, as POSIX has it."""
    year = int(match["y"]) + (2000 if int(match["y"]) < 69 else 1900)  # noqa: PLR2004
    day_first = match["sep"] == "." or int(match["a"]) > _MONTHS_A_YEAR
    day, month = (match["a"], match["b"]) if day_first else (match["b"], match["a"])
    return _at(str(year), month, day, text[match.end() :], GUESSED)


def _spelled_number(match: re.Match[str]) -> str:
    one = match["one"]
    units = _TENS[one] if one in _TENS else _ORDINALS.index(one) + 1
    return str(_TENS.get(match["tens"], 0) + units)


@lru_cache(maxsize=1)
def _weekday_pattern() -> re.Pattern[str]:
    return re.compile(rf"^(?:{either(printed_weekdays())})\.?,?\s+(?=\S)")


def _word_form(text: str, now: datetime) -> Reading | None:
    """Read "Dec 15, 2024", "15 de diciembre de 2024", "15. Dezember 2024" and the like."""
    folded = _SPELLED.sub(_spelled_number, text.lower())
    folded = _weekday_pattern().sub("", _ORDINAL.sub("", folded))
    words = re.match(
        r"(?:(?P<d1>\d{1,2})[\s.-]+(?:de |of |du )?)?(?P<month>[^\W\d_]{3,12})\.?,?"
        r"(?:[\s-]+(?P<d2>\d{1,2})(?!\d|:))?(?:,?[\s-]+(?:de |del |of |year )?(?P<y>\d{4})(?!\d))?",
        folded,
    )
    month = printed_months().get(words["month"]) if words else None
    if not words or month is None:
        return None
    day = words["d1"] or words["d2"]
    if day is None and words["y"] is None:
        return None
    year = words["y"] or str(_nearest_year(month, int(day or 1), now))
    confidence = (SURE if words["y"] else LIKELY) if day else GUESSED
    return _at(year, str(month), day or "1", folded[words.end() :], confidence)


def _nearest_year(month: int, day: int, now: datetime) -> int:
    """A date without a year is the last one of that name."""
    return now.year - 1 if (month, day) > (now.month, now.day) else now.year


def _at(year: str, month: str, day: str, rest: str, confidence: float) -> Reading | None:
    tail = rest.strip(" ,.@·|-").removeprefix("t").removeprefix("at ").removeprefix("à ").strip()
    time = _TIME.fullmatch(tail) if tail else None
    if tail and time is None:
        return None
    try:
        date = datetime(int(year), int(month), int(day), tzinfo=UTC)
        return Reading(_with_time(date, time) if time else date, confidence)
    except ValueError:
        return None


def _with_time(date: datetime, time: re.Match[str]) -> datetime:
    hour = int(time["h"])
    half = (time["half"] or "").replace(".", "").lower()
    if half == "pm" and hour < _NOON:
        hour += _NOON
    if half == "am" and hour == _NOON:
        hour = 0
    at = date.replace(hour=hour, minute=int(time["min"] or 0), second=int(time["s"] or 0))
    zone = (time["zone"] or "").lower()
    if zone[:1] in {"+", "-"}:
        at = datetime.fromisoformat(
            at.replace(tzinfo=None).isoformat() + zone[:3] + ":" + zone[-2:]
        )
    return at
