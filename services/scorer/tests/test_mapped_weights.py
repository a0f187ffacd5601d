"""Weights out of a file are the same weights, and take no memory of the process."""

from pathlib import Path

import numpy as np

from pellucid_scorer.adapters.mapped_weights import mapped

BYTES = 8 * 1024 * 1024


def private_bytes() -> int:
    """Bytes of this process that are in no file."""
    lines = Path("/proc/self/smaps_rollup").read_text("ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Anonymous"))


def test_they_are_the_same_before_and_after() -> None:
    weights = {
        "matrix": np.arange(6, dtype=np.float32).reshape(2, 3),
        "turned": np.arange(6, dtype=np.float32).reshape(2, 3).T,
        "bias": np.ones(3, np.float32),
    }

    with mapped(weights) as found:
        assert all(np.array_equal(found[name], array) for name, array in weights.items())

    assert all(np.array_equal(found[name], array) for name, array in weights.items())


def test_they_are_in_no_memory_of_the_process() -> None:
    weights = {"matrix": np.ones(BYTES // 4, np.float32)}
    with mapped(weights) as found:
        del weights
        before = private_bytes()
        assert found["matrix"].sum() == BYTES // 4
        assert private_bytes() - before < BYTES / 4
