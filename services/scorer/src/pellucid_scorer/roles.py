"""Who did what to whom: whether a claim has two parties of a sentence the other way round.

"Northport beat Eastport" and "Eastport beat Northport" share every word, so neither overlap nor a
sentence vector tells them apart; the order of the names around the same verb does. Only sentences
of one plain pattern are compared: the same two names, the same words between them, voice taken into
account. Anything else is left alone.
"""

import re
from dataclasses import dataclass
from itertools import pairwise

from pellucid_scorer import names
from pellucid_scorer.words import fold, is_stop, stem, words

PASSIVE = re.compile(r"\b(?:by|von|vom|durch|par|por|door|da|dal|av|af)\b", re.IGNORECASE)
"""Words that name the doer after the verb, in languages with capitalised names."""

SYMMETRIC = frozenset(
    {
        *("and", "or", "with", "between", "met", "versus", "vs", "merg", "marri"),
        *(
            "und",
            "oder",
            "mit",
            "zwischen",
            "et",
            "avec",
            "entre",
            "y",
            "e",
            "o",
            "con",
            "en",
            "och",
        ),
    }
)
"""Words between two names whose order means nothing."""


SAME_LETTERS = 4
"""Letters that forms of one verb usually share."""


@dataclass(frozen=True, slots=True)
class Act:
    """One sentence as doer, words between, and who it is done to.

    Attributes:
        doer: Stems of the name that acts.
        other: Stems of the name that is acted on.
        between: Stems of the content words between the two names.
    """

    doer: tuple[str, ...]
    other: tuple[str, ...]
    between: frozenset[str]


def are_swapped(claim: str, sentence: str) -> bool:
    """Tell whether a claim gives the parties of a sentence each other's role.

    >>> are_swapped("Eastport sued Northport.", "Northport sued Eastport in May.")
    True
    >>> are_swapped("Eastport was sued by Northport.", "Northport sued Eastport in May.")
    False
    """
    pairs = [(one, other) for one in acts(claim) for other in acts(sentence)]
    alike = [(one, other) for one, other in pairs if _is_same(one.between, other.between)]
    is_kept = any((one.doer, one.other) == (other.doer, other.other) for one, other in alike)
    is_turned = any((one.doer, one.other) == (other.other, other.doer) for one, other in alike)
    return is_turned and not is_kept


def _is_same(words_: frozenset[str], others: frozenset[str]) -> bool:
    """Tell whether two acts share a word, whatever its ending ("beat", "beaten")."""
    return any(one[:SAME_LETTERS] == other[:SAME_LETTERS] for one in words_ for other in others)


def acts(text: str) -> tuple[Act, ...]:
    """Return the acts of neighbouring names of a text, in order."""
    placed = _placed(text)
    found = (_act(text, first, second) for first, second in pairwise(placed))
    return tuple(act for act in found if act is not None)


@dataclass(frozen=True, slots=True)
class _Placed:
    parts: tuple[str, ...]
    start: int
    end: int


def _placed(text: str) -> tuple[_Placed, ...]:
    """Return the names of a text with their places, in order."""
    found = []
    start = 0
    for name in names.names(text):
        first, last = name.written.split()[0], name.written.split()[-1]
        start = text.find(first, start)
        if start < 0:
            break
        end = text.find(last, start) + len(last)
        found.append(_Placed(name.parts, start, end))
        start = end
    return tuple(found)


def _act(text: str, first: _Placed, second: _Placed) -> Act | None:
    between = text[first.end : second.start]
    if re.search(r"[.;:!?\n]", between):
        return None
    stems = [stem(fold(word.text)) for word in words(between)]
    content = frozenset(one for one in stems if not is_stop(one))
    if not content or not SYMMETRIC.isdisjoint(stems):
        return None
    if PASSIVE.search(between):
        return Act(second.parts, first.parts, content)
    return Act(first.parts, second.parts, content)
