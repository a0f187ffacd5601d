"""The classifier's weights file: a regression in two variants, and a small network beside one."""

import io
import json
import math
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pellucid_decision.errors import WeightsError
from pellucid_decision.stages.features import BUCKETS, EMBEDDING_SIZE, FORM_SIZE, Buckets, Vector
from pellucid_decision.text import gloss, lexicon

PACKAGED_WEIGHTS = Path(__file__).resolve().parent.parent / "data" / "classifier.npz"
MAX_WEIGHTS_BYTES = 500_000


@dataclass(frozen=True, slots=True)
class Network:
    """One hidden layer over everything but the hashed features.

    Attributes:
        inner: `float32[inputs, units]`.
        bias: `float32[units]`.
        outer: `float32[units]`.
        offset: Added to the sum.
    """

    inner: Vector
    bias: Vector
    outer: Vector
    offset: float

    def logits(self, rest: Vector) -> Vector:
        """Return the log odds that the web is needed.

        Args:
            rest: `float32[inputs]` of one message or `float32[messages, inputs]` of several.

        Returns:
            `float32[]` or `float32[messages]`.
        """
        units: Vector = np.maximum(rest @ self.inner + self.bias, 0) @ self.outer
        return units + np.float32(self.offset)


@dataclass(frozen=True, slots=True)
class Variant:
    """Weights of one variant.

    Attributes:
        grams: `float32[buckets]`, weights of hashed n-grams and meanings.
        rest: `float32[n]`, those of signals, concepts, form and embedding (if any), in this order.
        bias: Added to the weighted sum.
        shares: Calibration: factor of the sum's log odds and of the network's.
        offset: Calibration: added to both.
        network: Gives a second opinion; None in the variant without the embedding.
    """

    grams: Vector
    rest: Vector
    bias: float
    shares: tuple[float, float]
    offset: float
    network: Network | None = None

    def probability(self, found: Buckets, rest: Vector) -> float:
        """Return the calibrated probability that the web is needed.

        Args:
            found: N-grams and meanings that occur.
            rest: The other features.
        """
        worded = float(self.grams[found.places] @ found.values)
        summed = worded + float(self.rest @ rest) + self.bias
        second = float(self.network.logits(rest)) if self.network else 0.0
        logit = self.shares[0] * summed + self.shares[1] * second + self.offset
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, logit))))


@dataclass(frozen=True, slots=True)
class Weights:
    """Content of the weights file.

    Attributes:
        signals: Names of the signals, in the order of the weights.
        ngram: Variant without the embedding.
        embedded: Variant with it.
    """

    signals: tuple[str, ...]
    ngram: Variant
    embedded: Variant


def load_weights(path: Path = PACKAGED_WEIGHTS) -> Weights:
    """Read the weights file.

    Raises:
        WeightsError: It is missing, too large, or does not fit this code.
    """
    try:
        raw = path.read_bytes()
        if len(raw) > MAX_WEIGHTS_BYTES:
            raise WeightsError(f"{path.name}: larger than {MAX_WEIGHTS_BYTES} bytes")
        with np.load(io.BytesIO(raw), allow_pickle=False) as arrays:
            header = json.loads(bytes(arrays["header"]).decode())
            return _weights(header, {name: arrays[name] for name in arrays.files})
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        raise WeightsError(f"{path.name}: cannot be used ({type(error).__name__})") from error


def _weights(header: Mapping[str, object], arrays: Mapping[str, Vector]) -> Weights:
    names = header["signals"]
    read_with = [BUCKETS, lexicon.version(), gloss.version()]
    fits = [header.get(name) for name in ("buckets", "lexicon", "glosses")] == read_with
    if not isinstance(names, list) or not fits:
        raise WeightsError("classifier: made for other features")
    size = len(names) + 1 + len(lexicon.concept_names()) + FORM_SIZE
    full = size + EMBEDDING_SIZE
    embedded = _variant(arrays, "embedded", full, _network(arrays, full))
    return Weights(tuple(names), _variant(arrays, "ngram", size), embedded)


def _variant(
    arrays: Mapping[str, Vector], name: str, size: int, network: Network | None = None
) -> Variant:
    bias, step = (float(value) for value in arrays[f"{name}_scale"])
    *shares, offset = (float(value) for value in arrays[f"{name}_shares"])
    grams = arrays[f"{name}_grams"].astype(np.float32) * step
    rest = arrays[name].astype(np.float32)
    if grams.shape != (BUCKETS,) or rest.shape != (size,) or not _finite(grams, rest):
        raise WeightsError(f"classifier: variant {name} has the wrong shape")
    second = shares[1] if network else 0.0
    return Variant(grams, rest, bias, (shares[0], second), offset, network)


def _network(arrays: Mapping[str, Vector], size: int) -> Network:
    inner = arrays["network_inner"].astype(np.float32) * arrays["network_steps"]
    bias, outer = arrays["network_bias"], arrays["network_outer"]
    units = len(bias)
    shapes = (inner.shape, bias.shape, outer.shape)
    if shapes != ((size, units), (units,), (units,)) or not _finite(inner, bias, outer):
        raise WeightsError("classifier: the network has the wrong shape")
    return Network(inner, bias, outer, float(arrays["network_offset"][0]))


def _finite(*arrays: Vector) -> bool:
    return all(bool(np.isfinite(array).all()) for array in arrays)
