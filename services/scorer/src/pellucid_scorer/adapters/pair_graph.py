"""Builds a BERT that classifies pairs of texts as an OpenVINO graph from plain weights."""

import numpy as np
import openvino as ov
from openvino import opset13 as ops

from pellucid_scorer.adapters.bert_graph import (
    BertShape,
    Builder,
    Weights,
    axes,
    inputs,
    parameter,
    scalar,
)


def build(weights: Weights, shape: BertShape) -> ov.Model:
    """Return the graph.

    Args:
        weights: As for `bert_graph.build`, with ``pooler.dense`` and ``classifier``.
        shape: As there.

    Returns:
        A model with the inputs of `Packed` and ``segments`` int32[1, tokens], 0 for the first text
        and 1 for the second, and the output ``logits`` float32[n, labels].

    Raises:
        KeyError: A tensor is missing from ``weights``.
    """
    builder = Builder(weights, shape, None, None)
    given, segments = inputs(), parameter("segments", [1, -1])
    hidden, _ = builder.read(*given, segments)
    starts = ops.gather(given[2], scalar(0, np.int32), scalar(1, np.int32))
    first = ops.gather(ops.squeeze(hidden, axes(0)), starts, axes(0))
    pooled = ops.tanh(builder.read_by(first, "pooler.dense."))
    result = ops.result(builder.read_by(pooled, "classifier."), name="logits")
    return ov.Model([result], [*given, segments], "pair-classifier")
