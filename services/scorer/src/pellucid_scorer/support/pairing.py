"""Claims against passages: which pairs deserve the model's time, and their judgements."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pellucid_language.scripts import is_read_by
from pellucid_scorer.encoding.embedding import Embedded
from pellucid_scorer.encoding.reading_choice import are_apart
from pellucid_scorer.ranking import ngrams
from pellucid_scorer.support import likeness as support

LEAST_OVERLAP = 0.1
"""A window that shares fewer content words with a claim is judged without the model: no cosine
would lift such a pair to even odds."""

MOST_WINDOWS = 256
"""Windows embedded for one call; beyond it, those that share least are judged without."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One claim, one passage, and where the passage comes nearest."""

    claim: support.Claim
    passage: support.Passage
    window: support.Window

    @property
    def window_text(self) -> str:
        """Text of the best window."""
        return self.passage.text[self.window.start : self.window.end]

    @property
    def is_across(self) -> bool:
        """Whether claim and passage are of different languages."""
        return are_apart(self.claim.text, [self.passage.text])

    def over(self, windows: Iterable[support.Window]) -> "tuple[Pair, ...]":
        """The pair with each of some windows."""
        return tuple(replace(self, window=window) for window in windows)


def pairs(claims: Sequence[support.Claim], passages: Sequence[support.Passage]) -> tuple[Pair, ...]:
    """Return every pair, claim by claim, passages in order."""
    return tuple(
        Pair(claim, passage, support.best_window(claim, passage))
        for claim in claims
        for passage in passages
    )


def across(pairs: Sequence[Pair]) -> tuple[tuple[Pair, ...], ...]:
    """Return each pair with all windows that a model may choose among, as far as there is time."""
    every = [pair.over(support.windows_across(pair.claim, pair.passage)) for pair in pairs]
    most = MOST_WINDOWS // max(1, len({pair.passage.id for pair in pairs}))
    return tuple(each[:most] for each in every)


def is_worth_reading(pair: Pair) -> bool:
    """Tell whether a pair deserves a verifier: they are about the same."""
    return pair.window.overlap >= LEAST_OVERLAP


def texts(pairs: Sequence[Pair]) -> tuple[str, ...]:
    """Return the distinct claims and windows that are worth embedding."""
    worth = sorted(pairs, key=lambda pair: -pair.window.overlap)[:MOST_WINDOWS]
    chosen = [pair for pair in worth if pair.window.overlap >= LEAST_OVERLAP]
    return texts_of(chosen)


def texts_of(pairs: Iterable[Pair]) -> tuple[str, ...]:
    """Return the distinct claims and windows."""
    found = (text for pair in pairs for text in (pair.claim.text, pair.window_text))
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
        support.judge(pair.passage.id, pair.window, _likeness(pair, places, embedded))
        for pair in pairs
    )


def _likeness(pair: Pair, places: Mapping[str, int], embedded: Embedded | None) -> float:
    """Return the likeness of claim and window; 0 for a pair that was not embedded."""
    claim, window = pair.claim.text, pair.window_text
    if embedded is None or claim not in places or window not in places:
        return 0.0
    if not (is_read_by(embedded.scripts, claim) and is_read_by(embedded.scripts, window)):
        return ngrams.containment(ngrams.grams(claim), window)
    cosines = embedded.vectors[[places[window]]] @ embedded.vectors[places[claim]]
    return float(embedded.scale.likenesses(cosines)[0])
