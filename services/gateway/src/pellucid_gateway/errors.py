"""Errors of the gateway's own domain.

ServiceError
├── RateLimitedError
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
