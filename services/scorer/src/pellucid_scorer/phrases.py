"""Looks for any of many words and phrases in a text, as whole words, whatever the case."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

from pellucid_scorer.scripts import is_spaceless

PIECE = re.compile(r"\w+|%")


@dataclass(frozen=True, slots=True)
class Phrases:
    """Words and phrases of any language.

    Attributes:
        words: Single words.
        spaced: Phrases of several words, with a space on either side.
        anywhere: Words of scripts without spaces, which match inside longer ones.
    """

    words: frozenset[str]
    spaced: tuple[str, ...]
    anywhere: tuple[str, ...]

    @classmethod
    def read(cls, groups: Mapping[str, Iterable[str]]) -> Self:
        """Read phrases by language.

        >>> Phrases.read({"en": ["deal", "% off"]}).are_in(Prepared.read("Now 50% off!"))
        True
        """
        every = sorted({phrase for group in groups.values() for phrase in group})
        bounded = [_normal(phrase) for phrase in every if not is_spaceless(phrase)]
        return cls(
            words=frozenset(phrase for phrase in bounded if " " not in phrase),
            spaced=tuple(f" {phrase} " for phrase in bounded if " " in phrase),
            anywhere=tuple(phrase for phrase in every if is_spaceless(phrase)),
        )

    def are_in(self, text: "Prepared") -> bool:
        """Tell whether any of the phrases is in a text."""
        if not self.words.isdisjoint(text.pieces):
            return True
        if any(phrase in text.joined for phrase in self.spaced):
            return True
        return not text.raw.isascii() and any(phrase in text.raw for phrase in self.anywhere)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A text made ready for several looks."""

    raw: str
    pieces: tuple[str, ...]
    joined: str

    @classmethod
    def read(cls, text: str) -> Self:
        """Cut a text into pieces once."""
        pieces = tuple(PIECE.findall(text.casefold()))
        return cls(text, pieces, f" {' '.join(pieces)} ")


def _normal(phrase: str) -> str:
    return " ".join(PIECE.findall(phrase.casefold()))
