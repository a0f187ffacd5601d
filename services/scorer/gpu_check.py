# ruff: noqa: INP001 - a tool beside the package, not a module of it
"""Measures the CUDA backend on a machine that has one, in one command.

    python services/scorer/gpu_check.py [--rounds N] [--out FILE]

Prints the cosine to sentence-transformers float32 by kind of text, and texts per second and latency
at several batch sizes; exits with 1 when a cosine is below its floor, with 2 without a CUDA device.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import parity

from pellucid_scorer.adapters import backends, model_files
from pellucid_scorer.errors import ModelError
from pellucid_scorer.ports import Encoder, TokenIds
from pellucid_scorer.settings import Device, ScorerSettings
from pellucid_scorer.tables import read_models

BATCH_SIZES = (1, 8, 32, 128, 512)
TOKENS = 65


def seconds(work: Callable[[], object], rounds: int) -> float:
    """Return the median time of some work."""
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def measured(encoder: Encoder, rounds: int) -> dict[str, dict[str, float]]:
    """Return texts per second and milliseconds by the texts of a batch."""
    text = encoder.tokenize(["tide " * TOKENS])[0]
    found = {}
    for size in BATCH_SIZES:
        batch: list[TokenIds] = [text] * size
        spent = seconds(partial(encoder.encode, batch), rounds)
        found[str(size)] = {"texts_per_s": size / spent, "ms": spent * 1000}
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and keep the figures where that is asked for.

    Returns:
        0; 1 when a cosine is below its floor; 2 when there is no CUDA device to measure.
    """
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=20, help="times each batch is encoded")
    parser.add_argument("--out", type=Path, help="file that gets the figures as JSON")
    chosen = parser.parse_args(arguments)
    settings = ScorerSettings()
    files = model_files.find(
        read_models(settings.scorer_models_file).named(settings.scorer_model),
        source=settings.scorer_model_source,
        folder=settings.scorer_model_dir,
        cache=settings.data_dir / "models",
    )
    try:
        encoder = backends.open_encoder(files, Device.CUDA, threads=0)
    except ModelError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    worst = {kind: float(found.min()) for kind, found in parity.cosines_by_kind(encoder).items()}
    for kind, cosine in worst.items():
        sys.stdout.write(f"{kind:26} {cosine:.5f}\n")
    rates = measured(encoder, chosen.rounds)
    for size, one in rates.items():
        rate, spent = one["texts_per_s"], one["ms"]
        sys.stdout.write(f"batch {size:>4}: {rate:9.0f} texts/s, {spent:7.2f} ms\n")
    if chosen.out:
        figures = {"model": encoder.name, "worst_cosine": worst, "batches": rates}
        chosen.out.write_text(json.dumps(figures, indent=2), "utf-8")
    return int(min(worst.values()) < parity.FLOORS["fp16"])


if __name__ == "__main__":
    sys.exit(main())
