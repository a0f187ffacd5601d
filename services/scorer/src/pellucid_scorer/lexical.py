"""The lift that rare exact terms of the question give to a result that contains them.

A part number, an error code or a name either stands in a text or does not, and the model, which
reads them as broken pieces, can prefer a text about something alike. Common words get no lift:
for them the model is the better judge.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pellucid_scorer.words import TOKEN, fold, stop_terms

MAX_LIFT = 0.15
"""Most that exact terms can add to the semantic part."""

IDENTIFIER_WEIGHT = 1.0
NAME_WEIGHT = 0.5
"""A name is rarer than a word and less unique than an identifier."""

SHORTEST_NAME = 3
YEAR = re.compile(r"(?:19|20)\d\d")
"""A bare year is no identifier: every page of that year has it."""


@dataclass(frozen=True, slots=True)
class RareTerms:
    """Rare terms of a question.

    Attributes:
        weights: Folded term to its weight in (0, 1].
    """

    weights: Mapping[str, float]

    @property
    def total(self) -> float:
        """Sum of the weights."""
        return sum(self.weights.values())


def rare_terms(question: str) -> RareTerms:
    """Return the terms of a question that are worth finding to the letter.

    >>> sorted(rare_terms("Why does ERR_X42 appear on Fedora?").weights.items())
    [('err_x42', 1.0), ('fedora', 0.5)]
    """
    tokens = TOKEN.findall(question)
    return RareTerms(
        {
            fold(token): weight
            for place, token in enumerate(tokens)
            if (weight := _weight(token, is_first=place == 0))
        }
    )


def lift(rare: RareTerms, text: str, semantic: float) -> float:
    """Return what the rare terms in a text add to its semantic part.

    The lift is the weighted share of the question's rare terms that the text has, scaled to
    `MAX_LIFT`, and it shrinks as the part nears 1, so that the sum never passes 1.

    Args:
        rare: Rare terms of the question.
        text: Title and snippet.
        semantic: The part before the lift, in [0, 1].
    """
    if not rare.weights:
        return 0.0
    present = frozenset(TOKEN.findall(fold(text)))
    found = sum(weight for term, weight in rare.weights.items() if term in present)
    return MAX_LIFT * (found / rare.total) * (1.0 - semantic)


def _weight(token: str, *, is_first: bool) -> float:
    if _is_identifier(token):
        return IDENTIFIER_WEIGHT
    return NAME_WEIGHT if is_name(token, is_first=is_first) else 0.0


def _is_identifier(token: str) -> bool:
    """Tell whether a token mixes letters with digits or joints, or is a long number."""
    has_digit = any(char.isdigit() for char in token)
    has_letter = any(char.isalpha() for char in token)
    if has_digit and has_letter:
        return True
    if has_digit:
        return len(token) >= SHORTEST_NAME and not YEAR.fullmatch(token)
    return "_" in token


def is_name(token: str, *, is_first: bool) -> bool:
    """Tell whether a token is capitalised where an ordinary word would not be."""
    if len(token) < SHORTEST_NAME or fold(token) in stop_terms():
        return False
    return any(char.isupper() for char in (token[1:] if is_first else token))
