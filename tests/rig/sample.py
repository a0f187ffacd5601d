"""Large tables and sets: every run of the tests has a sample, `make test-all` has all of it."""

import os
from collections.abc import Collection, Iterable
from typing import Any

import pytest

IS_WHOLE = "NIGHTLY" in os.environ
# A standard error of a share of some thirty.
_SAMPLE_ERROR = 0.1


def floor(whole: float) -> float:
    """The least share of what is measured: at night that of the whole set."""
    return whole if IS_WHOLE else whole - _SAMPLE_ERROR


def often(times: int) -> int:
    """How often something drawn is tried: so many times at night, a fifth of that on every run."""
    return times if IS_WHOLE else times // 5


def sampled(rows: Iterable[Any], every: int) -> list[Any]:
    """Parameters of a table; all but one row of so many are nightly."""
    return [row if place % every == 0 else _nightly(row) for place, row in enumerate(rows)]


def nightly_except(kept: Collection[Any], rows: Iterable[Any]) -> list[Any]:
    """Parameters; all but the kept ones are nightly."""
    return [row if row in kept else _nightly(row) for row in rows]


def _nightly(row: Any) -> Any:
    if hasattr(row, "marks"):
        return pytest.param(*row.values, id=row.id, marks=(*row.marks, pytest.mark.nightly))
    values = row if isinstance(row, tuple) else (row,)
    return pytest.param(*values, marks=pytest.mark.nightly)
