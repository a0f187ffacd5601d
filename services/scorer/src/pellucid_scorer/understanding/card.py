"""What is written beside the trained weights: what they were trained on, and for."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from typing import Self

import numpy as np

from pellucid_scorer.errors import ModelError
from pellucid_scorer.understanding.layout import MOST_TOKENS

FORMAT = 1
CARD = "card"
"""Name of the card, as JSON, among a file's metadata."""


@dataclass(frozen=True, slots=True)
class Line:
    """From a logit to a calibrated probability: the sigmoid of slope · logit + offset."""

    slope: float
    offset: float

    def probability(self, logit: float) -> float:
        """Return a probability, 0 to 1.

        >>> Line(2.0, -1.0).probability(0.5)
        0.5
        """
        return float(0.5 * (1.0 + np.tanh((self.slope * logit + self.offset) / 2.0)))


@dataclass(frozen=True, slots=True)
class Card:
    """The card of some trained weights.

    Attributes:
        encoder: Model that they are laid over, as models.yaml calls it.
        rank: Inner width of what is added to a matrix.
        scale: Factor of what is added.
        kinds: Names of the kinds of message, in the order of their logits.
        search: Calibration of "search".
        leans: Calibration of "leans on history".
    """

    encoder: str
    rank: int
    scale: float
    kinds: Sequence[str]
    search: Line
    leans: Line

    @classmethod
    def from_metadata(cls, metadata: Mapping[str, str]) -> Self:
        """Read the card among a file's metadata.

        Raises:
            ModelError: There is none, or it is of another format.
        """
        try:
            fields = json.loads(metadata[CARD])
            if fields["format"] != FORMAT or fields["max_tokens"] != MOST_TOKENS:
                raise ModelError(f"format {fields['format']} of {fields['max_tokens']} tokens")
            return cls(
                encoder=str(fields["encoder"]),
                rank=int(fields["rank"]),
                scale=float(fields["scale"]),
                kinds=tuple(map(str, fields["kinds"])),
                search=Line(*map(float, fields["search"])),
                leans=Line(*map(float, fields["leans"])),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"card of the weights: {error!r}") from error

    def to_metadata(self) -> dict[str, str]:
        """Return the metadata of a file, for the training to write."""
        lines = {"search": astuple(self.search), "leans": astuple(self.leans)}
        head = {"format": FORMAT, "max_tokens": MOST_TOKENS}
        return {CARD: json.dumps(asdict(self) | lines | head, sort_keys=True)}
