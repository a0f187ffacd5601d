"""A model's sentence in pieces: the text that stays, and the citations in it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """Text that stays; `literal` text (inline code, formulas) is not searched for attributions."""

    text: str
    literal: bool = False


@dataclass(frozen=True, slots=True)
class Marker:
    """A citation.

    Attributes:
        numbers: As written; a foreign address is the number 0; none where we look for the source.
        written: What stays in the text where it turns out to be none; empty where it must be one.
        is_added: The model wrote no mark here.
    """

    numbers: tuple[int, ...]
    written: str = ""
    is_added: bool = False


Piece = Text | Marker
