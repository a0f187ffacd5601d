"""Vectors of an embedding service: asked within the call's time, cached, left alone where it fails.

It is one more voice in the likeness of question and results. Without its answer the local models
decide alone, and whoever asked is told.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic

import numpy as np
import structlog

from pellucid_language.scripts import is_read_by
from pellucid_runtime.breaker import LONGEST_PAUSE_S, Breaker
from pellucid_runtime.errors import ServiceError
from pellucid_scorer.encoding import fitted_scale
from pellucid_scorer.encoding.embedding import Embedded
from pellucid_scorer.encoding.embedding_cache import EmbeddingCache, key_of
from pellucid_scorer.models import Prefixes
from pellucid_scorer.ports import EmbeddingServer, PlainText, Vectors
from pellucid_scorer.spent import Spent

SERVICE = "embedding service"
MOST_BYTES = 1_024
"""Of a text that is sent: about 256 tokens of English, which is what local models read, and below
the 512 that some models refuse to exceed in any script with a tokenizer of its own."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Outbound:
    """One string that left the installation."""

    to: str
    text: str
    kind: str = "embedding"


@dataclass(frozen=True, slots=True)
class ServiceAnswer:
    """What an embedding service said.

    Attributes:
        embedded: Questions, then passages; None where it was not asked or did not answer in time.
        outbound: What left for it, whether or not an answer came.
        lost: The part that the call was done without.
    """

    embedded: Embedded | None = None
    outbound: tuple[Outbound, ...] = ()
    lost: tuple[str, ...] = ()


class ServiceEncoder:
    """Asks an embedding service.

    Args:
        server: The service.
        prefixes: What its model wants before a question and before a passage.
        cache: Vectors of earlier texts.
        most_s: Longest time that a call waits for it.
    """

    def __init__(
        self, server: EmbeddingServer, *, prefixes: Prefixes, cache: EmbeddingCache, most_s: float
    ) -> None:
        self._server = server
        self._prefixes = prefixes
        self._cache = cache
        self._most_s = most_s
        self._breaker = Breaker(monotonic)
        self._fitted: fitted_scale.Fitted | None = None

    @property
    def receiver(self) -> str:
        """Host outside the installation that texts go to; empty: they stay inside."""
        return self._server.receiver

    async def measure(self, within_s: float) -> None:
        """Fit its scale to the thresholds; until that has succeeded it is not heard."""
        texts = [self._prefixed(text) for text in fitted_scale.texts()]
        vectors = await self._asked(texts, within_s)
        if vectors is None:
            return
        self._fitted = fitted_scale.fit(vectors)
        if self._fitted is None:
            self._breaker.open(LONGEST_PAUSE_S)
            _log.warning("embedding_service_tells_nothing_apart", model=self._server.name)
            return
        scale, languages = self._fitted.scale, sorted(self._fitted.languages)
        _log.info(
            "embedding_service_measured",
            model=self._server.name,
            zero=round(scale.zero, 3),
            one=round(scale.one, 3),
            languages=languages or "all",
        )

    async def embed(
        self, questions: Sequence[str], passages: Sequence[str], *, within_s: float
    ) -> ServiceAnswer:
        """Return the vectors of questions and passages, as far as they come in time."""
        within_s = min(within_s, self._most_s)
        if self._fitted is None:
            await self.measure(within_s)
            return ServiceAnswer(lost=(SERVICE,))
        if not all(is_read_by(self._fitted.scripts, question) for question in questions):
            return ServiceAnswer()
        asked = [PlainText(question, is_question=True) for question in questions]
        texts = [self._prefixed(text) for text in (*asked, *map(PlainText, passages))]
        missing = [text for text in dict.fromkeys(texts) if self._cache.get(_key(text)) is None]
        return await self._answered(texts, missing, self._fitted, within_s)

    async def _answered(
        self,
        texts: Sequence[PlainText],
        missing: Sequence[PlainText],
        fitted: fitted_scale.Fitted,
        within_s: float,
    ) -> ServiceAnswer:
        begun = monotonic()
        if missing and not self._breaker.passable:
            return ServiceAnswer(lost=(SERVICE,))
        outbound = tuple(Outbound(self.receiver, text.text) for text in missing if self.receiver)
        known = {text: self._cache.get(_key(text)) for text in texts}
        fresh = await self._asked(missing, within_s) if missing else ()
        if fresh is None:
            return ServiceAnswer(outbound=outbound, lost=(SERVICE,))
        for text, vector in zip(missing, fresh, strict=True):
            self._cache.put(_key(text), vector)
            known[text] = vector
        embedded = Embedded(
            np.array([known[text] for text in texts], np.float32),
            self._server.name,
            fitted.scripts,
            fitted.languages,
            fitted.scale,
            Spent(encode_s=monotonic() - begun, cached_texts=len(texts) - len(missing)),
        )
        return ServiceAnswer(embedded, outbound)

    async def _asked(self, texts: Sequence[PlainText], within_s: float) -> Vectors | None:
        """Return the service's vectors; None where it is left alone or fails, which is logged."""
        if not self._breaker.admit():
            return None
        try:
            vectors = await self._server.embed(texts, within_s=within_s)
        except asyncio.CancelledError:
            self._breaker.abandon()
            raise
        except ServiceError as error:
            self._breaker.fail()
            if error.retry_after_s is not None:
                self._breaker.open(min(error.retry_after_s, LONGEST_PAUSE_S))
            _log.warning(
                "embedding_service_failed",
                model=self._server.name,
                error=str(error),
                pause_s=round(self._breaker.retry_in_s, 1),
            )
            return None
        self._breaker.succeed()
        return vectors

    def _prefixed(self, text: PlainText) -> PlainText:
        """Return a text as it is sent: its beginning, as the model wants it."""
        prefix = self._prefixes.query if text.is_question else self._prefixes.passage
        cut = f"{prefix}{text.text}".encode("utf-8", "replace")[:MOST_BYTES]
        return text._replace(text=cut.decode("utf-8", "ignore"))


def _key(text: PlainText) -> bytes:
    return key_of(f"{int(text.is_question)} {text.text}")
