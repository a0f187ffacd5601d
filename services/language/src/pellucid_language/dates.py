"""Days written in other figures, calendars and scripts, as the common calendar writes them.

Arabic, Persian, Indian and Thai figures; Buddhist years of Thailand, eras of Japan, years of the
Republic in Taiwan, the solar calendar of Iran; months by the names of scripts other than Latin.
What a day means where it stands is decided by whoever reads it.
"""

import re
import unicodedata
from collections.abc import Mapping
from datetime import date
from functools import cache
from types import MappingProxyType

from babel import Locale

from pellucid_language.scripts import THAI

# Whose months are named in a script that is read here as a whole.
_LOCALES = (
    "ar", "ar_SY", "ar_DZ", "ar_MA", "he", "hi", "mr", "bn", "ta", "te", "ur", "th", "ka", "hy",
    "km", "my", "am",
)  # fmt: skip
_SOLAR_MONTHS = (
    "فروردین", "اردیبهشت", "خرداد", "تیر", "مرداد", "شهریور", "مهر", "آبان", "آذر", "دی", "بهمن",
    "اسفند",
)  # fmt: skip
_PERSIAN_GREGORIAN = {
    "ژانویه": 1, "فوریه": 2, "مارس": 3, "آوریل": 4, "مه": 5, "ژوئن": 6, "ژوئیه": 7, "اوت": 8,
    "سپتامبر": 9, "اکتبر": 10, "نوامبر": 11, "دسامبر": 12,
}  # fmt: skip
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925, "民國": 1911, "民国": 1911}
_ERA = re.compile(rf"({'|'.join(_ERAS)})\s*(\d{{1,3}}|元)\s*年")
# Signs of the scripts and figures that are read here, and of eras.
_DATED_SCRIPTS = "\u0530-\u06ff\u0900-\u0dff\u1000-\u109f\u10a0-\u10ff\u1200-\u137f\u1780-\u17ff"
_OTHER = re.compile(rf"[{_DATED_SCRIPTS}{THAI}]|和|平成|民[國国]")
_THAI = re.compile(f"[{THAI}]")
_BUDDHIST = range(2440, 2640)
_BUDDHIST_AHEAD = 543
_BUDDHIST_FIGURES = re.compile(r"(?<!\d)(\d{1,2}[/.-]\d{1,2}[/.-])(2[45]\d\d)(?!\d)")
_SOLAR = range(1300, 1500)
_HALF = 6  # the first six months of the solar calendar have 31 days
_ARABIC_ALSO = str.maketrans({"ي": "ی", "ك": "ک", "أ": "ا", "إ": "ا", "آ": "ا"})


def in_common_calendar(text: str) -> str:
    """Write the days of a text in ASCII figures and in the common calendar, where they are not.

    Args:
        text: A line or a paragraph.

    >>> in_common_calendar("17 ตุลาคม 2568"), in_common_calendar("令和8年5月3日")
    ('2025-10-17', '2026年5月3日')
    >>> in_common_calendar("۱۳ اردیبهشت ۱۴۰۵"), in_common_calendar("17 अक्टूबर 2025")
    ('2026-05-03', '2025-10-17')
    """
    if text.isascii() or not _OTHER.search(text):
        return text
    plain = _ERA.sub(_of_era, _with_plain_figures(text))
    plain = _expression().sub(_named, plain)
    return _BUDDHIST_FIGURES.sub(_of_buddha, plain) if _is_thai(plain) else plain


def _with_plain_figures(text: str) -> str:
    return "".join(
        str(unicodedata.decimal(sign)) if sign.isdecimal() and not sign.isascii() else sign
        for sign in text
    )


def _of_era(found: re.Match[str]) -> str:
    number = 1 if found[2] == "元" else int(found[2])
    return f"{_ERAS[found[1]] + number}年"


def _of_buddha(found: re.Match[str]) -> str:
    return f"{found[1]}{int(found[2]) - _BUDDHIST_AHEAD}"


def _is_thai(text: str) -> bool:
    return _THAI.search(text) is not None


def _alike(name: str) -> str:
    """Write letters alike that Arabic and Persian keyboards give differently."""
    return name.translate(_ARABIC_ALSO)


@cache
def _months() -> Mapping[str, int]:
    numbers: dict[str, int] = {_alike(name): number for name, number in _PERSIAN_GREGORIAN.items()}
    for name in _LOCALES:
        for forms in Locale.parse(name).months.values():
            for width in ("wide", "abbreviated"):
                for number, form in forms.get(width, {}).items():
                    if not form.isascii() and not form.isdigit():
                        numbers[_alike(form)] = number
    return MappingProxyType(numbers)


@cache
def _solar() -> Mapping[str, int]:
    return MappingProxyType({_alike(name): at for at, name in enumerate(_SOLAR_MONTHS, 1)})


@cache
def _expression() -> re.Pattern[str]:
    """Day, month by name and year, in this order or with the month first."""
    names = sorted({*_months(), *_solar()}, key=len, reverse=True)
    # Any letter that is written in two ways is looked for in both.
    either = {"ی": "[یي]", "ک": "[کك]", "ا": "[اأإآ]"}
    month = "|".join("".join(either.get(s, re.escape(s)) for s in name) for name in names)
    return re.compile(
        rf"(?<!\d)(?P<day>\d{{1,2}})\s*ב?(?P<month>{month})\.?\s*[,،]?\s*"
        r"(?:พ\.?ศ\.?|ค\.?ศ\.?|سنة|سال)?\s*(?P<year>\d{4})(?!\d)"
        rf"|(?<!\w)(?P<month2>{month})\s*(?P<day2>\d{{1,2}})\s*[,،]\s*(?P<year2>\d{{4}})(?!\d)"
    )


def _named(found: re.Match[str]) -> str:
    name = _alike(found["month"] or found["month2"])
    day, year = int(found["day"] or found["day2"]), int(found["year"] or found["year2"])
    if year in _SOLAR and name in _solar():
        return _written(solar_day(year, _solar()[name], day), found)
    if year in _BUDDHIST:
        year -= _BUDDHIST_AHEAD
    month = _months().get(name)
    return _written(_day(year, month, day) if month else None, found)


def _written(day: date | None, found: re.Match[str]) -> str:
    return day.isoformat() if day is not None else found[0]


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def solar_day(year: int, month: int, day: int) -> date | None:
    """Return a day of the solar calendar of Iran in the common one; nothing for no such day.

    Exact for the years 1178 to 1633, in which leap years follow a cycle of 33 years.
    Source: K. M. Borkowski, "The Persian calendar for 3000 years", 1996.

    >>> solar_day(1405, 2, 13)
    datetime.date(2026, 5, 3)
    """
    if not (1 <= month <= 12 and 1 <= day <= (31 if month <= _HALF else 30)):  # noqa: PLR2004
        return None
    years = year + 1595
    before = (month - 1) * 31 if month <= _HALF else (month - 1) * 30 + _HALF
    days = 365 * years + years // 33 * 8 + (years % 33 + 3) // 4 + before + day
    return date.fromordinal(days - 356_033)
