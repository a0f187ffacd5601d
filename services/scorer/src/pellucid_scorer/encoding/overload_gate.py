"""Whether a call is refused before it is read, because those before it found no room.

Reading a call shows how much room it needs: none, where the cache knows its texts. While all the
calls that are read find too little, the next are refused without reading them, which costs half as
much; every now and then one is read all the same. As soon as one turns out to need no room, all are
read again, so that popular questions are answered in an overload too.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import monotonic

from pellucid_runtime.errors import OverloadedError
from pellucid_scorer.encoding.batching import Batcher, Job
from pellucid_scorer.ports import TokenIds

RUN = 50
"""Calls in a row that find no room until the gate closes. With one in ten served from the cache it
closes hardly ever; with one in thirty it costs about as many answers as it saves."""
READ_APART_S = 0.2
"""Between calls that are read while the gate is closed."""

FORGOTTEN_AFTER_S = 5.0
"""Without a refusal an overload is over; the next one has a run of its own."""


class OverloadGate:
    """Knows what became of the latest calls.

    Args:
        batcher: Whose queue is full or is not.
    """

    def __init__(self, batcher: Batcher) -> None:
        self._batcher = batcher
        self._run = 0
        self._needed = 0
        self._within_s = 0.0
        self._read_at = 0.0

    def enter(self, *, texts: int, tokens: int, within_s: float) -> None:
        """Let a call in that was read.

        Args:
            texts: How many of its texts have to be encoded.
            tokens: About how many tokens they have.
            within_s: Seconds after which its caller is gone.

        Raises:
            OverloadedError: There is no room, or not in time.
        """
        if not texts or monotonic() - self._read_at > FORGOTTEN_AFTER_S:
            self._run, self._within_s = 0, 0.0
        if not texts:
            return
        with self._noting(tokens, within_s):
            self._batcher.refuse_if_full(texts=texts, tokens=tokens, within_s=within_s)

    def submit(self, texts: Sequence[TokenIds]) -> tuple[Job, ...]:
        """Queue the texts of a call that was let in.

        Raises:
            OverloadedError: They have more tokens than was thought.
        """
        with self._noting(sum(map(len, texts)), self._within_s):
            return self._batcher.submit(texts)

    def refusal(self) -> OverloadedError | None:
        """Return what a call gets that is not read; None: it is to be read."""
        if self._run < RUN or monotonic() - self._read_at >= READ_APART_S:
            return None
        try:
            self._batcher.refuse_if_full(texts=1, tokens=self._needed, within_s=self._within_s)
        except OverloadedError as error:
            return error
        return None

    @contextmanager
    def _noting(self, tokens: int, within_s: float) -> Iterator[None]:
        try:
            yield
        except OverloadedError:
            self._run += 1
            self._within_s = max(self._within_s, within_s)
            self._needed, self._read_at = tokens, monotonic()
            raise
