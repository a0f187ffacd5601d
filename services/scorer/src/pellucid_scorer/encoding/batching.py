"""Dynamic batching: texts of concurrent callers share the model's batches.

One task owns the queue. It takes texts from the waiting callers in turn, a search's results at a
time, so that a large request cannot starve a small one and small ones end one after another. It
sorts what it took by length, so that little padding is computed, splits it so that all workers end
at about the same time, and encodes in worker threads, as many batches at a time as the encoder
allows. A queue that is full refuses at once; texts that nobody waits for any more are dropped
before they cost anything, and so are calls that would be answered too late for their callers.
"""

import asyncio
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate, islice
from math import inf
from time import monotonic
from typing import Self

from pellucid_runtime.errors import OverloadedError
from pellucid_scorer.ports import BatchObserver, Encoder, TokenIds, Vectors

QUEUE = "encode"
LOOK_AHEAD = 4
"""Batches' worth of tokens that are taken at once and sorted by length."""
TURN_TEXTS = 32
"""Texts that one caller has in its turn: all of a usual search. With one each, calls that wait
together would all end with the last of them, and then be scored while the model idles."""
IN_HAND = 1
"""Batches that wait for a worker, so that none idles until the event loop, busy refusing calls,
has time to hand it the next."""
SMALLEST_SHARE = 128
"""Tokens below which a batch is not split among the workers: its fixed costs would be doubled."""
SPARE = 0.85
"""Part of its share that a batch has at least where less of it leaves less padding: rounding up
costs 3 % of a full batch."""
FIRST_RATE = 8000.0
"""Tokens per second assumed until a batch was measured, for telling when to come again."""
MEASURED_PART = 0.25
"""Of a full batch: smaller ones take their fixed time and tell nothing of the rate."""
SMOOTHING = 0.2
"""Weight of the latest batch in the running rate."""
SHORTEST_WAIT_S = 0.02


@dataclass(eq=False, slots=True)
class Job:
    """One text on its way to a vector.

    Attributes:
        tokens: Token ids.
        done: Gets the vector float32[d] and the job's times.
        waiters: Callers that still want it.
        is_queued: It takes room in the queue.
        queued_at: Monotonic seconds when it was queued.
    """

    tokens: TokenIds
    done: asyncio.Future["Encoded"]
    waiters: int = 0
    is_queued: bool = True
    queued_at: float = field(default_factory=monotonic)

    @property
    def is_wanted(self) -> bool:
        """Somebody still waits and no result is there."""
        return self.waiters > 0 and not self.done.done()


@dataclass(frozen=True, slots=True)
class Encoded:
    """A vector float32[d] and where its time went, in seconds."""

    vector: Vectors
    queue_s: float
    encode_s: float


@dataclass(frozen=True, slots=True)
class _Batch:
    """Vectors float32[n, d] of a batch, when a worker began it and how long it took."""

    vectors: Vectors
    started: float
    seconds: float


class Batcher:
    """The queue of texts before an encoder, and the task that empties it.

    Args:
        encoder: The model.
        executor: Threads in which batches are encoded.
        observer: Is told of batches and refusals.
        max_tokens: Tokens that may wait; a request that would pass it is refused, unless
            nothing waits.
    """

    def __init__(
        self,
        encoder: Encoder,
        *,
        executor: Executor,
        observer: BatchObserver,
        max_tokens: int,
    ) -> None:
        self._encoder = encoder
        self._executor = executor
        self._observer = observer
        self._max_tokens = max_tokens
        self._callers: deque[deque[Job]] = deque()
        self._turn = TURN_TEXTS
        self._taken: Sequence[Job] = ()
        self._texts = 0
        self._tokens = 0
        self._in_hand = 0
        self._rate: float | None = None
        self._work = asyncio.Event()
        self._running: set[asyncio.Task[None]] = set()
        self._owner: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Start the task that owns the queue."""
        self._owner = asyncio.create_task(self._own_queue(), name="scorer-batching")
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop the task, let running batches end, and cancel what still waits."""
        if self._owner is not None:
            self._owner.cancel()
            await asyncio.gather(self._owner, *self._running, return_exceptions=True)
        for job in (*self._taken, *(job for jobs in self._callers for job in jobs)):
            job.done.cancel()

    @property
    def queued_tokens(self) -> int:
        """Tokens that wait now."""
        return self._tokens

    @property
    def unfinished_tokens(self) -> int:
        """Tokens that wait, are in hand for a worker or are being encoded now."""
        return self._tokens + self._in_hand

    def tokens_within(self, seconds: float) -> float:
        """Return how many more tokens would be encoded in a time; `inf` before one was measured."""
        return inf if self._rate is None else seconds * self._rate - self.unfinished_tokens

    def submit(self, texts: Sequence[TokenIds]) -> tuple[Job, ...]:
        """Queue the texts of one caller; the caller counts as a waiter of each.

        Raises:
            OverloadedError: The queue is full; nothing was queued.
        """
        tokens = sum(map(len, texts))
        self.refuse_if_full(texts=len(texts), tokens=tokens)
        loop = asyncio.get_running_loop()
        jobs = tuple(Job(ids, loop.create_future(), waiters=1) for ids in texts)
        if jobs:
            self._callers.append(deque(jobs))
            self._count(texts=len(jobs), tokens=tokens)
            self._work.set()
        return jobs

    def leave(self, jobs: Iterable[Job]) -> None:
        """Let a caller go; what only that one waited for makes room at once."""
        for job in jobs:
            job.waiters -= 1
            if job.is_queued and not self._keep(job):
                self._unqueue(job)

    def refuse_if_full(self, *, texts: int, tokens: int, within_s: float = inf) -> None:
        """Raise an error when so many more tokens find no room or come too late.

        Never when nothing waits, and too late only once a rate was measured.

        Args:
            texts: To be encoded.
            tokens: That they have.
            within_s: Seconds after which nobody would wait for them any more.

        Raises:
            OverloadedError: It tells when there should be room.
        """
        is_late = self._rate and (self.unfinished_tokens + tokens) / self._rate > within_s
        if self._tokens and (is_late or self._tokens + tokens > self._max_tokens):
            self._observer.refused(texts=texts)
            raise OverloadedError(QUEUE, retry_after_s=self._wait_s())

    def _wait_s(self) -> float:
        """Return the seconds in which the present queue should be empty."""
        return max(SHORTEST_WAIT_S, self._tokens / (self._rate or FIRST_RATE))

    def _count(self, *, texts: int, tokens: int) -> None:
        self._texts += texts
        self._tokens += tokens
        self._observer.queued(texts=self._texts, tokens=self._tokens)

    async def _own_queue(self) -> None:
        while True:
            await self._work.wait()
            self._taken = self._take(self._encoder.batch_tokens * LOOK_AHEAD)
            for batch in _batches(self._taken, self._encoder):
                await self._start(batch)
            if not self._callers:
                self._work.clear()

    async def _start(self, batch: Sequence[Job]) -> None:
        """Hand a batch over as soon as a worker is nearly free, unless all have left by then."""
        while len(self._running) >= self._encoder.parallelism + IN_HAND:
            await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)
        wanted = [job for job in batch if self._keep(job)]
        self._in_hand -= _tokens(batch) - _tokens(wanted)
        if wanted:
            task = asyncio.create_task(self._run(wanted), name="scorer-batch")
            self._running.add(task)
            task.add_done_callback(partial(self._settle, wanted))

    async def _run(self, batch: Sequence[Job]) -> None:
        texts = [job.tokens for job in batch]
        loop = asyncio.get_running_loop()
        done = await loop.run_in_executor(self._executor, _encode, self._encoder, texts)
        for job, vector in zip(batch, done.vectors, strict=True):
            if not job.done.done():
                job.done.set_result(Encoded(vector, done.started - job.queued_at, done.seconds))
        self._measure(texts, done.seconds)

    def _settle(self, batch: Sequence[Job], task: asyncio.Task[None]) -> None:
        """Free the worker's place and hand a failure to everybody who waits for the batch."""
        self._running.discard(task)
        self._in_hand -= _tokens(batch)
        failure = None if task.cancelled() else task.exception()
        for job in batch:
            if failure is not None and not job.done.done():
                job.done.set_exception(failure)

    def _measure(self, texts: Sequence[TokenIds], seconds: float) -> None:
        tokens = sum(map(len, texts))
        padding = len(texts) * max(map(len, texts)) - tokens
        if tokens >= MEASURED_PART * self._encoder.batch_tokens:
            rate = tokens * self._encoder.parallelism / max(seconds, 1e-6)
            self._rate = rate + (1 - SMOOTHING) * ((self._rate or rate) - rate)
        self._observer.encoded(texts=len(texts), tokens=tokens, padding=padding, seconds=seconds)

    def _take(self, tokens: int) -> Sequence[Job]:
        """Take waiting texts worth about so many tokens."""
        taken: list[Job] = []
        left = tokens
        while self._callers and left > 0:
            job = self._next()
            if self._keep(job):
                taken.append(job)
                left -= len(job.tokens)
            self._unqueue(job)
        self._in_hand += _tokens(taken)
        return taken

    def _unqueue(self, job: Job) -> None:
        """Free the room of a text."""
        if job.is_queued:
            job.is_queued = False
            self._count(texts=-1, tokens=-len(job.tokens))

    def _next(self) -> Job:
        """Take a text of the first caller, whose turn ends with its last or after so many."""
        jobs = self._callers[0]
        job = jobs.popleft()
        self._turn -= 1
        if not (jobs and self._turn):
            self._callers.popleft()
            self._turn = TURN_TEXTS
            if jobs:
                self._callers.append(jobs)
        return job

    def _keep(self, job: Job) -> bool:
        """Tell whether a text is still wanted; one that is not is given up."""
        if not job.is_wanted and not job.done.done():
            job.done.cancel()
            self._observer.dropped(texts=1)
        return not job.done.done()


def _tokens(jobs: Iterable[Job]) -> int:
    return sum(len(job.tokens) for job in jobs)


def _encode(encoder: Encoder, texts: Sequence[TokenIds]) -> _Batch:
    """Encode in a worker thread."""
    started = monotonic()
    vectors = encoder.encode(texts)
    return _Batch(vectors, started, monotonic() - started)


def _batches(jobs: Iterable[Job], encoder: Encoder) -> Iterator[Sequence[Job]]:
    """Split texts into batches of like length within the encoder's budget of tokens.

    As many batches as all workers need to end together; more where padding wants it.
    """
    left = sorted(jobs, key=lambda job: len(job.tokens), reverse=True)
    budget = encoder.batch_tokens * encoder.parallelism
    number = encoder.parallelism * -(-sum(len(job.tokens) for job in left) // budget)
    while left:
        lengths = [len(job.tokens) for job in left]
        number = max(number, -(-sum(lengths) // encoder.batch_tokens))
        first = _first_batch(lengths, number, encoder)
        yield left[:first]
        left = left[first:]
        number = max(1, number - 1)


def _first_batch(lengths: Sequence[int], number: int, encoder: Encoder) -> int:
    """Return how many of the texts left, longest first, make the first of so many batches.

    About an equal share; while there are more batches than workers, a few texts less where the
    batch is then rounded up by less.
    """
    sums = list(accumulate(islice(lengths, encoder.most_texts(lengths[0]))))
    sums = sums[: max(1, bisect_right(sums, encoder.batch_tokens))]
    if number == 1:
        return len(sums)
    total = sum(lengths)
    share = max(SMALLEST_SHARE, total / number)
    most = min(len(sums), 1 + bisect_left(sums, share - lengths[0] / 2))
    if number <= encoder.parallelism:
        # What is left must find room in the others.
        least = 1 + bisect_left(sums, total - (number - 1) * encoder.batch_tokens)
        return min(len(sums), max(most, least))
    least = bisect_left(sums, SPARE * sums[most - 1])
    choices = range(most, least, -1)
    return min(choices, key=lambda texts: encoder.padded(sums[texts - 1]) / sums[texts - 1])
