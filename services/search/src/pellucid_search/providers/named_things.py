"""Which of a table's things a query names: currencies and coins go by few and proper names."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Self

import yaml

from pellucid_language.terms import has_unspaced_script


@dataclass(frozen=True, slots=True)
class NamedThings:
    """Codes by name."""

    codes: Mapping[str, str]
    pattern: re.Pattern[str]

    @classmethod
    def of(cls, table: Mapping[str, Sequence[str]]) -> Self:
        """Return the things of a table of codes and their names."""
        codes = {str(name).casefold(): code for code, names in table.items() for name in names}
        # Of two names that begin in the same place the longer one is meant.
        longest_first = sorted(codes, key=lambda name: -len(name))
        return cls(codes, re.compile("|".join(map(_spelled, longest_first))))

    def named_in(self, text: str) -> tuple[str, ...]:
        """Return the codes of what a text names, in its order, each once."""
        return tuple(dict.fromkeys(self._found(text)))

    def _found(self, text: str) -> Iterator[str]:
        for match in self.pattern.finditer(text.casefold()):
            yield self.codes[match.group()]


def _spelled(name: str) -> str:
    """Words stand alone; signs and what is written without spaces stand anywhere."""
    anywhere = has_unspaced_script(name) or not name[0].isalpha()
    return re.escape(name) if anywhere else rf"(?<!\w){re.escape(name)}(?!\w)"


@cache
def currencies() -> NamedThings:
    """Return the currencies that have a reference rate, by ISO 4217 code."""
    return NamedThings.of(_table("currencies.yaml"))


@cache
def coins() -> NamedThings:
    """Return coins by CoinPaprika's id."""
    return NamedThings.of(_table("coins.yaml"))


def _table(name: str) -> dict[str, list[str]]:
    return dict(yaml.safe_load((files("pellucid_search") / "policy" / name).read_text("utf-8")))


def figure(value: float) -> str:
    """Return a price or rate for people: never with an exponent.

    >>> figure(91234.5), figure(1.08213), figure(0.0000523)
    ('91,234.50', '1.0821', '0.0000523')
    """
    if value >= 100:  # noqa: PLR2004 - beyond that two places are exact enough
        return f"{value:,.2f}"
    if value >= 1:
        return f"{value:.4f}"
    return f"{value:.{_places(value)}f}".rstrip("0").rstrip(".") if value > 0 else "0"


def _places(value: float) -> int:
    """Return the places after the point that show four digits of a value below 1."""
    zeros = 0
    while value < 0.1:  # noqa: PLR2004 - the next digit is no zero
        value *= 10
        zeros += 1
    return zeros + 4


def change(percent: float) -> str:
    """Return a change in words.

    >>> change(1.234), change(-0.5), change(0.0)
    ('up 1.23 %', 'down 0.50 %', 'unchanged')
    """
    rounded = round(percent, 2)
    if not rounded:
        return "unchanged"
    return f"{'up' if rounded > 0 else 'down'} {abs(rounded):.2f} %"
