"""Messages to the model of understanding, one after the other, apart from the texts to embed.

A person waits for each of them, so they have a worker of their own and never wait behind results
that are scored. Nothing of a message or of what was read in it is kept.
"""

import asyncio
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from math import inf
from time import monotonic

from pellucid_runtime.errors import OverloadedError
from pellucid_runtime.rpc.deadline import remaining_s
from pellucid_scorer.ports import ReadingModel, ReadingObserver
from pellucid_scorer.spent import Spent
from pellucid_scorer.understanding.layout import arranged
from pellucid_scorer.understanding.reading import Reading, reading

QUEUE = "understand"
MOST_WAITING = 32
"""Messages that may wait; more would wait longer than `Understand` takes usually at most."""
SMOOTHING = 0.2
"""Weight of the latest message in the running time of one."""
FIRST_S = 0.05
"""Seconds assumed for a message until one was measured."""


@dataclass(frozen=True, slots=True)
class Understood:
    """What was read, by which model, and where the time went."""

    reading: Reading
    model: str
    spent: Spent


class Reader:
    """Reads the messages of many callers.

    Args:
        model: The model.
        executor: A thread of its own.
        observer: Is told of messages and refusals.
    """

    def __init__(
        self, model: ReadingModel, *, executor: Executor, observer: ReadingObserver
    ) -> None:
        self._model = model
        self._executor = executor
        self._observer = observer
        self._waiting = 0
        self._usual_s = FIRST_S

    @property
    def model(self) -> str:
        """Name of the model."""
        return self._model.name

    async def read(self, message: str, history: Sequence[tuple[str, str]]) -> Understood:
        """Return what the model reads in a message.

        Args:
            message: The person's own words.
            history: Role and text of the turns before it, oldest first.

        Raises:
            OverloadedError: Too many wait, or it would come too late.
        """
        self._refuse_if_full()
        loop = asyncio.get_running_loop()
        queued_at = monotonic()
        self._wait(1)
        try:
            # A caller that leaves takes a message with it that no worker has begun.
            understood = await loop.run_in_executor(
                self._executor, self._read, message, history, queued_at
            )
        finally:
            self._wait(-1)
        seconds = understood.spent.tokenize_s + understood.spent.encode_s
        self._usual_s += SMOOTHING * (seconds - self._usual_s)
        self._observer.read(tokens=len(understood.reading.pieces), seconds=seconds)
        return understood

    def _refuse_if_full(self) -> None:
        left_s = remaining_s()
        needed_s = self._usual_s * (self._waiting + 1)
        is_late = bool(self._waiting) and needed_s > (inf if left_s is None else left_s)
        if is_late or self._waiting >= MOST_WAITING:
            self._observer.refused()
            raise OverloadedError(QUEUE, retry_after_s=needed_s)

    def _wait(self, more: int) -> None:
        self._waiting += more
        self._observer.waiting(self._waiting)

    def _read(
        self, message: str, history: Sequence[tuple[str, str]], queued_at: float
    ) -> Understood:
        """Read in the worker."""
        began = monotonic()
        tokens = arranged(message, history, self._model.pieces)
        cut = monotonic()
        found = reading(tokens, self._model.run(tokens), self._model.card)
        spent = Spent(cut - began, began - queued_at, monotonic() - cut)
        return Understood(found, self._model.name, spent)
