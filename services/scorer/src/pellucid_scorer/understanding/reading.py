"""From the model's logits to what it reads in a message."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pellucid_scorer.understanding.card import Card
from pellucid_scorer.understanding.layout import Arranged

Floats = npt.NDArray[np.float32]

QUERIES = 3
FRESHNESS = ("none", "day", "week", "month", "year")


@dataclass(frozen=True, slots=True)
class Logits:
    """What the model gives for one message.

    Attributes:
        queries: float32[tokens, 3].
        search: float32[1].
        leans: float32[1].
        freshness: float32[5].
        kinds: float32[kinds].
    """

    queries: Floats
    search: Floats
    leans: Floats
    freshness: Floats
    kinds: Floats


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a word.

    Attributes:
        text: 0: of the message; n: of the n-th entry of the history.
        start: In code points of that text.
        end: Behind its last code point.
        queries: Probability that it stands in the first, second and third query.
    """

    text: int
    start: int
    end: int
    queries: Sequence[float]


@dataclass(frozen=True, slots=True)
class Reading:
    """What the model reads in a message.

    Attributes:
        search: Probability that the web is needed.
        leans_on_history: Probability that it cannot be understood without its history.
        freshness: Probability of each of `FRESHNESS`.
        kind: Most probable kind of message.
        kind_probability: Of that kind.
        pieces: By text, then by place.
    """

    search: float
    leans_on_history: float
    freshness: Sequence[float]
    kind: str
    kind_probability: float
    pieces: Sequence[Piece]


def reading(arranged: Arranged, logits: Logits, card: Card) -> Reading:
    """Return what the logits of an input say."""
    kinds = _shares(logits.kinds)
    best = int(kinds.argmax())
    queries = 0.5 * (1.0 + np.tanh(logits.queries / 2.0))
    placed = zip(arranged.places, queries.tolist(), strict=True)
    pieces = [Piece(*place, tags) for place, tags in placed if place is not None]
    return Reading(
        search=card.search.probability(float(logits.search[0])),
        leans_on_history=card.leans.probability(float(logits.leans[0])),
        freshness=_shares(logits.freshness).tolist(),
        kind=card.kinds[best],
        kind_probability=float(kinds[best]),
        pieces=sorted(pieces, key=lambda piece: (piece.text, piece.start, piece.end)),
    )


def _shares(logits: Floats) -> Floats:
    powers = np.exp(logits - logits.max())
    shares: Floats = powers / powers.sum()
    return shares
