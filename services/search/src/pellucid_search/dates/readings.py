"""What a date text was understood as, and the form in which texts are read."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from importlib.resources import files
from typing import Any

import yaml

from pellucid_language.folding import compatible
from pellucid_search.dates.eras import in_common_form

# How sure a reading is; ordered by how many ways a text of that form could mean something else.
SURE = 1.0
LIKELY = 0.9
ROUGH = 0.7
GUESSED = 0.5

_QUOTES = str.maketrans({"’": "'", "‘": "'", "՚": "'", "‵": "'", "`": "'", "＇": "'"})
_EDGES = " \t\n.,;:·•|–—-()[]"
_NOTHING = frozenset(
    {
        "n/a",
        "na",
        "none",
        "null",
        "unknown",
        "never",
        "undefined",
        "tbd",
        "tba",
        "nan",
        "nd",
        "n/d",
        "s/f",
        "s/d",
        "k. a",
        "k.a",
        "keine angabe",
        "unbekannt",
        "inconnu",
        "desconocido",
        "sin fecha",
        "sans date",
        "ohne datum",
        "no date",
        "date unknown",
        "invalid date",
        "sconosciuto",
        "senza data",
        "desconhecido",
        "sem data",
        "неизвестно",
        "нет данных",
        "onbekend",
        "nieznana",
        "bilinmiyor",
        "不明",
        "未知",
        "暂无",
        "無",
        "无",
        "없음",
        "알 수 없음",
        "미정",
        "日付なし",
        "不详",
        "غير معروف",
        "अज्ञात",
    }
)
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
    """Return a text in the form that the readers expect; empty when it says "no date"."""
    folded = in_common_form(compatible(text)).translate(_QUOTES)
    cleaned = " ".join(folded.split()).strip(_EDGES).strip()
    return "" if cleaned.lower() in _NOTHING else _without_noise(cleaned)


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
