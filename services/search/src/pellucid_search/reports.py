"""The honest account of a search: what each provider did, what left, what was lost."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from pellucid_search.hits import RawHit


class ProviderStatus(StrEnum):
    """How one provider did."""

    OK = "ok"
    CACHED = "cached"
    FAILED = "failed"
    RATE_LIMITED = "rate_limited"
    SKIPPED = "skipped"
    BUDGET = "budget"


ANSWERED = frozenset({ProviderStatus.OK, ProviderStatus.CACHED})
LOST = frozenset({ProviderStatus.FAILED, ProviderStatus.RATE_LIMITED, ProviderStatus.BUDGET})
# Detail in the report of a provider that is not called because its breaker is open.
BREAKER_OPEN = "circuit breaker open after failures"
# Of several queries' statuses the first in this order is the provider's; an answer beats a loss.
_PRECEDENCE = tuple(ProviderStatus)


@dataclass(slots=True)
class ProviderRun:
    """One provider's work on one query, filled in while it goes on.

    Written by one task; what was spent and sent stays true when that task is cancelled.

    Attributes:
        provider: Name.
        query_index: Index into the request's queries.
        status: How it ended so far.
        hits: Results, best first.
        error_code: Typed cause of a failure; empty when there is none.
        detail: One sentence for people.
        latency_s: Wall time.
        calls: Calls made, retries included.
        cost_micro_usd: Cost at list prices.
        sent: The words that left; empty when nothing did.
        lost: A part of the answer is missing because of this provider.
        is_spare: Another answered; what becomes of this one is of no importance any more.
        retry_after_s: Seconds after which its limit would let a call through; 0 when unknown.
        waited_s: Seconds that it waited for the provider's limit.
        in_line_since: Time on the monotonic clock since which it waits for that; None otherwise.
        leader: Another's run for the same, which this one waits for.
    """

    provider: str
    query_index: int
    status: ProviderStatus = ProviderStatus.SKIPPED
    hits: tuple[RawHit, ...] = ()
    error_code: str = ""
    detail: str = ""
    latency_s: float = 0.0
    calls: int = 0
    cost_micro_usd: int = 0
    sent: str = ""
    lost: bool = False
    is_spare: bool = False
    retry_after_s: float = 0.0
    waited_s: float = 0.0
    in_line_since: float | None = None
    leader: "ProviderRun | None" = None

    def grace_s(self, now: float) -> float:
        """Return for how long it has waited for the provider's limit; no part of its own time."""
        if self.leader is not None:
            return self.leader.grace_s(now)
        return self.waited_s + (0.0 if self.in_line_since is None else now - self.in_line_since)

    def step_in_line(self, now: float) -> None:
        """Begin to wait for the provider's limit."""
        self.in_line_since = now

    def step_out(self, now: float) -> None:
        """End the wait."""
        self.waited_s, self.in_line_since = self.grace_s(now), None

    @property
    def answered(self) -> bool:
        """It gave an answer, possibly without results."""
        return self.status in ANSWERED

    def answer(self, hits: tuple[RawHit, ...]) -> None:
        """Record an answer."""
        self.status, self.hits = ProviderStatus.OK, hits
        self.error_code = self.detail = ""
        self.lost = False

    def lose(self, status: ProviderStatus, detail: str, *, code: str = "") -> None:
        """Record that there is no answer; none of one that is spare is missing."""
        if self.is_spare:
            return
        self.status, self.detail, self.error_code, self.lost = status, detail, code, True

    def spare(self) -> None:
        """Record that another, asked before this one, answered meanwhile: nothing is missing."""
        self.is_spare, self.detail = True, "asked as well, and not needed"


@dataclass(frozen=True, slots=True)
class ProviderReport:
    """What one provider did for all queries of a call; see `ProviderRun` for the fields."""

    name: str
    status: ProviderStatus
    latency_ms: int = 0
    results: int = 0
    error_code: str = ""
    detail: str = ""
    calls: int = 0
    cost_micro_usd: int = 0
    retry_after_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Outbound:
    """One string that left; `redacted` holds the kinds that were taken out before, sorted."""

    to: str
    text: str
    redacted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Degradation:
    """A part that was lost; `detail` holds no user text."""

    component: str
    detail: str


@dataclass(frozen=True, slots=True)
class Account:
    """Everything about a search but its hits."""

    reports: tuple[ProviderReport, ...] = ()
    outbound: tuple[Outbound, ...] = ()
    degraded: tuple[Degradation, ...] = ()
    cost_micro_usd: int = 0
    from_cache: bool = False


@dataclass(frozen=True, slots=True)
class Skip:
    """A provider that was considered and not asked; `code` is the typed cause, if it has one."""

    name: str
    reason: str
    lost: bool = False
    code: str = ""


def settle(
    order: Sequence[str],
    runs: Sequence[ProviderRun],
    *,
    skips: Iterable[Skip] = (),
    redacted: Sequence[tuple[str, ...]] = (),
    saving: bool = False,
    asides: Sequence[ProviderRun] = (),
) -> Account:
    """Return the account of some runs.

    Args:
        order: Names in the order of consideration.
        runs: All that was done, in any order.
        skips: Providers that were considered and not asked.
        redacted: Kinds taken out of each query of the request.
        saving: Fewer providers were asked than wanted, to save money.
        asides: Runs that look for no results; what left for them and was lost counts alone.
    """
    skipped = {skip.name: skip for skip in skips}
    reports = [
        _report(name, [run for run in runs if run.provider == name], skipped) for name in order
    ]
    degraded = [_lost_provider(run) for run in runs if run.lost]
    degraded += [Degradation(f"provider:{s.name}", s.reason) for s in skipped.values() if s.lost]
    if not any(run.answered for run in runs):
        degraded.append(Degradation("search", "no provider could answer"))
    if any(run.status is ProviderStatus.BUDGET for run in runs):
        degraded.append(Degradation("budget", "the daily budget for providers is spent"))
    elif saving:
        degraded.append(Degradation("budget", "most of it is spent; not all providers are asked"))
    degraded += [_lost_provider(run) for run in asides if run.lost]
    used = [run for run in runs if run.answered]
    return Account(
        reports=tuple(reports),
        outbound=_outbound([*runs, *asides], redacted),
        degraded=tuple(dict.fromkeys(degraded)),
        cost_micro_usd=sum(run.cost_micro_usd for run in runs),
        from_cache=bool(used) and all(run.status is ProviderStatus.CACHED for run in used),
    )


def _report(name: str, runs: Sequence[ProviderRun], skipped: dict[str, Skip]) -> ProviderReport:
    if not runs:
        skip = skipped.get(name, Skip(name, "not needed"))
        return ProviderReport(
            name, ProviderStatus.SKIPPED, detail=skip.reason, error_code=skip.code
        )
    status = min((run.status for run in runs), key=_PRECEDENCE.index)
    needed = [run for run in runs if not run.is_spare] or runs
    trouble = next((run for run in needed if run.error_code or run.detail), needed[0])
    return ProviderReport(
        name=name,
        status=status,
        latency_ms=round(max(run.latency_s for run in runs) * 1000),
        results=sum(len(run.hits) for run in runs),
        error_code=trouble.error_code,
        detail=trouble.detail,
        calls=sum(run.calls for run in runs),
        cost_micro_usd=sum(run.cost_micro_usd for run in runs),
        retry_after_s=trouble.retry_after_s,
    )


def _lost_provider(run: ProviderRun) -> Degradation:
    return Degradation(f"provider:{run.provider}", run.detail)


def _outbound(
    runs: Sequence[ProviderRun], redacted: Sequence[tuple[str, ...]]
) -> tuple[Outbound, ...]:
    left = (
        Outbound(run.provider, run.sent, redacted[run.query_index] if redacted else ())
        for run in runs
        if run.sent
    )
    return tuple(dict.fromkeys(left))


@dataclass(frozen=True, slots=True)
class ProviderState:
    """The standing of one provider on this replica; see the contract for the fields."""

    name: str
    enabled: bool
    external: bool
    disabled_reason: str = ""
    breaker: str = "closed"
    breaker_retry_in_s: float = 0.0
    remaining_short: int = -1
    remaining_long: int = -1
    spent_today_micro_usd: int = 0
    latency_p50_ms: int = 0
    latency_p95_ms: int = 0
    price_micro_usd: int = 0
    notes: tuple[str, ...] = field(default=())
