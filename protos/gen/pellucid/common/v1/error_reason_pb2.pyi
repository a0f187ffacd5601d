from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from typing import ClassVar as _ClassVar

DESCRIPTOR: _descriptor.FileDescriptor

class ErrorReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ERROR_REASON_UNSPECIFIED: _ClassVar[ErrorReason]
    ERROR_REASON_INVALID_ARGUMENT: _ClassVar[ErrorReason]
    ERROR_REASON_UNAUTHENTICATED: _ClassVar[ErrorReason]
    ERROR_REASON_FORBIDDEN: _ClassVar[ErrorReason]
    ERROR_REASON_NOT_FOUND: _ClassVar[ErrorReason]
    ERROR_REASON_PAYLOAD_TOO_LARGE: _ClassVar[ErrorReason]
    ERROR_REASON_RATE_LIMIT_EXCEEDED: _ClassVar[ErrorReason]
    ERROR_REASON_OVERLOADED: _ClassVar[ErrorReason]
    ERROR_REASON_BUDGET_EXCEEDED: _ClassVar[ErrorReason]
    ERROR_REASON_API_KEY_INVALID: _ClassVar[ErrorReason]
    ERROR_REASON_SEARCH_FAILED: _ClassVar[ErrorReason]
    ERROR_REASON_FETCH_FAILED: _ClassVar[ErrorReason]
    ERROR_REASON_EXTRACTION_FAILED: _ClassVar[ErrorReason]
    ERROR_REASON_ALL_SOURCES_FAILED: _ClassVar[ErrorReason]
    ERROR_REASON_DEADLINE_EXCEEDED: _ClassVar[ErrorReason]
    ERROR_REASON_CHALLENGE_REQUIRED: _ClassVar[ErrorReason]
    ERROR_REASON_LLM_FAILED: _ClassVar[ErrorReason]
    ERROR_REASON_NOT_READY: _ClassVar[ErrorReason]
    ERROR_REASON_DEPENDENCY_DOWN: _ClassVar[ErrorReason]
    ERROR_REASON_INTERNAL: _ClassVar[ErrorReason]
ERROR_REASON_UNSPECIFIED: ErrorReason
ERROR_REASON_INVALID_ARGUMENT: ErrorReason
ERROR_REASON_UNAUTHENTICATED: ErrorReason
ERROR_REASON_FORBIDDEN: ErrorReason
ERROR_REASON_NOT_FOUND: ErrorReason
ERROR_REASON_PAYLOAD_TOO_LARGE: ErrorReason
ERROR_REASON_RATE_LIMIT_EXCEEDED: ErrorReason
ERROR_REASON_OVERLOADED: ErrorReason
ERROR_REASON_BUDGET_EXCEEDED: ErrorReason
ERROR_REASON_API_KEY_INVALID: ErrorReason
ERROR_REASON_SEARCH_FAILED: ErrorReason
ERROR_REASON_FETCH_FAILED: ErrorReason
ERROR_REASON_EXTRACTION_FAILED: ErrorReason
ERROR_REASON_ALL_SOURCES_FAILED: ErrorReason
ERROR_REASON_DEADLINE_EXCEEDED: ErrorReason
ERROR_REASON_CHALLENGE_REQUIRED: ErrorReason
ERROR_REASON_LLM_FAILED: ErrorReason
ERROR_REASON_NOT_READY: ErrorReason
ERROR_REASON_DEPENDENCY_DOWN: ErrorReason
ERROR_REASON_INTERNAL: ErrorReason
