"""Logistic regression and its calibration in numpy: deterministic, no other library."""  # noqa: INP001 - a folder of scripts

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

# Ridge strengths of the n-gram, signal and embedding blocks, chosen by hand.
NGRAM_RIDGE = 2.0
SIGNAL_RIDGE = 0.5
EMBEDDING_RIDGE = 0.5
STEPS = 25


def fit(features: Array, labels: Array, ridge: Array) -> tuple[Array, float]:
    """Return weights and bias that minimise the ridge-penalised log loss.

    Newton steps in the space of the rows, which are fewer than the columns; the same input gives
    the same result.

    Args:
        features: `float64[rows, columns]`.
        labels: `float64[rows]` of 0 and 1.
        ridge: `float64[columns]`, penalty of each weight, above 0.
    """
    rows = len(labels)
    kernel = (features / ridge) @ features.T
    shares, bias = np.zeros(rows), 0.0
    system = np.ones((rows + 1, rows + 1))
    system[rows, rows] = 0.0
    for _ in range(STEPS):
        logits = kernel @ shares + bias
        chance = sigmoid(logits)
        curvature = np.maximum(chance * (1 - chance), 1e-6)
        system[:rows, :rows] = kernel + np.diag(1 / curvature)
        target = np.append(logits + (labels - chance) / curvature, 0.0)
        answer = np.linalg.solve(system, target)
        moved = float(np.abs(answer[:rows] - shares).max())
        shares, bias = answer[:rows], float(answer[rows])
        if moved < TOLERANCE:
            break
    return (features.T @ shares) / ridge, bias


TOLERANCE = 1e-7


def calibrate(logits: Array, labels: Array) -> tuple[float, float]:
    """Return slope and offset that turn held-out logits into probabilities (Platt, 1999)."""
    columns = np.stack((logits, np.ones_like(logits)), axis=1)
    answer = np.array([1.0, 0.0])
    for _ in range(50):
        chance = sigmoid(columns @ answer)
        curvature = columns.T @ (columns * (chance * (1 - chance))[:, None]) + 1e-6 * np.eye(2)
        answer = answer - np.linalg.solve(curvature, columns.T @ (chance - labels))
    return float(answer[0]), float(answer[1])


def sigmoid(values: Array) -> Array:
    """Return 1 / (1 + exp(-values)), safe for large values."""
    safe: Array = 1.0 / (1.0 + np.exp(-np.clip(values, -30, 30)))
    return safe
