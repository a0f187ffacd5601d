"""Looks for any of many words and phrases in a text, as whole words, whatever the case."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from pellucid_language.scripts import is_spaceless

PIECE = re.compile(r"\w+|%")
_BLANKS = {code: " " for code in range(128) if not PIECE.match(chr(code))}


@dataclass(frozen=True, slots=True)
class Phrases:
    """Words and phrases of any language.

    Attributes:
        words: Single words.
        spaced: Phrases of several words, with a space on either side, by their first word.
        anywhere: Words of scripts without spaces, which match inside longer ones.
    """

    words: frozenset[str]
    spaced: Mapping[str, Sequence[str]]
    anywhere: tuple[str, ...]

    @classmethod
    def read(cls, groups: Mapping[str, Iterable[str]]) -> Self:
        """Read phrases by language.

        >>> Phrases.read({"en": ["deal", "% off"]}).are_in(Prepared.read("Now 50% off!"))
        True
        """
        every = sorted({phrase for group in groups.values() for phrase in group})
        bounded = [_normal(phrase) for phrase in every if not is_spaceless(phrase)]
        spaced: dict[str, list[str]] = {}
        for phrase in bounded:
            if " " in phrase:
                spaced.setdefault(phrase.partition(" ")[0], []).append(f" {phrase} ")
        return cls(
            words=frozenset(phrase for phrase in bounded if " " not in phrase),
            spaced=spaced,
            anywhere=tuple(phrase for phrase in every if is_spaceless(phrase)),
        )

    def are_in(self, text: "Prepared") -> bool:
        """Tell whether any of the phrases is in a text."""
        if not self.words.isdisjoint(text.pieces):
            return True
        if not self.spaced.keys().isdisjoint(text.pieces) and text.has_any(self._begun_in(text)):
            return True
        return not text.raw.isascii() and any(phrase in text.raw for phrase in self.anywhere)

    def _begun_in(self, text: "Prepared") -> Iterator[str]:
        return (phrase for piece in text.pieces for phrase in self.spaced.get(piece, ()))


@dataclass(frozen=True, slots=True)
class Prepared:
    """A text made ready for several looks: as it is, and its pieces in order."""

    raw: str
    pieces: Sequence[str]

    @classmethod
    def read(cls, text: str) -> Self:
        """Cut a text into pieces once."""
        return cls(text, _pieces(text))

    def has_any(self, spaced: Iterable[str]) -> bool:
        """Tell whether any of some phrases, a space on either side, is among the pieces."""
        joined = f" {' '.join(self.pieces)} "
        return any(phrase in joined for phrase in spaced)


def _pieces(text: str) -> Sequence[str]:
    folded = text.casefold()
    if folded.isascii():  # the same as below, five times as fast
        return folded.replace("%", " % ").translate(_BLANKS).split()
    return PIECE.findall(folded)


def _normal(phrase: str) -> str:
    return " ".join(_pieces(phrase))
