"""How suspicious a caller's recent behaviour is, from counts alone.

Each sign is a count in a window, worth nothing when it is usual and everything when it is far
beyond what a person does; signs add up as independent doubts.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Sign(StrEnum):
    """What is counted."""

    BURST = "burst"
    SAME = "same"
    MANY = "many"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class SignScale:
    """From when on a count is unusual (worth 0) and when it is proof (worth 1)."""

    usual: int
    proof: int
    window_s: int


# A person types a message in a few seconds and repeats one two or three times when it fails; a
# page with several panes open still stays below these.
SCALES: Mapping[Sign, SignScale] = {
    Sign.BURST: SignScale(usual=8, proof=25, window_s=10),
    Sign.SAME: SignScale(usual=5, proof=15, window_s=60),
    Sign.MANY: SignScale(usual=30, proof=90, window_s=60),
    Sign.FAILED: SignScale(usual=10, proof=40, window_s=60),
}


def suspicion(counts: Mapping[Sign, int]) -> float:
    """0 (usual) to 1 (certain).

    >>> suspicion({Sign.BURST: 3, Sign.SAME: 1, Sign.MANY: 5})
    0.0
    >>> suspicion({Sign.BURST: 25})
    1.0
    >>> round(suspicion({Sign.SAME: 10, Sign.MANY: 60}), 2)
    0.75
    """
    doubt = 1.0
    for sign, count in counts.items():
        scale = SCALES[sign]
        worth = (count - scale.usual) / (scale.proof - scale.usual)
        doubt *= 1 - min(1.0, max(0.0, worth))
    return 1 - doubt
