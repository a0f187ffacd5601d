"""The figures and dates of a text in a form in which they can be compared.

``$1.5 billion``, ``1,500 million`` and ``1.5bn`` are one figure; ``15 January 2019``,
``Jan 15, 2019`` and ``2019-01-15`` are one date. A percentage is never a plain number.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import yaml

from pellucid_scorer import units
from pellucid_scorer.words import fold

ROUNDING = 0.05
"""How far, relative to itself, a figure that is said to be approximate may be off."""

EXACT = 1e-9
"""Relative difference that float arithmetic may leave between equal figures."""

LONGEST_HEDGE = 24
"""Characters before a number in which a word such as "about" makes it approximate."""

DECADE = re.compile(r"['’]?s(?!\w)|er(?!\w)|년대|年代")

FIRST_YEAR, LAST_YEAR = 1000, 2199
"""A bare number of four digits in this range may be a year."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of a text.

    Attributes:
        written: As it stands in the text.
        value: Its value with its scale applied.
        is_percent: It is a percentage.
        is_rough: The text says that it is approximate.
        is_idle: It is a word such as "one" that is seldom meant as a number, or a decade.
        unit: What it counts or measures, as of ``units.yaml``; empty where the text does not tell.
    """

    written: str
    value: float
    is_percent: bool = False
    is_rough: bool = False
    is_idle: bool = False
    unit: str = ""

    def equals(self, other: "Figure") -> bool:
        """Tell whether another figure says the same, rounding allowed where this one is rough.

        Two units that are both told must be the same one.
        """
        if self.is_percent != other.is_percent:
            return False
        if self.unit and other.unit and not units.are_alike(self.unit, other.unit):
            return False
        allowed = ROUNDING if self.is_rough else EXACT
        return abs(self.value - other.value) <= allowed * max(abs(self.value), abs(other.value))


@dataclass(frozen=True, slots=True)
class Day:
    """A date, or the part of it that a text tells; 0 stands for what it does not tell.

    Attributes:
        written: As it stands in the text.
        year: Year.
        month: Month, 1 to 12.
        day: Day of the month.
    """

    written: str
    year: int
    month: int
    day: int = 0

    def agrees(self, other: "Day") -> bool:
        """Tell whether another date has month and day of this one, and no other year."""
        if self.month != other.month or (self.day and self.day != other.day):
            return False
        return not self.year or not other.year or self.year == other.year


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures and dates of a text. Numbers that belong to a date are no figures."""

    figures: tuple[Figure, ...]
    days: tuple[Day, ...]

    @property
    def years(self) -> frozenset[int]:
        """Every year that the text names, alone or in a date."""
        alone = (int(figure.value) for figure in self.figures if is_year(figure))
        return frozenset((*alone, *(day.year for day in self.days if day.year)))

    def missing_from(self, passage: "Figures") -> tuple[Figure, ...]:
        """Return the figures, years left out, that a passage does not have."""
        known = (*passage.figures, *_of_days(passage.days))
        return tuple(
            figure
            for figure in self.figures
            if not figure.is_idle
            and not is_year(figure)
            and not any(figure.equals(other) for other in known)
        )

    def dates_missing_from(self, passage: "Figures") -> tuple[str, ...]:
        """Return the dates and years, as written, that a passage does not have."""
        days = (day.written for day in self.days if not _is_told(day, passage))
        years = (
            figure.written
            for figure in self.figures
            if is_year(figure) and not figure.is_idle and not _has_year(figure, passage)
        )
        return (*days, *years)


def read(text: str) -> Figures:
    """Return the figures and dates of a text, in order."""
    days = tuple(day for _, _, day in _days(text))
    return Figures(tuple(_numbers(without_dates(text))), days)


def without_dates(text: str) -> str:
    """Return a text with its dates blanked; every other code point keeps its place."""
    rest = list(text)
    for start, end, _ in _days(text):
        rest[start:end] = " " * (end - start)
    return "".join(rest)


def is_year(figure: Figure) -> bool:
    """Tell whether a figure is written as a year is."""
    return (
        not figure.is_percent
        and FIRST_YEAR <= figure.value <= LAST_YEAR
        and figure.written.isdecimal()
    )


def _has_year(figure: Figure, passage: Figures) -> bool:
    same = any(figure.equals(other) for other in passage.figures)
    return same or int(figure.value) in passage.years


def _is_told(day: Day, passage: Figures) -> bool:
    """Tell whether a passage has a date; its year may stand apart from day and month."""
    for other in passage.days:
        if day.agrees(other) and (not day.year or other.year or day.year in passage.years):
            return True
    return False


def _of_days(days: Iterable[Day]) -> Iterator[Figure]:
    """Yield the years of dates, which a claim may name alone. A day of a month is no quantity."""
    for day in days:
        if day.year:
            yield Figure(str(day.year), float(day.year))


def _days(text: str) -> Iterator[tuple[int, int, Day]]:
    """Yield start, end and value of each date in a text."""
    for match in _DATE.finditer(text):
        parts = {name: value for name, value in match.groupdict().items() if value}
        year = next((int(parts[name]) for name in ("y1", "y2", "y3", "y4") if name in parts), 0)
        month = next((_month(parts[name]) for name in ("m1", "m2", "m3", "m4") if name in parts), 0)
        day = next((int(parts[name]) for name in ("d1", "d2", "d3", "d4") if name in parts), 0)
        if parts.get("m4") in _ALSO_WORDS and not year:
            continue
        if 1 <= month <= len(_MONTHS_BY_NUMBER) and (day or year):
            yield match.start(), match.end(), Day(match.group(), year, month, day)


def _month(text: str) -> int:
    return int(text) if text.isdecimal() else _MONTHS.get(fold(text).rstrip("."), 0)


def _numbers(text: str) -> Iterator[Figure]:
    # Case folding that keeps every code point in its place.
    folded = "".join(low if len(low := char.lower()) == 1 else char for char in text)
    for match in _NUMBER.finditer(folded):
        value = _value(match)
        if value is None:
            continue
        yield Figure(
            written=text[match.start() : match.end()].strip(),
            value=value,
            is_percent=match["percent"] is not None,
            is_rough=_ABOUT.search(folded, max(0, match.start() - LONGEST_HEDGE), match.start())
            is not None,
            is_idle=match.group().strip() in _IDLE or DECADE.match(folded, match.end()) is not None,
            unit=units.unit_of(folded, match.start(), match.end()),
        )


def _value(match: "re.Match[str]") -> float | None:
    if match["digits"]:
        value = _digits(match["digits"])
    else:
        value = float(sum(_WORDS[word] for word in re.split(r"[\s-]+", match["words"])))
    if value is None:
        return None
    for scale in _SCALE.findall(match["scale"] or ""):
        value *= _SCALES[scale]
    return value


def _digits(text: str) -> float | None:
    """Read digits with either kind of separators.

    >>> _digits("1,500"), _digits("1.500,25"), _digits("3.5"), _digits("12 000")
    (1500.0, 1500.25, 3.5, 12000.0)
    """
    text = re.sub(r"[\s'\u2019]", "", text)
    if "," in text and "." in text:
        thousands, decimal = (",", ".") if text.rindex(".") > text.rindex(",") else (".", ",")
        text = text.replace(thousands, "").replace(decimal, ".")
    elif re.fullmatch(r"\d{1,3}(,\d{3})+|\d{1,3}(\.\d{3}){2,}", text):
        text = re.sub(r"[.,]", "", text)
    else:
        text = text.replace(",", ".")
    return float(text) if text.count(".") <= 1 else None


def _alternatives(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))


def _table() -> Mapping[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(
        files(__package__).joinpath("numerals.yaml").read_text("utf-8")
    )
    return loaded


_TABLE = _table()
_WORDS: Mapping[str, float] = _TABLE["words"] | _TABLE["ordinals"]
_SCALES: Mapping[str, float] = _TABLE["scales"]
_MONTHS_BY_NUMBER: Mapping[int, list[str]] = _TABLE["months"]
_MONTHS = {fold(name): month for month, names in _MONTHS_BY_NUMBER.items() for name in names}

_ALSO_WORDS = ("may", "march", "mar", "mars")
"""In small letters and without a year these are seldom months."""
_IDLE = frozenset(_TABLE["idle"])

_WORD = _alternatives(_WORDS)
_LETTER_SCALES = _alternatives(scale for scale in _SCALES if scale.isascii())
_SIGN_SCALES = _alternatives(scale for scale in _SCALES if not scale.isascii())
_SCALE = re.compile(_alternatives(_SCALES))
_NUMBER = re.compile(
    rf"(?:(?<![0-9A-Za-z_.,])(?:(?P<digits>\d+(?:[.,'\u2019]\d+)*(?:[\u00a0\u202f ]\d{{3}}(?!\d))*)"
    rf"(?:st|nd|rd|th)?|(?P<words>(?:{_WORD})(?:[\s-](?:{_WORD}))*)(?!\w)))"
    rf"(?P<scale>(?:\s?(?:{_SIGN_SCALES}))+|(?:[\s-]?(?:{_LETTER_SCALES})(?!\w))*)"
    rf"(?:[\s-]?(?P<percent>{_alternatives(_TABLE['percent'])}))?"
)
_ABOUT = re.compile(rf"(?:{_alternatives(_TABLE['about'])})\s*[$€£¥₩]?\s*$")
_NAMES = _alternatives({name for names in _MONTHS_BY_NUMBER.values() for name in names})
_DAY = r"\d{1,2}(?:st|nd|rd|th|\.)?"
_DATE = re.compile(
    rf"(?P<y1>\d{{4}})[-/.](?P<m1>\d{{1,2}})[-/.](?P<d1>\d{{1,2}})(?!\d)"
    rf"|(?:(?P<y2>\d{{4}})\s?[年년]\s?)?(?P<m2>\d{{1,2}})\s?[月월](?:\s?(?P<d2>\d{{1,2}})\s?[日일])?"
    rf"|(?<!\w)(?P<d3>\d{{1,2}})(?:st|nd|rd|th|\.|º)?(?: of| de)? (?P<m3>{_NAMES})\.?"
    rf"(?!\w)(?:(?:,| de| of)? (?P<y3>\d{{4}})(?!\d))?"
    rf"|(?<!\w)(?P<m4>{_NAMES})\.?(?: (?P<d4>\d{{1,2}})(?:st|nd|rd|th)?(?![\d.,]*\d{{3}}))?"
    rf"(?:(?:,| de| of)? (?P<y4>\d{{4}})(?!\d))?(?!\w)",
    re.IGNORECASE,
)
