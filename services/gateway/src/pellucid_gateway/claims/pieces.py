"""A model's sentence in pieces: the text that stays, and the citations in it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """Text that stays; `literal` text (inline code, formulas) is not searched for attributions."""

    text: str
    literal: bool = False


@dataclass(frozen=True, slots=True)
class Marker:
    """A citation: numbers as written; a foreign address is the number 0."""

    numbers: tuple[int, ...]


Piece = Text | Marker
