"""Carrying out a plan for one query: all together, or the next when one is slow or fails."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pellucid_runtime.clock import Clock
from pellucid_search.asking.allowance import Allowance
from pellucid_search.asking.answering import Answering
from pellucid_search.asking.planning import Plan
from pellucid_search.asking.provider_request import ProviderRequest
from pellucid_search.errors import ProviderTimeoutError
from pellucid_search.query import ProviderQuery
from pellucid_search.reports import ProviderRun, ProviderStatus

# Without measurements of its own a provider is taken to be slow after this; the whole search stage
# of a turn has 1.5 s.
DEFAULT_HEDGE_S = 1.0
# Part of the time that is kept for the last resort; the local index needs some milliseconds.
LAST_RESORT_SHARE = 0.15
# A real-time source is waited for so long; the results of the web wait for it meanwhile.
BESIDE_S = 1.0
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

    async def carry_out(self, plan: Plan, request: ProviderRequest) -> list[ProviderRun]:
        """Return what each asked provider did, in no special order."""
        beside = [name for name in plan.beside if self._knows(name, request)]
        if not beside:
            return await self._searched(plan, request)
        runs, more = await asyncio.gather(
            self._searched(plan, request), self._all(beside, self._aside(request))
        )
        return [*runs, *more]

    def _aside(self, request: ProviderRequest) -> ProviderRequest:
        """Return the request without what restricts pages: a wider search has the same answer."""
        query = request.query
        soon = min(request.until, self.clock.monotonic() + BESIDE_S)
        bare = ProviderQuery(query.text, query.now, language=query.language)
        return replace(request, query=bare, until=soon, latest=soon)

    def _knows(self, name: str, request: ProviderRequest) -> bool:
        """Tell whether a query names what a real-time source knows."""
        return bool(self.answering.provider_clients[name].engine.wording(request.query))

    async def _searched(self, plan: Plan, request: ProviderRequest) -> list[ProviderRun]:
        early = self._leaving_time(request) if plan.last_resort else request
        if plan.together:
            runs = await self._all(plan.members, early)
        else:
            runs = await self._first_answer(plan.members, early)
        if any(run.answered for run in runs):
            return runs
        runs += await self._last_resort(plan.last_resort, self._later(request, runs))
        if not any(run.answered for run in runs):
            await self._rescue(runs, request)
        return runs

    def _leaving_time(self, request: ProviderRequest) -> ProviderRequest:
        """Keep a part of the time back, so that a hanging provider does not use up all of it."""
        kept_s = (request.until - self.clock.monotonic()) * LAST_RESORT_SHARE
        return replace(
            request,
            until=request.until - kept_s,
            latest=request.latest - kept_s,
        )

    def _later(self, request: ProviderRequest, runs: Sequence[ProviderRun]) -> ProviderRequest:
        """Time in line was none of the last resort's."""
        return replace(request, until=self._end(request, runs))

    def _end(self, request: ProviderRequest, runs: Sequence[ProviderRun]) -> float:
        now = self.clock.monotonic()
        return max((request.ends_at(run, now) for run in runs), default=request.until)

    async def _all(self, members: Sequence[str], request: ProviderRequest) -> list[ProviderRun]:
        """Ask all; who has not answered when the time is up is left behind."""
        if len(members) > 1:
            request = replace(request, latest=request.until)  # the others have answered meanwhile
        runs = [ProviderRun(name, request.index) for name in members]
        tasks = {asyncio.create_task(self._one(run, request)) for run in runs}
        try:
            open_tasks = tasks
            while open_tasks and (left_s := self._end(request, runs) - self.clock.monotonic()) > 0:
                done, open_tasks = await asyncio.wait(open_tasks, timeout=left_s)
                for task in done:
                    task.result()
        finally:
            await _cancel(tasks)
        for run in runs:
            if run.status is ProviderStatus.SKIPPED and not run.lost:
                run.lose(ProviderStatus.FAILED, "no time was left to ask", code=_LATE)
        return runs

    async def _one(self, run: ProviderRun, request: ProviderRequest) -> None:
        cached = await self.answering.recall(run.provider, request)
        if cached is None:
            await self.answering.ask(run.provider, request, run)
        else:
            run.status, run.hits = cached.status, cached.hits

    async def _first_answer(
        self, members: Sequence[str], request: ProviderRequest
    ) -> list[ProviderRun]:
        for name in members:
            cached = await self.answering.recall(name, request)
            if cached is not None:
                return [cached]
        runs: list[ProviderRun] = []
        tasks: set[asyncio.Task[None]] = set()
        try:
            for position, name in enumerate(members):
                is_last = position + 1 == len(members)
                patient = request if is_last else _impatient(request)
                self._start(name, patient, runs, tasks)
                tasks = await self._until_slow(name, tasks, runs, request, is_last=is_last)
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
        request: ProviderRequest,
        runs: list[ProviderRun],
        tasks: set[asyncio.Task[None]],
    ) -> None:
        run = ProviderRun(name, request.index)
        runs.append(run)
        tasks.add(asyncio.create_task(self.answering.ask(name, request, run), name=f"ask-{name}"))
        self._hedges.earn()

    async def _until_slow(
        self,
        name: str,
        tasks: set[asyncio.Task[None]],
        runs: Sequence[ProviderRun],
        request: ProviderRequest,
        *,
        is_last: bool,
    ) -> set[asyncio.Task[None]]:
        """Wait for an answer, for all to fail, or for the point at which the next is started."""
        hedge_at = self.clock.monotonic() + self._hedge_after_s(name)
        while tasks:
            hedging = not is_last and hedge_at < request.until
            end = hedge_at if hedging else self._end(request, runs)
            done, tasks = await asyncio.wait(
                tasks,
                timeout=max(0.0, end - self.clock.monotonic()),
                return_when=asyncio.FIRST_COMPLETED,
            )
            for task in done:
                task.result()
            if any(run.answered for run in runs):
                break
            if done or (end < self._end(request, runs) and not hedging):
                continue
            if not hedging or self._hedges.spend():
                break
            hedge_at = request.until
        return tasks

    def _hedge_after_s(self, name: str) -> float:
        return self.answering.provider_clients[name].latencies.hedge_after_s(self.hedge_default_s)

    async def _last_resort(
        self, names: Sequence[str], request: ProviderRequest
    ) -> list[ProviderRun]:
        runs: list[ProviderRun] = []
        for name in names:
            runs += await self._all((name,), request)
            if runs[-1].answered:
                break
        return runs

    async def _rescue(self, runs: Sequence[ProviderRun], request: ProviderRequest) -> None:
        for run in runs:
            if await self.answering.rescue(run.provider, request, run):
                return


def _impatient(request: ProviderRequest) -> ProviderRequest:
    """Another provider could be asked instead of waiting for this one's limit."""
    return replace(request, longest_wait_s=WAIT_WITH_ALTERNATIVE_S, latest=request.until)


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
