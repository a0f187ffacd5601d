"""One trial of one fault: load before, during and after it, and what was seen and promised."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx

from rig.history import Kind, Outcome, Record, percentile
from rig.load import Load
from rig.processes import Usage
from rig.site import Site

RECOVERS_WITHIN_S = 10.0
# Relative bounds on a small noisy machine: half as much again, or so many seconds more.
_RATIO = 1.5
_SLACK_S = 0.05
_WINDOW_S = 2.0


@dataclass(frozen=True, slots=True)
class Pace:
    """How hard and how long.

    Attributes:
        rate: Requests a second.
        warm_s, fault_s: Seconds before the fault and of it.
    """

    rate: float = 2.0
    warm_s: float = 3.0
    fault_s: float = 6.0


def was_shed(record: Record) -> bool:
    """Whether it was refused for want of processor time, which a busy machine may lack."""
    return record.outcome is Outcome.ERROR and record.why == "OVERLOADED"


@dataclass(frozen=True, slots=True)
class Verdict:
    """One thing that was promised.

    Attributes:
        said: What was promised and what was measured.
        kept: Whether it held.
        is_timing: A busy machine may break it, so it is judged over several trials.
    """

    said: str
    kept: bool
    is_timing: bool = False


@dataclass
class Trial:
    """The course of one trial; rows drive it and say what they see.

    Attributes:
        fails_openly: Errors that the row promises, by code.
        spares_chat: The fault is in what only searching needs.
        before: What the watched processes held before the fault.
        lost_clients: The row itself leaves or starves clients.
    """

    site: Site
    client: httpx.AsyncClient
    companies: Iterator[str]
    pace: Pace
    verdicts: list[Verdict] = field(default_factory=list)
    spares_chat: bool = True
    recovery_s: float | None = None
    before: dict[str, Usage] = field(default_factory=dict)
    restarted: set[str] = field(default_factory=set)
    gateway: Callable[[], str] | None = None
    load: Load = field(init=False)
    begun_s: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.load = Load(self.client, self.gateway_url, self.companies)

    def gateway_url(self) -> str:
        """Where the load goes next."""
        return self.gateway() if self.gateway else self.site.gateway_url

    @property
    def records(self) -> list[Record]:
        """Every request so far."""
        return self.load.records

    @asynccontextmanager
    async def asking(self, rate: float = 0.0) -> AsyncIterator[None]:
        """Keep load on while the enclosed part runs, its warm-up first."""
        stopping = asyncio.Event()
        running = asyncio.create_task(self.load.run(rate or self.pace.rate, stopping))
        try:
            await asyncio.sleep(self.pace.warm_s)
            self.before = {
                name: one.usage() for name, one in self.site.processes.items() if one.is_alive
            }
            yield
        finally:
            stopping.set()
            await running

    async def connect_again(self) -> None:
        """Ask until a restarted service is found: what ends early for want of it is not usual."""
        self.load.phase = "mending"
        for _ in range(20):
            await self.load.ask(0, time.monotonic())
            if not self.records[-1].degraded:
                break
        self.load.phase = "warm"

    async def fault(self, seconds: float | None = None) -> None:
        """Let the fault, which is on now, last."""
        self.load.phase = "fault"
        await asyncio.sleep(self.pace.fault_s if seconds is None else seconds)

    async def mend(self, *names: str) -> None:
        """Start what was killed. Starts cost processor time, so this is a phase of its own."""
        self.load.phase = "mending"
        self.restarted.update(names)
        await self.site.start(*names)

    async def recover(self, within_s: float = RECOVERS_WITHIN_S) -> None:
        """Wait until a window is as quick as before and nothing fails; says when that was."""
        self.load.phase = "after"
        begun = time.monotonic()
        bound_s = self.bound_s()
        while time.monotonic() - begun < within_s:
            since = time.monotonic()
            await asyncio.sleep(_WINDOW_S)
            window = [r for r in self.records if r.due_s >= since and r.ended_s]
            bad = [r for r in window if r.outcome in {Outcome.BROKEN, Outcome.ERROR}]
            if window and not bad and self._median(window) <= bound_s:
                self.recovery_s = since - begun
                return

    def bound_s(self, kind: Kind | None = None) -> float:
        """What the median may be, by what it was before the fault and how late we were."""
        usual = self._median(self.of("warm", kind))
        late = percentile(self.load.lateness_s, 0.5)
        return max(_RATIO * usual, usual + _SLACK_S) + late

    @staticmethod
    def _median(records: list[Record]) -> float:
        return percentile((r.took_s for r in records), 0.5)

    def median_s(self, phase: str, kind: Kind | None = None) -> float:
        """Median of the whole time of requests of a phase."""
        return self._median(self.of(phase, kind))

    def of(self, phase: str, kind: Kind | None = None) -> list[Record]:
        """Ended requests of a phase and kind."""
        return [
            r
            for r in self.records
            if r.phase == phase and r.ended_s and (kind is None or r.kind is kind)
        ]

    def occurred(self, said: str, seen: object) -> None:
        """Note that the fault happened; a trial without its fault has failed."""
        self.verdicts.append(Verdict(f"fault seen: {said}", bool(seen)))

    def promise(self, said: str, kept: object) -> None:
        """Note a promise."""
        self.verdicts.append(Verdict(said, bool(kept)))

    def promise_time(self, said: str, kept: object) -> None:
        """Note a promise about time."""
        self.verdicts.append(Verdict(said, bool(kept), is_timing=True))

    def promise_no_failure(self, phase: str = "fault") -> None:
        """Every request of the phase was answered, whole or flagged."""
        asked = self.of(phase)
        lost = [r for r in asked if r.outcome in {Outcome.BROKEN, Outcome.ERROR}]
        why = "; ".join(sorted({r.why for r in lost}))
        said = f"{len(lost)} of {len(asked)} failed{f' ({why})' if why else ''}"
        self.verdicts.append(
            Verdict(said, bool(asked) and not lost, is_timing=all(map(was_shed, lost)))
        )

    def promise_flag(self, component: str, least: int = 1) -> None:
        """The loss was told in answers during the fault."""
        told = sum(component in r.degraded for r in self.of("fault", Kind.SEARCH))
        self.promise(f"{told} answers say `degraded: {component}`", told >= least)

    async def promise_used_again(self, component: str) -> None:
        """Soon after it, with load still on, an answer does without the flag."""
        used = False
        for _ in range(int(RECOVERS_WITHIN_S * 4)):
            asked = [r for r in self.of("after", Kind.SEARCH) if r.status == 200]
            used = any(component not in r.degraded for r in asked)
            if used:
                break
            await asyncio.sleep(0.5)
        self.promise(f"{component} is used again", used)
