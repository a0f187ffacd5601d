"""A model's sentence in pieces: the text that stays, the citations in it, and what these claim."""

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


@dataclass(frozen=True, slots=True)
class Claim:
    """A citation's claim.

    Attributes:
        text: Words to judge, without the naming of publishers.
        numbers: Sources as written.
        first: Index of the first piece that it covers.
        last: Index of the last piece that it covers.
        marker: Index of the marker piece.
        written: The mark as it stands where it may be no citation; else empty.
        is_added: The model cited nothing here.
    """

    text: str
    numbers: tuple[int, ...]
    first: int
    last: int
    marker: int
    written: str = ""
    is_added: bool = False
