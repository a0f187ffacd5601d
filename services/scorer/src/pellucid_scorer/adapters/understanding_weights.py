"""The weights that we trained: read, verified, and laid over those of their encoder.

One file of this package, float16 throughout. Where a matrix of the encoder was trained further, it
has two thin ones whose product is added to it; its layer norms may be replaced; each token's
segment has a vector that is added to the embedding; and small heads read the last layer.

Source: Hu et al. 2021 (LoRA).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open

from pellucid_scorer.adapters.loaded_model import LoadedModel
from pellucid_scorer.adapters.model_files import verify
from pellucid_scorer.errors import ModelError
from pellucid_scorer.models import ModelSpec
from pellucid_scorer.understanding.card import Card
from pellucid_scorer.understanding.reading import FRESHNESS, QUERIES

Floats = npt.NDArray[np.float32]

PACKAGE = "pellucid_scorer"
FILE = Path("data", "understanding.safetensors")
DIGEST = ".sha256"
"""Behind the file's name: the file that ``sha256sum`` writes of it."""

SEGMENT = "segment.weight"
KINDS = "embeddings.token_type_embeddings.weight"
_MATRICES = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "o": "attention.output.dense",
    "fi": "intermediate.dense",
    "fo": "output.dense",
}
_NORMS = {"1": "attention.output.LayerNorm", "2": "output.LayerNorm"}
_HEADS = {"tag.0": None, "tag.2": QUERIES, "pool.0": None, "search": 1, "leans": 1}


@dataclass(frozen=True, slots=True)
class UnderstandingWeights:
    """The trained weights.

    Attributes:
        card: What they were trained on, and for.
        tensors: By their names in the file.
        sha256: Digest of the file.
    """

    card: Card
    tensors: Mapping[str, Floats]
    sha256: str

    @property
    def name(self) -> str:
        """What responses call them."""
        return f"understanding-{self.sha256[:8]}"

    def is_for(self, spec: ModelSpec) -> bool:
        """Tell whether they were trained on a model, in whatever precision it is now."""
        return spec.encoder == self.card.encoder

    @classmethod
    def packaged(cls) -> Self | None:
        """Read the file of this package; None: it has none.

        Raises:
            ModelError: It is not the expected one, or cannot be used.
        """
        with as_file(files(PACKAGE).joinpath(*FILE.parts)) as path:
            return cls.read(path) if path.is_file() else None

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file and compare it with the digest beside it.

        Raises:
            ModelError: It is not the expected one, or cannot be used.
        """
        digest = path.with_name(path.name + DIGEST).read_text("ascii").split()[0]
        verify(path, digest)
        try:
            with safe_open(path, "numpy") as file:
                card = Card.from_metadata(file.metadata() or {})
                names = file.offset_keys()
                tensors = {name: file.get_tensor(name).astype(np.float32) for name in names}
        except SafetensorError as error:
            raise ModelError(f"{path}: {error}") from error
        _check_heads(tensors, card)
        return cls(card, tensors, digest)

    def laid_over(self, encoder: LoadedModel) -> LoadedModel:
        """Return an encoder's weights with these merged in; the word embeddings are shared.

        The segments take the place of the encoder's two kinds of token, of which it uses one.

        Raises:
            ModelError: They do not fit.
        """
        kinds = encoder.tensors[KINDS][:1] + self.tensors[SEGMENT]
        merged = dict(encoder.tensors) | {KINDS: kinds}
        for name, tensor in self.tensors.items():
            part, _, rest = name.partition(".")
            if part == "norm":
                merged[_norm(rest)] = tensor
            elif part == "lora" and name.endswith(".a"):
                matrix = _matrix(rest)
                more = self.tensors[name.removesuffix("a") + "b"] @ tensor
                merged[matrix] = _sum(matrix, encoder.tensors, more * np.float32(self.card.scale))
        return replace(encoder, tensors=merged)


def _sum(name: str, tensors: Mapping[str, Floats], more: Floats) -> Floats:
    found = tensors.get(name)
    if found is None or found.shape != more.shape:
        raise ModelError(f"trained weights do not fit their encoder: {name}")
    return found + more


def _matrix(rest: str) -> str:
    """Return the encoder's name for ``layer.matrix.a``."""
    layer, short, _ = rest.split(".")
    return f"encoder.layer.{layer}.{_MATRICES[short]}.weight"


def _norm(rest: str) -> str:
    """Return the encoder's name for ``layer.norm.part`` or ``emb.part``."""
    place, _, tail = rest.partition(".")
    if place == "emb":
        return f"embeddings.LayerNorm.{tail}"
    number, _, part = tail.partition(".")
    return f"encoder.layer.{place}.{_NORMS[number]}.{part}"


def _check_heads(tensors: Mapping[str, Floats], card: Card) -> None:
    """Raise an error unless every head is there and as wide as its labels."""
    wanted = {**_HEADS, "fresh": len(FRESHNESS), "kind": len(card.kinds)}
    for name, labels in wanted.items():
        weight, bias = tensors.get(f"{name}.weight"), tensors.get(f"{name}.bias")
        if weight is None or bias is None or len(bias) != (labels or len(weight)):
            raise ModelError(f"trained weights: head {name} is missing or of another size")
    if SEGMENT not in tensors:
        raise ModelError(f"trained weights: {SEGMENT} is missing")
