"""Errors of the gateway's own domain.

ServiceError
└── SearchFailedError     no provider could be asked, and results were the whole request
"""

from collections.abc import Sequence

from pellucid_runtime.errors import ErrorKind, ServiceError


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
