"""Errors that a service reports to its callers.

    ServiceError
    ├── InvalidArgumentError     a field breaks its limit
    ├── UnauthenticatedError     no valid credential
    ├── DeniedError              the credential does not permit it
    ├── NotFoundError            the named thing does not exist
    ├── PreconditionError        something must be done first; the caller names the reason
    ├── NotReadyError            a component is still starting
    ├── OverloadedError          a queue is full
    ├── RateLimitedError         a quota or rate is used up
    ├── DependencyDownError      another service does not answer
    └── DeadlineExceededError    the time is up, or too short to begin

Pure Python, so that domain code may raise them. What a kind means on the wire is settled in
`pellucid_runtime.rpc.status`. An exception outside this tree is a defect: callers see a bare
"internal error" and nothing of its text.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from typing import ClassVar

# Reasons that no retry of the same day helps against.
LASTING = frozenset({"API_KEY_INVALID", "BUDGET_EXCEEDED"})


class ErrorKind(StrEnum):
    """What a caller can do about an error; each kind has one gRPC status code."""

    INVALID = "invalid"
    UNAUTHENTICATED = "unauthenticated"
    DENIED = "denied"
    NOT_FOUND = "not_found"
    PRECONDITION = "precondition"
    EXHAUSTED = "exhausted"
    UNAVAILABLE = "unavailable"
    LATE = "late"
    INTERNAL = "internal"


class ServiceError(Exception):
    """A failure with a machine-readable reason. The message is shown to callers: no user text.

    Attributes:
        reason: Name in `pellucid.common.v1.ErrorReason`, without the prefix.
        kind: What a caller can do about it.
        message: One sentence.
        metadata: Details by name, as documented at the reason.
        retry_after_s: Seconds after which a retry may succeed; None when unknown or pointless.
    """

    reason: str = "INTERNAL"
    kind: ErrorKind = ErrorKind.INTERNAL

    def __init__(
        self,
        message: str = "internal error",
        *,
        metadata: Mapping[str, str] | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.metadata: dict[str, str] = dict(metadata or {})
        self.retry_after_s = retry_after_s


class InvalidArgumentError(ServiceError):
    """A request field breaks its documented limit.

    Args:
        field: Path of the field, for example `candidates[3].title`.
        limit: The limit in words, for example "at most 10 items".
    """

    reason = "INVALID_ARGUMENT"
    kind = ErrorKind.INVALID

    def __init__(self, field: str, limit: str) -> None:
        super().__init__(f"{field}: {limit}", metadata={"field": field, "limit": limit})


class UnauthenticatedError(ServiceError):
    """No valid credential came with the call."""

    reason = "UNAUTHENTICATED"
    kind = ErrorKind.UNAUTHENTICATED

    def __init__(self, message: str = "a valid credential is needed") -> None:
        super().__init__(message)


class DeniedError(ServiceError):
    """The credential does not permit this call.

    Args:
        scope: The missing scope, for example `evidence:delete`.
    """

    reason = "FORBIDDEN"
    kind = ErrorKind.DENIED

    def __init__(self, scope: str) -> None:
        super().__init__(f"not permitted: {scope}", metadata={"scope": scope})


class NotFoundError(ServiceError):
    """The named thing does not exist, or belongs to somebody else.

    Args:
        resource: Kind and name, for example `profile:experiment-7`.
    """

    reason = "NOT_FOUND"
    kind = ErrorKind.NOT_FOUND

    def __init__(self, resource: str) -> None:
        super().__init__(f"not found: {resource}", metadata={"resource": resource})


class PreconditionError(ServiceError):
    """Something outside the call must change before it can succeed.

    Args:
        reason: Name in `ErrorReason` without the prefix, for example `API_KEY_INVALID`.
        message: One sentence without user text.
        metadata: Details as documented at the reason.
    """

    kind = ErrorKind.PRECONDITION

    def __init__(
        self, reason: str, message: str, metadata: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message, metadata=metadata)
        self.reason = reason


class NotReadyError(ServiceError):
    """A component is still starting.

    Args:
        component: Its name, for example `model`.
    """

    reason = "NOT_READY"
    kind = ErrorKind.PRECONDITION

    def __init__(self, component: str, *, retry_after_s: float | None = 1.0) -> None:
        super().__init__(
            f"{component} is not ready",
            metadata={"component": component},
            retry_after_s=retry_after_s,
        )


class OverloadedError(ServiceError):
    """A queue is full; the work was not begun.

    Args:
        queue: Its name, for example `encode`.
        retry_after_s: Seconds after which there may be room.
    """

    reason = "OVERLOADED"
    kind = ErrorKind.EXHAUSTED

    def __init__(self, queue: str, retry_after_s: float | None = 0.1) -> None:
        super().__init__(f"{queue} is full", metadata={"queue": queue}, retry_after_s=retry_after_s)


class RateLimitedError(ServiceError):
    """The caller used up a quota or rate; give `limit` and `window_s` as metadata."""

    reason = "RATE_LIMIT_EXCEEDED"
    kind = ErrorKind.EXHAUSTED


class DependencyDownError(ServiceError):
    """Another service that this call needs does not answer.

    Args:
        dependency: Its name, for example `scorer`.
    """

    reason = "DEPENDENCY_DOWN"
    kind = ErrorKind.UNAVAILABLE

    def __init__(self, dependency: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(
            f"{dependency} is down",
            metadata={"dependency": dependency},
            retry_after_s=retry_after_s,
        )


@contextmanager
def store_errors(*kinds: type[Exception]) -> Iterator[None]:
    """Whatever the cause, callers only need to know that the store is down."""
    try:
        yield
    except kinds as error:
        raise DependencyDownError("store") from error


class DeadlineExceededError(ServiceError):
    """The time is up, or too short to begin.

    Args:
        stage: What was going on, for example `search`.
    """

    reason = "DEADLINE_EXCEEDED"
    kind = ErrorKind.LATE
    default_stage: ClassVar[str] = "call"

    def __init__(self, stage: str = default_stage) -> None:
        super().__init__(f"out of time in {stage}", metadata={"stage": stage})
