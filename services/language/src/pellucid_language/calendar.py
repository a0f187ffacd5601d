"""Months and weekdays by name, from the Unicode locale data that babel carries.

Decides what the months are called; which day a text means is decided where dates are read.
"""

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType

import yaml
from babel import Locale, localedata

from pellucid_language.folding import fold

LANGUAGES = ("en", "ko", "zh", "ja", "es", "de", "fr")
# Korean, Chinese and Japanese number their months.
_NAMED = ("en", "es", "de", "fr")
# English prose also shortens months to three letters.
_SHORT_LETTERS = 3
_FIRST_GUESSES = ("pt", "nl", "it", "es", "fr", "de", "en")
# What search providers print dates in besides; the first that has a form says its month.
_FURTHER = ("pl", "ru", "tr", "el", "cs", "id", "sv", "fi", "de_AT")
# Written, but not in the locale data.
_MONTHS_BESIDES = {"sept": 9, "mrz": 3, "fév": 2, "setiembre": 9, "фев": 2, "сен": 9, "ноя": 11}
_DAY_LANGUAGES = ("en", "fr", "es", "de", "ko", "zh", "ja")
_DAYS_BESIDES = {"tues": 1, "thur": 3, "thurs": 3, "星期天": 6}
AMBIGUOUS_MONTHS = frozenset({"may", "march", "mar", "mars", "mai"})
"""Forms that are also other words, or names."""

HAN_MONTH = re.compile(r"(?<![一二三四五六七八九十个個])(十[一二]?|[一二三四五六七八九])月(?!间)")
"""A month that Chinese spells with a numeral; see `han_month_number`."""
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
# Other names of a day, in the order of the week; Chinese has two, Japanese may cut its own.
_DAYS_ALSO = (
    "周一|月曜",
    "周二|火曜",
    "周三|水曜",
    "周四|木曜",
    "周五|金曜",
    "sonnabend|周六|土曜",
    "周日|日曜",
)
_HAN_MONTHS = ("一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二")


def month_name(month: int, language: str) -> str:
    """Return what people write for a month, its number where the language numbers months.

    Args:
        month: 1 to 12.
        language: ISO 639-1 code, one of `LANGUAGES`.

    >>> month_name(3, "de"), month_name(3, "ko")
    ('März', '3')
    """
    return _wide(language)[month] if language in _NAMED else str(month)


@cache
def month_numbers() -> Mapping[str, int]:
    """Return the number of each month by its lower-case name, in all languages that have names.

    >>> month_numbers()["mars"], month_numbers()["sep"]
    (3, 9)
    """
    numbers = {
        name.lower(): number for language in _NAMED for number, name in _wide(language).items()
    }
    english = _wide("en").items()
    numbers |= {name[:_SHORT_LETTERS].lower(): number for number, name in english}
    return MappingProxyType(numbers)


def _wide(language: str) -> Mapping[int, str]:
    names: Mapping[int, str] = Locale(language).months["format"]["wide"]
    return names


def _wide_days(language: str) -> Mapping[int, str]:
    names: Mapping[int, str] = Locale(language).days["format"]["wide"]
    return names


@cache
def written_months(language: str) -> Mapping[str, int]:
    """Return the number of each month by every form that people of a language write it in.

    Those of the languages with the most pages are among them: many pages declare the language of
    their template instead of their own.

    Args:
        language: ISO 639 code, any that the Unicode locale data knows; empty where unknown.

    >>> written_months("pl")["listopada"], written_months("pl")["nov"], written_months("")["mai"]
    (11, 11, 5)
    """
    numbers: dict[str, int] = {}
    for name in (*_FIRST_GUESSES, *((language,) if _is_known(language) else ())):
        for forms in Locale(name).months.values():
            for width in ("wide", "abbreviated"):
                for number, form in forms.get(width, {}).items():
                    numbers[form.lower().strip(".")] = number
    numbers["sept"] = 9
    return MappingProxyType({form: number for form, number in numbers.items() if form.isalpha()})


@cache
def printed_months() -> Mapping[str, int]:
    """Return the number of each month by every form in which dates are printed, lower case.

    >>> printed_months()["janv"], printed_months()["września"], printed_months()["lis"]
    (1, 9, 11)
    """
    numbers: dict[str, int] = {}
    for language in reversed(_FURTHER):
        numbers |= written_months(language)
    return MappingProxyType(numbers | _MONTHS_BESIDES)


@cache
def printed_weekdays() -> Mapping[str, int]:
    """Return the day of the week, 0 for Monday, by every form in which dates are printed.

    >>> printed_weekdays()["miércoles"], printed_weekdays()["周三"], printed_weekdays()["tues"]
    (2, 2, 1)
    """
    numbers: dict[str, int] = {}
    for name in reversed(_DAY_LANGUAGES):
        for forms in Locale(name).days.values():
            for width in ("wide", "abbreviated"):
                for number, form in forms.get(width, {}).items():
                    numbers[form.lower().strip(".")] = number
    # Japan leaves out the last character, Taiwan writes the second as 週.
    shortened = {
        form.removesuffix("日"): day for form, day in numbers.items() if form.endswith("曜日")
    }
    traditional = {
        form.replace("周", "週"): day for form, day in numbers.items() if form.startswith("周")
    }
    numbers |= shortened | traditional | _DAYS_BESIDES
    # Spanish "mar." is Tuesday, and March everywhere.
    return MappingProxyType(
        {form: day for form, day in numbers.items() if len(form) > 1 and form != "mar"}
    )


@cache
def month_beginnings(language: str) -> tuple[str, ...]:
    """Return the first three letters of each month, from January; abbreviations keep them.

    >>> month_beginnings("de")[2]
    'Mär'
    """
    return tuple(_wide(language)[month][:_SHORT_LETTERS] for month in range(1, 13))


def han_month_number(numeral: str) -> int:
    """Return the month, 1 to 12, of a numeral that `HAN_MONTH` found.

    >>> han_month_number("十二")
    12
    """
    return _HAN_MONTHS.index(numeral) + 1


def _is_known(language: str) -> bool:
    return bool(language) and localedata.exists(language)


@cache
def time_words() -> Mapping[str, Mapping[str, re.Pattern[str]]]:
    """Return expressions, for folded texts, of words that name one of several times.

    By kind (``weekdays``, ``seasons``, ``halves``, ``quarters``, ``rates``), then by name.

    >>> time_words()["weekdays"]["sunday"].search("am sonntag") is not None
    True
    """
    source = resources.files("pellucid_language").joinpath("calendar_words.yaml")
    data: dict[str, dict[str, str]] = yaml.safe_load(source.read_text("utf-8"))
    data["weekdays"] = {name: _day_expression(day) for day, name in enumerate(_WEEKDAYS)}
    return MappingProxyType(
        {
            kind: {name: re.compile(words) for name, words in names.items()}
            for kind, names in data.items()
        }
    )


def _day_expression(day: int) -> str:
    """Forms of one day, folded: those with spaces around them as whole words, also many of them."""
    forms = {fold(_wide_days(language)[day]) for language in LANGUAGES}
    forms |= set(map(fold, _DAYS_ALSO[day].split("|")))
    latin = sorted(form for form in forms if form.isascii())
    rest = sorted(forms - set(latin))
    return "|".join((rf"\b(?:{'|'.join(latin)})s?\b", *rest))
