"""The GPU backend: sentence-transformers on CUDA in half precision.

Its work is recorded once as a CUDA graph for every shape of batch, and replayed. The model's own
Python calls some hundred operations, after each of which it needs the interpreter's lock back: with
an event loop that is busy at the same time, a batch that takes an H100 0.6 ms took 1.4 s.

Imported only when a GPU was asked for or found; needs the ``gpu`` extra of this distribution.
"""

import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

from pellucid_scorer.adapters.cuda_shapes import Shape, Shapes
from pellucid_scorer.adapters.model_files import ModelFiles
from pellucid_scorer.adapters.tokenizer import ModelTokenizer
from pellucid_scorer.errors import ModelError
from pellucid_scorer.ports import TokenIds, Vectors

DEVICE = "cuda"

BYTES_PER_TOKEN = 1 << 18
"""Generous bound on the half-precision activations of one padded token over all layers."""

MEMORY_SHARE = 0.25
"""Share of the free GPU memory that one batch may take."""

MOST_TOKENS = 65_536
"""More than this makes nothing faster and every caller wait longer."""

SWITCH_S = 0.0005
"""Seconds after which a thread that computes hands the interpreter's lock over (Python: 0.005). A
batch needs it some four times, and each time would wait as long for a busy event loop."""

RUNS_BEFORE_RECORDING = 2
"""The first calls of some kernels choose and allocate, which cannot be recorded."""


def is_available() -> bool:
    """Tell whether torch finds a CUDA device."""
    return bool(torch.cuda.is_available())


class CudaEncoder:
    """An `Encoder` on one GPU.

    Args:
        files: The model.
    """

    parallelism = 1

    def __init__(self, files: ModelFiles) -> None:
        self._spec = spec = files.spec
        self.prefixes, self.scale = spec.prefixes, spec.scale
        self.scripts, self.languages = spec.scripts, spec.languages
        self._tokenizer = ModelTokenizer(files)
        self._model = SentenceTransformer(str(files.folder), device=DEVICE).half().eval()
        self._lock = threading.Lock()
        self._graphs: dict[Shape, _Graph] = {}
        self.dimensions = int(files.config["hidden_size"])
        free, _ = torch.cuda.mem_get_info()
        self.batch_tokens = min(MOST_TOKENS, int(free * MEMORY_SHARE) // BYTES_PER_TOKEN)
        self._shapes = Shapes(longest=files.spec.max_tokens, most_tokens=self.batch_tokens)

    @property
    def name(self) -> str:
        """Model, device and precision."""
        return f"{self._spec.name}/cuda-fp16"

    def most_texts(self, longest: int) -> int:
        """Return how many texts the largest shape for this length has."""
        return self._shapes.most_texts(longest)

    def padded(self, tokens: int) -> int:
        """Return the tokens themselves: a GPU is not kept busy by what a batch is padded with."""
        return tokens

    def tokenize(self, texts: Sequence[str]) -> tuple[TokenIds, ...]:
        """Return the token ids of each text."""
        return self._tokenizer.tokenize(texts)

    def encode(self, batch: Sequence[TokenIds]) -> Vectors:
        """Return float32[n, dimensions]; one batch at a time.

        Raises:
            ValueError: There are more texts than `most_texts`.
        """
        shape = self._shapes.holding(len(batch), max(map(len, batch)))
        with self._lock:
            return self._graphs[shape](batch)

    def warm_up(self) -> None:
        """Record the work of every shape, which takes some seconds.

        Raises:
            ModelError: The GPU has too little memory left, or the work depends on the data.
        """
        sys.setswitchinterval(SWITCH_S)
        pool = torch.cuda.graph_pool_handle()
        try:
            for shape in self._shapes:
                self._graphs[shape] = _Graph(shape, self._vectors, self._tokenizer.pad_id, pool)
        except RuntimeError as error:
            line = str(error).partition("\n")[0]
            raise ModelError(f"{self.name}: cannot be recorded as CUDA graphs: {line}") from error

    def _vectors(self, rows: torch.Tensor) -> torch.Tensor:
        mask = (rows != self._tokenizer.pad_id).long()
        features: dict[str, Any] = {
            "input_ids": rows,
            "attention_mask": mask,
            "token_type_ids": torch.zeros_like(rows),
        }
        found = self._model(features)["sentence_embedding"]
        # Half precision normalises to about 1 +- 1e-3; do it again where it is exact.
        return torch.nn.functional.normalize(found.float(), dim=1)


class _Graph:
    """What the model does to batches of one shape, recorded.

    Args:
        shape: Of the batches.
        vectors: From token ids int64[texts, tokens] on the GPU to float32[texts, dimensions].
        pad_id: Token id that fills rows.
        pool: Memory shared with graphs that do not run at the same time.
    """

    def __init__(
        self,
        shape: Shape,
        vectors: Callable[[torch.Tensor], torch.Tensor],
        pad_id: int,
        pool: tuple[int, int],
    ) -> None:
        self._pad_id = pad_id
        self._sent = torch.full((shape.texts, shape.tokens), pad_id, pin_memory=True)
        self._ids = self._sent.numpy()
        # A row of nothing but padding would attend to nothing; any other token will do.
        self._ids[:, 0] = int(pad_id == 0)
        self._rows = self._sent.to(DEVICE)
        self._graph = torch.cuda.CUDAGraph()
        with torch.inference_mode():
            self._run_before_recording(vectors)
            with torch.cuda.graph(self._graph, pool=pool):
                self._found = vectors(self._rows)

    def __call__(self, batch: Sequence[TokenIds]) -> Vectors:
        """Return float32[n, dimensions] of at most so many texts."""
        self._ids[: len(batch), 1:] = self._pad_id
        for row, text in zip(self._ids, batch, strict=False):
            row[: len(text)] = text
        with torch.inference_mode():
            self._rows.copy_(self._sent, non_blocking=True)
            self._graph.replay()
            return np.array(self._found[: len(batch)].cpu().numpy())

    def _run_before_recording(self, vectors: Callable[[torch.Tensor], torch.Tensor]) -> None:
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(RUNS_BEFORE_RECORDING):
                vectors(self._rows)
        torch.cuda.current_stream().wait_stream(stream)
