"""What each sentence of the sources is worth to a question, for answers without a model."""

from collections.abc import Sequence
from dataclasses import dataclass

from pellucid_gateway.findings import Source
from pellucid_gateway.key_facts import matches, tells
from pellucid_gateway.terms import has_unspaced_script

# Similarity says what a sentence is about, words say whether it names the things asked for.
_SIMILARITY_WEIGHT = 0.4
_POSITION_WEIGHT = 0.05
_POSITION_DECAY = 0.2
# The source's own score: of two sentences that fit alike, the newer and more trusted one leads.
_SOURCE_WEIGHT = 0.3
# A further excerpt has this share of the best one's words of the question, or is so like it.
_SPEAKING_SHARE = 0.25
_SPEAKING_LIKENESS = 0.45


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence of a source."""

    source: Source
    text: str
    position: int


def worth(
    found: Sequence[Candidate], question: str, similarities: Sequence[float] | None
) -> list[float]:
    """What each sentence is worth, in order; about 0 to 2."""
    return with_place(told(found, question, similarities), found)


def told(
    found: Sequence[Candidate], question: str, similarities: Sequence[float] | None
) -> list[float]:
    """What each sentence says to the question, whatever its source, in order."""
    texts = [candidate.text for candidate in found]
    lexical = matches(texts, question, [candidate.source.title for candidate in found])
    kinds = tells(texts, question, lexical)
    if similarities is None:
        return [a + b for a, b in zip(lexical, kinds, strict=True)]
    share = _SIMILARITY_WEIGHT
    mixed = zip(similarities, lexical, kinds, strict=True)
    return [share * max(0.0, s) + (1 - share) * w + k for s, w, k in mixed]


def speaking(
    found: Sequence[Candidate], question: str, similarities: Sequence[float] | None
) -> list[bool]:
    """Whether each sentence has words of the question, or is like it, rather than just a number."""
    titles = [candidate.source.title for candidate in found]
    lexical = matches([candidate.text for candidate in found], question, titles)
    least = _SPEAKING_SHARE * max(lexical, default=0.0)
    near = similarities or [0.0] * len(found)
    unspaced = has_unspaced_script(question)
    # What is written in another script has no word of the question whatever it says.
    return [
        s >= _SPEAKING_LIKENESS
        or (w > 0 and w >= least)
        or has_unspaced_script(candidate.text) != unspaced
        for s, w, candidate in zip(near, lexical, found, strict=True)
    ]


def with_place(said: Sequence[float], found: Sequence[Candidate]) -> list[float]:
    """What each sentence is worth with what its place and its source add, in order."""
    return [
        one
        + _POSITION_WEIGHT / (1 + _POSITION_DECAY * candidate.position)
        + _SOURCE_WEIGHT * (candidate.source.relevance or 0.0)
        for one, candidate in zip(said, found, strict=True)
    ]
