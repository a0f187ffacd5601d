"""The model of understanding on a GPU, in half precision.

Imported only when a GPU was asked for or found; needs the ``gpu`` extra of this distribution. A
message is one small input, so its work is not recorded as that of batches is (see `cuda_encoder`):
some hundred operations take a few milliseconds.
"""

import torch
from torch.nn import functional

from pellucid_scorer.adapters.bert_graph import WORDS
from pellucid_scorer.adapters.loaded_model import LoadedModel
from pellucid_scorer.adapters.understanding_graph import POOLED
from pellucid_scorer.adapters.understanding_weights import UnderstandingWeights
from pellucid_scorer.understanding.layout import MESSAGE, MOST_TOKENS, Arranged
from pellucid_scorer.understanding.reading import Logits


class TorchReader:
    """A `ReadingModel` in torch.

    Args:
        encoder: The encoder as it was published.
        trained: The trained weights.
        device: As torch calls it.
    """

    def __init__(self, encoder: LoadedModel, trained: UnderstandingWeights, *, device: str) -> None:
        is_cpu = device == "cpu"
        kind = torch.float32 if is_cpu else torch.float16
        self.card = trained.card
        self.pieces = encoder.tokenizer.pieces
        precision = "fp32" if is_cpu else "fp16"
        self.name = f"{encoder.spec.name}/{device}-{precision}+{trained.name}"
        self._shape, self._device = encoder.shape, device
        tensors = {**trained.laid_over(encoder).tensors, **trained.tensors}
        if encoder.words is not None:
            tensors[WORDS] = encoder.words.plain()
        self._tensors = {
            name: torch.from_numpy(tensor).to(device, kind) for name, tensor in tensors.items()
        }

    def run(self, arranged: Arranged) -> Logits:
        """Return what the model gives for one input."""
        with torch.inference_mode():
            return self._logits(arranged)

    def warm_up(self) -> None:
        """Read the longest input."""
        some = self._shape.pad_id + 1
        self.run(Arranged((some,) * MOST_TOKENS, (MESSAGE,) * MOST_TOKENS, (None,) * MOST_TOKENS))

    def _logits(self, arranged: Arranged) -> Logits:
        hidden = self._embed(arranged)
        for number in range(self._shape.layers):
            hidden = self._layer(hidden, f"encoder.layer.{number}.")
        tags = self._dense(self._wide(hidden, "tag.0."), "tag.2.")
        pooled = self._wide(torch.cat([hidden[0], hidden.mean(0)]), "pool.0.")
        heads = (self._dense(pooled, f"{name}.") for name in POOLED)
        queries, *rest = (one.float().cpu().numpy() for one in (tags, *heads))
        return Logits(queries, *rest)

    def _embed(self, arranged: Arranged) -> torch.Tensor:
        ids, segments = (
            torch.tensor(values, device=self._device)
            for values in (arranged.ids, arranged.segments)
        )
        name = "embeddings.{}_embeddings.weight"
        placed = self._tensors[name.format("position")][: len(ids)]
        kinds = self._tensors[name.format("token_type")][segments]
        return self._norm(self._tensors[WORDS][ids] + placed + kinds, "embeddings.LayerNorm.")

    def _layer(self, hidden: torch.Tensor, name: str) -> torch.Tensor:
        query, key, value = (
            self._heads(self._dense(hidden, f"{name}attention.self.{part}."))
            for part in ("query", "key", "value")
        )
        mixed = functional.scaled_dot_product_attention(query, key, value)
        mixed = mixed[0].transpose(0, 1).reshape(hidden.shape)
        mixed = self._dense(mixed, name + "attention.output.dense.")
        hidden = self._norm(hidden + mixed, name + "attention.output.LayerNorm.")
        narrow = self._dense(
            self._wide(hidden, name + "intermediate.dense."), name + "output.dense."
        )
        return self._norm(hidden + narrow, name + "output.LayerNorm.")

    def _heads(self, hidden: torch.Tensor) -> torch.Tensor:
        """Return f16[1, heads, tokens, width of a head]."""
        return hidden.reshape(len(hidden), self._shape.heads, -1).transpose(0, 1)[None]

    def _wide(self, hidden: torch.Tensor, name: str) -> torch.Tensor:
        return functional.gelu(self._dense(hidden, name))

    def _dense(self, hidden: torch.Tensor, name: str) -> torch.Tensor:
        return functional.linear(
            hidden, self._tensors[name + "weight"], self._tensors[name + "bias"]
        )

    def _norm(self, hidden: torch.Tensor, name: str) -> torch.Tensor:
        weight, bias = self._tensors[name + "weight"], self._tensors[name + "bias"]
        return functional.layer_norm(hidden, weight.shape, weight, bias, self._shape.norm_epsilon)
