"""The GPU backend: sentence-transformers on CUDA in half precision.

Imported only when a GPU was asked for or found; needs the ``gpu`` extra of this distribution.
"""

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

from pellucid_scorer.adapters.model_files import ModelFiles
from pellucid_scorer.adapters.openvino_encoder import packed
from pellucid_scorer.adapters.tokenizer import ModelTokenizer
from pellucid_scorer.ports import TokenIds, Vectors

DEVICE = "cuda"

BYTES_PER_TOKEN = 1 << 18
"""Generous bound on the half-precision activations of one padded token over all layers."""

MEMORY_SHARE = 0.25
"""Share of the free GPU memory that one batch may take."""

MOST_TOKENS = 65_536
"""More than this makes nothing faster and every caller wait longer."""


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
        self._spec = files.spec
        self._tokenizer = ModelTokenizer(files)
        self._model = SentenceTransformer(str(files.folder), device=DEVICE).half().eval()
        self._lock = threading.Lock()
        self.dimensions = int(files.config["hidden_size"])
        free, _ = torch.cuda.mem_get_info()
        self.batch_tokens = min(MOST_TOKENS, int(free * MEMORY_SHARE) // BYTES_PER_TOKEN)

    @property
    def name(self) -> str:
        """Model, device and precision."""
        return f"{self._spec.name}/cuda-fp16"

    def most_texts(self, longest: int) -> int:
        """Return how many texts have no more tokens than a batch should, padding included."""
        return max(1, self.batch_tokens // longest)

    def padded(self, tokens: int) -> int:
        """Return the tokens themselves: only the texts of a batch are made equally long."""
        return tokens

    @property
    def scripts(self) -> frozenset[str]:
        """Scripts that the model was trained on."""
        return self._spec.scripts

    def tokenize(self, texts: Sequence[str]) -> tuple[TokenIds, ...]:
        """Return the token ids of each text."""
        return self._tokenizer.tokenize(texts)

    def encode(self, batch: Sequence[TokenIds]) -> Vectors:
        """Return float32[n, dimensions]; one batch at a time."""
        padded = packed(batch, self._tokenizer.pad_id).padded()
        rows = torch.from_numpy(padded.astype(np.int64))
        with self._lock, torch.inference_mode():
            found = self._model(self._features(rows.to(DEVICE)))["sentence_embedding"]
            # Half precision normalises to about 1 +- 1e-3; do it again where it is exact.
            vectors = torch.nn.functional.normalize(found.float(), dim=1).cpu().numpy()
        return np.asarray(vectors, dtype=np.float32)

    def warm_up(self) -> None:
        """Encode one short and one full text, so that kernels are loaded."""
        self.encode(self.tokenize(["warm"]))
        self.encode(self.tokenize(["warm " * self._spec.max_tokens]))

    def _features(self, rows: torch.Tensor) -> dict[str, Any]:
        mask = (rows != self._tokenizer.pad_id).long()
        return {
            "input_ids": rows,
            "attention_mask": mask,
            "token_type_ids": torch.zeros_like(rows),
        }
