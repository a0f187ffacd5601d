"""Reasons for which one page is not read.

    FetchFault                  one page failed; carries the typed outcome
    └── RefusedError            the egress rule says no; carries the inner reason, never shown

None of them leaves the service: the chain turns each into a page with a status.
"""

from pellucid_fetcher.outcome import FetchStatus


class FetchFault(Exception):  # noqa: N818 - a fault is an outcome, not an error of the program
    """One page cannot be read.

    Attributes:
        status: The typed outcome.
        retry_after_s: Seconds that the site asks to wait; 0 when it does not say.
        detail: Stable word that tells people and programs more; empty when nothing is to be added.
    """

    def __init__(self, status: FetchStatus, *, retry_after_s: int = 0, detail: str = "") -> None:
        super().__init__(status.value)
        self.status = status
        self.retry_after_s = retry_after_s
        self.detail = detail


class RefusedError(FetchFault):
    """The egress rule forbids the target.

    Attributes:
        reason: Stable word for metrics and the decision log, for example "private_address".
    """

    def __init__(self, reason: str) -> None:
        super().__init__(FetchStatus.BLOCKED_TARGET)
        self.reason = reason
