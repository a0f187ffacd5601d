"""Errors of the gateway's own domain.

ServiceError
├── BudgetSpentError      a key has cost what it may in a day
├── ChallengeRequiredError  a suspicious caller must solve a challenge first
├── RateLimitedError
│   ├── BlockedError      a caller is blocked for a while
│   └── QuotaSpentError   a person's searches of the day are used up
└── SearchFailedError     no provider could be asked, and results were the whole request
"""

from collections.abc import Sequence

from pellucid_runtime.errors import ErrorKind, RateLimitedError, ServiceError


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
        site_key: Public key with which a page shows the challenge.
    """

    reason = "CHALLENGE_REQUIRED"
    kind = ErrorKind.DENIED

    def __init__(self, site_key: str) -> None:
        super().__init__(
            "show the person a challenge and send its answer as X-Pellucid-Challenge",
            metadata={"site_key": site_key},
        )
