"""Texts to vectors: cache first, equal texts once, the rest through the batcher."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from time import monotonic

import numpy as np

from pellucid_language.scripts import is_read_by
from pellucid_runtime.errors import OverloadedError
from pellucid_runtime.rpc.deadline import remaining_s
from pellucid_scorer.encoding.batching import QUEUE, Batcher, Encoded, Job
from pellucid_scorer.encoding.embedding_cache import EmbeddingCache, key_of
from pellucid_scorer.encoding.overload_gate import OverloadGate
from pellucid_scorer.models import Scale
from pellucid_scorer.ports import BatchObserver, Encoder, TokenIds, Vectors
from pellucid_scorer.spent import Spent

CHARACTERS_PER_TOKEN = 5
"""English prose has four to five; guessed without reading, so that a call which will be refused
costs no tokenizing. What slips through is counted exactly before it is queued."""
LONGEST_GUESS = 256
"""Tokens at which the usual models cut a text."""

TOKENS_READ = (192, 128, 96, 64, 48, 32)
"""To which texts are cut, at most, where the whole of them would be late. The first tokens are the
title and the beginning of a snippet, which tell most of what it is about."""
SAMPLE = "The ferry to the outer islands leaves at seven in the morning and comes back at six. " * 3
SAMPLES = 10
"""Texts by which the rate is measured at the start: two batches, each long enough to tell."""

Key = bytes


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors of one call.

    Attributes:
        vectors: float32[n, d], one unit row per text, in order.
        model: Model and precision.
        scripts: Scripts that the model was trained on.
        languages: That the model is good at; none: it is equally good at all.
        scale: How its cosines become likenesses.
        spent: Where the time went.
    """

    vectors: Vectors
    model: str
    scripts: frozenset[str]
    languages: frozenset[str]
    scale: Scale
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
        self._gate = OverloadGate(batcher)
        self._cache = cache
        self._executor = executor
        self._observer = observer
        self._coming: dict[Key, Job] = {}

    async def measure(self) -> None:
        """Encode a few texts, so that the rate is known before the first call."""
        samples = [f"{number} {SAMPLE}" for number in range(SAMPLES)]
        tokens = await self._tokenized(samples)
        jobs = self._batcher.submit(tokens)
        await asyncio.gather(*(job.done for job in jobs))
        self._batcher.leave(jobs)

    async def embed(
        self,
        texts: Sequence[str],
        *,
        questions: int = 0,
        no_store: bool = False,
        within_s: float = inf,
        may_skip: bool = False,
    ) -> Embedded:
        """Return the vectors of some texts, in order.

        Args:
            texts: Passages, after the questions.
            questions: How many of the texts are questions; some models tell them apart.
            no_store: Their vectors are not kept once they are told.
            within_s: Where the whole texts would take longer, their beginnings are read.
            may_skip: Refuse rather than come later than that.

        Raises:
            OverloadedError: The queue is full, or too long for the time that the caller has;
                refused before any work.
        """
        texts = self._prefixed(texts, questions)
        keys = [key_of(text) for text in texts]
        found = self._cached(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        self._observe(keys, missing)
        new = [text for key, text in missing.items() if key not in self._coming]
        left_s = remaining_s()
        self._gate.enter(
            texts=len(new),
            tokens=sum(map(_guess, new)),
            within_s=inf if left_s is None else left_s,
        )
        time = _Time(within_s=within_s, may_skip=may_skip)
        fresh, spent = (
            await self._compute(missing, time, no_store=no_store) if missing else ({}, Spent())
        )
        read = f"[{time.most_tokens} tokens]" if time.most_tokens else ""
        every = found | fresh
        vectors = np.array([every[key] for key in keys], dtype=np.float32)
        return Embedded(
            vectors.reshape(len(keys), self._encoder.dimensions),
            self._encoder.name + read,
            self._encoder.scripts,
            self._encoder.languages,
            self._encoder.scale,
            replace(spent, cached_texts=sum(key in found for key in keys)),
        )

    @property
    def scripts(self) -> frozenset[str]:
        """Scripts that the model was trained on."""
        return self._encoder.scripts

    def reads(self, texts: Iterable[str]) -> bool:
        """Tell whether the model was trained on the scripts of all of some texts."""
        return all(is_read_by(self._encoder.scripts, text) for text in texts)

    def refusal(self) -> OverloadedError | None:
        """Return what a call gets that is refused before it is read; None: it is to be read."""
        return self._gate.refusal()

    def _prefixed(self, texts: Sequence[str], questions: int) -> Sequence[str]:
        """Return the texts as the model wants them."""
        prefixes = self._encoder.prefixes
        return [
            (prefixes.query if place < questions else prefixes.passage) + text
            for place, text in enumerate(texts)
        ]

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

    async def _compute(
        self, texts: Mapping[Key, str], time: "_Time", *, no_store: bool
    ) -> tuple[dict[Key, Vectors], Spent]:
        """Return the vectors of texts that are not in the cache."""
        started = monotonic()
        tokens = await self._tokenized(list(texts.values()))
        tokenize_s = monotonic() - started
        cut = self._affordable(tokens, time)
        names = [_name(key, whole, ids) for key, whole, ids in zip(texts, tokens, cut, strict=True)]
        known = self._cached(names)
        wanted = {name: ids for name, ids in zip(names, cut, strict=True) if name not in known}
        fresh, spent = await self._encoded(wanted, no_store=no_store) if wanted else ({}, Spent())
        found = known | fresh
        vectors = {key: found[name] for key, name in zip(texts, names, strict=True)}
        return vectors, replace(spent, tokenize_s=tokenize_s)

    async def _tokenized(self, texts: Sequence[str]) -> Sequence[TokenIds]:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, self._encoder.tokenize, texts)

    def _affordable(self, texts: Sequence[TokenIds], time: "_Time") -> Sequence[TokenIds]:
        """Return texts, or as much of the beginning of each as is encoded in time.

        Raises:
            OverloadedError: Not even the shortest would be, and it may be left out.
        """
        room = self._batcher.tokens_within(time.within_s)
        if sum(map(len, texts)) <= room:
            return texts
        sums = {most: sum(min(most, len(ids)) for ids in texts) for most in TOKENS_READ}
        most = next((most for most, tokens in sums.items() if tokens <= room), None)
        if most is None and time.may_skip:
            raise OverloadedError(QUEUE, retry_after_s=time.within_s)
        time.most_tokens = most or TOKENS_READ[-1]
        return [_shortened(ids, time.most_tokens) for ids in texts]

    async def _encoded(
        self, tokens: Mapping[Key, TokenIds], *, no_store: bool
    ) -> tuple[dict[Key, Vectors], Spent]:
        jobs = self._join(tokens, no_store=no_store)
        try:
            # Unlike gather, wait leaves the jobs alone when this caller departs.
            await asyncio.wait([job.done for job in jobs.values()])
        finally:
            self._batcher.leave(jobs.values())
        for job in jobs.values():  # look at every failure, so that none counts as unnoticed
            job.done.exception()
        encoded = {key: job.done.result() for key, job in jobs.items()}
        vectors = {key: one.vector for key, one in encoded.items()}
        return vectors, _slowest(encoded.values())

    def _join(self, tokens: Mapping[Key, TokenIds], *, no_store: bool) -> dict[Key, Job]:
        """Return the job of each text: one that is already on its way, or a new one."""
        known = {key: job for key in tokens if (job := self._coming.get(key)) is not None}
        coming = {key: job for key, job in known.items() if not job.done.done()}
        new = [key for key in tokens if key not in coming]
        submitted = self._gate.submit([tokens[key] for key in new])
        for job in coming.values():
            job.waiters += 1
        started = dict(zip(new, submitted, strict=True))
        for key, job in started.items():
            self._coming[key] = job
            job.done.add_done_callback(partial(self._settle, key, job, no_store))
        return coming | started

    def _settle(
        self,
        key: Key,
        job: Job,
        no_store: bool,  # noqa: FBT001 - bound by partial
        done: "asyncio.Future[Encoded]",
    ) -> None:
        """Keep the vector of a finished job, if it may be kept."""
        if self._coming.get(key) is job:
            del self._coming[key]
        if not no_store and not done.cancelled() and done.exception() is None:
            self._cache.put(key, done.result().vector)


@dataclass(slots=True, kw_only=True)
class _Time:
    """Seconds for the vectors of one call, and what became of them.

    Attributes:
        may_skip: It is refused rather than late.
        most_tokens: To which texts were cut; 0 for none.
    """

    within_s: float
    may_skip: bool
    most_tokens: int = 0


def _shortened(ids: TokenIds, most: int) -> TokenIds:
    """Return the first tokens of a text, and its last, which ends it for the model."""
    return ids if len(ids) <= most else [*ids[: most - 1], ids[-1]]


def _name(key: Key, whole: TokenIds, ids: TokenIds) -> Key:
    """Return what the vector of a text, or of its first tokens, is kept under."""
    return key if len(ids) == len(whole) else key + bytes([len(ids)])


def _guess(text: str) -> int:
    """Return about how many tokens a text has, seldom more, without reading it."""
    return min(LONGEST_GUESS, 1 + len(text) // CHARACTERS_PER_TOKEN)


def _slowest(encoded: Iterable[Encoded]) -> Spent:
    times = [(one.queue_s, one.encode_s) for one in encoded]
    return Spent(0.0, max(queue for queue, _ in times), max(encode for _, encode in times))
