"""Errors of the gateway's own domain.

ServiceError
├── BudgetSpentError      a key has cost what it may in a day
├── ChallengeRequiredError  a suspicious caller must solve a challenge first
├── ProvidersSpentError   the providers have cost what they may in a day
├── RateLimitedError      every provider wants fewer calls
│   ├── BlockedError      a caller is blocked for a while
│   └── QuotaSpentError   a person's searches of the day are used up
├── SearchFailedError     no provider could be asked, and results were the whole request
└── SearchNotConfiguredError  no provider has a key that is taken
"""

from collections.abc import Sequence
from dataclasses import asdict, replace
from enum import StrEnum

from pellucid_gateway.domain.events import Challenge, Failed
from pellucid_gateway.domain.findings import ProviderReport, ProviderStatus
from pellucid_runtime.errors import (
    LASTING,
    ErrorKind,
    RateLimitedError,
    ServiceError,
)
from pellucid_runtime.llm.model import LlmError

_RETRYABLE = frozenset({ErrorKind.UNAVAILABLE, ErrorKind.EXHAUSTED, ErrorKind.LATE})


class SearchFailedError(ServiceError):
    """No provider could be asked.

    Args:
        providers: Names of those that were considered.
    """

    reason = "SEARCH_FAILED"
    kind = ErrorKind.UNAVAILABLE

    def __init__(self, providers: Sequence[str]) -> None:
        super().__init__(
            "no search provider answered; trying again may help",
            metadata={"providers": ",".join(providers)},
        )


class SearchNotConfiguredError(ServiceError):
    """No provider has a key that is taken; only the operator can change that.

    Args:
        providers: Names of those that were considered.
    """

    reason = "API_KEY_INVALID"
    kind = ErrorKind.UNAVAILABLE

    def __init__(self, providers: Sequence[str]) -> None:
        super().__init__(
            "web search is not configured: keys of the providers are missing or refused",
            metadata={"providers": ",".join(providers)},
        )


class QuotaSpentError(RateLimitedError):
    """A person's searches of the day are used up.

    Args:
        limit: Searching turns of a day.
        reset_s: Seconds after which there is room again.
    """

    def __init__(self, limit: int, reset_s: float) -> None:
        super().__init__(
            f"the {limit} searches of a day are used up",
            metadata={"limit": str(limit), "window_s": "86400"},
            retry_after_s=max(1.0, reset_s),
        )


class BlockedError(RateLimitedError):
    """A caller is blocked for a while.

    Args:
        seconds: How long still.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(
            "too many unusual requests; try again later", retry_after_s=max(1.0, seconds)
        )


class BudgetSpentError(ServiceError):
    """A key has cost what it may in a day.

    Args:
        budget_usd: What it may cost.
    """

    reason = "BUDGET_EXCEEDED"
    kind = ErrorKind.EXHAUSTED

    def __init__(self, budget_usd: float) -> None:
        super().__init__(f"the budget of {budget_usd:g} US dollars a day is spent")


class ChallengeRequiredError(ServiceError):
    """A suspicious caller must solve a challenge first; its answer goes into X-Pellucid-Challenge.

    Args:
        challenge: What a page needs to show it.
    """

    reason = "CHALLENGE_REQUIRED"
    kind = ErrorKind.DENIED

    def __init__(self, challenge: Challenge) -> None:
        super().__init__(
            "show the person a challenge and send its answer as X-Pellucid-Challenge",
            metadata=asdict(challenge),
        )
        self.challenge = challenge


class ProvidersSpentError(ServiceError):
    """The search providers have cost what they may in a day.

    Args:
        retry_after_s: When the next day begins, in seconds; None where that is unknown.
    """

    reason = "BUDGET_EXCEEDED"
    kind = ErrorKind.EXHAUSTED

    def __init__(self, retry_after_s: float | None = None) -> None:
        message = "the budget of the search providers is spent for today"
        super().__init__(message, retry_after_s=retry_after_s)


class SearchLoss(StrEnum):
    """Why no provider answered, as the code of the notice; what a retry helps with comes first."""

    OUTAGE = "search_unavailable"
    RATE = "search_busy"
    QUOTA = "search_quota_spent"
    BUDGET = "search_budget_spent"
    KEY = "search_not_configured"


_BY_CODE = {"bad_key": SearchLoss.KEY, "quota": SearchLoss.QUOTA}
_BY_STATUS = {
    ProviderStatus.BUDGET: SearchLoss.BUDGET,
    ProviderStatus.RATE_LIMITED: SearchLoss.RATE,
    ProviderStatus.FAILED: SearchLoss.OUTAGE,
}


def loss_of(reports: Sequence[ProviderReport]) -> SearchLoss:
    """Why nobody answered; of several causes the one that passes soonest."""
    causes = {_BY_CODE.get(r.error_code) or _BY_STATUS.get(r.status) for r in reports}
    return next((loss for loss in SearchLoss if loss in causes), SearchLoss.OUTAGE)


def retry_after(reports: Sequence[ProviderReport]) -> float | None:
    """Seconds until the first provider lets a call through; None where none says so."""
    return min((report.retry_after_s for report in reports if report.retry_after_s), default=None)


def search_failure(reports: Sequence[ProviderReport]) -> ServiceError:
    """Why nobody could be asked, as the providers tell it.

    Args:
        reports: One for each provider.
    """
    names, waits = [report.name for report in reports], retry_after(reports)
    match loss_of(reports):
        case SearchLoss.BUDGET:
            return ProvidersSpentError(waits)
        case SearchLoss.RATE | SearchLoss.QUOTA:
            return RateLimitedError("the search providers want fewer calls", retry_after_s=waits)
        case SearchLoss.KEY:
            return SearchNotConfiguredError(names)
        case SearchLoss.OUTAGE:
            return SearchFailedError(names)


def failed_by(error: ServiceError) -> Failed:
    """The end of a turn that cannot be answered, with the model server's own words, if any."""
    failed = Failed(
        error.reason,
        error.message,
        retryable=error.kind in _RETRYABLE and error.reason not in LASTING,
        retry_after_s=error.retry_after_s,
        challenge=error.challenge if isinstance(error, ChallengeRequiredError) else None,
    )
    if not isinstance(error, LlmError):
        return failed
    return replace(failed, retryable=error.cause.may_pass, cause=error.cause, said=error.said)
