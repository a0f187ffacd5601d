"""Whether a claim says of one party what its passage says of another.

A text names who it speaks of, and then says "she" or "the firm" for a sentence or two. So where the
sentence that says what a claim says stands far from the claim's subject, and speaks of nobody whom
the claim names, it is likely of somebody else. What a page is about as a whole is never far.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pellucid_language.names import Name

LOOK_BACK = 2
"""Sentences before one that may name its subject."""
OPENING = 4
"""Sentences at the beginning of a passage, where stands what it is about."""
LEAST_SHARED = 2
"""Words other than names that a sentence must share with a claim, to say the same."""
SAME_WORDS = 0.5
"""Share of the claim's words, names left out, from which a sentence says the same."""
LOOK_BEFORE = 3
"""Characters before a word that tell whether a sentence begins with it."""
QUOTES = "\"'“„« "
COORDINATED = re.compile(r"\s*(?:,|and|und|et|y|&)\s")
"""After a first name: the claim speaks of several."""
NEAR_BEST = 0.75
"""Of the best sentence's share: another such sentence may be the one that is meant."""


@dataclass(frozen=True, slots=True)
class Said:
    """A claim as its subject and the words that are said of it."""

    subject: frozenset[str]
    words: frozenset[str]


def said(claim: str, names: Sequence[Name], terms: frozenset[str], passage: str) -> Said | None:
    """Split a claim; None where it does not begin with a name.

    Args:
        claim: One sentence.
        names: Its names, in order.
        terms: Its content words.
        passage: What begins a sentence in it may be no name, for all its capital letter.
    """
    first = names[0].written.split() if names else []
    if not first or not claim.lstrip(QUOTES).startswith(first[0]):
        return None
    if not _is_within_a_sentence(first[-1], passage):
        return None
    if COORDINATED.match(claim.lstrip(QUOTES)[len(names[0].written) :]):
        return None
    every = frozenset(part for name in names for part in name.parts)
    return Said(frozenset(names[0].parts[-1:]), terms - every)


def _is_within_a_sentence(word: str, passage: str) -> bool:
    """Whether a word stands anywhere but at the beginning of a sentence or line."""
    place = passage.find(word)
    while place > 0:
        before = passage[max(0, place - LOOK_BEFORE) : place]
        last = before.rstrip(" ")[-1:]
        if before.endswith(" ") and (last.isalnum() or last in {",", ";"}):
            return True
        place = passage.find(word, place + 1)
    return False


def is_of_another(said: Said, sentences: Sequence[frozenset[str]]) -> bool:
    """Tell whether the sentences that say it stand away from all that names its subject.

    Args:
        said: A claim.
        sentences: Content words of each sentence of the passage, in order.
    """
    if len(said.words) < LEAST_SHARED:
        return False
    if any(said.subject <= sentence for sentence in sentences[:OPENING]):
        return False
    shares = [len(said.words & sentence) / len(said.words) for sentence in sentences]
    best = max(shares, default=0.0)
    if best < SAME_WORDS or best * len(said.words) < LEAST_SHARED:
        return False
    return not any(
        share >= NEAR_BEST * best and _is_named_near(said.subject, sentences, place)
        for place, share in enumerate(shares)
    )


def _is_named_near(
    subject: frozenset[str], sentences: Sequence[frozenset[str]], place: int
) -> bool:
    return any(subject <= one for one in sentences[max(0, place - LOOK_BACK) : place + 1])
