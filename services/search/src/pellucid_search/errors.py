"""How asking a provider can fail.

    ProviderError
    ├── BadKeyError            the key is missing, wrong or not entitled
    │   └── RetiredError       the address serves nobody any more
    ├── QuotaError             the month's or day's quota is used up
    ├── RateError              too many requests in a short window
    ├── ProviderTimeoutError   no answer in time
    ├── MalformedError         the answer could not be understood, or was too large
    ├── EmptyError             an empty body, or no results because its own sources failed
    ├── BlockedError           the provider refuses this client
    ├── UnreachableError       no connection, or it broke
    ├── ProviderServerError    the provider reports an error of its own
    └── BadRequestError        the provider rejected the request as invalid

A failed provider is a report in the response, never an error of the call; errors of the call come
from `pellucid_runtime.errors`.
"""

from collections.abc import Sequence
from typing import ClassVar

from pellucid_search.hits import RateWindow


class ProviderError(Exception):
    """One provider could not answer one query.

    Attributes:
        code: Name for reports and metrics.
        retryable: Another try within the same call may succeed.
        final: Further calls are pointless for a while; the breaker opens at once.
        pause_s: Seconds that the breaker stays open after a final error.
        shared: Holds for the key, so for every replica that uses it.
        disables: The provider is not asked again until a restart.
        detail: One sentence for people; no key, no query.
        retry_after_s: Seconds that the provider asks to wait; None when it does not say.
        sent: The query left the installation.
        windows: Limits read from the headers of the failed answer.
    """

    code: ClassVar[str] = "server"
    retryable: ClassVar[bool] = False
    final: ClassVar[bool] = False
    pause_s: ClassVar[float] = 30.0
    shared: ClassVar[bool] = False
    disables: ClassVar[bool] = False

    def __init__(
        self,
        detail: str,
        *,
        retry_after_s: float | None = None,
        sent: bool = True,
        windows: Sequence[RateWindow] = (),
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.retry_after_s = retry_after_s
        self.sent = sent
        self.windows = tuple(windows)


class BadKeyError(ProviderError):
    """The key is missing, wrong or not entitled."""

    code = "bad_key"
    final = True
    shared = True
    pause_s = 300.0


class RetiredError(BadKeyError):
    """The address serves nobody any more, or never this key."""

    disables = True
    pause_s = 86_400.0


class QuotaError(ProviderError):
    """The month's or day's quota is used up."""

    code = "quota"
    final = True
    shared = True
    pause_s = 3600.0


class RateError(ProviderError):
    """Too many requests in a short window."""

    code = "rate"
    retryable = True


class ProviderTimeoutError(ProviderError):
    """No answer in time."""

    code = "timeout"


class MalformedError(ProviderError):
    """The answer could not be understood, was too large, or was of the wrong type."""

    code = "malformed"


class EmptyError(ProviderError):
    """An empty body, or no results because the provider's own sources failed."""

    code = "empty"


class BlockedError(ProviderError):
    """The provider refuses this client, for example by a captcha."""

    code = "blocked"
    final = True
    pause_s = 180.0  # SearXNG suspends an engine that refuses it for as long


class UnreachableError(ProviderError):
    """No connection, or it broke."""

    code = "unreachable"
    retryable = True


class ProviderServerError(ProviderError):
    """The provider reports an error of its own."""

    code = "server"
    retryable = True


class BadRequestError(ProviderError):
    """The provider rejected the request as invalid."""

    code = "bad_request"
