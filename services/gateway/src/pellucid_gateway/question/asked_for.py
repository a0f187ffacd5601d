"""What kind of thing a question asks for, and whether a sentence has one.

A sentence that shares the question's words may still not answer it: "the bridge has been open since
May" says nothing about its cost. Knowing that a number, a day, a person or a version is wanted
lets the choice of sentences prefer those that carry one. It is a preference, never a filter.
"""

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from importlib import resources
from types import MappingProxyType

import yaml

from pellucid_language.calendar import month_numbers
from pellucid_language.folding import fold
from pellucid_language.quantities import Figure, amounts, spelled_figures
from pellucid_language.terms import has_unspaced_script, terms

_WORD = re.compile(r"[^\W_]+")
# What a number is worth that is not of the kind asked for, or a version that is any version.
_OTHER_KIND = 0.3
_ANY_VERSION = 0.4
_LATEST = re.compile(
    r"\b(?:latest|newest|current|neueste\w*|aktuell\w*|dernier\w*|actuel\w*|ultim[ao]|actual)\b"
    r"|최신|현재|最新|現在|目前"
)
# A version, with the name before it whose version it is.
_VERSION = re.compile(r"(?:\b([A-ZÀ-Þ][\w-]*) )?(?<![\w.])[vV]?(\d+\.\d+(?:\.\d+)*)\b")
_NUMERIC_DATE = re.compile(
    r"\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}\.\s?\d{1,2}\.\s?\d{4}\b|\d{1,2}\s?[월月]\s?\d{1,2}\s?[일日]"
)
_YEAR = re.compile(r"(?<![\d.,])(?:1[5-9]|20)\d\d(?![\d.,]\d|\d)")
_SEASON_OR_WEEKDAY = re.compile(
    r"\b(?:spring|summer|autumn|winter|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r"|fruhjahr|fruhling|sommer|herbst|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?"
    r"|printemps|automne|hiver|lundis?|mardis?|mercredis?|jeudis?|vendredis?|samedis?|dimanches?"
    r"|primavera|verano|otono|invierno|lunes|martes|miercoles|jueves|viernes|sabados?|domingos?)\b"
    r"|[월화수목금토일]요일|[月火水木金土日]曜|(?:星期|周)[一二三四五六日天]|봄|여름|가을|겨울"
    r"|[春夏秋冬](?=[季天にの]|$)"
)
_CLOCK = re.compile(
    r"\b\d{1,2}[:.]\d{2}\b|\b\d{1,2} ?(?:am|pm|a\.m|p\.m|o'clock|uhr|h)\b|\b\d{1,2} horas\b"
    r"|\d{1,2} ?(?:시(?!간)|時(?!間)|点|點)|\b(?:noon|midnight|mitternacht|minuit|medianoche)\b",
    re.IGNORECASE,
)
# What a year, a season or a day of the week is worth where a date is asked for.
_ROUGH_DATE = 0.8
# Two capitalised words in a row, as names of people are written in the spaced scripts; what follows
# a preposition or an article is rather a place or a body.
_FULL_NAME = (
    r"\b(?!(?:The|A|An|In|On|At|Der|Die|Das|La|Le|Les|El|Los)\s)"
    r"[A-ZÀ-Þ][\w'’-]+"
    r"(?:\s+(?:(?:de|da|di|du|del|der|den|dos|van|von|zu|la|le|el|al|bin|ter|ten)\s+)*"
    r"[A-ZÀ-Þ][\w'’-]+)+"
)
_ANY_NAME = re.compile(_FULL_NAME)
_NAME = re.compile(
    r"(?<!\bthe )(?<!\bin )(?<!\bof )(?<!\bat )(?<!\bfrom )(?<!\bto )(?<!\bnear )(?<!\bde )"
    rf"{_FULL_NAME}"
)


class AskedFor(StrEnum):
    """A kind of thing that an answer would carry."""

    PERSON = "person"
    DATE = "date"
    CLOCK = "clock"
    NUMBER = "number"
    VERSION = "version"


def asked_for(question: str) -> frozenset[AskedFor]:
    """Kinds that the question asks for; often none.

    >>> sorted(asked_for("When did it open, and what did it cost?"))
    [<AskedFor.DATE: 'date'>, <AskedFor.NUMBER: 'number'>]
    """
    folded = f" {' '.join(_WORD.findall(fold(question)))} "
    return frozenset(
        kind
        for kind, cues in _cues().items()
        if any((cue if has_unspaced_script(cue) else f" {cue} ") in folded for cue in cues)
    )


def carries(sentence: str, wanted: frozenset[AskedFor], question: str) -> float:
    """Share of the wanted kinds that the sentence has beyond what the question says, 0 to 1."""
    if not wanted:
        return 0.0
    return sum(_has(sentence, kind, question) for kind in wanted) / len(wanted)


def has_name(sentence: str, question: str) -> bool:
    """Whether a sentence of a spaced script has a full name that is not the question's."""
    known = terms(question)
    return any(not terms(name) <= known for name in _ANY_NAME.findall(sentence))


def _has(sentence: str, kind: AskedFor, question: str) -> float:
    match kind:
        case AskedFor.NUMBER:
            return _has_amount(sentence, question)
        case AskedFor.VERSION:
            found = any(
                version not in question and (not name or terms(name) <= _versioned(question))
                for name, version in _VERSION.findall(sentence)
            )
            wanted = _LATEST.search(fold(question)) and not _LATEST.search(fold(sentence))
            return found * (_ANY_VERSION if wanted else 1.0)
        case AskedFor.DATE:
            return _has_date(sentence, question)
        case AskedFor.CLOCK:
            return bool(_CLOCK.search(sentence))
        case AskedFor.PERSON:
            known_terms = terms(question)
            return any(not terms(name) & known_terms for name in _names(sentence))


def _names(sentence: str) -> Iterator[str]:
    """What may name a person; what a number follows is a day: "Leadership October 1"."""
    for match in _NAME.finditer(sentence):
        if not sentence[match.end() :].lstrip()[:1].isdigit():
            yield match.group()


def _has_date(sentence: str, question: str) -> float:
    """1 for a day, less for a year, a season or a day of the week, 0 for none."""
    if _NUMERIC_DATE.search(sentence) or _day().search(sentence):
        return 1.0
    years = set(_YEAR.findall(sentence)) - set(_YEAR.findall(question))
    return _ROUGH_DATE if years or _SEASON_OR_WEEKDAY.search(fold(sentence)) else 0.0


def _versioned(question: str) -> frozenset[str]:
    """Words that may stand before a version that was asked for: another name's is another's."""
    return terms(question) | terms("version release update")


def _has_amount(sentence: str, question: str) -> float:
    """1 for an amount of the kind that was asked for, less for any other, 0 for none."""
    undated = _day().sub(" ", _NUMERIC_DATE.sub(" ", sentence))
    known = {value for figure in amounts(question) for value in figure.values}
    told = [f for f in amounts(undated) if not f.is_year and not f.values <= known]
    kinds = measures_of(question)
    if not kinds:
        return float(bool(told))
    # In words only amounts of a kind are told for certain: "one" and "two" are often no amounts.
    spelled = (f for f in spelled_figures(undated) if f.measure not in {"", "ordinal"})
    if any(_is_of(f, kinds) for f in (*told, *spelled)):
        return 1.0
    return _OTHER_KIND if told else 0.0


def _is_of(figure: Figure, kinds: frozenset[str]) -> bool:
    return figure.measure in kinds or ("count" in kinds and not figure.measure)


def measures_of(question: str) -> frozenset[str]:
    """Measures of the amount that a question asks for; empty where it does not tell.

    "count" is that of things which are counted.
    """
    folded = fold(question)
    return next((m for cue, m in _measure_cues() if cue.search(folded)), frozenset())


@cache
def _measure_cues() -> tuple[tuple[re.Pattern[str], frozenset[str]], ...]:
    source = resources.files("pellucid_gateway.question") / "asked_measures.yaml"
    data: list[dict[str, str]] = yaml.safe_load(source.read_text(encoding="utf-8"))
    return tuple((re.compile(e["cue"]), frozenset(e["measures"].split())) for e in data)


@cache
def _day() -> re.Pattern[str]:
    """A month's name beside a number; "may" alone is a verb."""
    months = "|".join(sorted(map(re.escape, month_numbers()), key=len, reverse=True))
    month = rf"\b(?:{months})\b\.?"
    return re.compile(
        rf"\d{{1,2}}(?:er|st|nd|rd|th|\.)?\s+(?:de\s+|of\s+)?{month}(?:,?\s+(?:de\s+)?\d{{4}})?"
        rf"|{month}\s+\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s+\d{{4}})?\b|{month}\s+\d{{4}}\b",
        re.IGNORECASE,
    )


@cache
def _cues() -> Mapping[AskedFor, tuple[str, ...]]:
    """Cues by kind, folded, from the data file."""
    source = resources.files("pellucid_gateway.question") / "asked_for.yaml"
    data: dict[str, list[str]] = yaml.safe_load(source.read_text(encoding="utf-8"))
    cues = {AskedFor(kind): tuple(map(fold, found)) for kind, found in data.items()}
    return MappingProxyType(cues)
