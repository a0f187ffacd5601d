"""The model of understanding on the CPU.

Its request is its own, beside those that score: a message waits for no batch of results.
"""

from dataclasses import replace

import numpy as np
import openvino as ov

from pellucid_scorer.adapters import understanding_graph
from pellucid_scorer.adapters.bert_graph import Packed
from pellucid_scorer.adapters.loaded_model import LoadedModel
from pellucid_scorer.adapters.mapped_weights import mapped
from pellucid_scorer.adapters.openvino_encoder import DEVICE, WARM_TOKENS, Threads, options
from pellucid_scorer.adapters.understanding_graph import POOLED, QUERIES
from pellucid_scorer.adapters.understanding_weights import UnderstandingWeights
from pellucid_scorer.models import Precision
from pellucid_scorer.understanding.layout import MESSAGE, Arranged
from pellucid_scorer.understanding.reading import Logits

STEP = 32
"""Tokens are rounded up to a multiple of this: the engine prepares code for every number it meets,
and a message of thirty tokens should not cost as much as one of sixty."""


class OpenVinoReader:
    """A `ReadingModel` on the CPU, warm.

    Args:
        encoder: The encoder as it was published.
        trained: The trained weights.
        precision: What the matrix products run in.
        threads: CPU threads.
    """

    def __init__(
        self,
        encoder: LoadedModel,
        trained: UnderstandingWeights,
        *,
        precision: Precision,
        threads: int,
    ) -> None:
        self.card = trained.card
        self.pieces = encoder.tokenizer.pieces
        self.name = f"{encoder.spec.name}/cpu-{precision}+{trained.name}"
        self._pad_id = encoder.shape.pad_id
        merged = trained.laid_over(encoder)
        how = options(precision, Threads(streams=1, threads=threads))
        with mapped(merged.tensors) as tensors:
            graph = understanding_graph.build(replace(merged, tensors=tensors), trained)
            self._request = ov.Core().compile_model(graph, DEVICE, how).create_infer_request()
            self._warm_up()

    def run(self, arranged: Arranged) -> Logits:
        """Return what the model gives for one input."""
        tokens = len(arranged.ids)
        padding = -tokens % STEP
        rows = _only([*arranged.ids, *[self._pad_id] * padding])
        segments = np.array([[*arranged.segments, *[MESSAGE] * padding]], np.int32)
        self._request.infer([*rows.inputs(), segments], share_inputs=True)
        queries, *pooled = (
            np.array(self._request.get_tensor(name).data, np.float32) for name in (QUERIES, *POOLED)
        )
        return Logits(queries[:tokens], *pooled)

    def _warm_up(self) -> None:
        """Read a short and a long input, so that first messages find all ready."""
        for tokens in WARM_TOKENS:
            self.run(Arranged((self._pad_id + 1,) * tokens, (MESSAGE,) * tokens, (None,) * tokens))


def _only(ids: list[int]) -> Packed:
    """Return one text as a batch; its padding, too, stands where its tokens do."""
    places = np.arange(len(ids), dtype=np.int32)
    return Packed(np.array([ids], np.int32), places[None], places[None], places)
