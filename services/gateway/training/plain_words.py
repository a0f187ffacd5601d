"""Makes the weights of `plain_words.py` from the labelled messages of the decision service.

    python services/gateway/training/plain_words.py

A message counts as searched for if its label says so or the decision service, without a scorer,
does anything but answer. Prints how many messages are taken for plain, and how many of these are
searched for after all: each message held out by fold, as a first message and behind two turns of
others; then those that nobody trains on.
"""  # noqa: INP001 - a folder of scripts

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

DECISION = Path(__file__).resolve().parents[2] / "decision" / "training"
sys.path.insert(0, str(DECISION))

from messages import CUTOFF, FOLDS, NOW, Labelled, labelled  # noqa: E402 - path first
from pellucid_decision.stages.cascade import Cascade  # noqa: E402 - path first
from pellucid_decision.stages.classifier import Classifier  # noqa: E402 - path first
from pellucid_decision.stages.weights import load_weights  # noqa: E402 - path first

from pellucid_decision.adapters.rules_folder import RulesFolder  # noqa: E402 - path first
from pellucid_decision.decision import Action, Decision, Stage  # noqa: E402 - path first
from pellucid_decision.text.conversation import Ask, Role, Turn  # noqa: E402 - path first
from pellucid_gateway import plain_words  # noqa: E402 - path first
from pellucid_gateway.question.plain_messages import is_plain  # noqa: E402 - path first

Array = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

TARGET = Path(plain_words.__file__).with_name(plain_words.WEIGHTS)
# Rarer traits are as good as names of the messages that have them.
FEWEST = 4
# A search that is taken for plain costs a request, the other way round some milliseconds are lost.
# Both swept on messages held out by fold: 1 to 6, and 3e-5 to 2e-4.
SEARCH_COUNTS = 4.0
SPARSITY = 5e-5
STEPS = 300
STEP = 0.64
# Every so manieth message is looked at behind two turns of others as well.
BEHIND_EVERY = 7


@dataclass(frozen=True, slots=True)
class Rows:
    """Traits of messages, as places in the list of all traits.

    Attributes:
        row: `int64[n]`, message of each.
        place: `int64[n]`, trait of each.
        count: Messages.
    """

    row: Places
    place: Places
    count: int

    def sums(self, weights: Array) -> Array:
        """Return the sum of the weights of each message, `float64[count]`."""
        sums = np.bincount(self.row, weights=weights[self.place], minlength=self.count)
        return sums.astype(np.float64)


def main() -> None:
    """Fit on everything, write, and print the rates."""
    items = list(labelled())
    cascade = Cascade(RulesFolder(), Classifier(load_weights()))
    decided = decisions(cascade, [item.ask() for item in items])
    searched = np.array(
        [item.needs_search or _acts(one) for item, one in zip(items, decided, strict=True)], float
    )
    held_out = [fold(items, searched, number) for number in range(FOLDS)]
    plain = [_is_plain(item.text, held_out[item.fold]) for item in items]
    report("held out by fold", items, decided, plain)
    behind = items[::BEHIND_EVERY]
    asks = [_behind(item, items) for item in behind]
    report("behind turns of others", behind, decisions(cascade, asks), plain[::BEHIND_EVERY])
    weights = whole(fit([item.text for item in items], searched))
    lines = ",\n".join(
        f"{json.dumps(name, ensure_ascii=False)}: {value}" for name, value in weights.items()
    )
    TARGET.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    unseen = list(labelled(DECISION / "unseen.jsonl"))
    said = decisions(cascade, [item.ask() for item in unseen])
    report("not trained on", unseen, said, [_is_plain(item.text, weights) for item in unseen])


def decisions(cascade: Cascade, asks: Sequence[Ask]) -> list[Decision]:
    """Return what is decided about each request."""

    async def decide() -> list[Decision]:
        return [await cascade.decide(ask) for ask in asks]

    return asyncio.run(decide())


def fold(items: Sequence[Labelled], searched: Array, number: int) -> Mapping[str, int]:
    """Return the weights that are learnt from the other folds."""
    kept = [place for place, item in enumerate(items) if item.fold != number]
    return whole(fit([items[place].text for place in kept], searched[kept]))


def fit(texts: Sequence[str], searched: Array) -> Mapping[str, float]:
    """Return a weight for each trait: logistic regression with an L1 penalty (FISTA).

    Args:
        texts: Messages.
        searched: `float64[messages]`, 1 for what is searched for.

    Source: Beck and Teboulle, A Fast Iterative Shrinkage-Thresholding Algorithm, 2009.
    """
    found = [set(plain_words.traits_of(text)) for text in texts]
    counted = Counter(trait for traits in found for trait in traits)
    names = sorted(trait for trait, count in counted.items() if count >= FEWEST)
    rows = _rows(found, {name: place for place, name in enumerate(names)})
    weights, bias = _fitted(rows, searched, len(names))
    return {plain_words.BIAS: bias, **dict(zip(names, weights.tolist(), strict=True))}


def _rows(found: Sequence[set[str]], places: Mapping[str, int]) -> Rows:
    pairs = [
        (row, places[trait]) for row, traits in enumerate(found) for trait in traits & places.keys()
    ]
    row, place = np.array(pairs, dtype=np.int64).T
    return Rows(row, place, len(found))


def _fitted(rows: Rows, searched: Array, size: int) -> tuple[Array, float]:
    counts = np.where(searched > 0, SEARCH_COUNTS, 1.0) / rows.count
    weights = ahead = np.zeros(size)
    bias = bias_ahead = 0.0
    pace = 1.0
    for _ in range(STEPS):
        slope = (1 / (1 + np.exp(-rows.sums(ahead) - bias_ahead)) - searched) * counts
        moved = ahead - STEP * np.bincount(rows.place, weights=slope[rows.row], minlength=size)
        next_weights = np.sign(moved) * np.maximum(np.abs(moved) - STEP * SPARSITY, 0)
        next_bias = bias_ahead - STEP * float(slope.sum())
        next_pace = (1 + (1 + 4 * pace * pace) ** 0.5) / 2
        swing = (pace - 1) / next_pace
        ahead = next_weights + swing * (next_weights - weights)
        bias_ahead = next_bias + swing * (next_bias - bias)
        weights, bias, pace = next_weights, next_bias, next_pace
    return weights, bias


def whole(weights: Mapping[str, float]) -> Mapping[str, int]:
    """Return the weights as whole numbers, without those that are none then."""
    rounded = {name: round(plain_words.SCALE * value) for name, value in weights.items()}
    return {name: value for name, value in rounded.items() if value}


def _is_plain(text: str, weights: Mapping[str, int]) -> bool:
    return is_plain(text) or plain_words.is_likely_plain(text, weights)


def _behind(item: Labelled, items: Sequence[Labelled]) -> Ask:
    """Return a message behind a question and an answer that have nothing to do with it."""
    place = items.index(item)
    turns = (Turn(Role.USER, items[place - 50].text), Turn(Role.ASSISTANT, items[place - 99].text))
    return Ask(item.text, NOW, CUTOFF, turns)


def _acts(decision: Decision) -> bool:
    return decision.action is not Action.ANSWER


def report(
    title: str, items: Sequence[Labelled], decided: Sequence[Decision], plain: Sequence[bool]
) -> None:
    """Print how many are taken for plain, and how many of these are searched for."""
    print(title)  # noqa: T201 - a script
    for name, rows in _by_language(zip(items, decided, plain, strict=True)):
        early = [one for _, one, is_early in rows if is_early]
        ruled = [
            is_early
            for _, one, is_early in rows
            if one.verdict.stage is Stage.RULE and not _acts(one)
        ]
        wasted = sum(map(_acts, early)) / max(1, len(early))
        covered = sum(ruled) / max(1, len(ruled))
        print(  # noqa: T201 - a script
            f"  {name:<4} {len(early):>5} of {len(rows):<6} searched for after all {wasted:.2%}"
            f"  of those that a rule answers {covered:.1%}"
        )


def _by_language(rows: Iterator[Any]) -> Iterator[tuple[str, list[Any]]]:
    listed = list(rows)
    yield "all", listed
    for code in sorted({item.language for item, *_ in listed}):
        yield code, [row for row in listed if row[0].language == code]


if __name__ == "__main__":
    main()
