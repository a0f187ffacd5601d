"""A model in memory, from either kind of file, for everything that is built of it."""

from dataclasses import dataclass
from typing import Self

from safetensors.numpy import load_file

from pellucid_scorer.adapters.bert_graph import BertShape, NibbleTable, Weights
from pellucid_scorer.adapters.model_files import ModelFiles
from pellucid_scorer.adapters.packed_model import PackedModel
from pellucid_scorer.adapters.tokenizer import ModelTokenizer
from pellucid_scorer.models import ModelSpec


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """An encoder before it is compiled.

    Attributes:
        spec: Which model it is.
        tokenizer: Its tokenizer.
        tensors: Its weights by their Hugging Face names.
        shape: What they do not tell by themselves.
        words: The word embeddings where they are in 4 bits; None: they are among the tensors.
    """

    spec: ModelSpec
    tokenizer: ModelTokenizer
    tensors: Weights
    shape: BertShape
    words: NibbleTable | None = None

    @classmethod
    def read(cls, files: ModelFiles) -> Self:
        """Read a model's files."""
        tokenizer = ModelTokenizer(files)
        if files.is_packed:
            packed = PackedModel.read(files.weights)
            return cls(files.spec, tokenizer, packed.weights(), packed.shape, packed.words())
        config = files.config
        shape = BertShape(
            layers=config["num_hidden_layers"],
            heads=config["num_attention_heads"],
            norm_epsilon=config["layer_norm_eps"],
            pad_id=tokenizer.pad_id,
        )
        return cls(files.spec, tokenizer, load_file(files.weights), shape)
