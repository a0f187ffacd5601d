"""Error rates of the whole cascade, per language and kind, on held-out messages."""  # noqa: INP001 - a folder of scripts

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from fitting import Array, calibrate, calibrated
from messages import FOLDS, Labelled
from pellucid_decision.rules.rulebook import Rulebook
from pellucid_decision.stages.case import Case
from pellucid_decision.stages.deliberation import GUESS_SEARCH_AT
from pellucid_decision.stages.settling import contested, settle
from plain import plain_messages
from train import (
    base_features,
    embeddings_of,
    examined,
    held_out_logits,
    held_out_opinions,
    with_embeddings,
)

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


def cross_validated(
    items: Sequence[Labelled], book: Rulebook, target: str = ""
) -> tuple[Outcome, ...]:
    """Return each held-out message's outcome with a classifier that never saw its fold.

    Args:
        items: The messages.
        book: The rules.
        target: Scorer that embeds the messages, as in service; without one the classifier runs on
            n-grams and meanings alone, as it does when the scorer is down.
    """
    items = (*items, *plain_messages())
    cases = examined(items, book)
    labels = np.array([float(item.needs_search) for item in items])
    folds = np.array([item.fold for item in items])
    base = base_features(cases, book)
    looks = chances = held_out_chances(held_out_logits(base, labels, folds), labels, folds)
    if target:
        full = with_embeddings(base, embeddings_of(cases, target))
        chances = held_out_chances(held_out_opinions(full, labels, folds), labels, folds)
    rows = zip(items, cases, looks, chances, strict=True)
    return tuple(_outcome(*row) for row in rows if row[0].held_out)


def held_out_chances(opinions: Array, labels: Array, folds: Array) -> Array:
    """Return each row's probability from held-out opinions and a calibration without its fold."""
    chances = np.zeros(len(opinions))
    for fold in range(FOLDS):
        held = folds == fold
        others = ~held & (folds >= 0)
        weights = calibrate(opinions[others], labels[others])
        chances[held] = calibrated(opinions[held], weights)
    return chances


def _outcome(item: Labelled, case: Case, look: float, chance: float) -> Outcome:
    verdict = settle(case)
    if verdict is not None and not contested(case, verdict, look):
        return Outcome(
            item.language,
            item.kind,
            item.needs_search,
            verdict.search,
            verdict.confidence,
            verdict.stage,
        )
    got = bool(chance >= GUESS_SEARCH_AT)
    confidence = float(chance if got else 1 - chance)
    return Outcome(item.language, item.kind, item.needs_search, got, confidence, "classifier")
