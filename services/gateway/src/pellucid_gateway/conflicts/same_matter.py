"""Whether two sentences of two sources speak of one thing at one time: what conflicts rest on.

Two figures of two years, of two models or of a whole and its part are no disagreement.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from itertools import pairwise

import yaml

from pellucid_language.folding import fold
from pellucid_language.quantities import Figure, figures
from pellucid_language.terms import has_unspaced_script
from pellucid_language.written_dates import months_of, undated

_RUN = re.compile(r"[A-ZÀ-Þ][\w’'-]*(?: [A-ZÀ-Þ][\w’'-]*)+")
_HEAD_CHARS = 2
# Of 50 miles and 80 km.
_CONVERTED = 0.015
_LOCATIVE = re.compile(
    r"\b(?:[Ii]n|[Ii]m|[Ee]n|[Bb]ei|[Aa]t|[Àà]|[Dd]ans|[Aa]ux?)\s+([A-ZÀ-Þ][\w’'-]+)"
)
# "Springfield, Ohio" and "Springfield, the capital of Illinois" are two towns.
_APPOSED = re.compile(
    r"([A-ZÀ-Þ][\w’'-]+), (?:(?:the|a) [\w ]{3,24} (?:of|in) )?([A-ZÀ-Þ][\w’'-]+)"
)
_BEFORE_OUR_ERA = re.compile(
    r"\b\d{2,5} ?(?:BCE?|v\. ?Chr\.?|av\. ?J\.-C\.|a\. ?C\.)|기원전 ?\d+|紀元前 ?\d+|公元前 ?\d+"
)
_MONTH_WORD = re.compile(r"\d{1,2}\s?[월月]|[^\W\d_]{3,12}")


class AskedKind(StrEnum):
    """What a question asks for, as far as it shows."""

    AMOUNT = "amount"
    TIME = "time"
    OTHER = "other"


def asked_kind(question: str) -> AskedKind:
    """What a question asks for.

    >>> asked_kind("Wie viele Einwohner hat Hellerau?").value
    'amount'
    """
    folded = fold(question)
    if _words()["time"].search(folded):
        return AskedKind.TIME
    return AskedKind.AMOUNT if _words()["amount"].search(folded) else AskedKind.OTHER


def without_asking(question: str) -> str:
    """A question in a script without spaces less the words that ask, which would be its pairs."""
    if not has_unspaced_script(question):
        return question
    return _words()["amount"].sub(" ", _words()["time"].sub(" ", question))


@dataclass(frozen=True, slots=True)
class Times:
    """The years and months that a sentence names."""

    years: frozenset[int]
    months: frozenset[int]


def times_of(text: str) -> Times:
    """Read them."""
    return Times(_years(text), months_of(text))


def are_of_one_time(one: Times, other: Times) -> bool:
    """Whether no two different years or months are named as the time of both."""
    return not (_apart(one.years, other.years) or _apart(one.months, other.months))


def are_of_one_thing(one: str, other: str, question: str) -> bool:
    """Whether neither sentence narrows its subject by a name that neither other text has."""
    asks_who_paid = _words()["paying"].search(fold(question)) is not None
    parts = {bool(_words()["part"].search(fold(text))) for text in (one, other)}
    if len(parts) > 1 and not asks_who_paid:
        return False
    if has_unspaced_script(question):
        head = question[:_HEAD_CHARS]
        return (head in one) == (head in other)
    known = _words_of(question)
    return not (_narrowing(one, known) - _words_of(other)) and not (
        _narrowing(other, known) - _words_of(one)
    )


def _words_of(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text))


def _narrowing(text: str, known: frozenset[str]) -> frozenset[str]:
    """Names after "in", and words that lengthen a name of the question, as in Halo X Pro."""
    places = set(_LOCATIVE.findall(text))
    places |= {place for name, place in _APPOSED.findall(text) if name in known}
    runs = [run.split() for run in _RUN.findall(text)]
    longer = {word for run in runs for first, word in pairwise(run) if first in known}
    return frozenset((places | longer) - known)


def _years(text: str) -> frozenset[int]:
    found = (figure for figure in figures(undated(text)) if figure.is_year)
    return frozenset(int(value) for figure in found for value in figure.values)


def _apart(one: frozenset[int], other: frozenset[int]) -> bool:
    return bool(one and other) and one.isdisjoint(other)


def is_converted(figure: Figure, other: Figure) -> bool:
    """Whether one is the other in another unit, which is seldom exact."""
    if not figure.measure or figure.measure != other.measure or figure.worth == other.worth:
        return False
    pairs = [(a, b) for a in figure.values for b in other.values]
    return any(abs(a - b) <= _CONVERTED * max(abs(a), abs(b)) for a, b in pairs)


def months_apart(one: str, other: str) -> tuple[str, str] | None:
    """The months, as written, when each text names one and they differ."""
    mine, theirs = months_of(one), months_of(other)
    if len(mine) != 1 or len(theirs) != 1 or mine == theirs:
        return None
    return _written_month(one), _written_month(other)


def years_apart(one: str, other: str) -> tuple[str, str] | None:
    """The years when each text names one and they differ; those before our era as written."""
    first, second = _BEFORE_OUR_ERA.findall(one), _BEFORE_OUR_ERA.findall(other)
    if len(first) == len(second) == 1 and first != second:
        return first[0], second[0]
    mine, theirs = _years(one), _years(other)
    if len(mine) != 1 or len(theirs) != 1 or mine == theirs:
        return None
    return str(min(mine)), str(min(theirs))


def _written_month(text: str) -> str:
    found = (match.group() for match in _MONTH_WORD.finditer(text))
    return next((word for word in found if months_of(word)), "")


@cache
def _words() -> Mapping[str, re.Pattern[str]]:
    source = resources.files(__package__).joinpath("same_matter.yaml")
    lists: dict[str, list[str]] = yaml.safe_load(source.read_text("utf-8"))
    return {name: re.compile("|".join(expressions)) for name, expressions in lists.items()}
