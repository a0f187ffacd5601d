"""Builds the sentence encoder as an OpenVINO graph from plain weights.

The graph is BERT (post-norm, erf GELU, absolute positions) followed by the mean over real tokens
and L2 normalisation, which is what sentence-transformers computes for all-MiniLM-L6-v2. With a
calibration (see `int8`) its matrix products run in 8 bits; any other precision and the threads are
decided by the encoder that compiles it.

Texts of different lengths lie one after the other, so that the matrix products, nine tenths of the
work, compute no padding; only attention lays them out as rows of one length.

Source: Devlin et al. 2018 (architecture), Reimers and Gurevych 2019 (mean pooling).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import openvino as ov
from openvino import Node
from openvino import opset13 as ops

from pellucid_scorer.adapters import int8
from pellucid_scorer.adapters.int8 import Calibration, Channels, InputRange

Weights = Mapping[str, npt.NDArray[np.float32]]
Ids = npt.NDArray[np.int32]

WORDS = "embeddings.word_embeddings.weight"

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


@dataclass(frozen=True, slots=True)
class NibbleTable:
    """Word embeddings in 4 bits; only the rows of a batch are ever unpacked.

    Attributes:
        rows: uint8[words, blocks · 18], each block two bytes that are not read here (its step in
            float16) and 16 with a low and a high weight each.
        steps: float32[words, blocks].
    """

    rows: npt.NDArray[np.uint8]
    steps: npt.NDArray[np.float32]


def build(
    weights: Weights,
    shape: BertShape,
    calibration: Calibration | None = None,
    *,
    words: NibbleTable | None = None,
) -> ov.Model:
    """Return the encoder graph.

    Args:
        weights: Tensors by their Hugging Face name, for example
            ``encoder.layer.0.attention.self.query.weight``.
        shape: Layers, attention heads, the epsilon of the layer norms and the padding token.
        calibration: Ranges of the inputs that are read in 8 bits; None leaves the graph in float32.
        words: The word embeddings where they are in 4 bits; None: they are in ``weights``.

    Returns:
        A model with the inputs of `Packed`, by their names, and output ``embedding``
        float32[n, hidden], each row of length 1.

    Raises:
        KeyError: A tensor is missing from ``weights``.
    """
    return Builder(weights, shape, calibration, words).build()


@dataclass(frozen=True, slots=True)
class Packed:
    """A batch of n texts as the graph reads it.

    Attributes:
        ids: int32[1, tokens], the texts' token ids one after the other, then padding.
        places: int32[1, tokens], each token's place within its text.
        rows: int32[n, length], where each text's tokens are in ``ids``; a padding token fills up.
        slots: int32[tokens], where each token is in the flattened ``rows``; any for padding.
    """

    ids: Ids
    places: Ids
    rows: Ids
    slots: Ids

    def inputs(self) -> list[Ids]:
        """Return the arrays in the order of the graph's inputs."""
        return [self.ids, self.places, self.rows, self.slots]


@dataclass(frozen=True, slots=True)
class _Layout:
    """How attention finds the tokens of a text: see `Packed`; what it adds to padding's scores."""

    rows: Node
    slots: Node
    bias: Node


@dataclass(frozen=True, slots=True)
class _Input:
    """What a matrix product reads, and how it was rounded; None when it was not."""

    node: Node
    range: InputRange | None


@dataclass(frozen=True, slots=True)
class Builder:
    """Builds graphs of one encoder's weights; see `build`."""

    weights: Weights
    shape: BertShape
    calibration: Calibration | None
    words: NibbleTable | None

    def build(self) -> ov.Model:
        """Return the graph of `build`."""
        given = inputs()
        hidden, real = self.read(*given, None)
        result = ops.result(_normalise(mean(laid_out(hidden, given[2]), real)), name="embedding")
        result.output(0).set_names({"embedding"})
        return ov.Model([result], list(given), "sentence-encoder")

    def read(
        self, ids: Node, places: Node, rows: Node, slots: Node, segments: Node | None
    ) -> tuple[Node, Node]:
        """Return the last layer f32[1, tokens, hidden], and 1 for each real token in its row."""
        tokens = ops.gather(ops.reshape(ids, axes(-1), special_zero=False), rows, axes(0))
        real = ops.convert(ops.not_equal(tokens, scalar(self.shape.pad_id, np.int32)), "f32")
        bias = ops.unsqueeze(_multiply(_subtract(real, 1.0), -MASKED), axes(1, 2))
        layout = _Layout(rows, slots, bias)
        hidden = self._embed(ids, places, segments)
        for number in range(self.shape.layers):
            hidden = self._layer(hidden, layout, f"encoder.layer.{number}.")
        return hidden, real

    def _embed(self, ids: Node, places: Node, segments: Node | None) -> Node:
        words = self._unpacked(self.words, ids) if self.words else self._plain(ids)
        positions = self.weights["embeddings.position_embeddings.weight"]
        kinds = self.weights["embeddings.token_type_embeddings.weight"]
        if segments is None:
            placed = ops.gather(ops.constant(positions + kinds[0]), places, axes(0))
        else:
            placed = ops.gather(ops.constant(positions), places, axes(0))
            placed = ops.add(placed, ops.gather(ops.constant(kinds), segments, axes(0)))
        return self._norm(ops.add(words, placed), "embeddings.LayerNorm.")

    def _plain(self, ids: Node) -> Node:
        # Half of the weights, read as they are: graphs of the same weights share this memory.
        return ops.gather(ops.constant(self.weights[WORDS], shared_memory=True), ids, axes(0))

    def _unpacked(self, table: NibbleTable, ids: Node) -> Node:
        """Return the rows f32[1, tokens, width] of a table in 4 bits."""
        blocks = table.steps.shape[1]
        rows = ops.gather(ops.constant(table.rows, shared_memory=True), ids, axes(0))
        steps = ops.gather(ops.constant(table.steps, shared_memory=True), ids, axes(0))
        packed = ops.reshape(rows, axes(0, 0, blocks, -1), special_zero=True)
        parts = ops.variadic_split(packed, scalar(-1, np.int32), axes(2, -1))
        both = ops.convert(parts.output(1), "f32")
        upper = ops.floor(_multiply(both, 1 / 16))
        lower = ops.subtract(both, _multiply(upper, 16.0))
        whole = _subtract(ops.concat([lower, upper], -1), 8.0)
        words = ops.multiply(whole, ops.unsqueeze(steps, axes(-1)))
        return ops.reshape(words, axes(0, 0, -1), special_zero=True)

    def _layer(self, hidden: Node, layout: _Layout, name: str) -> Node:
        attended = self._attention(hidden, layout, name + "attention.self.")
        attended = self.read_by(attended, name + "attention.output.dense.")
        hidden = self._norm(ops.add(attended, hidden), name + "attention.output.LayerNorm.")
        narrow = self._feed_forward(hidden, name)
        return self._norm(ops.add(narrow, hidden), name + "output.LayerNorm.")

    def _feed_forward(self, hidden: Node, name: str) -> Node:
        wide = ops.gelu(self.read_by(hidden, name + "intermediate.dense."), "erf")
        narrow = self.read_by(wide, name + "output.dense.")
        apart = self._apart(name + "output.dense.")
        return ops.add(narrow, self._few(hidden, name, apart)) if apart.size else narrow

    def _few(self, hidden: Node, name: str, apart: Channels) -> Node:
        """Return what the channels that are left out of the 8-bit product add to its output."""
        upper, lower = f"{name}intermediate.dense.", f"{name}output.dense.weight"
        rows = ops.constant(self.weights[upper + "weight"][apart])
        wide = ops.matmul(hidden, rows, transpose_a=False, transpose_b=True)
        wide = ops.gelu(ops.add(wide, ops.constant(self.weights[upper + "bias"][apart])), "erf")
        columns = ops.constant(np.ascontiguousarray(self.weights[lower][:, apart]))
        return ops.matmul(wide, columns, transpose_a=False, transpose_b=True)

    def _apart(self, name: str) -> Channels:
        """Return the channels of a layer's input that its 8-bit product leaves out."""
        found = self.calibration.apart if self.calibration else {}
        return found.get(name, np.array([], np.int32))

    def _attention(self, hidden: Node, layout: _Layout, name: str) -> Node:
        read = self._input(hidden, name + "query.")
        query, key, value = (
            self._heads(self._dense(read, f"{name}{part}."), layout.rows)
            for part in ("query", "key", "value")
        )
        width = self.weights[name + "query.bias"].shape[0] // self.shape.heads
        # Spelled out, because the engine's own attention operation is a fiftieth slower.
        scores = ops.matmul(_multiply(query, width**-0.5), key, transpose_a=False, transpose_b=True)
        shares = ops.softmax(ops.add(scores, layout.bias), -1)
        mixed = ops.matmul(shares, value, transpose_a=False, transpose_b=False)
        mixed = _flat(ops.transpose(mixed, axes(0, 2, 1, 3)), width * self.shape.heads)
        return ops.unsqueeze(ops.gather(mixed, layout.slots, axes(0)), axes(0))

    def _heads(self, hidden: Node, rows: Node) -> Node:
        """Return one part of attention, f32[n, heads, length, width of a head]."""
        split = ops.reshape(
            laid_out(hidden, rows), axes(0, 0, self.shape.heads, -1), special_zero=True
        )
        return ops.transpose(split, axes(0, 2, 1, 3))

    def read_by(self, hidden: Node, name: str) -> Node:
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
        weight = self.weights[name + "weight"].copy()
        weight[:, self._apart(name)] = 0.0
        return int8.weights_for(weight, given.range)

    def _bias(self, given: _Input, name: str) -> Node:
        if given.range is None or self.calibration is None:
            return self._constant(name + "bias")
        return ops.constant(self.weights[name + "bias"] + self.calibration.shifts[name])

    def _norm(self, hidden: Node, name: str) -> Node:
        centred = ops.mvn(
            hidden,
            axes(-1),
            normalize_variance=True,
            eps=self.shape.norm_epsilon,
            eps_mode="inside_sqrt",
        )
        scaled = ops.multiply(centred, self._constant(name + "weight"))
        return ops.add(scaled, self._constant(name + "bias"))

    def _constant(self, name: str) -> Node:
        # Read as they are: a copy would live as long as the compiled graph does.
        return ops.constant(self.weights[name], name=name, shared_memory=True)


def laid_out(hidden: Node, rows: Node) -> Node:
    """Return f32[n, length, width] of f32[1, tokens, width]."""
    return ops.gather(ops.squeeze(hidden, axes(0)), rows, axes(0))


def _flat(hidden: Node, width: int) -> Node:
    return ops.reshape(hidden, axes(-1, width), special_zero=False)


def inputs() -> tuple[Node, Node, Node, Node]:
    """Return the inputs of `Packed`, in its order."""
    ids, places = parameter("ids", [1, -1]), parameter("places", [1, -1])
    return ids, places, parameter("rows", [-1, -1]), parameter("slots", [-1])


def parameter(name: str, sizes: Sequence[int]) -> Node:
    """Return an input of whole numbers."""
    node = ops.parameter(list(sizes), np.int32, name=name)
    node.output(0).set_names({name})
    return node


def mean(hidden: Node, real: Node) -> Node:
    """Return the mean f32[n, width] of the real tokens of f32[n, length, width]."""
    mask = ops.unsqueeze(real, axes(-1))
    total = ops.reduce_sum(ops.multiply(hidden, mask), axes(1), keep_dims=False)
    return ops.divide(total, ops.reduce_sum(mask, axes(1), keep_dims=False))


def _normalise(vectors: Node) -> Node:
    return ops.normalize_l2(vectors, axes(-1), eps=SMALLEST_NORM, eps_mode="max")


def _multiply(node: Node, by: float) -> Node:
    return ops.multiply(node, scalar(by))


def _subtract(node: Node, by: float) -> Node:
    return ops.subtract(node, scalar(by))


def scalar(value: float, kind: type = np.float32) -> Node:
    """Return a constant number."""
    return ops.constant(np.asarray(value, dtype=kind))


def axes(*values: int) -> Node:
    """Return constant whole numbers."""
    return ops.constant(np.asarray(values, dtype=np.int32))
