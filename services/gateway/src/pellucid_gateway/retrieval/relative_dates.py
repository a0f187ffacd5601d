"""Writes the absolute date beside words such as "last week", reckoned from the text's own date.

"Last week" in a page of March is not the reader's last week. The words stay, so that the text is
still the source's own; the date stands in parentheses after them.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from importlib import resources
from typing import Any

import yaml

from pellucid_gateway.domain.notices import wording_for
from pellucid_language.calendar import month_name
from pellucid_language.detection import detect_language

_MONTHS_OF_YEAR = 12
_POSSESSIVE = r"(?:['’]s\b)?"
# A word that is already dated: "today (3 October 2026)", "heute, 3. Oktober".
_DATED = re.compile(r"\s?(?:[,，]?\s?\d|[(（][^)）]{0,40}\d)")


@dataclass(frozen=True, slots=True)
class _Rule:
    pattern: re.Pattern[str]
    unit: str
    offset: int | None


@dataclass(frozen=True, slots=True)
class _Language:
    code: str
    formats: Mapping[str, str]
    rules: tuple[_Rule, ...]


def with_absolute_dates(text: str, published: datetime | None, language: str = "") -> str:
    """Add the absolute date after each relative one.

    Args:
        text: Text of a source.
        published: Its own date; without one nothing can be said.
        language: ISO 639-1 code when known, else it is guessed.

    >>> from datetime import UTC
    >>> with_absolute_dates("It opened last week.", datetime(2026, 10, 7, tzinfo=UTC), "en")
    'It opened last week (the week of 28 September 2026).'
    """
    if published is None:
        return text
    known = _languages().get(language or detect_language(text, "")) or _speaking(text)
    if known is None:
        return text
    for rule in known.rules:
        text = rule.pattern.sub(_dating(known, rule, published), text)
    return text


def _speaking(text: str) -> _Language | None:
    """The first language of which the text has a relative date, where nothing else shows it."""
    return next(
        (
            known
            for known in _languages().values()
            if any(rule.pattern.search(text) for rule in known.rules)
        ),
        None,
    )


def _dating(known: _Language, rule: _Rule, published: datetime) -> Callable[[re.Match[str]], str]:
    def dated(match: re.Match[str]) -> str:
        offset = -int(match.group(1)) if rule.offset is None else rule.offset
        if _DATED.match(match.string, match.end()):
            return match.group()
        return f"{match.group()} ({_written(known, rule.unit, offset, published)})"

    return dated


def _written(known: _Language, unit: str, offset: int, published: datetime) -> str:
    wording = wording_for(known.code)
    when = _moved(unit, offset, published)
    month = month_name(when.month, wording.language)
    return known.formats[unit].format(day=wording.date(when), month=month, year=when.year)


def _moved(unit: str, offset: int, published: datetime) -> datetime:
    """The instant so many units away; a week is its Monday, a month its first day."""
    if unit == "day":
        return published + timedelta(days=offset)
    if unit == "week":
        return published + timedelta(days=7 * offset - published.weekday())
    months = published.year * _MONTHS_OF_YEAR + published.month - 1
    months += offset * (_MONTHS_OF_YEAR if unit == "year" else 1)
    year, month = divmod(months, _MONTHS_OF_YEAR)
    return published.replace(year=max(1, year), month=month + 1, day=1)


@cache
def _languages() -> Mapping[str, _Language]:
    source = resources.files("pellucid_gateway.retrieval").joinpath("relative_dates.yaml")
    table: dict[str, dict[str, dict[str, Any]]] = yaml.safe_load(source.read_text("utf-8"))
    return {code: _language(code, entry) for code, entry in table.items()}


def _language(code: str, entry: Mapping[str, Mapping[str, Any]]) -> _Language:
    fixed = (
        _Rule(_compiled(pattern), unit, offset)
        for pattern, (unit, offset) in entry["words"].items()
    )
    counted = (_Rule(_compiled(pattern), unit, None) for pattern, unit in entry["ago"].items())
    return _Language(code, entry["formats"], (*fixed, *counted))


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(f"(?:{pattern}){_POSSESSIVE}", re.IGNORECASE)
