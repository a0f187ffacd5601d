"""Texts to vectors: cache first, equal texts once, the rest through the batcher."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from math import inf
from time import monotonic

import numpy as np

from pellucid_runtime.deadline import remaining_s
from pellucid_runtime.errors import OverloadedError
from pellucid_scorer.batching import Batcher, Encoded, Job
from pellucid_scorer.door import Door
from pellucid_scorer.embedding_cache import EmbeddingCache
from pellucid_scorer.ports import BatchObserver, Encoder, TokenIds, Vectors

DIGEST_BYTES = 16
"""Chance of two texts in a full cache sharing a digest: below 1e-28."""

CHARACTERS_PER_TOKEN = 5
"""English prose has four to five; guessed without reading, so that a call which will be refused
costs no tokenizing. What slips through is counted exactly before it is queued."""
LONGEST_GUESS = 256
"""Tokens at which the usual models cut a text."""

Key = bytes


@dataclass(frozen=True, slots=True)
class Spent:
    """Where the time of one call went, in seconds; the slowest text counts."""

    tokenize_s: float = 0.0
    queue_s: float = 0.0
    encode_s: float = 0.0
    cached_texts: int = 0


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors of one call.

    Attributes:
        vectors: float32[n, d], one unit row per text, in order.
        model: Model and precision.
        scripts: Scripts that the model was trained on.
        spent: Where the time went.
    """

    vectors: Vectors
    model: str
    scripts: frozenset[str]
    spent: Spent


class Embedder:
    """Embeds the texts of many callers at once.

    Args:
        encoder: The model.
        batcher: Queue before it.
        cache: Vectors of earlier texts.
        executor: Threads for tokenizing.
        observer: Is told of cache hits.
    """

    def __init__(
        self,
        encoder: Encoder,
        *,
        batcher: Batcher,
        cache: EmbeddingCache,
        executor: Executor,
        observer: BatchObserver,
    ) -> None:
        self._encoder = encoder
        self._batcher = batcher
        self._door = Door(batcher)
        self._cache = cache
        self._executor = executor
        self._observer = observer
        self._coming: dict[Key, Job] = {}

    async def embed(self, texts: Sequence[str]) -> Embedded:
        """Return the vectors of some texts, in order.

        Raises:
            OverloadedError: The queue is full, or too long for the time that the caller has;
                refused before any work.
        """
        keys = [_key(text) for text in texts]
        found = self._cached(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        self._observe(keys, missing)
        new = [text for key, text in missing.items() if key not in self._coming]
        left_s = remaining_s()
        within_s = inf if left_s is None else left_s
        self._door.enter(texts=len(new), tokens=sum(map(_guess, new)), within_s=within_s)
        fresh, spent = await self._compute(missing) if missing else ({}, Spent())
        every = found | fresh
        vectors = np.array([every[key] for key in keys], dtype=np.float32)
        return Embedded(
            vectors.reshape(len(keys), self._encoder.dimensions),
            self._encoder.name,
            self._encoder.scripts,
            replace(spent, cached_texts=sum(key in found for key in keys)),
        )

    def refusal(self) -> OverloadedError | None:
        """Return what a call gets that is refused before it is read; None: it is to be read."""
        return self._door.refusal()

    def _cached(self, keys: Iterable[Key]) -> dict[Key, Vectors]:
        pairs = ((key, self._cache.get(key)) for key in set(keys))
        return {key: vector for key, vector in pairs if vector is not None}

    def _observe(self, keys: Sequence[Key], missing: Mapping[Key, str]) -> None:
        joined = len(missing.keys() & self._coming.keys())
        self._observer.looked_up(
            hits=sum(key not in missing for key in keys),
            misses=len(missing) - joined,
            joined=joined,
        )

    async def _compute(self, texts: Mapping[Key, str]) -> tuple[dict[Key, Vectors], Spent]:
        """Return the vectors of texts that are not in the cache."""
        started = monotonic()
        loop = asyncio.get_running_loop()
        tokens = await loop.run_in_executor(
            self._executor, self._encoder.tokenize, list(texts.values())
        )
        tokenize_s = monotonic() - started
        jobs = self._join(dict(zip(texts, tokens, strict=True)))
        try:
            # Unlike gather, wait leaves the jobs alone when this caller departs.
            await asyncio.wait([job.done for job in jobs.values()])
        finally:
            self._batcher.leave(jobs.values())
        for job in jobs.values():  # look at every failure, so that none counts as unnoticed
            job.done.exception()
        encoded = {key: job.done.result() for key, job in jobs.items()}
        vectors = {key: one.vector for key, one in encoded.items()}
        return vectors, _slowest(encoded.values(), tokenize_s)

    def _join(self, tokens: Mapping[Key, TokenIds]) -> dict[Key, Job]:
        """Return the job of each text: one that is already on its way, or a new one."""
        known = {key: job for key in tokens if (job := self._coming.get(key)) is not None}
        coming = {key: job for key, job in known.items() if not job.done.done()}
        new = [key for key in tokens if key not in coming]
        submitted = self._door.submit([tokens[key] for key in new])
        for job in coming.values():
            job.waiters += 1
        started = dict(zip(new, submitted, strict=True))
        for key, job in started.items():
            self._coming[key] = job
            job.done.add_done_callback(partial(self._settle, key, job))
        return coming | started

    def _settle(self, key: Key, job: Job, done: "asyncio.Future[Encoded]") -> None:
        """Keep the vector of a finished job."""
        if self._coming.get(key) is job:
            del self._coming[key]
        if not done.cancelled() and done.exception() is None:
            self._cache.put(key, done.result().vector)


def _guess(text: str) -> int:
    """Return about how many tokens a text has, seldom more, without reading it."""
    return min(LONGEST_GUESS, 1 + len(text) // CHARACTERS_PER_TOKEN)


def _key(text: str) -> Key:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).digest()


def _slowest(encoded: Iterable[Encoded], tokenize_s: float) -> Spent:
    times = [(one.queue_s, one.encode_s) for one in encoded]
    return Spent(tokenize_s, max(queue for queue, _ in times), max(encode for _, encode in times))
