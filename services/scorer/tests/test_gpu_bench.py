"""The script that measures the scorer on a GPU: what it does without one, and its figures."""

import json
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pellucid_scorer.adapters import backends

SCRIPT = Path(__file__).parents[3] / "bench" / "scorer_gpu.py"


@pytest.fixture(scope="module")
def gpu_bench() -> dict[str, Any]:
    return runpy.run_path(str(SCRIPT))


def test_without_cuda_it_says_so_in_one_line(
    gpu_bench: dict[str, Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backends, "_has_torch", lambda: False)
    assert gpu_bench["main"](["--rounds", "1"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "no CUDA device" in said.err
    assert said.err.count("\n") == 1


def test_an_unknown_argument_is_refused(
    gpu_bench: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        gpu_bench["main"](["--turns", "1"])
    assert ended.value.code == 2
    assert "--turns" in capsys.readouterr().err


def test_batches_of_every_size_are_timed(gpu_bench: dict[str, Any], encoder: Any) -> None:
    found = gpu_bench["batches"](encoder, 1)
    assert set(found) == {str(size) for size in gpu_bench["BATCH_SIZES"]}
    assert all(one["texts_per_s"] > 0 and one["ms"] > 0 for one in found.values())


@pytest.mark.parametrize(("cosine", "code"), [(1.0, 0), (0.5, 1)])
def test_figures_are_kept_and_a_bad_cosine_fails(
    gpu_bench: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *,
    cosine: float,
    code: int,
) -> None:
    load = {"texts_per_s": 9.0, "p50_ms": 1.0, "p99_ms": 2.0, "cpu_s_per_1000_results": 0.5}
    served = {"callers": {"1": load}, "latency": {"30": {"fresh": 4.0, "cached": 3.0}}}
    served |= {"ready_s": 5.0, "rss_mb": 900.0}
    main, lines = gpu_bench["main"], gpu_bench["service_lines"]

    def stages(_: int) -> Iterator[tuple[str, Any, list[str]]]:
        yield "worst_cosine", {"prose": cosine}, ["prose"]
        yield "service", served, lines(served)

    monkeypatch.setitem(main.__globals__, "stages", stages)
    out = tmp_path / "kept" / "gpu.json"
    assert main(["--out", str(out)]) == code
    assert json.loads(out.read_text("utf-8")) == {
        "worst_cosine": {"prose": cosine},
        "service": served,
    }
    said = capsys.readouterr().out
    assert "  1 callers: 9 texts/s, p50 1.0 ms, p99 2.0 ms" in said
    assert " 30 results: 4.0 ms, 3.0 ms cached" in said
