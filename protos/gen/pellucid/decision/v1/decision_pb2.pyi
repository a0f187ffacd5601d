import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from pellucid.common.v1 import common_pb2 as _common_pb2
from pellucid.common.v1 import limits_pb2 as _limits_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class WebMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WEB_MODE_UNSPECIFIED: _ClassVar[WebMode]
    WEB_MODE_AUTO: _ClassVar[WebMode]
    WEB_MODE_ON: _ClassVar[WebMode]
    WEB_MODE_OFF: _ClassVar[WebMode]

class Action(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ACTION_UNSPECIFIED: _ClassVar[Action]
    ACTION_SEARCH: _ClassVar[Action]
    ACTION_FETCH: _ClassVar[Action]
    ACTION_ANSWER: _ClassVar[Action]

class Stage(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STAGE_UNSPECIFIED: _ClassVar[Stage]
    STAGE_MODE: _ClassVar[Stage]
    STAGE_URL: _ClassVar[Stage]
    STAGE_RULE: _ClassVar[Stage]
    STAGE_MATRIX: _ClassVar[Stage]
    STAGE_CLASSIFIER: _ClassVar[Stage]
    STAGE_LLM: _ClassVar[Stage]
    STAGE_FALLBACK: _ClassVar[Stage]

class Intent(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    INTENT_UNSPECIFIED: _ClassVar[Intent]
    INTENT_NEWS: _ClassVar[Intent]
    INTENT_BACKGROUND: _ClassVar[Intent]
    INTENT_GENERAL: _ClassVar[Intent]
WEB_MODE_UNSPECIFIED: WebMode
WEB_MODE_AUTO: WebMode
WEB_MODE_ON: WebMode
WEB_MODE_OFF: WebMode
ACTION_UNSPECIFIED: Action
ACTION_SEARCH: Action
ACTION_FETCH: Action
ACTION_ANSWER: Action
STAGE_UNSPECIFIED: Stage
STAGE_MODE: Stage
STAGE_URL: Stage
STAGE_RULE: Stage
STAGE_MATRIX: Stage
STAGE_CLASSIFIER: Stage
STAGE_LLM: Stage
STAGE_FALLBACK: Stage
INTENT_UNSPECIFIED: Intent
INTENT_NEWS: Intent
INTENT_BACKGROUND: Intent
INTENT_GENERAL: Intent

class DecideRequest(_message.Message):
    __slots__ = ("message", "history", "subject", "web_mode", "force_search", "no_external", "now", "time_zone", "knowledge_cutoff", "language", "conversation_id", "max_queries", "earlier", "max_parts", "memories", "search_offered")
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    HISTORY_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    WEB_MODE_FIELD_NUMBER: _ClassVar[int]
    FORCE_SEARCH_FIELD_NUMBER: _ClassVar[int]
    NO_EXTERNAL_FIELD_NUMBER: _ClassVar[int]
    NOW_FIELD_NUMBER: _ClassVar[int]
    TIME_ZONE_FIELD_NUMBER: _ClassVar[int]
    KNOWLEDGE_CUTOFF_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    MAX_QUERIES_FIELD_NUMBER: _ClassVar[int]
    EARLIER_FIELD_NUMBER: _ClassVar[int]
    MAX_PARTS_FIELD_NUMBER: _ClassVar[int]
    MEMORIES_FIELD_NUMBER: _ClassVar[int]
    SEARCH_OFFERED_FIELD_NUMBER: _ClassVar[int]
    message: str
    history: _containers.RepeatedCompositeFieldContainer[_common_pb2.Message]
    subject: _common_pb2.SubjectContext
    web_mode: WebMode
    force_search: bool
    no_external: bool
    now: _timestamp_pb2.Timestamp
    time_zone: str
    knowledge_cutoff: _timestamp_pb2.Timestamp
    language: str
    conversation_id: str
    max_queries: int
    earlier: _containers.RepeatedCompositeFieldContainer[_common_pb2.Message]
    max_parts: int
    memories: _containers.RepeatedScalarFieldContainer[str]
    search_offered: bool
    def __init__(self, message: _Optional[str] = ..., history: _Optional[_Iterable[_Union[_common_pb2.Message, _Mapping]]] = ..., subject: _Optional[_Union[_common_pb2.SubjectContext, _Mapping]] = ..., web_mode: _Optional[_Union[WebMode, str]] = ..., force_search: _Optional[bool] = ..., no_external: _Optional[bool] = ..., now: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., time_zone: _Optional[str] = ..., knowledge_cutoff: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., language: _Optional[str] = ..., conversation_id: _Optional[str] = ..., max_queries: _Optional[int] = ..., earlier: _Optional[_Iterable[_Union[_common_pb2.Message, _Mapping]]] = ..., max_parts: _Optional[int] = ..., memories: _Optional[_Iterable[str]] = ..., search_offered: _Optional[bool] = ...) -> None: ...

class DecideResponse(_message.Message):
    __slots__ = ("decision", "degraded", "outbound", "query_writing")
    DECISION_FIELD_NUMBER: _ClassVar[int]
    DEGRADED_FIELD_NUMBER: _ClassVar[int]
    OUTBOUND_FIELD_NUMBER: _ClassVar[int]
    QUERY_WRITING_FIELD_NUMBER: _ClassVar[int]
    decision: Decision
    degraded: _containers.RepeatedCompositeFieldContainer[_common_pb2.Degradation]
    outbound: _containers.RepeatedCompositeFieldContainer[_common_pb2.OutboundText]
    query_writing: QueryWriting
    def __init__(self, decision: _Optional[_Union[Decision, _Mapping]] = ..., degraded: _Optional[_Iterable[_Union[_common_pb2.Degradation, _Mapping]]] = ..., outbound: _Optional[_Iterable[_Union[_common_pb2.OutboundText, _Mapping]]] = ..., query_writing: _Optional[_Union[QueryWriting, _Mapping]] = ...) -> None: ...

class QueryWriting(_message.Message):
    __slots__ = ("outbound",)
    OUTBOUND_FIELD_NUMBER: _ClassVar[int]
    outbound: _containers.RepeatedCompositeFieldContainer[_common_pb2.OutboundText]
    def __init__(self, outbound: _Optional[_Iterable[_Union[_common_pb2.OutboundText, _Mapping]]] = ...) -> None: ...

class WriteQueriesRequest(_message.Message):
    __slots__ = ("asked", "queries")
    ASKED_FIELD_NUMBER: _ClassVar[int]
    QUERIES_FIELD_NUMBER: _ClassVar[int]
    asked: DecideRequest
    queries: _containers.RepeatedCompositeFieldContainer[Query]
    def __init__(self, asked: _Optional[_Union[DecideRequest, _Mapping]] = ..., queries: _Optional[_Iterable[_Union[Query, _Mapping]]] = ...) -> None: ...

class WriteQueriesResponse(_message.Message):
    __slots__ = ("queries", "degraded", "outbound")
    QUERIES_FIELD_NUMBER: _ClassVar[int]
    DEGRADED_FIELD_NUMBER: _ClassVar[int]
    OUTBOUND_FIELD_NUMBER: _ClassVar[int]
    queries: _containers.RepeatedCompositeFieldContainer[Query]
    degraded: _containers.RepeatedCompositeFieldContainer[_common_pb2.Degradation]
    outbound: _containers.RepeatedCompositeFieldContainer[_common_pb2.OutboundText]
    def __init__(self, queries: _Optional[_Iterable[_Union[Query, _Mapping]]] = ..., degraded: _Optional[_Iterable[_Union[_common_pb2.Degradation, _Mapping]]] = ..., outbound: _Optional[_Iterable[_Union[_common_pb2.OutboundText, _Mapping]]] = ...) -> None: ...

class Decision(_message.Message):
    __slots__ = ("action", "needs_search", "confidence", "stage", "reason", "reason_code", "signals", "standalone_question", "queries", "fallback_queries", "intent", "requires_context", "category", "freshness", "recency_days", "real_time", "time_sensitive", "target_info", "language", "urls", "ignored_urls", "priority", "deep_research", "site", "topicless", "about_answer")
    ACTION_FIELD_NUMBER: _ClassVar[int]
    NEEDS_SEARCH_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REASON_CODE_FIELD_NUMBER: _ClassVar[int]
    SIGNALS_FIELD_NUMBER: _ClassVar[int]
    STANDALONE_QUESTION_FIELD_NUMBER: _ClassVar[int]
    QUERIES_FIELD_NUMBER: _ClassVar[int]
    FALLBACK_QUERIES_FIELD_NUMBER: _ClassVar[int]
    INTENT_FIELD_NUMBER: _ClassVar[int]
    REQUIRES_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    FRESHNESS_FIELD_NUMBER: _ClassVar[int]
    RECENCY_DAYS_FIELD_NUMBER: _ClassVar[int]
    REAL_TIME_FIELD_NUMBER: _ClassVar[int]
    TIME_SENSITIVE_FIELD_NUMBER: _ClassVar[int]
    TARGET_INFO_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    URLS_FIELD_NUMBER: _ClassVar[int]
    IGNORED_URLS_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    DEEP_RESEARCH_FIELD_NUMBER: _ClassVar[int]
    SITE_FIELD_NUMBER: _ClassVar[int]
    TOPICLESS_FIELD_NUMBER: _ClassVar[int]
    ABOUT_ANSWER_FIELD_NUMBER: _ClassVar[int]
    action: Action
    needs_search: bool
    confidence: float
    stage: Stage
    reason: str
    reason_code: str
    signals: _containers.RepeatedCompositeFieldContainer[Signal]
    standalone_question: str
    queries: _containers.RepeatedCompositeFieldContainer[Query]
    fallback_queries: _containers.RepeatedScalarFieldContainer[str]
    intent: Intent
    requires_context: bool
    category: str
    freshness: _common_pb2.Freshness
    recency_days: int
    real_time: bool
    time_sensitive: bool
    target_info: _containers.RepeatedScalarFieldContainer[str]
    language: str
    urls: _containers.RepeatedScalarFieldContainer[str]
    ignored_urls: _containers.RepeatedScalarFieldContainer[str]
    priority: float
    deep_research: bool
    site: str
    topicless: bool
    about_answer: bool
    def __init__(self, action: _Optional[_Union[Action, str]] = ..., needs_search: _Optional[bool] = ..., confidence: _Optional[float] = ..., stage: _Optional[_Union[Stage, str]] = ..., reason: _Optional[str] = ..., reason_code: _Optional[str] = ..., signals: _Optional[_Iterable[_Union[Signal, _Mapping]]] = ..., standalone_question: _Optional[str] = ..., queries: _Optional[_Iterable[_Union[Query, _Mapping]]] = ..., fallback_queries: _Optional[_Iterable[str]] = ..., intent: _Optional[_Union[Intent, str]] = ..., requires_context: _Optional[bool] = ..., category: _Optional[str] = ..., freshness: _Optional[_Union[_common_pb2.Freshness, str]] = ..., recency_days: _Optional[int] = ..., real_time: _Optional[bool] = ..., time_sensitive: _Optional[bool] = ..., target_info: _Optional[_Iterable[str]] = ..., language: _Optional[str] = ..., urls: _Optional[_Iterable[str]] = ..., ignored_urls: _Optional[_Iterable[str]] = ..., priority: _Optional[float] = ..., deep_research: _Optional[bool] = ..., site: _Optional[str] = ..., topicless: _Optional[bool] = ..., about_answer: _Optional[bool] = ...) -> None: ...

class Signal(_message.Message):
    __slots__ = ("name", "weight", "evidence")
    NAME_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    name: str
    weight: float
    evidence: str
    def __init__(self, name: _Optional[str] = ..., weight: _Optional[float] = ..., evidence: _Optional[str] = ...) -> None: ...

class Query(_message.Message):
    __slots__ = ("text", "freshness", "site")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    FRESHNESS_FIELD_NUMBER: _ClassVar[int]
    SITE_FIELD_NUMBER: _ClassVar[int]
    text: str
    freshness: _common_pb2.Freshness
    site: str
    def __init__(self, text: _Optional[str] = ..., freshness: _Optional[_Union[_common_pb2.Freshness, str]] = ..., site: _Optional[str] = ...) -> None: ...

class ReflectRequest(_message.Message):
    __slots__ = ("question", "target_info", "extracts", "used_queries", "language", "now", "no_external")
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    TARGET_INFO_FIELD_NUMBER: _ClassVar[int]
    EXTRACTS_FIELD_NUMBER: _ClassVar[int]
    USED_QUERIES_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    NOW_FIELD_NUMBER: _ClassVar[int]
    NO_EXTERNAL_FIELD_NUMBER: _ClassVar[int]
    question: str
    target_info: _containers.RepeatedScalarFieldContainer[str]
    extracts: _containers.RepeatedCompositeFieldContainer[Extract]
    used_queries: _containers.RepeatedScalarFieldContainer[str]
    language: str
    now: _timestamp_pb2.Timestamp
    no_external: bool
    def __init__(self, question: _Optional[str] = ..., target_info: _Optional[_Iterable[str]] = ..., extracts: _Optional[_Iterable[_Union[Extract, _Mapping]]] = ..., used_queries: _Optional[_Iterable[str]] = ..., language: _Optional[str] = ..., now: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., no_external: _Optional[bool] = ...) -> None: ...

class Extract(_message.Message):
    __slots__ = ("title", "text", "published_at")
    TITLE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    PUBLISHED_AT_FIELD_NUMBER: _ClassVar[int]
    title: str
    text: str
    published_at: _timestamp_pb2.Timestamp
    def __init__(self, title: _Optional[str] = ..., text: _Optional[str] = ..., published_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ReflectResponse(_message.Message):
    __slots__ = ("sufficient", "missing_aspects", "refined_query", "reasoning", "confidence", "judge", "outbound", "degraded")
    SUFFICIENT_FIELD_NUMBER: _ClassVar[int]
    MISSING_ASPECTS_FIELD_NUMBER: _ClassVar[int]
    REFINED_QUERY_FIELD_NUMBER: _ClassVar[int]
    REASONING_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    JUDGE_FIELD_NUMBER: _ClassVar[int]
    OUTBOUND_FIELD_NUMBER: _ClassVar[int]
    DEGRADED_FIELD_NUMBER: _ClassVar[int]
    sufficient: bool
    missing_aspects: _containers.RepeatedScalarFieldContainer[str]
    refined_query: str
    reasoning: str
    confidence: float
    judge: str
    outbound: _containers.RepeatedCompositeFieldContainer[_common_pb2.OutboundText]
    degraded: _containers.RepeatedCompositeFieldContainer[_common_pb2.Degradation]
    def __init__(self, sufficient: _Optional[bool] = ..., missing_aspects: _Optional[_Iterable[str]] = ..., refined_query: _Optional[str] = ..., reasoning: _Optional[str] = ..., confidence: _Optional[float] = ..., judge: _Optional[str] = ..., outbound: _Optional[_Iterable[_Union[_common_pb2.OutboundText, _Mapping]]] = ..., degraded: _Optional[_Iterable[_Union[_common_pb2.Degradation, _Mapping]]] = ...) -> None: ...
