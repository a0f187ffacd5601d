"""What the scorer's domain needs from outside."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from pellucid_scorer.models import Prefixes, Scale
from pellucid_scorer.understanding.card import Card
from pellucid_scorer.understanding.layout import Arranged, Cutter
from pellucid_scorer.understanding.reading import Logits

TokenIds = Sequence[int]
Vectors = npt.NDArray[np.float32]
Shares = npt.NDArray[np.float32]


class Encoder(Protocol):
    """A sentence-embedding model on some device. Its methods are called from worker threads."""

    @property
    def name(self) -> str:
        """Model, device and precision, for example ``all-MiniLM-L6-v2/cpu-bf16``."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    @property
    def parallelism(self) -> int:
        """Batches that may be encoded at the same time."""

    @property
    def batch_tokens(self) -> int:
        """Tokens that one batch should not exceed."""

    def most_texts(self, longest: int) -> int:
        """Return how many texts a batch may have whose longest has so many tokens, at least 1.

        Where each text is computed as if it were as long as the longest, this bounds its padding.
        """

    def padded(self, tokens: int) -> int:
        """Return what a batch of so many tokens is rounded up to; its costs go by that."""

    @property
    def prefixes(self) -> Prefixes:
        """What the model wants before a question and before a passage."""

    @property
    def scale(self) -> Scale:
        """How its cosines become likenesses on the scale of the thresholds."""

    @property
    def scripts(self) -> frozenset[str]:
        """Scripts that the model was trained on, as `scripts.is_read_by` takes them."""

    @property
    def languages(self) -> frozenset[str]:
        """ISO 639-1 codes of those that it is good at; none: it is equally good at all."""

    def tokenize(self, texts: Sequence[str]) -> Sequence[TokenIds]:
        """Return the token ids of each text, special ones included, cut at the model's length."""

    def encode(self, batch: Sequence[TokenIds]) -> Vectors:
        """Return float32[n, dimensions] in order, each row of length 1. Thread-safe."""


class PlainText(NamedTuple):
    """A text, and whether it is a question; some models tell the two apart."""

    text: str
    is_question: bool = False


class EmbeddingServer(Protocol):
    """A sentence-embedding model that another process serves."""

    @property
    def name(self) -> str:
        """Model and host."""

    @property
    def receiver(self) -> str:
        """Host outside the installation that texts go to; empty: they stay inside."""

    async def embed(self, texts: Sequence[PlainText], *, within_s: float) -> Vectors:
        """Return float32[n, d] in order, each row of length 1.

        Raises:
            ServiceError: No usable answer in time; it may tell when to ask again.
        """


class PairModel(Protocol):
    """A model that reads two texts together. Its methods are called from worker threads."""

    @property
    def name(self) -> str:
        """Model and device."""

    def rate(self, pairs: Sequence[tuple[str, str]]) -> Shares:
        """Return float32[n] in [0, 1]: how surely one text answers or says the other."""


class ReadingModel(Protocol):
    """A model that reads a message with its history. Its methods are called from one thread."""

    @property
    def name(self) -> str:
        """Encoder, device, precision and the weights laid over it."""

    @property
    def card(self) -> Card:
        """What its weights were trained for."""

    @property
    def pieces(self) -> Cutter:
        """The encoder's tokenizer."""

    def run(self, arranged: Arranged) -> Logits:
        """Return what it gives for one input."""


class ReadingObserver(Protocol):
    """Is told what the reading of messages does; metrics implement it."""

    def waiting(self, messages: int) -> None:
        """Report how many messages wait or are being read now."""

    def read(self, *, tokens: int, seconds: float) -> None:
        """Report one message: the pieces read of it and its history, and its time in the model."""

    def refused(self) -> None:
        """Report a message that found too many waiting."""


class BatchObserver(Protocol):
    """Is told what the batching does; metrics implement it."""

    def queued(self, *, texts: int, tokens: int) -> None:
        """Report what waits now."""

    def encoded(self, *, texts: int, tokens: int, padding: int, seconds: float) -> None:
        """Report one batch: real tokens, padding tokens and its time in the model."""

    def refused(self, *, texts: int) -> None:
        """Report a request that found the queue full."""

    def dropped(self, *, texts: int) -> None:
        """Report texts that were not encoded because nobody waits for them any more."""

    def looked_up(self, *, hits: int, misses: int, joined: int) -> None:
        """Report texts found in the cache, new ones, and ones that were already on their way."""
