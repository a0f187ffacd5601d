"""Carrying out a plan for one query: all together, or the next when one is slow or fails."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pellucid_runtime.clock import Clock
from pellucid_search.asking.allowance import Allowance
from pellucid_search.asking.answering import Answering, Errand
from pellucid_search.asking.planning import Plan
from pellucid_search.errors import ProviderTimeoutError
from pellucid_search.reports import ProviderRun, ProviderStatus

# Without measurements of its own a provider is taken to be slow after this; the whole search stage
# of a turn has 1.5 s.
DEFAULT_HEDGE_S = 1.0
# Part of the time that is kept for the last resort; the local index needs some milliseconds.
LAST_RESORT_SHARE = 0.15
# A limit per second is waited for only this long when another provider could be asked.
WAIT_WITH_ALTERNATIVE_S = 0.3
_LATE = ProviderTimeoutError.code


@dataclass(slots=True)
class Relay:
    """Asks the providers of a plan."""

    answering: Answering
    clock: Clock
    hedge_default_s: float = DEFAULT_HEDGE_S
    _hedges: Allowance = field(init=False)

    def __post_init__(self) -> None:
        self._hedges = Allowance(self.clock.monotonic)

    async def carry_out(self, plan: Plan, errand: Errand) -> list[ProviderRun]:
        """Return what each asked provider did, in no special order."""
        early = self._leaving_time(errand) if plan.last_resort else errand
        if plan.together:
            runs = await self._all(plan.members, early)
        else:
            runs = await self._first_answer(plan.members, early)
        if any(run.answered for run in runs):
            return runs
        runs += await self._last_resort(plan.last_resort, self._later(errand, runs))
        if not any(run.answered for run in runs):
            await self._rescue(runs, errand)
        return runs

    def _leaving_time(self, errand: Errand) -> Errand:
        """Keep a part of the time back, so that a hanging provider does not use up all of it."""
        kept_s = (errand.until - self.clock.monotonic()) * LAST_RESORT_SHARE
        return replace(errand, until=errand.until - kept_s, latest=errand.latest - kept_s)

    def _later(self, errand: Errand, runs: Sequence[ProviderRun]) -> Errand:
        """Time in line was none of the last resort's."""
        return replace(errand, until=self._end(errand, runs))

    def _end(self, errand: Errand, runs: Sequence[ProviderRun]) -> float:
        now = self.clock.monotonic()
        return max((errand.ends_at(run, now) for run in runs), default=errand.until)

    async def _all(self, members: Sequence[str], errand: Errand) -> list[ProviderRun]:
        """Ask all; who has not answered when the time is up is left behind."""
        if len(members) > 1:
            errand = replace(errand, latest=errand.until)  # the others have answered meanwhile
        runs = [ProviderRun(name, errand.index) for name in members]
        tasks = {asyncio.create_task(self._one(run, errand)) for run in runs}
        try:
            open_tasks = tasks
            while open_tasks and (left_s := self._end(errand, runs) - self.clock.monotonic()) > 0:
                done, open_tasks = await asyncio.wait(open_tasks, timeout=left_s)
                for task in done:
                    task.result()
        finally:
            await _cancel(tasks)
        for run in runs:
            if run.status is ProviderStatus.SKIPPED and not run.lost:
                run.lose(ProviderStatus.FAILED, "no time was left to ask", code=_LATE)
        return runs

    async def _one(self, run: ProviderRun, errand: Errand) -> None:
        cached = await self.answering.recall(run.provider, errand)
        if cached is None:
            await self.answering.ask(run.provider, errand, run)
        else:
            run.status, run.hits = cached.status, cached.hits

    async def _first_answer(self, members: Sequence[str], errand: Errand) -> list[ProviderRun]:
        for name in members:
            cached = await self.answering.recall(name, errand)
            if cached is not None:
                return [cached]
        runs: list[ProviderRun] = []
        tasks: set[asyncio.Task[None]] = set()
        try:
            for position, name in enumerate(members):
                is_last = position + 1 == len(members)
                patient = errand if is_last else _impatient(errand)
                self._start(name, patient, runs, tasks)
                tasks = await self._until_slow(name, tasks, runs, errand, is_last=is_last)
                if any(run.answered for run in runs):
                    break
        finally:
            for run in _still_asked(runs):
                run.spare()
            await _cancel(tasks)
        return runs

    def _start(
        self,
        name: str,
        errand: Errand,
        runs: list[ProviderRun],
        tasks: set[asyncio.Task[None]],
    ) -> None:
        run = ProviderRun(name, errand.index)
        runs.append(run)
        tasks.add(asyncio.create_task(self.answering.ask(name, errand, run), name=f"ask-{name}"))
        self._hedges.earn()

    async def _until_slow(
        self,
        name: str,
        tasks: set[asyncio.Task[None]],
        runs: Sequence[ProviderRun],
        errand: Errand,
        *,
        is_last: bool,
    ) -> set[asyncio.Task[None]]:
        """Wait for an answer, for all to fail, or for the point at which the next is started."""
        hedge_at = self.clock.monotonic() + self._hedge_after_s(name)
        while tasks:
            hedging = not is_last and hedge_at < errand.until
            end = hedge_at if hedging else self._end(errand, runs)
            done, tasks = await asyncio.wait(
                tasks,
                timeout=max(0.0, end - self.clock.monotonic()),
                return_when=asyncio.FIRST_COMPLETED,
            )
            for task in done:
                task.result()
            if any(run.answered for run in runs):
                break
            if done or (end < self._end(errand, runs) and not hedging):
                continue
            if not hedging or self._hedges.spend():
                break
            hedge_at = errand.until
        return tasks

    def _hedge_after_s(self, name: str) -> float:
        return self.answering.desks[name].latencies.hedge_after_s(self.hedge_default_s)

    async def _last_resort(self, names: Sequence[str], errand: Errand) -> list[ProviderRun]:
        runs: list[ProviderRun] = []
        for name in names:
            runs += await self._all((name,), errand)
            if runs[-1].answered:
                break
        return runs

    async def _rescue(self, runs: Sequence[ProviderRun], errand: Errand) -> None:
        for run in runs:
            if await self.answering.rescue(run.provider, errand, run):
                return


def _impatient(errand: Errand) -> Errand:
    """Another provider could be asked instead of waiting for this one's limit."""
    return replace(errand, longest_wait_s=WAIT_WITH_ALTERNATIVE_S, latest=errand.until)


def _still_asked(runs: Sequence[ProviderRun]) -> list[ProviderRun]:
    """Runs in progress, begun because the one before was slow, which answered after all.

    How they end is written later than anybody waits for: their flights are cancelled by themselves.
    """
    answered = next((n for n, run in enumerate(runs) if run.answered), len(runs))
    return [run for run in runs[answered + 1 :] if not (run.answered or run.lost)]


async def _cancel(tasks: set[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
