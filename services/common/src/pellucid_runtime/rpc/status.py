"""Errors on the wire: `ServiceError` to `google.rpc.Status` and back.

Each error carries one `ErrorInfo` (domain `pellucid`); invalid arguments a `BadRequest` as well,
and errors that a retry may cure a `RetryInfo`.
"""

from collections.abc import Iterable, Mapping, Sequence

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import DecodeError, Message
from google.rpc import (  # type: ignore[import-untyped]  # published without types
    error_details_pb2,
    status_pb2,
)

from pellucid_runtime.errors import (
    DeadlineExceededError,
    DeniedError,
    DependencyDownError,
    ErrorKind,
    InvalidArgumentError,
    NotFoundError,
    NotReadyError,
    OverloadedError,
    PreconditionError,
    RateLimitedError,
    ServiceError,
    UnauthenticatedError,
)

DOMAIN = "pellucid"
DETAILS_KEY = "grpc-status-details-bin"
PUSHBACK_KEY = "grpc-retry-pushback-ms"
_NO_RETRY = "-1"

CODE_OF: Mapping[ErrorKind, grpc.StatusCode] = {
    ErrorKind.INVALID: grpc.StatusCode.INVALID_ARGUMENT,
    ErrorKind.UNAUTHENTICATED: grpc.StatusCode.UNAUTHENTICATED,
    ErrorKind.DENIED: grpc.StatusCode.PERMISSION_DENIED,
    ErrorKind.NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    ErrorKind.PRECONDITION: grpc.StatusCode.FAILED_PRECONDITION,
    ErrorKind.EXHAUSTED: grpc.StatusCode.RESOURCE_EXHAUSTED,
    ErrorKind.UNAVAILABLE: grpc.StatusCode.UNAVAILABLE,
    ErrorKind.LATE: grpc.StatusCode.DEADLINE_EXCEEDED,
    ErrorKind.INTERNAL: grpc.StatusCode.INTERNAL,
}
_KIND_OF: Mapping[grpc.StatusCode, ErrorKind] = {code: kind for kind, code in CODE_OF.items()}
# What errors become again at the caller, by reason; by kind when they came without a reason: from
# grpc itself, a proxy or a foreign server. The last class of a kind is the one to assume.
_CLASSES: Sequence[type[ServiceError]] = (
    DependencyDownError,
    UnauthenticatedError,
    DeniedError,
    InvalidArgumentError,
    NotFoundError,
    NotReadyError,
    RateLimitedError,
    OverloadedError,
)
_CLASS_BY_REASON: Mapping[str, type[ServiceError]] = {cls.reason: cls for cls in _CLASSES}
_CLASS_BY_KIND: Mapping[ErrorKind, type[ServiceError]] = {cls.kind: cls for cls in _CLASSES}

Trailer = tuple[str, str | bytes]


def trailers(error: ServiceError) -> tuple[Trailer, ...]:
    """Trailing metadata that carries the error's details and the pushback for retries."""
    status = status_pb2.Status(
        code=CODE_OF[error.kind].value[0], message=error.message, details=_pack(_details(error))
    )
    details: Trailer = (DETAILS_KEY, status.SerializeToString())
    if error.retry_after_s is not None:
        return (details, (PUSHBACK_KEY, str(round(error.retry_after_s * 1000))))
    if error.kind is ErrorKind.UNAVAILABLE:
        # The call was made, and retried where that made sense: callers must not do so again.
        return (details, (PUSHBACK_KEY, _NO_RETRY))
    return (details,)


def _details(error: ServiceError) -> Iterable[Message]:
    yield error_details_pb2.ErrorInfo(reason=error.reason, domain=DOMAIN, metadata=error.metadata)
    if error.kind is ErrorKind.INVALID and "field" in error.metadata:
        violation = error_details_pb2.BadRequest.FieldViolation(
            field=error.metadata["field"], description=error.metadata.get("limit", "")
        )
        yield error_details_pb2.BadRequest(field_violations=[violation])
    if error.retry_after_s is not None:
        retry = error_details_pb2.RetryInfo()
        retry.retry_delay.FromMilliseconds(round(error.retry_after_s * 1000))
        yield retry


def _pack(details: Iterable[Message]) -> list[AnyMessage]:
    packed = []
    for detail in details:
        packed.append(AnyMessage())
        packed[-1].Pack(detail)
    return packed


def from_rpc_error(error: grpc.aio.AioRpcError, dependency: str = "service") -> ServiceError:
    """What the caller of a failed RPC should see.

    An unreachable server becomes `DependencyDownError`, a passed deadline
    `DeadlineExceededError`; any other error keeps the reason and metadata that the server gave.
    A defect of the server (INTERNAL, UNKNOWN ...) counts as the dependency being down: the caller
    can degrade, and its own callers must not take it for a defect here. So does a message over the
    size limit, which grpc reports like an overload: trying again later would not help.

    Args:
        error: As raised by grpc.
        dependency: Name of the called service, for the error's metadata.
    """
    kind = _KIND_OF.get(error.code(), ErrorKind.INTERNAL)
    info, retry_after_s = _read_details(error)
    if kind is ErrorKind.LATE:
        return DeadlineExceededError(info.metadata.get("stage", dependency))
    no_word = not info.reason and (kind is ErrorKind.UNAVAILABLE or _is_too_large(error))
    if kind is ErrorKind.INTERNAL or no_word:
        return DependencyDownError(dependency, retry_after_s=retry_after_s)
    cls = _class_of(kind, info.reason)
    again = cls.__new__(cls)  # its own constructor would word the message anew
    ServiceError.__init__(
        again, error.details() or "", metadata=info.metadata, retry_after_s=retry_after_s
    )
    again.kind, again.reason = kind, info.reason or cls.reason
    return again


def _is_too_large(error: grpc.aio.AioRpcError) -> bool:
    """Whether grpc itself turned a message away, in either direction; it says so in words only."""
    is_exhausted = error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    return is_exhausted and "larger than max" in (error.details() or "")


def _class_of(kind: ErrorKind, reason: str) -> type[ServiceError]:
    if not reason:
        return _CLASS_BY_KIND[kind]
    is_precondition = kind is ErrorKind.PRECONDITION
    return _CLASS_BY_REASON.get(reason, PreconditionError if is_precondition else ServiceError)


def _read_details(
    error: grpc.aio.AioRpcError,
) -> tuple[error_details_pb2.ErrorInfo, float | None]:
    """The ErrorInfo (empty when absent) and the seconds until a retry."""
    info, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
    for detail in _status_of(error).details:
        _ = detail.Unpack(info) or detail.Unpack(retry)
    has_retry = retry.HasField("retry_delay")
    return info, retry.retry_delay.ToMilliseconds() / 1000 if has_retry else None


def _status_of(error: grpc.aio.AioRpcError) -> status_pb2.Status:
    for key, value in error.trailing_metadata() or ():
        if key == DETAILS_KEY and isinstance(value, bytes):
            try:
                return status_pb2.Status.FromString(value)
            except DecodeError:
                break
    return status_pb2.Status()
