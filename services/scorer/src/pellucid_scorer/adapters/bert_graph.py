"""Builds the sentence encoder as an OpenVINO graph from plain weights.

The graph is BERT (post-norm, erf GELU, absolute positions) followed by the mean over real tokens
and L2 normalisation, which is what sentence-transformers computes for all-MiniLM-L6-v2. With a
calibration (see `int8`) its matrix products run in 8 bits; any other precision and the threads are
decided by the encoder that compiles it.

Source: Devlin et al. 2018 (architecture), Reimers and Gurevych 2019 (mean pooling).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import openvino as ov
from openvino import Node
from openvino import opset13 as ops

from pellucid_scorer.adapters import int8
from pellucid_scorer.adapters.int8 import Calibration, InputRange

Weights = Mapping[str, npt.NDArray[np.float32]]

MASKED = -1.0e4
"""Added to the attention score of a padding token; exp(-1e4) is 0 in every float format."""

SMALLEST_NORM = 1.0e-12
"""Keeps the norm of an all-zero vector from dividing by zero, as in sentence-transformers."""


@dataclass(frozen=True, slots=True)
class BertShape:
    """The sizes that the weights do not tell by themselves."""

    layers: int
    heads: int
    norm_epsilon: float
    pad_id: int


def build(weights: Weights, shape: BertShape, calibration: Calibration | None = None) -> ov.Model:
    """Return the encoder graph.

    Args:
        weights: Tensors by their Hugging Face name, for example
            ``encoder.layer.0.attention.self.query.weight``.
        shape: Layers, attention heads, the epsilon of the layer norms and the padding token.
        calibration: Ranges of the inputs that are read in 8 bits; None leaves the graph in float32.

    Returns:
        A model with input ``input_ids`` int32[n, length], padded with ``pad_id``, and output
        ``embedding`` float32[n, hidden], each row of length 1.

    Raises:
        KeyError: A tensor is missing from ``weights``.
    """
    return _Builder(weights, shape, calibration).build()


@dataclass(frozen=True, slots=True)
class _Input:
    """What a matrix product reads, and how it was rounded; None when it was not."""

    node: Node
    range: InputRange | None


@dataclass(frozen=True, slots=True)
class _Builder:
    weights: Weights
    shape: BertShape
    calibration: Calibration | None

    def build(self) -> ov.Model:
        ids = ops.parameter([-1, -1], np.int32, name="input_ids")
        ids.output(0).set_names({"input_ids"})
        real = ops.convert(ops.not_equal(ids, _scalar(self.shape.pad_id, np.int32)), "f32")
        bias = _multiply(_subtract(real, 1.0), -MASKED)
        bias = ops.unsqueeze(bias, _axes(1, 2))
        hidden = self._embed(ids)
        for number in range(self.shape.layers):
            hidden = self._layer(hidden, bias, f"encoder.layer.{number}.")
        result = ops.result(_normalise(_mean(hidden, real)), name="embedding")
        result.output(0).set_names({"embedding"})
        return ov.Model([result], [ids], "sentence-encoder")

    def _embed(self, ids: Node) -> Node:
        # Half of the weights, read as they are: graphs of the same weights share this memory.
        table = self.weights["embeddings.word_embeddings.weight"]
        words = ops.gather(ops.constant(table, shared_memory=True), ids, _axes(0))
        positions = self.weights["embeddings.position_embeddings.weight"]
        segment = self.weights["embeddings.token_type_embeddings.weight"][0]
        length = ops.gather(ops.shape_of(ids, "i32"), _axes(1), _axes(0))
        places = ops.slice(ops.constant(positions + segment), _axes(0), length, _axes(1), _axes(0))
        return self._norm(ops.add(words, places), "embeddings.LayerNorm.")

    def _layer(self, hidden: Node, bias: Node, name: str) -> Node:
        attended = self._attention(hidden, bias, name + "attention.self.")
        attended = self._read_by(attended, name + "attention.output.dense.")
        hidden = self._norm(ops.add(attended, hidden), name + "attention.output.LayerNorm.")
        wide = ops.gelu(self._read_by(hidden, name + "intermediate.dense."), "erf")
        narrow = self._read_by(wide, name + "output.dense.")
        return self._norm(ops.add(narrow, hidden), name + "output.LayerNorm.")

    def _attention(self, hidden: Node, bias: Node, name: str) -> Node:
        read = self._input(hidden, name + "query.")
        query, key, value = (
            self._heads(self._dense(read, f"{name}{part}.")) for part in ("query", "key", "value")
        )
        mixed = ops.scaled_dot_product_attention(query, key, value, bias)
        mixed = ops.transpose(mixed, _axes(0, 2, 1, 3))
        return ops.reshape(mixed, _axes(0, 0, -1), special_zero=True)

    def _heads(self, hidden: Node) -> Node:
        split = ops.reshape(hidden, _axes(0, 0, self.shape.heads, -1), special_zero=True)
        return ops.transpose(split, _axes(0, 2, 1, 3))

    def _read_by(self, hidden: Node, name: str) -> Node:
        """Return the output of a layer that alone reads an activation."""
        return self._dense(self._input(hidden, name), name)

    def _input(self, hidden: Node, name: str) -> _Input:
        """Round an activation, where its range is known, once for all layers that read it."""
        found = self.calibration.inputs.get(name) if self.calibration else None
        return _Input(int8.quantised(hidden, found) if found else hidden, found)

    def _dense(self, given: _Input, name: str) -> Node:
        product = ops.matmul(
            given.node, self._weight(given, name), transpose_a=False, transpose_b=True
        )
        product.set_friendly_name(name + "matmul")
        return ops.add(product, self._bias(given, name))

    def _weight(self, given: _Input, name: str) -> Node:
        if given.range is None:
            return self._constant(name + "weight")
        return int8.weights_for(self.weights[name + "weight"], given.range)

    def _bias(self, given: _Input, name: str) -> Node:
        if given.range is None or self.calibration is None:
            return self._constant(name + "bias")
        return ops.constant(self.weights[name + "bias"] + self.calibration.shifts[name])

    def _norm(self, hidden: Node, name: str) -> Node:
        centred = ops.mvn(
            hidden,
            _axes(-1),
            normalize_variance=True,
            eps=self.shape.norm_epsilon,
            eps_mode="inside_sqrt",
        )
        scaled = ops.multiply(centred, self._constant(name + "weight"))
        return ops.add(scaled, self._constant(name + "bias"))

    def _constant(self, name: str) -> Node:
        return ops.constant(self.weights[name], name=name)


def _mean(hidden: Node, real: Node) -> Node:
    mask = ops.unsqueeze(real, _axes(-1))
    total = ops.reduce_sum(ops.multiply(hidden, mask), _axes(1), keep_dims=False)
    return ops.divide(total, ops.reduce_sum(mask, _axes(1), keep_dims=False))


def _normalise(vectors: Node) -> Node:
    return ops.normalize_l2(vectors, _axes(-1), eps=SMALLEST_NORM, eps_mode="max")


def _multiply(node: Node, by: float) -> Node:
    return ops.multiply(node, _scalar(by))


def _subtract(node: Node, by: float) -> Node:
    return ops.subtract(node, _scalar(by))


def _scalar(value: float, kind: type = np.float32) -> Node:
    return ops.constant(np.asarray(value, dtype=kind))


def _axes(*values: int) -> Node:
    return ops.constant(np.asarray(values, dtype=np.int32))
