"""Asks the judge about claims while the next sentences are being written.

Whatever is waiting when a call ends goes into the next one. A verdict counts from when it is read:
one that came too late for its claim is as if it had never come.
"""

import asyncio
from collections.abc import Sequence

from pellucid_gateway.domain.answer import Verdict
from pellucid_gateway.verification.judgement import LONGEST_DOUBT_CHARS, Doubt, SecondOpinion

MOST_VERDICTS = 128
"""Of one answer: all are kept with its evidence. Beyond them form and likeness decide."""
_MOST_TOGETHER = 24
"""Pairs in one call, so that its reply comes in time."""

_Key = tuple[str, tuple[int, ...]]


class Verdicts:
    """What a judge says of the claims of one answer.

    Args:
        opinion: Asked; None: nobody judges.
        told: What was said of the same answer before.
    """

    def __init__(self, opinion: SecondOpinion | None, told: Sequence[Verdict] = ()) -> None:
        self._opinion = opinion
        self._heard: dict[_Key, bool] = {(v.claim, v.sources): v.supported for v in told}
        self._read: dict[_Key, bool] = {}
        self._asked: set[_Key] = set(self._heard)
        self._queue: list[tuple[Sequence[Doubt], asyncio.Future[None]]] = []
        self._work: asyncio.Task[None] | None = None

    @property
    def read(self) -> tuple[Verdict, ...]:
        """The verdicts that counted, in the order in which they were read."""
        return tuple(Verdict(claim, sources, told) for (claim, sources), told in self._read.items())

    def of(self, claim: str, sources: tuple[int, ...]) -> bool | None:
        """Read the verdict on a claim and the words of some sources; None where there is none."""
        verdict = self._heard.get((claim, sources))
        if verdict is not None:
            self._read[claim, sources] = verdict
        return verdict

    def ask(self, doubts: Sequence[Doubt], at_most_s: float | None = None) -> asyncio.Future[None]:
        """Ask about claims.

        Args:
            doubts: What to ask; what was asked before is not asked again.
            at_most_s: How long the caller can wait; None: as long as a call may take.

        Returns:
            Done when the verdicts are there, will not come, or the time is over.
        """
        loop = asyncio.get_running_loop()
        waiting: asyncio.Future[None] = loop.create_future()
        room = MOST_VERDICTS - len(self._asked)
        new = [d for d in doubts if self._is_new(d)][: max(room, 0)]
        if self._opinion is None or not new:
            waiting.set_result(None)
            return waiting
        self._asked.update((doubt.claim, doubt.sources) for doubt in new)
        self._queue.append((new, waiting))
        if at_most_s is not None:
            late = loop.call_later(at_most_s, _end, waiting)
            waiting.add_done_callback(lambda _: late.cancel())
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._call(self._opinion), name="judge")
        return waiting

    async def close(self) -> None:
        """Stop asking."""
        if self._work is not None:
            self._work.cancel()
            await asyncio.wait({self._work})

    def _is_new(self, doubt: Doubt) -> bool:
        is_short = len(doubt.claim) <= LONGEST_DOUBT_CHARS
        return is_short and (doubt.claim, doubt.sources) not in self._asked

    async def _call(self, opinion: SecondOpinion) -> None:
        while self._queue:
            together = self._next_together()
            doubts = [doubt for asked, _ in together for doubt in asked]
            try:
                verdicts = await opinion.on(doubts)
                for doubt, verdict in zip(doubts, verdicts or (), strict=False):
                    self._heard[doubt.claim, doubt.sources] = verdict
            finally:
                for _, waiting in together:
                    _end(waiting)

    def _next_together(self) -> list[tuple[Sequence[Doubt], asyncio.Future[None]]]:
        count, taken = 0, 0
        for doubts, _ in self._queue:
            if taken and count + len(doubts) > _MOST_TOGETHER:
                break
            count, taken = count + len(doubts), taken + 1
        together, self._queue = self._queue[:taken], self._queue[taken:]
        return together


def _end(waiting: "asyncio.Future[None]") -> None:
    if not waiting.done():
        waiting.set_result(None)
