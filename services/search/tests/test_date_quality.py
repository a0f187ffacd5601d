"""The share of date texts that are read right must not fall."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

EVALUATION = Path(__file__).parents[3] / "eval" / "dates_eval.py"


@pytest.fixture
def dates_eval(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("dates_eval", EVALUATION)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "dates_eval", module)
    spec.loader.exec_module(module)
    return module


def test_the_projects_own_rows_are_read_right(dates_eval: ModuleType) -> None:
    result = dates_eval.score(dates_eval.load_rows(dates_eval.OWN_ROWS))

    assert result.total >= 100
    assert result.share >= 0.98, result.wrong
    assert result.invented == 0
