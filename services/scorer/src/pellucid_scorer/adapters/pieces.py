"""The tokenizer of a 4-bit model: SentencePiece over a vocabulary that comes with the weights.

The library `tokenizers`, which reads the other models' files, would take 180 MB more for the same
quarter of a million pieces.
"""

import unicodedata
from collections.abc import Sequence
from typing import Any

from sentencepiece import SentencePieceProcessor, sentencepiece_model_pb2

from pellucid_scorer.adapters.packed_model import Vocabulary
from pellucid_scorer.ports import TokenIds

SPACE = " "
# Made by protobuf at run time, which no stub of the library tells.
_Model: Any = sentencepiece_model_pb2.ModelProto  # type: ignore[attr-defined]
_Piece = _Model.SentencePiece


class Pieces:
    """Cuts texts into the pieces of a vocabulary.

    Args:
        vocabulary: The pieces.
        max_tokens: At which a text is cut.
    """

    def __init__(self, vocabulary: Vocabulary, max_tokens: int) -> None:
        self._most = max_tokens - 2
        self._first, self._last = vocabulary.first, vocabulary.last
        self._processor = SentencePieceProcessor(model_proto=_model(vocabulary))
        replaced = vocabulary.replaced.items()
        # What is neither removed nor made a space is NFKC's, which also joins what is apart.
        self._plain = str.maketrans({char: to for char, to in replaced if to in ("", SPACE)})

    def rows(self, texts: Sequence[str]) -> list[TokenIds]:
        """Return the ids of each text, the first and the last token included."""
        normal = [self._normal(text) for text in texts]
        found: list[list[int]] = self._processor.encode(normal, num_threads=1)
        return [[self._first, *ids[: self._most], self._last] for ids in found]

    def _normal(self, text: str) -> str:
        # Half of a surrogate pair has no place in UTF-8.
        whole = text.encode("utf-8", "replace").decode()
        return unicodedata.normalize("NFKC", whole.translate(self._plain))


def _model(vocabulary: Vocabulary) -> bytes:
    """Return the vocabulary as the library reads it."""
    kinds = dict.fromkeys((vocabulary.first, vocabulary.last, vocabulary.pad), _Piece.CONTROL)
    kinds[vocabulary.unknown] = _Piece.UNKNOWN
    model = _Model()
    model.pieces.extend(
        _Piece(piece=piece, score=score, type=kinds.get(place, _Piece.NORMAL))
        for place, (piece, score) in enumerate(vocabulary.pieces)
    )
    trainer = model.trainer_spec
    trainer.unk_id, trainer.pad_id = vocabulary.unknown, vocabulary.pad
    trainer.bos_id, trainer.eos_id = vocabulary.first, vocabulary.last
    model.normalizer_spec.name = "identity"
    written: bytes = model.SerializeToString()
    return written
