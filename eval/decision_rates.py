"""Error rates of the whole cascade, per language and kind."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

CALIBRATION_BINS = 10


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the cascade said about one message.

    Attributes:
        language: ISO 639-1 code.
        kind: What sort of message it is.
        wanted: The label.
        got: The decision.
        confidence: Its confidence, 0 to 1.
        stage: Stage that settled it.
    """

    language: str
    kind: str
    wanted: bool
    got: bool
    confidence: float
    stage: str


@dataclass(frozen=True, slots=True)
class Rates:
    """Error rates of a group; a rate without cases is 1 (precision, recall) or 0 (false positives)."""  # noqa: E501 - one pattern or table row

    count: int
    precision: float
    recall: float
    false_positive_rate: float


def rates(outcomes: Iterable[Outcome]) -> Rates:
    """Return the rates of a group."""
    listed = list(outcomes)
    hits = sum(item.wanted and item.got for item in listed)
    said = sum(item.got for item in listed)
    wanted = sum(item.wanted for item in listed)
    idle = len(listed) - wanted
    return Rates(
        len(listed),
        hits / said if said else 1.0,
        hits / wanted if wanted else 1.0,
        (said - hits) / idle if idle else 0.0,
    )


def by_group(outcomes: Sequence[Outcome]) -> Mapping[str, Rates]:
    """Return rates for all, each language and each kind."""
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for item in outcomes:
        for name in ("all", f"language {item.language}", f"kind {item.kind}"):
            groups[name].append(item)
    return {name: rates(members) for name, members in sorted(groups.items())}


def calibration_error(outcomes: Sequence[Outcome]) -> float:
    """Return the expected calibration error of the confidences over ten equal bins."""
    error = 0.0
    for number in range(CALIBRATION_BINS):
        low, high = number / CALIBRATION_BINS, (number + 1) / CALIBRATION_BINS
        members = [
            item
            for item in outcomes
            if low <= item.confidence < high or high == 1.0 == item.confidence
        ]
        if members:
            right = sum(item.wanted == item.got for item in members) / len(members)
            mean = sum(item.confidence for item in members) / len(members)
            error += abs(right - mean) * len(members) / len(outcomes)
    return error
