"""Matrix products in whole numbers: activations in 8 bits by measured ranges, weights per row.

The ranges come from `calibrate.py` beside the package, which measured them once over texts of many
languages and kinds; they are a small file of this package and belong to one file of weights, so
that nothing has to be prepared at the start. A few channels of an activation are far larger than
all others and would make every step coarse, so each channel is divided by a scale first, which the
weights of that channel take back. The few that are larger still are left out of the product and
computed beside it.

Source: Jacob et al. 2018 (affine 8-bit), Xiao et al. 2022 (scales moved from activations to
weights), Nagel et al. 2019 (the mean error taken out of the bias).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import as_file, files
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import openvino as ov
from openvino import Node
from openvino import opset13 as ops

Floats = npt.NDArray[np.float32]
Channels = npt.NDArray[np.int32]

LEVELS = 256
MOST = 127
"""Largest weight; -128 is left out so that the range is symmetric."""

RANGES = "int8_ranges"
"""Folder of one file per model."""
SHA256 = "sha256"


@dataclass(frozen=True, slots=True)
class InputRange:
    """The range of one layer's input over the calibration texts.

    Attributes:
        low: Least value after the division by the scales; 0 or less.
        high: Largest value after it.
        scales: float32[width], one per channel, 1 or more.
    """

    low: float
    high: float
    scales: Floats


@dataclass(frozen=True, slots=True)
class Calibration:
    """What 8-bit products need to know besides the weights.

    Attributes:
        sha256: Digest of the weights that it was measured with.
        inputs: Range by the first layer that reads the input (key and value share the query's).
        shifts: float32[width] by layer, minus the mean error of its output.
        apart: Channels by layer of its input that its product leaves out.
    """

    sha256: str
    inputs: Mapping[str, InputRange]
    shifts: Mapping[str, Floats]
    apart: Mapping[str, Channels] = field(default_factory=dict)

    @classmethod
    def packaged(cls, sha256: str) -> Self | None:
        """Read the calibration of some weights that comes with this package; None: there is none.

        Args:
            sha256: Digest of the weights.
        """
        with as_file(files(__package__).joinpath(RANGES)) as folder:
            for path in sorted(folder.glob("*.npz")):
                with np.load(path) as archive:
                    if str(archive[SHA256]) == sha256:
                        return cls._read({name: archive[name] for name in archive.files})
        return None

    @classmethod
    def _read(cls, fields: Mapping[str, npt.NDArray[Any]]) -> Self:
        inputs = {name: _range(array) for name, array in _parts(fields, "input")}
        shifts = {name: array.astype(np.float32) for name, array in _parts(fields, "shift")}
        apart = {name: array.astype(np.int32) for name, array in _parts(fields, "apart")}
        return cls(str(fields[SHA256]), inputs, shifts, apart)

    def to_arrays(self) -> dict[str, npt.NDArray[Any] | str]:
        """Return what the file holds."""
        inputs = {
            f"{name}input": np.array([one.low, one.high, *one.scales], np.float16)
            for name, one in self.inputs.items()
        }
        shifts = {f"{name}shift": one.astype(np.float16) for name, one in self.shifts.items()}
        apart = {f"{name}apart": one.astype(np.int16) for name, one in self.apart.items()}
        return {SHA256: self.sha256, **inputs, **shifts, **apart}


def quantised(activation: Node, given: InputRange) -> Node:
    """Return an activation f32[n, length, width] scaled and rounded to 8 bits."""
    low, high = (_constant([[[value]]]) for value in (given.low, given.high))
    scaled = ops.multiply(activation, _constant(1.0 / given.scales[None, None]))
    return ops.fake_quantize(scaled, low, high, low, high, LEVELS)


def weights_for(weight: Floats, given: InputRange) -> Node:
    """Return weights float32[out, width] in 8 bits, one step per row, for a scaled input."""
    whole, steps = rounded(weight * given.scales)
    return ops.multiply(ops.convert(ops.constant(whole), "f32"), _constant(steps))


def rounded(weight: Floats) -> tuple[npt.NDArray[np.int8], Floats]:
    """Return int8[out, width] and the step float32[out, 1] of each row; their product is near.

    >>> whole, steps = rounded(np.array([[0.5, -1.0]], np.float32))
    >>> whole.tolist()
    [[64, -127]]
    """
    largest = np.abs(weight).max(axis=1, keepdims=True)
    steps = np.maximum(largest, np.finfo(np.float32).tiny * MOST) / np.float32(MOST)
    return np.round(weight / steps).astype(np.int8), steps.astype(np.float32)


def _range(array: npt.NDArray[np.float16]) -> InputRange:
    low, high, *scales = array.astype(np.float32)
    return InputRange(float(low), float(high), np.array(scales, np.float32))


def _parts(
    fields: Mapping[str, npt.NDArray[Any]], kind: str
) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    """Yield the layers that have a field of some kind, and it."""
    for name, array in fields.items():
        if name.endswith(kind):
            yield name.removesuffix(kind), array


def _constant(values: npt.ArrayLike) -> ov.Node:
    return ops.constant(np.asarray(values, dtype=np.float32))
