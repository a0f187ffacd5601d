# ruff: noqa: INP001 - a tool beside the package, not a module of it
"""Measures the CUDA backend on a machine that has one, in one command.

    python services/scorer/gpu_check.py

Prints the cosine to sentence-transformers float32 by kind of text, texts per second at several
batch sizes and the latency of one text; exits with 1 when a cosine is below its floor.
"""

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import parity

from pellucid_scorer.adapters import cuda_encoder, model_files
from pellucid_scorer.ports import TokenIds
from pellucid_scorer.settings import ScorerSettings
from pellucid_scorer.tables import read_models

BATCH_SIZES = (1, 8, 32, 128, 512)
TOKENS = 65
ROUNDS = 20


def seconds(work: Callable[[], object]) -> float:
    """Return the median time of some work."""
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def main() -> int:
    """Measure and print."""
    settings = ScorerSettings()
    files = model_files.find(
        read_models(settings.scorer_models_file).named(settings.scorer_model),
        source=settings.scorer_model_source,
        folder=settings.scorer_model_dir,
        cache=settings.data_dir / "models",
    )
    encoder = cuda_encoder.CudaEncoder(files)
    encoder.warm_up()
    worst = {kind: float(found.min()) for kind, found in parity.cosines_by_kind(encoder).items()}
    for kind, cosine in worst.items():
        sys.stdout.write(f"{kind:26} {cosine:.5f}\n")
    text = encoder.tokenize(["tide " * TOKENS])[0]
    for size in BATCH_SIZES:
        batch: list[TokenIds] = [text] * size
        spent = seconds(lambda batch=batch: encoder.encode(batch))  # type: ignore[misc]
        sys.stdout.write(f"batch {size:4}: {size / spent:9.0f} texts/s, {spent * 1000:7.2f} ms\n")
    return int(min(worst.values()) < parity.FLOORS["fp16"])


if __name__ == "__main__":
    sys.exit(main())
