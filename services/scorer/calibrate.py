# ruff: noqa: INP001 - a tool beside the package, not a module of it
"""Measures the ranges with which the encoder's matrix products run in 8 bits.

    python services/scorer/calibrate.py

Runs the model in float32 over ``calibration_texts.json`` (our own, in many languages and kinds,
none of them a reference text of `parity.py`), notes the range of every layer's input by channel,
and writes ``adapters/int8_ranges/<model>.npz`` for the first model of ``SCORER_MODEL``. Takes
seconds; run it again when the model or the texts change, then ``parity.py compare``.
"""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import openvino as ov

from pellucid_scorer.adapters import backends, int8, openvino_encoder
from pellucid_scorer.adapters.int8 import Calibration, Channels, InputRange
from pellucid_scorer.adapters.loaded_model import LoadedModel
from pellucid_scorer.adapters.model_files import ModelFiles
from pellucid_scorer.adapters.openvino_encoder import packed
from pellucid_scorer.settings import ScorerSettings

Floats = npt.NDArray[np.float32]

HERE = Path(__file__).parent
TEXTS = HERE / "calibration_texts.json"
RANGES = HERE / "src" / "pellucid_scorer" / "adapters" / int8.RANGES

LARGEST = {"attention.self": 2.0, "attention.output": 1.0, "intermediate": 2.0, "output": 6.0}
"""Value above which a channel is scaled down, by the layer that reads it. Swept over 1, 1.5, 2, 3,
4, 6, 8 by the error of the layers' outputs on the calibration texts; then 3, 4 and 6 for the output
projection by the worst cosine of longer reference texts: 0.992, 0.993, 0.995."""

MARGIN = 1.05
"""Room above what was seen: clipping harms more than a slightly coarser step."""

APART = dict.fromkeys(("encoder.layer.0.output.dense.", "encoder.layer.1.output.dense."), 16)
"""Largest channels that a layer's product leaves out. In the first two output projections one
channel is four times as large as any other; without it the error halves."""


def matrix_inputs(files: ModelFiles, texts: Sequence[str]) -> Mapping[str, Floats]:
    """Return float32[tokens, width] for each input of matrix products, by the layer reading it."""
    loaded = LoadedModel.read(files)
    model = openvino_encoder.graph(loaded)
    layers = [
        node
        for node in model.get_ordered_ops()
        if node.get_friendly_name().endswith("matmul")
        and not node.get_friendly_name().endswith(("key.matmul", "value.matmul"))
    ]
    model.add_outputs([node.input_value(0) for node in layers])
    compiled = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    seen: dict[str, list[Floats]] = {}
    for ids in loaded.tokenizer.tokenize(texts):
        batch = packed([ids], loaded.shape.pad_id)
        found = compiled(batch.inputs())
        for place, node in enumerate(layers, start=1):
            name = node.get_friendly_name().removesuffix("matmul")
            seen.setdefault(name, []).append(found[place][batch.ids != loaded.shape.pad_id])
    return {name: np.concatenate(parts) for name, parts in seen.items()}


def input_range(layer: str, values: Floats) -> InputRange:
    """Return the range of one input float32[tokens, width]."""
    largest = next(limit for part, limit in LARGEST.items() if f".{part}." in layer)
    scales = np.maximum(1.0, np.abs(values).max(axis=0) / largest).astype(np.float32)
    scaled = values / scales
    low, high = float(scaled.min()) * MARGIN, float(scaled.max()) * MARGIN
    return InputRange(low, high, scales)


def shift(weight: Floats, values: Floats, given: InputRange) -> Floats:
    """Return float32[out], minus the mean error of a layer's output in 8 bits."""
    step = (given.high - given.low) / (int8.LEVELS - 1)
    zero = np.round(-given.low / step)
    whole = np.clip(np.round(values / given.scales / step) + zero, 0, int8.LEVELS - 1)
    rounded, steps = int8.rounded(weight * given.scales)
    product = ((whole - zero) * step) @ (rounded * steps).T
    mean: Floats = (values @ weight.T - product).mean(axis=0).astype(np.float32)
    return mean


def readers(layer: str) -> Iterator[str]:
    """Yield the layers that read the input of one: key and value read the query's."""
    yield layer
    if layer.endswith("query."):
        yield from (layer.replace("query.", part) for part in ("key.", "value."))


def largest(values: Floats, number: int) -> Channels:
    """Return the channels of an input float32[tokens, width] that have the largest values."""
    return np.sort(np.argsort(np.abs(values).max(axis=0))[::-1][:number]).astype(np.int32)


def without(values: Floats, channels: Channels) -> Floats:
    """Return values with some channels, the last axis, set to 0."""
    kept = values.copy()
    kept[:, channels] = 0.0
    return kept


def calibrate(files: ModelFiles, texts: Sequence[str]) -> Calibration:
    """Measure the ranges and mean errors of every layer."""
    weights = LoadedModel.read(files).tensors
    values = dict(matrix_inputs(files, texts))
    apart = {name: largest(values[name], number) for name, number in APART.items()}
    for name, channels in apart.items():
        values[name] = without(values[name], channels)
    inputs = {name: input_range(name, one) for name, one in values.items()}
    shifts = {
        reader: shift(weights[reader + "weight"], values[name], given)
        for name, given in inputs.items()
        for reader in readers(name)
    }
    return Calibration(files.spec.sha256, inputs, shifts, apart)


def main() -> int:
    """Measure and write."""
    settings = ScorerSettings()
    files = backends.chosen_files(settings)
    groups: dict[str, list[str]] = json.loads(TEXTS.read_text("utf-8"))
    texts = [text for group in groups.values() for text in group]
    found = calibrate(files, texts)
    path = RANGES / f"{files.spec.name}.npz"
    np.savez_compressed(path, **found.to_arrays())  # type: ignore[arg-type]
    sys.stdout.write(f"{len(texts)} texts, {len(found.inputs)} inputs, {path.stat().st_size} B\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
