import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from pellucid.common.v1 import limits_pb2 as _limits_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Role(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ROLE_UNSPECIFIED: _ClassVar[Role]
    ROLE_USER: _ClassVar[Role]
    ROLE_ASSISTANT: _ClassVar[Role]
    ROLE_SYSTEM: _ClassVar[Role]
    ROLE_TOOL: _ClassVar[Role]

class Freshness(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FRESHNESS_UNSPECIFIED: _ClassVar[Freshness]
    FRESHNESS_NONE: _ClassVar[Freshness]
    FRESHNESS_DAY: _ClassVar[Freshness]
    FRESHNESS_WEEK: _ClassVar[Freshness]
    FRESHNESS_MONTH: _ClassVar[Freshness]
    FRESHNESS_YEAR: _ClassVar[Freshness]

class DateSource(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DATE_SOURCE_UNSPECIFIED: _ClassVar[DateSource]
    DATE_SOURCE_PROVIDER: _ClassVar[DateSource]
    DATE_SOURCE_JSON_LD: _ClassVar[DateSource]
    DATE_SOURCE_META: _ClassVar[DateSource]
    DATE_SOURCE_URL: _ClassVar[DateSource]
    DATE_SOURCE_HTTP: _ClassVar[DateSource]
    DATE_SOURCE_TEXT: _ClassVar[DateSource]
ROLE_UNSPECIFIED: Role
ROLE_USER: Role
ROLE_ASSISTANT: Role
ROLE_SYSTEM: Role
ROLE_TOOL: Role
FRESHNESS_UNSPECIFIED: Freshness
FRESHNESS_NONE: Freshness
FRESHNESS_DAY: Freshness
FRESHNESS_WEEK: Freshness
FRESHNESS_MONTH: Freshness
FRESHNESS_YEAR: Freshness
DATE_SOURCE_UNSPECIFIED: DateSource
DATE_SOURCE_PROVIDER: DateSource
DATE_SOURCE_JSON_LD: DateSource
DATE_SOURCE_META: DateSource
DATE_SOURCE_URL: DateSource
DATE_SOURCE_HTTP: DateSource
DATE_SOURCE_TEXT: DateSource

class Message(_message.Message):
    __slots__ = ("role", "content", "about_named_page")
    ROLE_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    ABOUT_NAMED_PAGE_FIELD_NUMBER: _ClassVar[int]
    role: Role
    content: str
    about_named_page: bool
    def __init__(self, role: _Optional[_Union[Role, str]] = ..., content: _Optional[str] = ..., about_named_page: _Optional[bool] = ...) -> None: ...

class SubjectContext(_message.Message):
    __slots__ = ("kind", "title", "speakers", "organizations", "event", "description", "published_at")
    KIND_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    SPEAKERS_FIELD_NUMBER: _ClassVar[int]
    ORGANIZATIONS_FIELD_NUMBER: _ClassVar[int]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    PUBLISHED_AT_FIELD_NUMBER: _ClassVar[int]
    kind: str
    title: str
    speakers: _containers.RepeatedScalarFieldContainer[str]
    organizations: _containers.RepeatedScalarFieldContainer[str]
    event: str
    description: str
    published_at: _timestamp_pb2.Timestamp
    def __init__(self, kind: _Optional[str] = ..., title: _Optional[str] = ..., speakers: _Optional[_Iterable[str]] = ..., organizations: _Optional[_Iterable[str]] = ..., event: _Optional[str] = ..., description: _Optional[str] = ..., published_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class PublishedDate(_message.Message):
    __slots__ = ("time", "source", "confidence")
    TIME_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    time: _timestamp_pb2.Timestamp
    source: DateSource
    confidence: float
    def __init__(self, time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., source: _Optional[_Union[DateSource, str]] = ..., confidence: _Optional[float] = ...) -> None: ...

class Degradation(_message.Message):
    __slots__ = ("component", "detail")
    COMPONENT_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    component: str
    detail: str
    def __init__(self, component: _Optional[str] = ..., detail: _Optional[str] = ...) -> None: ...

class OutboundText(_message.Message):
    __slots__ = ("to", "kind", "text", "redacted")
    TO_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    REDACTED_FIELD_NUMBER: _ClassVar[int]
    to: str
    kind: str
    text: str
    redacted: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, to: _Optional[str] = ..., kind: _Optional[str] = ..., text: _Optional[str] = ..., redacted: _Optional[_Iterable[str]] = ...) -> None: ...
