"""What a date text was understood as, and the form in which texts are read."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from importlib.resources import files
from typing import Any

import yaml

from pellucid_language.dates import in_common_calendar
from pellucid_language.folding import compatible

# How sure a reading is; ordered by how many ways a text of that form could mean something else.
SURE = 1.0
LIKELY = 0.9
ROUGH = 0.7
GUESSED = 0.5

_QUOTES = str.maketrans({"’": "'", "‘": "'", "՚": "'", "‵": "'", "`": "'", "＇": "'"})
_CUT_YEAR = re.compile(r"^'(?=\d{2}[./-]\d)")
_REIWA = re.compile(r"^R(\d{1,2})(?=[./])")
_BEFORE_REIWA = 2018
_DAY_IN_BRACKETS = re.compile(
    r"\s*\([月火水木金土日一二三四五六월화수목금토일](?:曜日?|요일)?\)\s*"
)
_EDGES = " \t\n.,;:·•|–—-()[]"
_MONTHS_A_YEAR = 12


@dataclass(frozen=True, slots=True)
class Reading:
    """An instant (aware) and how sure it is, 0 to 1."""

    time: datetime
    confidence: float


@lru_cache(maxsize=1)
def date_words() -> Mapping[str, Any]:
    """Return the lexicon."""
    table: Mapping[str, Any] = yaml.safe_load(
        (files("pellucid_search") / "policy/date_words.yaml").read_text("utf-8")
    )
    return table


def either(words: Iterable[str]) -> str:
    """Expression of any of some words, longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


def normalised_date_text(text: str) -> str:
    """Return a text in the form that the readers expect, its years of the common era.

    >>> normalised_date_text("更新日: 令和6年12月15日(日)"), normalised_date_text("R6.12.15")
    ('2024年12月15日', '2024.12.15')
    """
    plain = _DAY_IN_BRACKETS.sub(" ", compatible(text).translate(_QUOTES))
    dated = _REIWA.sub(_of_reiwa, _CUT_YEAR.sub("20", in_common_calendar(plain)))
    return _without_noise(" ".join(dated.split()).strip(_EDGES))


def _of_reiwa(match: re.Match[str]) -> str:
    return str(_BEFORE_REIWA + int(match[1]))


@lru_cache(maxsize=1)
def _noise_pattern() -> re.Pattern[str]:
    words = sorted(date_words()["noise"], key=len, reverse=True)
    alternatives = "|".join(re.escape(str(word)) for word in words)
    return re.compile(rf"^(?:(?:{alternatives})(?![^\W\d_])\.?:?\s*)+", re.IGNORECASE)


def _without_noise(text: str) -> str:
    return _noise_pattern().sub("", text).strip(_EDGES) or text


def months_before(instant: datetime, months: int) -> datetime | None:
    """Return the same day some calendar months earlier, the month's last day at most."""
    index = instant.year * _MONTHS_A_YEAR + instant.month - 1 - months
    year, month = divmod(index, _MONTHS_A_YEAR)
    for day in range(instant.day, instant.day - 4, -1):
        try:
            return instant.replace(year=year, month=month + 1, day=day)
        except ValueError:
            continue
    return None


def before(instant: datetime, **amounts: float) -> datetime | None:
    """Return an instant earlier by a `timedelta`; None when there is no such time."""
    try:
        return instant - timedelta(**amounts)
    except OverflowError:
        return None
