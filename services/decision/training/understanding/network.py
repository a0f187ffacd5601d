"""The network that is trained: the packed encoder, low-rank changes to its layers, and heads.

What the scorer's `understanding` serves must compute the same; its tests hold both together by the
exported file's format, not by this code.
"""

import math
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from pellucid_scorer.adapters.packed_model import BLOCK, BLOCK_BYTES, WORDS, PackedModel, _unpacked

RANK = 16
SCALE = 2.0
FRESH = 5
QUERIES = 3
SEGMENTS = 3
WIDE = 128
SPREADS = ("middle", "spread", "token_middle", "token_spread")
_SHORT = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "o": "attention.output.dense",
    "fi": "intermediate.dense",
    "fo": "output.dense",
}


class Lora(nn.Module):
    """A frozen linear layer and the low-rank change that is learnt."""

    def __init__(self, weight: np.ndarray, bias: np.ndarray) -> None:
        super().__init__()
        self.register_buffer("weight", torch.tensor(weight))
        self.register_buffer("bias", torch.tensor(bias))
        self.a = nn.Parameter(torch.randn(RANK, weight.shape[1]) / math.sqrt(weight.shape[1]))
        self.b = nn.Parameter(torch.zeros(weight.shape[0], RANK))

    def forward(self, x: Tensor) -> Tensor:
        """Return the layer's output."""
        # Apart from the weight, which needs no gradient of its own then.
        changed = functional.linear(functional.linear(x, self.a), self.b)
        return functional.linear(x, self.weight, self.bias) + SCALE * changed


class Layer(nn.Module):
    """One transformer layer."""

    def __init__(self, weights: dict[str, Any], number: int, heads: int, epsilon: float) -> None:
        super().__init__()
        for short, name in _SHORT.items():
            path = f"encoder.layer.{number}.{name}"
            setattr(self, short, Lora(weights[f"{path}.weight"], weights[f"{path}.bias"]))
        self.n1 = _norm(weights, f"encoder.layer.{number}.attention.output.LayerNorm", epsilon)
        self.n2 = _norm(weights, f"encoder.layer.{number}.output.LayerNorm", epsilon)
        self.heads = heads

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Return the hidden states after this layer."""
        batch, length, width = x.shape

        def split(y: Tensor) -> Tensor:
            return y.view(batch, length, self.heads, width // self.heads).transpose(1, 2)

        seen = functional.scaled_dot_product_attention(
            split(self.q(x)), split(self.k(x)), split(self.v(x)), attn_mask=mask
        )
        seen = seen.transpose(1, 2).reshape(batch, length, width)
        x = self.n1(x + self.o(seen))
        return self.n2(x + self.fo(functional.gelu(self.fi(x))))


class Understanding(nn.Module):
    """Encoder and heads.

    Args:
        file: The packed encoder.
        kinds: How many kinds of messages are told apart.
    """

    def __init__(self, file: Path, kinds: int) -> None:
        super().__init__()
        packed = PackedModel.read(file)
        self.packed = packed
        weights, sizes, epsilon = packed.weights(), packed.sizes, packed.shape.norm_epsilon
        width = sizes.hidden
        rows = packed._raw(WORDS)  # noqa: SLF001 - rows are unpacked one by one here
        self._rows = rows.reshape(-1, width // BLOCK, BLOCK_BYTES)
        positions = weights["embeddings.position_embeddings.weight"]
        # Tables of RoBERTa's kind begin two places later.
        offset = 2 if sizes.positions % 2**8 == 2 else 0
        self.register_buffer("positions", torch.tensor(positions[offset:]))
        types = weights["embeddings.token_type_embeddings.weight"]
        self.register_buffer("only_type", torch.tensor(types[:1]))
        self.segment = nn.Embedding(SEGMENTS, width)
        nn.init.normal_(self.segment.weight, std=0.02)
        self.norm = _norm(weights, "embeddings.LayerNorm", epsilon)
        self.layers = nn.ModuleList(
            Layer(weights, number, sizes.heads, epsilon) for number in range(sizes.layers)
        )
        # All tokens have much in common, which a head must not spend its first steps on: its
        # units would fall silent. So each number is centred, and a head begins at the shares of
        # its classes.
        self.register_buffer("token_middle", torch.zeros(width))
        self.register_buffer("token_spread", torch.ones(width))
        self.tag = nn.Sequential(nn.Linear(width, WIDE), nn.GELU(), nn.Linear(WIDE, QUERIES))
        # The encoder's vectors hardly differ from one another: heads learn from them only when
        # they are spread out, which `heads.py` does once the layers below are settled.
        self.register_buffer("middle", torch.zeros(2 * width))
        self.register_buffer("spread", torch.ones(2 * width))
        self.pool = nn.Sequential(nn.Linear(2 * width, WIDE), nn.GELU())
        self.search = nn.Linear(WIDE, 1)
        self.leans = nn.Linear(WIDE, 1)
        self.fresh = nn.Linear(WIDE, FRESH)
        self.kind = nn.Linear(WIDE, kinds)

    def forward(self, ids: np.ndarray, segments: Tensor, mask: Tensor) -> dict[str, Tensor]:
        """Return logits: tags [b, t, 3], search and leans [b], fresh [b, 5], kind [b, k]."""
        unique, places = np.unique(ids, return_inverse=True)
        words = torch.from_numpy(_unpacked(self._rows[unique]))
        x = words[torch.from_numpy(places.reshape(ids.shape))]
        x = self.norm(x + self.positions[: ids.shape[1]] + self.only_type + self.segment(segments))
        seen = torch.where(mask[:, None, None, :], 0.0, -1e4)
        for layer in self.layers:
            x = layer(x, seen)
        live = mask[..., None].float()
        seen_whole = torch.cat([x[:, 0], (x * live).sum(1) / live.sum(1)], dim=1)
        pooled = self.pool((seen_whole - self.middle) / self.spread)
        return {
            "whole": seen_whole,
            "tags": self.tag((x - self.token_middle) / self.token_spread),
            "hidden": x,
            "search": self.search(pooled)[:, 0],
            "leans": self.leans(pooled)[:, 0],
            "fresh": self.fresh(pooled),
            "kind": self.kind(pooled),
        }

    def learnt(self) -> dict[str, Tensor]:
        """Return what differs from the encoder, by the names of the served file."""
        found: dict[str, Tensor] = {"segment.weight": self.segment.weight}
        for number, layer in enumerate(self.layers):
            for short in _SHORT:
                lora = getattr(layer, short)
                found |= {f"lora.{number}.{short}.a": lora.a, f"lora.{number}.{short}.b": lora.b}
            for place, norm in ((1, layer.n1), (2, layer.n2)):
                found |= _named(f"norm.{number}.{place}", norm)
        found |= _named("norm.emb", self.norm)
        found |= _spread("tag.0", self.tag[0], self.token_middle, self.token_spread)
        found |= _named("tag.2", self.tag[2])
        found |= _spread("pool.0", self.pool[0], self.middle, self.spread)
        for head in ("search", "leans", "fresh", "kind"):
            found |= _named(head, getattr(self, head))
        return {name: tensor.detach() for name, tensor in found.items()}

    def trainable(self) -> dict[str, Tensor]:
        """Return the parameters as they are saved between runs."""
        kept = dict(self.named_parameters())
        kept |= {name: getattr(self, name) for name in SPREADS}
        return {name: value.detach().clone() for name, value in kept.items()}


def _spread(name: str, layer: nn.Linear, middle: Tensor, spread: Tensor) -> dict[str, Tensor]:
    """Return a layer that does the centring as well."""
    weight = layer.weight / spread
    return {f"{name}.weight": weight, f"{name}.bias": layer.bias - weight @ middle}


def _named(name: str, module: nn.Module) -> dict[str, Tensor]:
    return {f"{name}.weight": module.weight, f"{name}.bias": module.bias}


def _norm(weights: dict[str, Any], name: str, epsilon: float) -> nn.LayerNorm:
    norm = nn.LayerNorm(len(weights[f"{name}.weight"]), eps=epsilon)
    norm.weight.data = torch.tensor(weights[f"{name}.weight"])
    norm.bias.data = torch.tensor(weights[f"{name}.bias"])
    return norm
