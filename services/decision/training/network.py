"""A small network in numpy beside the regression: a hidden layer over embedding, form and signals.

It sees what stands together, which a sum cannot; n-grams are left to the regression. Deterministic.
"""  # noqa: INP001 - a folder of scripts

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from fitting import Array, Features, sigmoid
from pellucid_decision.stages.features import EMBEDDING_SIZE
from pellucid_decision.stages.weights import Network

Floats = npt.NDArray[np.float32]

# Two of as many units, from different beginnings, count half each. Swept by held-out log loss: 64
# and 128 units, 2 and 4 beginnings, 12 and 25 epochs.
UNITS = 128
SEEDS = (0, 1)
EPOCHS = 16
BATCH = 128
# Shares of the inputs and of the units that are left out by lot while fitting.
INPUTS_LEFT_OUT = 0.2
UNITS_LEFT_OUT = 0.4
# The rate rises to this and falls to nothing along a cosine (Smith, 2018).
RATE = 4e-3
RISING = 0.3
FIRST_RATE = RATE / 25
DECAY = 0.05
_MOMENTUM, _SQUARES, _TINY = 0.9, 0.999, 1e-8
# Brings the embedding to about variance 1, as the other inputs have.
EMBEDDING_FACTOR = 10.0


def inputs_of(features: Features) -> Floats:
    """Return signals, concepts, form and embedding of each row, `float32[rows, inputs]`."""
    return np.hstack((features.views[0], features.dense)).astype(np.float32)


def fit_network(features: Features, labels: Array) -> Network:
    """Return the network of all seeds side by side."""
    inputs = inputs_of(features)
    scale = np.ones(inputs.shape[1], dtype=np.float32)
    scale[-EMBEDDING_SIZE:] = EMBEDDING_FACTOR
    signals = features.views[0].shape[1]
    fitted = [_Fit(inputs * scale, signals, labels.astype(np.float32), seed) for seed in SEEDS]
    parts = [fit.run() for fit in fitted]
    return Network(
        np.hstack([inner * scale[:, None] for inner, *_ in parts]),
        np.concatenate([bias for _, bias, *_ in parts]),
        np.concatenate([outer / len(SEEDS) for *_, outer, _ in parts]),
        float(sum(offset[0] for *_, offset in parts) / len(SEEDS)),
    )


class _Fit:
    """One fit: mini-batches, Adam with decoupled decay (Loshchilov and Hutter, 2019).

    Every second batch is shown without its signals, so that the rest learns what they know.
    """

    def __init__(self, inputs: Floats, signals: int, labels: Floats, seed: int) -> None:
        self._inputs, self._signals, self._labels = inputs, signals, labels
        self._dice = np.random.default_rng(seed)
        wide, narrow = inputs.shape[1] ** -0.5, UNITS**-0.5
        self._weights = [
            self._uniform((inputs.shape[1], UNITS), wide),
            self._uniform((UNITS,), wide),
            self._uniform((UNITS,), narrow),
            self._uniform((1,), narrow),
        ]
        self._means = [np.zeros_like(each) for each in self._weights]
        self._squares = [np.zeros_like(each) for each in self._weights]

    def run(self) -> list[Floats]:
        """Return inner weights, their bias, outer weights and their offset."""
        steps = EPOCHS * -(-len(self._labels) // BATCH)
        for number, rows in enumerate(self._batches()):
            shown = self._inputs[rows]
            if number % 2 == 0:
                shown[:, : self._signals] = 0
            gradient = self._gradient(shown, self._labels[rows])
            self._step(gradient, number + 1, _rate(number / steps))
        return self._weights

    def _batches(self) -> Iterator[npt.NDArray[np.int64]]:
        for _ in range(EPOCHS):
            order = self._dice.permutation(len(self._labels))
            yield from (order[at : at + BATCH] for at in range(0, len(order), BATCH))

    def _gradient(self, shown: Floats, labels: Floats) -> list[Floats]:
        inner, bias, outer, offset = self._weights
        shown = shown * self._kept(shown.shape, INPUTS_LEFT_OUT)
        raw = shown @ inner + bias
        kept = self._kept(raw.shape, UNITS_LEFT_OUT) * (raw > 0)
        units = raw * kept
        wrong = (sigmoid(units @ outer + offset[0]) - labels).astype(np.float32) / len(labels)
        back = wrong[:, None] * outer * kept
        total = np.array([wrong.sum()], dtype=np.float32)
        return [shown.T @ back, back.sum(axis=0), units.T @ wrong, total]

    def _step(self, gradient: list[Floats], number: int, rate: float) -> None:
        state = zip(self._weights, self._means, self._squares, gradient, strict=True)
        for weights, mean, square, slope in state:
            np.add(mean, (1 - _MOMENTUM) * (slope - mean), out=mean)
            np.add(square, (1 - _SQUARES) * (slope * slope - square), out=square)
            size = np.sqrt(square / (1 - _SQUARES**number)) + _TINY
            steps = mean / (1 - _MOMENTUM**number) / size + DECAY * weights
            np.subtract(weights, rate * steps, out=weights)

    def _uniform(self, shape: tuple[int, ...], bound: float) -> Floats:
        return self._dice.uniform(-bound, bound, shape).astype(np.float32)

    def _kept(self, shape: tuple[int, ...], left_out: float) -> Floats:
        drawn = self._dice.random(shape, dtype=np.float32) >= left_out
        return drawn.astype(np.float32) / np.float32(1 - left_out)


def _rate(share: float) -> float:
    """Return the learning rate when this share of the steps is done."""
    if share < RISING:
        return FIRST_RATE + (RATE - FIRST_RATE) * _half_wave(share / RISING)
    return RATE * (1 - _half_wave((share - RISING) / (1 - RISING)))


def _half_wave(share: float) -> float:
    return float((1 - np.cos(np.pi * share)) / 2)
