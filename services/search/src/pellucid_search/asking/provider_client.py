"""Asking one provider: breaker, budget, bucket, retries, time; every guard in one place."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from pellucid_runtime.breaker import Breaker, BreakerState
from pellucid_runtime.clock import Clock
from pellucid_runtime.rpc.latency import Latencies
from pellucid_search import metrics
from pellucid_search.asking.allowance import Allowance
from pellucid_search.asking.ledger import Ledger, UsageRow, seconds_to_tomorrow
from pellucid_search.asking.line import Line, in_words
from pellucid_search.asking.provider_request import ProviderRequest
from pellucid_search.errors import (
    BadKeyError,
    ProviderError,
    ProviderTimeoutError,
    QuotaError,
    RateError,
)
from pellucid_search.hits import ProviderReply
from pellucid_search.ports import Engine, RateGate, Refusal, Reservation
from pellucid_search.providers.registry import ProviderSpec
from pellucid_search.query import ProviderQuery
from pellucid_search.reports import BREAKER_OPEN, ProviderRun, ProviderStatus

MAX_TRIES = 3
_FIRST_BACKOFF_S = 0.1
# A limit that says nothing of its length is taken to count seconds.
_DEFAULT_COOLING_S = 1.0
# With less time than this an answer cannot be hoped for.
_SHORTEST_CALL_S = 0.02


@dataclass(frozen=True, slots=True)
class ProviderLimits:
    """Bounds on one provider's use.

    Attributes:
        timeout_s: Longest time for one call, 0 to 10 s.
        concurrency: Calls in progress at most.
        slow_s: A call given up after so long, because another provider answered, is a failure.
        price_micro_usd: Price of one call in millionths of a US dollar.
    """

    timeout_s: float = 3.0
    concurrency: int = 8
    slow_s: float = 1.0
    price_micro_usd: int = 0


@dataclass(slots=True)
class ProviderClient:
    """One provider with all its guards.

    Attributes:
        left_for: Code of the failure that no further call helps against; empty when there is none.
    """

    spec: ProviderSpec
    engine: Engine
    gate: RateGate
    ledger: Ledger
    clock: Clock
    limits: ProviderLimits
    jitter: Callable[[], float] = random.random
    breaker: Breaker = field(init=False)
    latencies: Latencies = field(init=False, default_factory=Latencies)
    _retries: Allowance = field(init=False)
    disabled_reason: str = field(init=False, default="")
    left_for: str = field(init=False, default="")
    _room: asyncio.Semaphore = field(init=False)
    _line: Line = field(init=False, default_factory=Line)

    def __post_init__(self) -> None:
        self.breaker = Breaker(self.clock.monotonic)
        self._retries = Allowance(self.clock.monotonic)
        self._room = asyncio.Semaphore(self.limits.concurrency)

    @property
    def name(self) -> str:
        """The provider's name."""
        return self.spec.name

    async def ask(self, request: ProviderRequest, run: ProviderRun) -> None:
        """Ask the provider and record in `run` how it did; never raises a provider's error."""
        if not self.breaker.admit():
            run.lose(ProviderStatus.SKIPPED, BREAKER_OPEN, code=self.left_for)
            return
        started = entered = self.clock.monotonic()
        self._retries.earn()
        try:
            if await self._has_turn(request, run):
                until = request.ends_at(run, self.clock.monotonic())
                if await self._enter(run, until):
                    entered = self.clock.monotonic()
                    try:
                        await self._tries(request, run, until)
                    finally:
                        self._room.release()
        except asyncio.CancelledError:
            self._given_up(run, self.clock.monotonic() - entered)
            raise
        finally:
            run.latency_s = self.clock.monotonic() - started
            self._book(run, request.caller_hash)

    async def _has_turn(self, request: ProviderRequest, run: ProviderRun) -> bool:
        """Take the next place of the provider's limit, in a fair line when others want it too."""
        now, caller = self.clock.monotonic(), request.caller_hash
        end = max(request.until, request.latest)
        longest_s = min(end - now - _SHORTEST_CALL_S, request.longest_wait_s)
        if self._line.is_free:
            place = await self.gate.reserve(self.name, max_wait_s=0.0)
            if place.refusal is None:
                return self._has_time(run, end)
            if place.wait_s > longest_s or place.refusal in {Refusal.QUOTA, Refusal.BAD_KEY}:
                return self._refused(run, place)
        expected_s = self._line.ahead_of(caller) * self.gate.pace(self.name).interval_s
        if expected_s > longest_s:
            return self._refused(run, Reservation(expected_s, Refusal.RATE))
        run.step_in_line(now)
        try:
            async with asyncio.timeout(longest_s), self._line.front(caller):
                may_go = await self._wait_for_place(run, end, request.longest_wait_s)
                return may_go and self._is_well(run)
        except TimeoutError:
            waited_for = self._line.ahead_of(caller) + 1
            wait_s = waited_for * self.gate.pace(self.name).interval_s
            return self._refused(run, Reservation(wait_s, Refusal.RATE))
        finally:
            run.step_out(self.clock.monotonic())

    def _is_well(self, run: ProviderRun) -> bool:
        """It may have failed for those who went before."""
        if self.breaker.state is not BreakerState.OPEN:
            return True
        run.lose(ProviderStatus.SKIPPED, BREAKER_OPEN, code=self.left_for)
        return False

    def _has_time(self, run: ProviderRun, until: float) -> bool:
        if until - self.clock.monotonic() > _SHORTEST_CALL_S:
            return True
        run.lose(ProviderStatus.FAILED, "no time was left to ask", code="timeout")
        return False

    async def _enter(self, run: ProviderRun, until: float) -> bool:
        """Wait for room among the calls in progress, as long as an answer could still be in time.

        A call that begins later than that takes the room from one that would be answered.
        """
        usual_s = self.latencies.percentile(0.5)
        try:
            async with asyncio.timeout(until - usual_s - self.clock.monotonic()):
                return await self._room.acquire()
        except TimeoutError:
            self.breaker.abandon()
            detail = "too many calls were in progress"
            run.lose(ProviderStatus.FAILED, detail, code=ProviderTimeoutError.code)
            return False

    def _given_up(self, run: ProviderRun, seconds: float) -> None:
        """Nobody waits any more. A provider that hangs must not look healthy for ever."""
        slow_s = max(self.limits.slow_s, self.latencies.hedge_after_s(0.0))
        if run.calls and not run.answered and seconds >= slow_s:
            self.breaker.fail()
        else:
            self.breaker.abandon()
        if not run.answered and not run.error_code:
            code = ProviderTimeoutError.code
            run.lose(ProviderStatus.FAILED, "too slow, call abandoned", code=code)

    async def _tries(self, request: ProviderRequest, run: ProviderRun, until: float) -> None:
        """Call, and again after a failure that may pass; the first place is taken already."""
        longest_wait_s = request.longest_wait_s
        for attempt in range(MAX_TRIES):
            if attempt and not await self._wait_for_place(run, until, longest_wait_s):
                return
            error = await self._one_call(request.query, run, until)
            if error is None:
                return
            run.lose(_status_of(error), error.detail, code=error.code)
            run.retry_after_s = error.retry_after_s or 0.0
            pause_s = self._pause_s(error, attempt)
            if pause_s is None or pause_s > longest_wait_s:
                return
            if self.clock.monotonic() + pause_s + _SHORTEST_CALL_S > until:
                return
            if attempt + 1 == MAX_TRIES or not self._retries.spend():
                return
            await asyncio.sleep(pause_s)

    async def _wait_for_place(self, run: ProviderRun, until: float, longest_wait_s: float) -> bool:
        if not self._has_time(run, until):
            return False
        left_s = until - self.clock.monotonic() - _SHORTEST_CALL_S
        place = await self.gate.reserve(self.name, max_wait_s=min(left_s, longest_wait_s))
        if place.refusal:
            return self._refused(run, place)
        if place.wait_s > 0:
            await asyncio.sleep(place.wait_s)
        return True

    def _refused(self, run: ProviderRun, place: Reservation) -> Literal[False]:
        """Record why no call is made, and when one could be."""
        self.breaker.abandon()
        run.retry_after_s = place.wait_s
        if place.refusal is Refusal.QUOTA:
            self.breaker.open(max(1.0, place.wait_s))
            run.lose(ProviderStatus.RATE_LIMITED, "its quota is used up", code=QuotaError.code)
        elif place.refusal is Refusal.BAD_KEY:
            self.breaker.open(max(1.0, place.wait_s))
            run.lose(ProviderStatus.FAILED, "its key was rejected earlier", code=BadKeyError.code)
        elif not run.error_code:
            detail = in_words(self.gate.pace(self.name), place)
            run.lose(ProviderStatus.RATE_LIMITED, detail, code=RateError.code)
        return False

    async def _one_call(
        self, query: ProviderQuery, run: ProviderRun, until: float
    ) -> ProviderError | None:
        day = self.clock.now().date()
        price = self.limits.price_micro_usd
        if not await self.ledger.reserve(day, price):
            self.breaker.abandon()
            run.lose(ProviderStatus.BUDGET, "the daily budget is spent")
            run.retry_after_s = seconds_to_tomorrow(self.clock.now())
            return None
        run.calls += 1
        run.cost_micro_usd += price
        run.sent = self.engine.wording(query) if self.spec.external else ""
        started = self.clock.monotonic()
        try:
            timeout_s = min(self.limits.timeout_s, until - started)
            reply = await self._within(query, timeout_s)
        except ProviderError as error:
            self._called(error.code, self.clock.monotonic() - started)
            late = isinstance(error, ProviderTimeoutError)
            await self._failed(error, run, is_ours=late and self._is_cut_short(timeout_s))
            return error
        seconds = self.clock.monotonic() - started
        self._called("ok", seconds)
        await self._succeeded(reply, run, seconds)
        return None

    def _called(self, outcome: str, seconds: float) -> None:
        metrics.PROVIDER_SECONDS.labels(self.name, outcome).observe(seconds)

    async def _within(self, query: ProviderQuery, timeout_s: float) -> ProviderReply:
        try:
            async with asyncio.timeout(timeout_s):
                return await self.engine.ask(query, timeout_s=timeout_s)
        except TimeoutError as error:
            raise ProviderTimeoutError("no answer in time") from error

    async def _succeeded(self, reply: ProviderReply, run: ProviderRun, seconds: float) -> None:
        self.breaker.succeed()
        self.left_for = ""
        self.latencies.add(seconds)
        extra = round(self.limits.price_micro_usd * (reply.credits - 1))
        if extra > 0:
            run.cost_micro_usd += extra
            self.ledger.correct(self.clock.now().date(), extra)
        run.answer(reply.hits)
        await self.gate.observe(self.name, reply.windows)

    def _is_cut_short(self, timeout_s: float) -> bool:
        """Whether a call had so little time that its end says nothing of the provider."""
        return timeout_s < min(self.limits.timeout_s, self.limits.slow_s)

    async def _failed(self, error: ProviderError, run: ProviderRun, *, is_ours: bool) -> None:
        """Providers bill answers, not errors; so the price of a failed call goes back."""
        price = self.limits.price_micro_usd
        run.cost_micro_usd -= price
        if not error.sent and run.calls == 1:
            run.sent = ""
        self.ledger.correct(self.clock.now().date(), -price)
        if is_ours:
            self.breaker.abandon()
        else:
            await self._learn(error)

    async def _learn(self, error: ProviderError) -> None:
        """Let breaker and gate know, the gate for all replicas."""
        await self.gate.observe(self.name, error.windows)
        self.left_for = error.code if error.final else ""
        if error.final:
            self.breaker.open(error.retry_after_s or error.pause_s)
            if error.shared:
                await self.gate.shut(self.name, self.breaker.retry_in_s, _reason(error))
            if error.disables:
                self.disabled_reason = f"until a restart: {error.detail}"
            return
        if isinstance(error, RateError):
            self.breaker.abandon()
            await self.gate.cool(self.name, error.retry_after_s or _DEFAULT_COOLING_S)
            return
        self.breaker.fail()
        if error.retry_after_s:
            await self.gate.cool(self.name, error.retry_after_s)

    def _pause_s(self, error: ProviderError, attempt: int) -> float | None:
        """Return the pause before another try; None when there must not be one."""
        if not error.retryable or error.final or not self.breaker.passable:
            return None
        if error.retry_after_s is not None:
            return error.retry_after_s
        return float(_FIRST_BACKOFF_S * 2**attempt * (0.5 + self.jitter()))

    def _book(self, run: ProviderRun, caller_hash: str) -> None:
        if not run.calls:
            return
        row = UsageRow(
            day=self.clock.now().date(),
            provider=self.name,
            calls=run.calls,
            results=len(run.hits),
            cost_micro_usd=run.cost_micro_usd,
        )
        self.ledger.record(row, caller_hash=caller_hash)


def _reason(error: ProviderError) -> Refusal:
    return Refusal.QUOTA if isinstance(error, QuotaError) else Refusal.BAD_KEY


def _status_of(error: ProviderError) -> ProviderStatus:
    limited = isinstance(error, RateError | QuotaError)
    return ProviderStatus.RATE_LIMITED if limited else ProviderStatus.FAILED
