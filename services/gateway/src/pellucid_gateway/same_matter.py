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

from pellucid_gateway.claim_checks import months_of, undated
from pellucid_gateway.quantities import figures
from pellucid_gateway.terms import fold, has_unspaced_script

_RUN = re.compile(r"[A-ZÀ-Þ][\w’'-]*(?: [A-ZÀ-Þ][\w’'-]*)+")
_HEAD_CHARS = 2
_LOCATIVE = re.compile(r"\b(?:in|im|en|bei|at|à|dans|aux?)\s+([A-ZÀ-Þ][\w’'-]+)")
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
    if bool(_words()["part"].search(fold(one))) != bool(_words()["part"].search(fold(other))):
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
    runs = [run.split() for run in _RUN.findall(text)]
    longer = {word for run in runs for first, word in pairwise(run) if first in known}
    return frozenset((places | longer) - known)


def _years(text: str) -> frozenset[int]:
    found = (figure for figure in figures(undated(text)) if figure.is_year)
    return frozenset(int(value) for figure in found for value in figure.values)


def _apart(one: frozenset[int], other: frozenset[int]) -> bool:
    return bool(one and other) and one.isdisjoint(other)


def months_apart(one: str, other: str) -> tuple[str, str] | None:
    """The months, as written, when each text names one and they differ."""
    mine, theirs = months_of(one), months_of(other)
    if len(mine) != 1 or len(theirs) != 1 or mine == theirs:
        return None
    return _written_month(one), _written_month(other)


def years_apart(one: str, other: str) -> tuple[str, str] | None:
    """The years when each text names one and they differ."""
    mine, theirs = _years(one), _years(other)
    if len(mine) != 1 or len(theirs) != 1 or mine == theirs:
        return None
    return str(min(mine)), str(min(theirs))


def _written_month(text: str) -> str:
    found = (match.group() for match in _MONTH_WORD.finditer(text))
    return next((word for word in found if months_of(word)), "")


@cache
def _words() -> Mapping[str, re.Pattern[str]]:
    source = resources.files("pellucid_gateway").joinpath("same_matter.yaml")
    lists: dict[str, list[str]] = yaml.safe_load(source.read_text("utf-8"))
    return {name: re.compile("|".join(expressions)) for name, expressions in lists.items()}
