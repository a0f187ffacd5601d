"""What each sentence of the sources is worth to a question, for answers without a model."""

from collections.abc import Sequence
from dataclasses import dataclass

from pellucid_gateway.asked_things import beyond, share_told, things_of
from pellucid_gateway.findings import Source
from pellucid_gateway.key_facts import matches, tells
from pellucid_gateway.terms import has_unspaced_script

# Similarity says what a sentence is about, words say whether it names the things asked for.
_SIMILARITY_WEIGHT = 0.4
# What it is worth that a sentence speaks of all things that the question names, in whatever words.
_THINGS_WEIGHT = 0.5
_POSITION_WEIGHT = 0.05
_POSITION_DECAY = 0.2
# The source's own score: of two sentences that fit alike, the newer and more trusted one leads.
_SOURCE_WEIGHT = 0.3
# A further excerpt has this share of the best one's words of the question, or is so like it.
_SPEAKING_SHARE = 0.25
_SPEAKING_LIKENESS = 0.45
# Or speaks of this share of the things asked about.
_SPEAKING_THINGS = 0.7


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
    things = [_THINGS_WEIGHT * (share or 0.0) for share in _of_things(found, question)]
    if similarities is None:
        return [a + b + c for a, b, c in zip(lexical, kinds, things, strict=True)]
    share = _SIMILARITY_WEIGHT
    mixed = zip(similarities, lexical, kinds, things, strict=True)
    return [share * max(0.0, s) + (1 - share) * w + k + t for s, w, k, t in mixed]


def _of_things(found: Sequence[Candidate], question: str) -> list[float | None]:
    """Share of the things asked about that each sentence speaks of, its page's title left out.

    None where the title tells them all: there the sentences need not.
    """
    things = things_of(question)
    titles = {candidate.source.title for candidate in found}
    open_ = {title: beyond(things, title) for title in titles}
    return [
        share_told(asked, candidate.text) if asked else None
        for candidate in found
        for asked in (open_[candidate.source.title],)
    ]


def speaking(
    found: Sequence[Candidate], question: str, similarities: Sequence[float] | None
) -> list[bool]:
    """Whether each sentence has words of the question, or is like it, rather than just a number."""
    titles = [candidate.source.title for candidate in found]
    lexical = matches([candidate.text for candidate in found], question, titles)
    least = _SPEAKING_SHARE * max(lexical, default=0.0)
    near = similarities or [0.0] * len(found)
    of_things = _of_things(found, question)
    unspaced = has_unspaced_script(question)
    # What is written in another script has no word of the question whatever it says.
    return [
        s >= _SPEAKING_LIKENESS
        or (w > 0 and w >= least)
        or (t or 0.0) >= _SPEAKING_THINGS
        or has_unspaced_script(candidate.text) != unspaced
        for s, w, t, candidate in zip(near, lexical, of_things, found, strict=True)
    ]


def on_topic(found: Sequence[Candidate], question: str) -> list[bool]:
    """Whether each sentence speaks of a thing asked about, unless its page's title tells them."""
    return [share is None or share > 0 for share in _of_things(found, question)]


def with_place(said: Sequence[float], found: Sequence[Candidate]) -> list[float]:
    """What each sentence is worth with what its place and its source add, in order."""
    return [
        one
        + _POSITION_WEIGHT / (1 + _POSITION_DECAY * candidate.position)
        + _SOURCE_WEIGHT * (candidate.source.relevance or 0.0)
        for one, candidate in zip(said, found, strict=True)
    ]
