"""How a source stands to a claim, and what is asked where words do not decide it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

MIN_SUPPORT = 0.5
"""Even odds of the scorer's calibrated support."""
MOST_DOUBTS = 8
"""Pairs of one sentence that a second opinion is asked about."""
MOST_VERDICTS = 128
"""Of one answer: all are kept with its evidence. Beyond them words decide."""
LONGEST_DOUBT_CHARS = 1_000
"""Of a claim that is asked about, for the same reason."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """How one source stands to one claim.

    Attributes:
        score: Support, 0 to 1: by the wording, of which little is left where a check fails.
        passage: Verbatim from the source's facts; empty where it neither supports nor may.
        is_open: Words do not decide it: nothing that can be looked up is missing, and no sentence
            of the source is the claim itself.
    """

    source: int
    supported: bool
    score: float
    passage: str
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Doubt:
    """A claim, and the words that may support it.

    Attributes:
        sources: Numbers of the sources that the words are from.
    """

    claim: str
    passage: str
    sources: tuple[int, ...] = ()


class SecondOpinion(Protocol):
    """Says whether passages support claims."""

    async def on(self, doubts: Sequence[Doubt]) -> tuple[bool, ...] | None:
        """Return a verdict for each pair, in order; None when there is none in time."""
        ...
