"""Claims against passages: which pairs deserve the model's time, and their judgements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pellucid_scorer import ngrams, support
from pellucid_scorer.embedding import Embedded
from pellucid_scorer.scripts import is_read_by

LEAST_OVERLAP = 0.1
"""A window that shares fewer content words with a claim is judged without the model: no cosine
would lift such a pair to even odds."""

MOST_WINDOWS = 256
"""Windows embedded for one call; beyond it, those that share least are judged without."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One claim, one passage, and what the lexical checks say of them."""

    claim: support.Claim
    passage: support.Passage
    checks: support.Checks

    @property
    def window(self) -> str:
        """Text of the best window."""
        return self.passage.text[self.checks.window.start : self.checks.window.end]


def pairs(claims: Sequence[support.Claim], passages: Sequence[support.Passage]) -> tuple[Pair, ...]:
    """Return every pair, claim by claim, passages in order."""
    return tuple(
        Pair(claim, passage, support.check(claim, passage))
        for claim in claims
        for passage in passages
    )


def texts(pairs: Sequence[Pair]) -> tuple[str, ...]:
    """Return the distinct claims and windows that are worth embedding."""
    worth = sorted(pairs, key=lambda pair: -pair.checks.window.overlap)[:MOST_WINDOWS]
    chosen = [pair for pair in worth if pair.checks.window.overlap >= LEAST_OVERLAP]
    found = (text for pair in chosen for text in (pair.claim.text, pair.window))
    return tuple(dict.fromkeys(found))


def judgements(
    pairs: Sequence[Pair], texts: Sequence[str], embedded: Embedded | None
) -> tuple[support.Judgement, ...]:
    """Return the judgement of each pair, in order.

    Args:
        pairs: All pairs.
        texts: What was embedded.
        embedded: The vectors of ``texts``, in order; None when nothing was.
    """
    places = {text: place for place, text in enumerate(texts)}
    return tuple(
        support.judge(pair.passage.id, pair.checks, _likeness(pair, places, embedded))
        for pair in pairs
    )


def _likeness(pair: Pair, places: Mapping[str, int], embedded: Embedded | None) -> float:
    """Return the likeness of claim and window; 0 for a pair that was not embedded."""
    claim, window = pair.claim.text, pair.window
    if embedded is None or claim not in places or window not in places:
        return 0.0
    if not (is_read_by(embedded.scripts, claim) and is_read_by(embedded.scripts, window)):
        return ngrams.containment(ngrams.grams(claim), window)
    return float(embedded.vectors[places[claim]] @ embedded.vectors[places[window]])
