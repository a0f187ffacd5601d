"""Logistic regression and its calibration in numpy: deterministic, no other library."""  # noqa: INP001 - a folder of scripts

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
Objective = Callable[[Array], tuple[float, Array]]

# Ridge strengths of the n-gram, signal and dense blocks, swept on messages that were written
# after the rules: 0.02 to 2, 0.5 to 5, 0.2 to 1.
NGRAM_RIDGE = 0.05
SIGNAL_RIDGE = 1.0
DENSE_RIDGE = 0.5
# With 40 the held-out log loss was 4 % worse and changed with every few messages.
STEPS = 100
MEMORY = 10
TOLERANCE = 3e-3
_SUFFICIENT_DECREASE = 1e-4
_SMALLEST_STEP = 1e-6


@dataclass(frozen=True, slots=True)
class Grams:
    """Sparse rows of hashed n-grams.

    Attributes:
        columns: `int64[entries]`, bucket of each entry.
        rows: `int64[entries]`, row of each entry.
        values: `float64[entries]`.
        shape: Rows and buckets.
    """

    columns: Indices
    rows: Indices
    values: Array
    shape: tuple[int, int]

    def times(self, weights: Array) -> Array:
        """Return the product with `float64[buckets]`, one number a row."""
        return np.bincount(self.rows, weights[self.columns] * self.values, self.shape[0])

    def transposed_times(self, residuals: Array) -> Array:
        """Return the product of the transpose with `float64[rows]`, one number a bucket."""
        return np.bincount(self.columns, residuals[self.rows] * self.values, self.shape[1])

    def take(self, wanted: npt.NDArray[np.bool_]) -> "Grams":
        """Return the rows where `wanted` is true, in their order."""
        number = np.cumsum(wanted) - 1
        kept = wanted[self.rows]
        count = int(wanted.sum())
        return Grams(
            self.columns[kept],
            number[self.rows[kept]],
            self.values[kept],
            (count, self.shape[1]),
        )


@dataclass(frozen=True, slots=True)
class Features:
    """What the regression sees of the rows.

    Attributes:
        grams: Hashed n-grams.
        views: Signals of each row as `float64[rows, signals]`, several times: as they fired, none,
            and some left out. A row counts once, shared among its views, so that the n-grams learn
            what the rules know already.
        dense: `float64[rows, columns]`: concepts, form and, if any, embedding.
    """

    grams: Grams
    views: tuple[Array, ...]
    dense: Array

    def take(self, wanted: npt.NDArray[np.bool_]) -> "Features":
        """Return the rows where `wanted` is true."""
        views = tuple(view[wanted] for view in self.views)
        return Features(self.grams.take(wanted), views, self.dense[wanted])

    def logits(self, weights: Array, bias: float) -> Array:
        """Return the weighted sums of the first view, `float64[rows]`."""
        rest, signals = self._shared(weights), self._signals(weights)
        return rest + self.views[0] @ signals + bias

    def _shared(self, weights: Array) -> Array:
        dense = weights[self.grams.shape[1] + self.views[0].shape[1] :]
        return self.grams.times(weights[: self.grams.shape[1]]) + self.dense @ dense

    def _signals(self, weights: Array) -> Array:
        buckets = self.grams.shape[1]
        return weights[buckets : buckets + self.views[0].shape[1]]

    def loss(self, weights: Array, bias: float, labels: Array) -> tuple[float, Array, float]:
        """Return log loss over all views and its gradient for weights and bias."""
        shared, signals = self._shared(weights) + bias, self._signals(weights)
        residuals, slopes, total = np.zeros(len(labels)), np.zeros(len(signals)), 0.0
        for view in self.views:
            logits = shared + view @ signals
            total += float((np.logaddexp(0, logits) - labels * logits).sum()) / len(self.views)
            wrong = (sigmoid(logits) - labels) / len(self.views)
            residuals += wrong
            slopes += view.T @ wrong
        gradient = np.concatenate(
            (self.grams.transposed_times(residuals), slopes, self.dense.T @ residuals)
        )
        return total, gradient, float(residuals.sum())


def ridge_for(features: Features) -> Array:
    """Return the penalty of each weight."""
    sizes = (features.grams.shape[1], features.views[0].shape[1], features.dense.shape[1])
    strengths = (NGRAM_RIDGE, SIGNAL_RIDGE, DENSE_RIDGE)
    return np.concatenate(
        [np.full(size, strength) for size, strength in zip(sizes, strengths, strict=True)]
    )


def fit(features: Features, labels: Array) -> tuple[Array, float]:
    """Return weights and bias that minimise the ridge-penalised log loss.

    Args:
        features: Rows to learn from.
        labels: `float64[rows]` of 0 and 1.
    """
    ridge = ridge_for(features)

    def objective(point: Array) -> tuple[float, Array]:
        weights = point[:-1]
        loss, gradient, slope = features.loss(weights, float(point[-1]), labels)
        penalty = 0.5 * float((ridge * weights) @ weights)
        return loss + penalty, np.append(gradient + ridge * weights, slope)

    best = minimise(objective, np.zeros(len(ridge) + 1))
    return best[:-1], float(best[-1])


def minimise(objective: Objective, point: Array) -> Array:
    """Return where a smooth convex function is smallest (L-BFGS; Nocedal, 1980)."""
    value, gradient = objective(point)
    pairs: deque[tuple[Array, Array]] = deque(maxlen=MEMORY)
    for _ in range(STEPS):
        direction = _direction(gradient, pairs)
        share, slope = 1.0, float(gradient @ direction)
        while True:
            moved = point + share * direction
            fresh, steeper = objective(moved)
            if fresh <= value + _SUFFICIENT_DECREASE * share * slope or share < _SMALLEST_STEP:
                break
            share /= 2
        step, change = moved - point, steeper - gradient
        if step @ change > 0:
            pairs.append((step, change))
        point, value, gradient = moved, fresh, steeper
        if float(np.abs(gradient).max()) < TOLERANCE:
            break
    return point


def _direction(gradient: Array, pairs: Sequence[tuple[Array, Array]]) -> Array:
    """Return the descent direction of the two-loop recursion."""
    direction, shares = -gradient, []
    for step, change in reversed(pairs):
        share = float(step @ direction) / float(step @ change)
        shares.append(share)
        direction = direction - share * change
    if pairs:
        step, change = pairs[-1]
        direction = direction * (float(step @ change) / float(change @ change))
    else:
        direction = direction / max(1.0, float(np.linalg.norm(direction)))
    for (step, change), share in zip(pairs, reversed(shares), strict=True):
        direction = direction + step * (share - float(change @ direction) / float(step @ change))
    return direction


def calibrate(opinions: Array, labels: Array) -> Array:
    """Return how much held-out opinions weigh in a probability (Platt, 1999).

    Args:
        opinions: `float64[rows, opinions]`, log odds.
        labels: `float64[rows]` of 0 and 1.

    Returns:
        `float64[opinions + 1]`: a factor of each opinion, and what is added.
    """
    columns = np.hstack((opinions, np.ones((len(opinions), 1))))
    answer = np.append(np.full(opinions.shape[1], 1 / opinions.shape[1]), 0.0)
    for _ in range(50):
        chance = sigmoid(columns @ answer)
        curvature = columns.T @ (columns * (chance * (1 - chance))[:, None])
        curvature += 1e-6 * np.eye(len(answer))
        answer = answer - np.linalg.solve(curvature, columns.T @ (chance - labels))
    return answer


def calibrated(opinions: Array, weights: Array) -> Array:
    """Return the probabilities that `calibrate`'s weights make of opinions, `float64[rows]`."""
    return sigmoid(opinions @ weights[:-1] + weights[-1])


def sigmoid(values: Array) -> Array:
    """Return 1 / (1 + exp(-values)), safe for large values."""
    safe: Array = 1.0 / (1.0 + np.exp(-np.clip(values, -30, 30)))
    return safe
