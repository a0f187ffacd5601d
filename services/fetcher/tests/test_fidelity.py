"""Whether what a page says is what is read: small pages of one difficulty each, with a floor."""

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

EVAL = Path(__file__).parents[3] / "eval"
# Measured 184 of 186; a little lower for each kind, so that one new case may fail first.
FLOOR = 0.98
KIND_FLOOR = 0.9


@pytest.fixture(scope="module", name="fidelity")
def fidelity_fixture() -> Any:
    sys.path.insert(0, str(EVAL))
    try:
        return import_module("fidelity_eval")
    finally:
        sys.path.remove(str(EVAL))


async def test_what_a_page_says_is_what_is_read(fidelity: Any) -> None:
    cases = list(fidelity.own_cases())
    assert len(cases) >= 150
    results = await fidelity.judged(cases)
    shares = fidelity.shares(results)
    wrong = {case.id: faults for case, faults in results if faults}
    assert shares["all"] >= FLOOR, wrong
    assert min(shares.values()) >= KIND_FLOOR, wrong


@pytest.mark.parametrize(
    ("must", "must_not", "count"),
    [
        (("lights",), (), 0),
        (("ten lamps",), (), 1),
        ((), ("two keepers",), 1),
        (("ten lamps", "lights"), ("two keepers",), 2),
    ],
)
def test_the_judge_finds_what_is_missing_and_what_is_too_much(
    fidelity: Any, must: Sequence[str], must_not: Sequence[str], count: int
) -> None:
    case = fidelity.Case("x", "x", b"", must=[[each] for each in must], must_not=must_not)
    page = fidelity.Page(url="", status="ok", text="Two lights and | two | keepers.")
    assert len(fidelity.faults(case, page)) == count
