from pellucid.common.v1 import common_pb2 as _common_pb2
from pellucid.common.v1 import limits_pb2 as _limits_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Purpose(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PURPOSE_UNSPECIFIED: _ClassVar[Purpose]
    PURPOSE_USER_URL: _ClassVar[Purpose]
    PURPOSE_SEARCH_RESULT: _ClassVar[Purpose]

class FetchStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FETCH_STATUS_UNSPECIFIED: _ClassVar[FetchStatus]
    FETCH_STATUS_OK: _ClassVar[FetchStatus]
    FETCH_STATUS_BLOCKED_TARGET: _ClassVar[FetchStatus]
    FETCH_STATUS_DNS_ERROR: _ClassVar[FetchStatus]
    FETCH_STATUS_CONNECT_ERROR: _ClassVar[FetchStatus]
    FETCH_STATUS_CONNECT_TIMEOUT: _ClassVar[FetchStatus]
    FETCH_STATUS_FIRST_BYTE_TIMEOUT: _ClassVar[FetchStatus]
    FETCH_STATUS_TOTAL_TIMEOUT: _ClassVar[FetchStatus]
    FETCH_STATUS_TLS_ERROR: _ClassVar[FetchStatus]
    FETCH_STATUS_EMPTY_RESPONSE: _ClassVar[FetchStatus]
    FETCH_STATUS_RESET: _ClassVar[FetchStatus]
    FETCH_STATUS_PROTOCOL_ERROR: _ClassVar[FetchStatus]
    FETCH_STATUS_HEADERS_TOO_LARGE: _ClassVar[FetchStatus]
    FETCH_STATUS_TOO_LARGE: _ClassVar[FetchStatus]
    FETCH_STATUS_DECOMPRESSION_BOMB: _ClassVar[FetchStatus]
    FETCH_STATUS_UNSUPPORTED_ENCODING: _ClassVar[FetchStatus]
    FETCH_STATUS_DECODE_ERROR: _ClassVar[FetchStatus]
    FETCH_STATUS_UNSUPPORTED_TYPE: _ClassVar[FetchStatus]
    FETCH_STATUS_REDIRECT_LOOP: _ClassVar[FetchStatus]
    FETCH_STATUS_TOO_MANY_REDIRECTS: _ClassVar[FetchStatus]
    FETCH_STATUS_BAD_REDIRECT: _ClassVar[FetchStatus]
    FETCH_STATUS_NOT_FOUND: _ClassVar[FetchStatus]
    FETCH_STATUS_FORBIDDEN: _ClassVar[FetchStatus]
    FETCH_STATUS_RATE_LIMITED: _ClassVar[FetchStatus]
    FETCH_STATUS_HTTP_ERROR: _ClassVar[FetchStatus]
    FETCH_STATUS_BLOCKED_BY_SITE: _ClassVar[FetchStatus]
    FETCH_STATUS_ROBOTS_DENIED: _ClassVar[FetchStatus]
    FETCH_STATUS_NO_TEXT: _ClassVar[FetchStatus]
    FETCH_STATUS_PARSE_LIMIT: _ClassVar[FetchStatus]
    FETCH_STATUS_DEADLINE: _ClassVar[FetchStatus]

class Method(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    METHOD_UNSPECIFIED: _ClassVar[Method]
    METHOD_HTTP: _ClassVar[Method]
    METHOD_BROWSER: _ClassVar[Method]
    METHOD_READER: _ClassVar[Method]
    METHOD_ARCHIVE: _ClassVar[Method]
    METHOD_CACHE: _ClassVar[Method]
    METHOD_PROVIDER: _ClassVar[Method]
PURPOSE_UNSPECIFIED: Purpose
PURPOSE_USER_URL: Purpose
PURPOSE_SEARCH_RESULT: Purpose
FETCH_STATUS_UNSPECIFIED: FetchStatus
FETCH_STATUS_OK: FetchStatus
FETCH_STATUS_BLOCKED_TARGET: FetchStatus
FETCH_STATUS_DNS_ERROR: FetchStatus
FETCH_STATUS_CONNECT_ERROR: FetchStatus
FETCH_STATUS_CONNECT_TIMEOUT: FetchStatus
FETCH_STATUS_FIRST_BYTE_TIMEOUT: FetchStatus
FETCH_STATUS_TOTAL_TIMEOUT: FetchStatus
FETCH_STATUS_TLS_ERROR: FetchStatus
FETCH_STATUS_EMPTY_RESPONSE: FetchStatus
FETCH_STATUS_RESET: FetchStatus
FETCH_STATUS_PROTOCOL_ERROR: FetchStatus
FETCH_STATUS_HEADERS_TOO_LARGE: FetchStatus
FETCH_STATUS_TOO_LARGE: FetchStatus
FETCH_STATUS_DECOMPRESSION_BOMB: FetchStatus
FETCH_STATUS_UNSUPPORTED_ENCODING: FetchStatus
FETCH_STATUS_DECODE_ERROR: FetchStatus
FETCH_STATUS_UNSUPPORTED_TYPE: FetchStatus
FETCH_STATUS_REDIRECT_LOOP: FetchStatus
FETCH_STATUS_TOO_MANY_REDIRECTS: FetchStatus
FETCH_STATUS_BAD_REDIRECT: FetchStatus
FETCH_STATUS_NOT_FOUND: FetchStatus
FETCH_STATUS_FORBIDDEN: FetchStatus
FETCH_STATUS_RATE_LIMITED: FetchStatus
FETCH_STATUS_HTTP_ERROR: FetchStatus
FETCH_STATUS_BLOCKED_BY_SITE: FetchStatus
FETCH_STATUS_ROBOTS_DENIED: FetchStatus
FETCH_STATUS_NO_TEXT: FetchStatus
FETCH_STATUS_PARSE_LIMIT: FetchStatus
FETCH_STATUS_DEADLINE: FetchStatus
METHOD_UNSPECIFIED: Method
METHOD_HTTP: Method
METHOD_BROWSER: Method
METHOD_READER: Method
METHOD_ARCHIVE: Method
METHOD_CACHE: Method
METHOD_PROVIDER: Method

class FetchRequest(_message.Message):
    __slots__ = ("url", "purpose", "max_chars", "timeout_ms", "no_external", "offset", "links", "content")
    URL_FIELD_NUMBER: _ClassVar[int]
    PURPOSE_FIELD_NUMBER: _ClassVar[int]
    MAX_CHARS_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_MS_FIELD_NUMBER: _ClassVar[int]
    NO_EXTERNAL_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    LINKS_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    url: str
    purpose: Purpose
    max_chars: int
    timeout_ms: int
    no_external: bool
    offset: int
    links: bool
    content: bytes
    def __init__(self, url: _Optional[str] = ..., purpose: _Optional[_Union[Purpose, str]] = ..., max_chars: _Optional[int] = ..., timeout_ms: _Optional[int] = ..., no_external: _Optional[bool] = ..., offset: _Optional[int] = ..., links: _Optional[bool] = ..., content: _Optional[bytes] = ...) -> None: ...

class FetchManyRequest(_message.Message):
    __slots__ = ("requests",)
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    requests: _containers.RepeatedCompositeFieldContainer[FetchRequest]
    def __init__(self, requests: _Optional[_Iterable[_Union[FetchRequest, _Mapping]]] = ...) -> None: ...

class FetchResponse(_message.Message):
    __slots__ = ("page",)
    PAGE_FIELD_NUMBER: _ClassVar[int]
    page: Page
    def __init__(self, page: _Optional[_Union[Page, _Mapping]] = ...) -> None: ...

class FetchManyResponse(_message.Message):
    __slots__ = ("index", "page")
    INDEX_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    index: int
    page: Page
    def __init__(self, index: _Optional[int] = ..., page: _Optional[_Union[Page, _Mapping]] = ...) -> None: ...

class Page(_message.Message):
    __slots__ = ("url", "final_url", "success", "status", "http_status", "method", "title", "author", "site_name", "language", "published", "text", "excerpt", "truncated", "content_type", "charset", "redirects", "retryable", "error", "retry_after_s", "warnings", "timings", "bytes_wire", "bytes_decoded", "extraction_quality", "page_type", "reason", "host_reliability", "next_offset")
    URL_FIELD_NUMBER: _ClassVar[int]
    FINAL_URL_FIELD_NUMBER: _ClassVar[int]
    SUCCESS_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    HTTP_STATUS_FIELD_NUMBER: _ClassVar[int]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    AUTHOR_FIELD_NUMBER: _ClassVar[int]
    SITE_NAME_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    PUBLISHED_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    EXCERPT_FIELD_NUMBER: _ClassVar[int]
    TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    CONTENT_TYPE_FIELD_NUMBER: _ClassVar[int]
    CHARSET_FIELD_NUMBER: _ClassVar[int]
    REDIRECTS_FIELD_NUMBER: _ClassVar[int]
    RETRYABLE_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    RETRY_AFTER_S_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    TIMINGS_FIELD_NUMBER: _ClassVar[int]
    BYTES_WIRE_FIELD_NUMBER: _ClassVar[int]
    BYTES_DECODED_FIELD_NUMBER: _ClassVar[int]
    EXTRACTION_QUALITY_FIELD_NUMBER: _ClassVar[int]
    PAGE_TYPE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    HOST_RELIABILITY_FIELD_NUMBER: _ClassVar[int]
    NEXT_OFFSET_FIELD_NUMBER: _ClassVar[int]
    url: str
    final_url: str
    success: bool
    status: FetchStatus
    http_status: int
    method: Method
    title: str
    author: str
    site_name: str
    language: str
    published: _common_pb2.PublishedDate
    text: str
    excerpt: str
    truncated: bool
    content_type: str
    charset: str
    redirects: _containers.RepeatedScalarFieldContainer[str]
    retryable: bool
    error: str
    retry_after_s: int
    warnings: _containers.RepeatedScalarFieldContainer[str]
    timings: FetchTimings
    bytes_wire: int
    bytes_decoded: int
    extraction_quality: float
    page_type: str
    reason: str
    host_reliability: float
    next_offset: int
    def __init__(self, url: _Optional[str] = ..., final_url: _Optional[str] = ..., success: _Optional[bool] = ..., status: _Optional[_Union[FetchStatus, str]] = ..., http_status: _Optional[int] = ..., method: _Optional[_Union[Method, str]] = ..., title: _Optional[str] = ..., author: _Optional[str] = ..., site_name: _Optional[str] = ..., language: _Optional[str] = ..., published: _Optional[_Union[_common_pb2.PublishedDate, _Mapping]] = ..., text: _Optional[str] = ..., excerpt: _Optional[str] = ..., truncated: _Optional[bool] = ..., content_type: _Optional[str] = ..., charset: _Optional[str] = ..., redirects: _Optional[_Iterable[str]] = ..., retryable: _Optional[bool] = ..., error: _Optional[str] = ..., retry_after_s: _Optional[int] = ..., warnings: _Optional[_Iterable[str]] = ..., timings: _Optional[_Union[FetchTimings, _Mapping]] = ..., bytes_wire: _Optional[int] = ..., bytes_decoded: _Optional[int] = ..., extraction_quality: _Optional[float] = ..., page_type: _Optional[str] = ..., reason: _Optional[str] = ..., host_reliability: _Optional[float] = ..., next_offset: _Optional[int] = ...) -> None: ...

class FetchTimings(_message.Message):
    __slots__ = ("wait_ms", "dns_ms", "http_ms", "browser_ms", "extract_ms", "total_ms")
    WAIT_MS_FIELD_NUMBER: _ClassVar[int]
    DNS_MS_FIELD_NUMBER: _ClassVar[int]
    HTTP_MS_FIELD_NUMBER: _ClassVar[int]
    BROWSER_MS_FIELD_NUMBER: _ClassVar[int]
    EXTRACT_MS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_MS_FIELD_NUMBER: _ClassVar[int]
    wait_ms: int
    dns_ms: int
    http_ms: int
    browser_ms: int
    extract_ms: int
    total_ms: int
    def __init__(self, wait_ms: _Optional[int] = ..., dns_ms: _Optional[int] = ..., http_ms: _Optional[int] = ..., browser_ms: _Optional[int] = ..., extract_ms: _Optional[int] = ..., total_ms: _Optional[int] = ...) -> None: ...
