"""Texts to token ids, exactly as sentence-transformers does it, within a bounded time."""

from collections.abc import Sequence
from typing import Protocol

from tokenizers import Tokenizer

from pellucid_scorer.adapters.model_files import ModelFiles
from pellucid_scorer.adapters.packed_model import PackedModel
from pellucid_scorer.adapters.pieces import Pieces
from pellucid_scorer.errors import ModelMissingError
from pellucid_scorer.ports import TokenIds
from pellucid_scorer.understanding.layout import Cutter

FIRST_LOOK = 4096
"""Characters that are tokenized at first: nearly always enough to fill a model's length."""


class _Rows(Cutter, Protocol):
    """What cuts texts into tokens."""

    def rows(self, texts: Sequence[str]) -> list[TokenIds]:
        """Return the ids of each text, special ones included, cut at the model's length."""


class ModelTokenizer:
    """The tokenizer of a model.

    Args:
        files: The model.

    Attributes:
        pad_id: Token id that fills a batch's shorter rows.
        pieces: What cuts single words.
    """

    def __init__(self, files: ModelFiles) -> None:
        self._max_tokens = files.spec.max_tokens
        self._read, self.pad_id = _packed(files) if files.is_packed else _plain(files)
        self.pieces: Cutter = self._read

    def tokenize(self, texts: Sequence[str]) -> tuple[TokenIds, ...]:
        """Return the ids of each text, special ones included, cut at the model's length.

        A long text is cut first, since its end cannot be read anyway; only one that stays short
        in tokens (a page of spaces) is tokenized whole.
        """
        rows = self._rows([text[:FIRST_LOOK] for text in texts])
        return tuple(
            row
            if len(text) <= FIRST_LOOK or len(row) == self._max_tokens
            else self._rows([text])[0]
            for text, row in zip(texts, rows, strict=True)
        )

    def _rows(self, texts: Sequence[str]) -> list[TokenIds]:
        return self._read.rows(texts)


class _FromFile:
    """The tokenizer that ``tokenizer.json`` describes."""

    def __init__(self, tokenizer: Tokenizer, max_tokens: int) -> None:
        self._tokenizer = tokenizer
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens)
        self.first, self.last = tokenizer.encode("").ids

    def rows(self, texts: Sequence[str]) -> list[TokenIds]:
        """Return the ids of each text."""
        return [encoding.ids for encoding in self._tokenizer.encode_batch_fast(list(texts))]

    def cut(self, words: Sequence[str]) -> list[list[tuple[int, int, int]]]:
        """Return the pieces of words: their ids, starts and ends in code points."""
        found = self._tokenizer.encode_batch(list(words), add_special_tokens=False)
        return [
            [(piece, *span) for piece, span in zip(word.ids, word.offsets, strict=True)]
            for word in found
        ]


def _plain(files: ModelFiles) -> tuple[_Rows, int]:
    """Return the tokenizer of a folder and the id of its padding token."""
    tokenizer = Tokenizer.from_file(str(files.tokenizer))
    pad_id = tokenizer.token_to_id(files.pad_token)
    if pad_id is None:
        raise ModelMissingError(f"model {files.spec.name}: its padding token is no token")
    return _FromFile(tokenizer, files.spec.max_tokens), pad_id


def _packed(files: ModelFiles) -> tuple[_Rows, int]:
    model = PackedModel.read(files.weights)
    return Pieces(model.vocabulary(), files.spec.max_tokens), model.shape.pad_id
