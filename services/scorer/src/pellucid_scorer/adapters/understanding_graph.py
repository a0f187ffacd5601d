"""Builds the model of understanding as an OpenVINO graph: its encoder, then the heads.

One head reads every token of the last layer, the others the first token beside the mean of all.
The graph takes one text with its segments, as a batch of one (see `Packed`).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import openvino as ov
from openvino import Node
from openvino import opset13 as ops

from pellucid_scorer.adapters.bert_graph import Builder, axes, inputs, laid_out, mean, parameter
from pellucid_scorer.adapters.loaded_model import LoadedModel
from pellucid_scorer.adapters.understanding_weights import UnderstandingWeights

QUERIES = "queries"
POOLED = ("search", "leans", "fresh", "kind")
"""Heads that read the message as a whole; the names of outputs, too."""


def build(encoder: LoadedModel, trained: UnderstandingWeights) -> ov.Model:
    """Return the graph.

    Args:
        encoder: The encoder with the trained weights merged in.
        trained: The heads.

    Returns:
        A model with the inputs of `Packed` for one text and ``segments`` int32[1, tokens], and the
        outputs ``queries`` float32[tokens, 3] and, by `POOLED`, float32[labels].
    """
    builder = Builder(encoder.tensors, encoder.shape, None, encoder.words)
    given, segments = inputs(), parameter("segments", [1, -1])
    hidden, real = builder.read(*given, segments)
    rows = laid_out(hidden, given[2])
    first = ops.gather(rows, axes(0), axes(1))
    pooled = ops.concat([ops.squeeze(first, axes(1)), mean(rows, real)], -1)
    heads = _Heads(trained.tensors)
    narrow = heads.wide(pooled, "pool.0.")
    results = [_result(heads.dense(heads.wide(hidden, "tag.0."), "tag.2."), QUERIES)]
    results += [_result(heads.dense(narrow, f"{name}."), name) for name in POOLED]
    return ov.Model(results, [*given, segments], "understanding")


@dataclass(frozen=True, slots=True)
class _Heads:
    tensors: Mapping[str, npt.NDArray[np.float32]]

    def wide(self, node: Node, name: str) -> Node:
        return ops.gelu(self.dense(node, name), "erf")

    def dense(self, node: Node, name: str) -> Node:
        weight, bias = self.tensors[name + "weight"], self.tensors[name + "bias"]
        product = ops.matmul(node, ops.constant(weight), transpose_a=False, transpose_b=True)
        return ops.add(product, ops.constant(bias))


def _result(node: Node, name: str) -> Node:
    """Return an output without the axis of the batch."""
    result = ops.result(ops.squeeze(node, axes(0)), name=name)
    result.output(0).set_names({name})
    return result
