"""The tokenizer of a 4-bit model: SentencePiece over a vocabulary that comes with the weights.

The library `tokenizers`, which reads the other models' files, would take 180 MB more for the same
quarter of a million pieces.
"""

import unicodedata
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from sentencepiece import SentencePieceProcessor, sentencepiece_model_pb2

from pellucid_scorer.adapters.packed_model import Vocabulary
from pellucid_scorer.errors import ModelError
from pellucid_scorer.ports import TokenIds

SPACE = " "
BEGINNING = "▁"
"""What a piece has in place of the space before it."""
LONGEST = 115
"""Bytes of a piece: with them, its score and its kind, its length is written in one byte."""
# Made by protobuf at run time, which no stub of the library tells.
_Model: Any = sentencepiece_model_pb2.ModelProto  # type: ignore[attr-defined]
_Piece = _Model.SentencePiece


class Pieces:
    """Cuts texts into the pieces of a vocabulary.

    Args:
        vocabulary: The pieces.
        max_tokens: At which a text is cut.

    Attributes:
        first: Id of the token that begins a text.
        last: Id of the token that ends it.
    """

    def __init__(self, vocabulary: Vocabulary, max_tokens: int) -> None:
        self._most = max_tokens - 2
        self.first, self.last = vocabulary.first, vocabulary.last
        self._processor = SentencePieceProcessor(model_proto=_model(vocabulary))
        replaced = vocabulary.replaced.items()
        # What is neither removed nor made a space is NFKC's, which also joins what is apart.
        self._plain = str.maketrans({char: to for char, to in replaced if to in ("", SPACE)})

    def rows(self, texts: Sequence[str]) -> list[TokenIds]:
        """Return the ids of each text, the first and the last token included."""
        normal = [self._normal(text) for text in texts]
        found: list[list[int]] = self._processor.encode(normal, num_threads=1)
        return [[self.first, *ids[: self._most], self.last] for ids in found]

    def cut(self, words: Sequence[str]) -> list[list[tuple[int, int, int]]]:
        """Return the pieces of words in NFKC: their ids, starts and ends in code points."""
        written: list[list[str]] = self._processor.encode(words, out_type=str, num_threads=1)
        ids: list[list[int]] = self._processor.encode(words, num_threads=1)
        return [_placed(*word) for word in zip(ids, written, strict=True)]

    def _normal(self, text: str) -> str:
        # Half of a surrogate pair has no place in UTF-8.
        whole = text.encode("utf-8", "replace").decode()
        return unicodedata.normalize("NFKC", whole.translate(self._plain))


def _placed(ids: Sequence[int], pieces: Sequence[str]) -> list[tuple[int, int, int]]:
    """Return the pieces of a word, whose first one has the mark of a beginning before it."""
    ends = list(accumulate(len(piece.replace(BEGINNING, "")) for piece in pieces))
    return list(zip(ids, [0, *ends], ends, strict=False))


def _model(vocabulary: Vocabulary) -> bytes:
    """Return the vocabulary as the library reads it."""
    if max(map(len, vocabulary.pieces)) > LONGEST:
        raise ModelError(f"the vocabulary has a piece of more than {LONGEST} bytes")
    kinds = dict.fromkeys((vocabulary.first, vocabulary.last, vocabulary.pad), _Piece.CONTROL)
    kinds[vocabulary.unknown] = _Piece.UNKNOWN
    model = _Model()
    trainer = model.trainer_spec
    trainer.unk_id, trainer.pad_id = vocabulary.unknown, vocabulary.pad
    trainer.bos_id, trainer.eos_id = vocabulary.first, vocabulary.last
    model.normalizer_spec.name = "identity"
    rest: bytes = model.SerializeToString()
    pieces = (
        _piece(vocabulary, place, kinds.get(place)) for place in range(len(vocabulary.pieces))
    )
    return b"".join((*pieces, rest))


def _piece(vocabulary: Vocabulary, place: int, kind: int | None) -> bytes:
    """Return a piece as the model's message holds it: objects of protobuf take five times as long.

    Field 1 of the model is a piece; its own fields are text, score and kind.
    """
    text = vocabulary.pieces[place]
    score = vocabulary.scores[4 * place : 4 * place + 4]
    told = b"" if kind is None else bytes((0x18, kind))
    body = b"".join((bytes((0x0A, len(text))), text, b"\x15", score, told))
    return bytes((0x0A, len(body))) + body
