"""The script that measures the CUDA backend: what it does without one, and its figures."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

SCRIPT = Path(__file__).parents[1] / "gpu_check.py"


@pytest.fixture(scope="module")
def gpu_check() -> ModuleType:
    spec = importlib.util.spec_from_file_location("scorer_gpu_check", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_without_cuda_it_says_so_in_one_line(
    gpu_check: ModuleType, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu_check.backends, "_has_torch", lambda: False)
    assert gpu_check.main(["--rounds", "1"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "no CUDA device" in said.err
    assert said.err.count("\n") == 1


def test_an_unknown_argument_is_refused(
    gpu_check: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        gpu_check.main(["--turns", "1"])
    assert ended.value.code == 2
    assert "--turns" in capsys.readouterr().err


@pytest.mark.parametrize(("cosine", "code"), [(1.0, 0), (0.5, 1)])
def test_figures_are_kept_and_a_bad_cosine_fails(
    gpu_check: ModuleType,
    encoder: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    cosine: float,
    code: int,
) -> None:
    monkeypatch.setattr(gpu_check.backends, "open_encoder", lambda *_, **__: encoder)
    found = {"prose": np.array([cosine, 1.0], np.float32)}
    monkeypatch.setattr(gpu_check.parity, "cosines_by_kind", lambda _: found)
    out = tmp_path / "gpu.json"
    assert gpu_check.main(["--rounds", "2", "--out", str(out)]) == code
    kept = json.loads(out.read_text("utf-8"))
    assert kept["worst_cosine"] == {"prose": cosine}
    assert set(kept["batches"]) == {str(size) for size in gpu_check.BATCH_SIZES}
    assert all(one["texts_per_s"] > 0 and one["ms"] > 0 for one in kept["batches"].values())
