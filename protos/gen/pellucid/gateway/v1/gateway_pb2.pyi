import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from pellucid.common.v1 import common_pb2 as _common_pb2
from pellucid.common.v1 import error_reason_pb2 as _error_reason_pb2
from pellucid.common.v1 import limits_pb2 as _limits_pb2
from pellucid.decision.v1 import decision_pb2 as _decision_pb2
from pellucid.fetcher.v1 import fetcher_pb2 as _fetcher_pb2
from pellucid.scorer.v1 import scorer_pb2 as _scorer_pb2
from pellucid.search.v1 import search_pb2 as _search_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Depth(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DEPTH_UNSPECIFIED: _ClassVar[Depth]
    DEPTH_QUICK: _ClassVar[Depth]
    DEPTH_STANDARD: _ClassVar[Depth]
    DEPTH_DEEP: _ClassVar[Depth]
    DEPTH_LEAN: _ClassVar[Depth]

class CitationStyle(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CITATION_STYLE_UNSPECIFIED: _ClassVar[CitationStyle]
    CITATION_STYLE_NATURAL: _ClassVar[CitationStyle]
    CITATION_STYLE_NUMERIC: _ClassVar[CitationStyle]
    CITATION_STYLE_MARKDOWN: _ClassVar[CitationStyle]
    CITATION_STYLE_NONE: _ClassVar[CitationStyle]

class ProgressKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PROGRESS_KIND_UNSPECIFIED: _ClassVar[ProgressKind]
    PROGRESS_KIND_SEARCH_START: _ClassVar[ProgressKind]
    PROGRESS_KIND_ITERATION: _ClassVar[ProgressKind]
    PROGRESS_KIND_FETCHING: _ClassVar[ProgressKind]
    PROGRESS_KIND_EXTRACTING: _ClassVar[ProgressKind]
    PROGRESS_KIND_REFLECTING: _ClassVar[ProgressKind]
    PROGRESS_KIND_COMPLETE: _ClassVar[ProgressKind]
    PROGRESS_KIND_WAITING: _ClassVar[ProgressKind]

class CitationCheck(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CITATION_CHECK_UNSPECIFIED: _ClassVar[CitationCheck]
    CITATION_CHECK_SUPPORTED: _ClassVar[CitationCheck]
    CITATION_CHECK_MATCHED: _ClassVar[CitationCheck]
    CITATION_CHECK_UNCHECKED: _ClassVar[CitationCheck]

class AnswerKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ANSWER_KIND_UNSPECIFIED: _ClassVar[AnswerKind]
    ANSWER_KIND_MODEL: _ClassVar[AnswerKind]
    ANSWER_KIND_EXTRACTIVE: _ClassVar[AnswerKind]
    ANSWER_KIND_RESULTS: _ClassVar[AnswerKind]
    ANSWER_KIND_NONE: _ClassVar[AnswerKind]
DEPTH_UNSPECIFIED: Depth
DEPTH_QUICK: Depth
DEPTH_STANDARD: Depth
DEPTH_DEEP: Depth
DEPTH_LEAN: Depth
CITATION_STYLE_UNSPECIFIED: CitationStyle
CITATION_STYLE_NATURAL: CitationStyle
CITATION_STYLE_NUMERIC: CitationStyle
CITATION_STYLE_MARKDOWN: CitationStyle
CITATION_STYLE_NONE: CitationStyle
PROGRESS_KIND_UNSPECIFIED: ProgressKind
PROGRESS_KIND_SEARCH_START: ProgressKind
PROGRESS_KIND_ITERATION: ProgressKind
PROGRESS_KIND_FETCHING: ProgressKind
PROGRESS_KIND_EXTRACTING: ProgressKind
PROGRESS_KIND_REFLECTING: ProgressKind
PROGRESS_KIND_COMPLETE: ProgressKind
PROGRESS_KIND_WAITING: ProgressKind
CITATION_CHECK_UNSPECIFIED: CitationCheck
CITATION_CHECK_SUPPORTED: CitationCheck
CITATION_CHECK_MATCHED: CitationCheck
CITATION_CHECK_UNCHECKED: CitationCheck
ANSWER_KIND_UNSPECIFIED: AnswerKind
ANSWER_KIND_MODEL: AnswerKind
ANSWER_KIND_EXTRACTIVE: AnswerKind
ANSWER_KIND_RESULTS: AnswerKind
ANSWER_KIND_NONE: AnswerKind

class ChatRequest(_message.Message):
    __slots__ = ("messages", "conversation_id", "user_id", "web_mode", "force_search", "depth", "citation_style", "language", "time_zone", "country", "recency_days", "site", "include_domains", "exclude_domains", "max_results", "safe_search", "routing", "providers", "scoring", "model", "no_external", "subject", "memories")
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    WEB_MODE_FIELD_NUMBER: _ClassVar[int]
    FORCE_SEARCH_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    CITATION_STYLE_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    TIME_ZONE_FIELD_NUMBER: _ClassVar[int]
    COUNTRY_FIELD_NUMBER: _ClassVar[int]
    RECENCY_DAYS_FIELD_NUMBER: _ClassVar[int]
    SITE_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_DOMAINS_FIELD_NUMBER: _ClassVar[int]
    EXCLUDE_DOMAINS_FIELD_NUMBER: _ClassVar[int]
    MAX_RESULTS_FIELD_NUMBER: _ClassVar[int]
    SAFE_SEARCH_FIELD_NUMBER: _ClassVar[int]
    ROUTING_FIELD_NUMBER: _ClassVar[int]
    PROVIDERS_FIELD_NUMBER: _ClassVar[int]
    SCORING_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    NO_EXTERNAL_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    MEMORIES_FIELD_NUMBER: _ClassVar[int]
    messages: _containers.RepeatedCompositeFieldContainer[_common_pb2.Message]
    conversation_id: str
    user_id: str
    web_mode: _decision_pb2.WebMode
    force_search: bool
    depth: Depth
    citation_style: CitationStyle
    language: str
    time_zone: str
    country: str
    recency_days: int
    site: str
    include_domains: _containers.RepeatedScalarFieldContainer[str]
    exclude_domains: _containers.RepeatedScalarFieldContainer[str]
    max_results: int
    safe_search: _search_pb2.SafeSearch
    routing: _search_pb2.Routing
    providers: _containers.RepeatedScalarFieldContainer[str]
    scoring: ScoringOptions
    model: str
    no_external: bool
    subject: _common_pb2.SubjectContext
    memories: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, messages: _Optional[_Iterable[_Union[_common_pb2.Message, _Mapping]]] = ..., conversation_id: _Optional[str] = ..., user_id: _Optional[str] = ..., web_mode: _Optional[_Union[_decision_pb2.WebMode, str]] = ..., force_search: _Optional[bool] = ..., depth: _Optional[_Union[Depth, str]] = ..., citation_style: _Optional[_Union[CitationStyle, str]] = ..., language: _Optional[str] = ..., time_zone: _Optional[str] = ..., country: _Optional[str] = ..., recency_days: _Optional[int] = ..., site: _Optional[str] = ..., include_domains: _Optional[_Iterable[str]] = ..., exclude_domains: _Optional[_Iterable[str]] = ..., max_results: _Optional[int] = ..., safe_search: _Optional[_Union[_search_pb2.SafeSearch, str]] = ..., routing: _Optional[_Union[_search_pb2.Routing, str]] = ..., providers: _Optional[_Iterable[str]] = ..., scoring: _Optional[_Union[ScoringOptions, _Mapping]] = ..., model: _Optional[str] = ..., no_external: _Optional[bool] = ..., subject: _Optional[_Union[_common_pb2.SubjectContext, _Mapping]] = ..., memories: _Optional[_Iterable[str]] = ...) -> None: ...

class ScoringOptions(_message.Message):
    __slots__ = ("profile", "weights", "threshold")
    PROFILE_FIELD_NUMBER: _ClassVar[int]
    WEIGHTS_FIELD_NUMBER: _ClassVar[int]
    THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    profile: str
    weights: _scorer_pb2.Weights
    threshold: float
    def __init__(self, profile: _Optional[str] = ..., weights: _Optional[_Union[_scorer_pb2.Weights, _Mapping]] = ..., threshold: _Optional[float] = ...) -> None: ...

class ChatResponse(_message.Message):
    __slots__ = ("decision", "url_fetch", "progress", "sources", "notice", "delta", "citation", "done", "error")
    DECISION_FIELD_NUMBER: _ClassVar[int]
    URL_FETCH_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    NOTICE_FIELD_NUMBER: _ClassVar[int]
    DELTA_FIELD_NUMBER: _ClassVar[int]
    CITATION_FIELD_NUMBER: _ClassVar[int]
    DONE_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    decision: _decision_pb2.Decision
    url_fetch: UrlFetch
    progress: Progress
    sources: Sources
    notice: Notice
    delta: TextDelta
    citation: Citation
    done: ChatResult
    error: ChatError
    def __init__(self, decision: _Optional[_Union[_decision_pb2.Decision, _Mapping]] = ..., url_fetch: _Optional[_Union[UrlFetch, _Mapping]] = ..., progress: _Optional[_Union[Progress, _Mapping]] = ..., sources: _Optional[_Union[Sources, _Mapping]] = ..., notice: _Optional[_Union[Notice, _Mapping]] = ..., delta: _Optional[_Union[TextDelta, _Mapping]] = ..., citation: _Optional[_Union[Citation, _Mapping]] = ..., done: _Optional[_Union[ChatResult, _Mapping]] = ..., error: _Optional[_Union[ChatError, _Mapping]] = ...) -> None: ...

class UrlFetch(_message.Message):
    __slots__ = ("url", "success", "method", "error", "title")
    URL_FIELD_NUMBER: _ClassVar[int]
    SUCCESS_FIELD_NUMBER: _ClassVar[int]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    url: str
    success: bool
    method: _fetcher_pb2.Method
    error: str
    title: str
    def __init__(self, url: _Optional[str] = ..., success: _Optional[bool] = ..., method: _Optional[_Union[_fetcher_pb2.Method, str]] = ..., error: _Optional[str] = ..., title: _Optional[str] = ...) -> None: ...

class Progress(_message.Message):
    __slots__ = ("kind", "message", "query", "iteration", "count")
    KIND_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    ITERATION_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    kind: ProgressKind
    message: str
    query: str
    iteration: int
    count: int
    def __init__(self, kind: _Optional[_Union[ProgressKind, str]] = ..., message: _Optional[str] = ..., query: _Optional[str] = ..., iteration: _Optional[int] = ..., count: _Optional[int] = ...) -> None: ...

class Sources(_message.Message):
    __slots__ = ("sources",)
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    sources: _containers.RepeatedCompositeFieldContainer[Source]
    def __init__(self, sources: _Optional[_Iterable[_Union[Source, _Mapping]]] = ...) -> None: ...

class Source(_message.Message):
    __slots__ = ("n", "url", "title", "domain", "snippet", "published", "language", "relevance_score", "breakdown", "providers", "method", "cited", "warnings", "attribution", "recent", "summary")
    N_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    DOMAIN_FIELD_NUMBER: _ClassVar[int]
    SNIPPET_FIELD_NUMBER: _ClassVar[int]
    PUBLISHED_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    RELEVANCE_SCORE_FIELD_NUMBER: _ClassVar[int]
    BREAKDOWN_FIELD_NUMBER: _ClassVar[int]
    PROVIDERS_FIELD_NUMBER: _ClassVar[int]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    CITED_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTION_FIELD_NUMBER: _ClassVar[int]
    RECENT_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    n: int
    url: str
    title: str
    domain: str
    snippet: str
    published: _common_pb2.PublishedDate
    language: str
    relevance_score: float
    breakdown: _scorer_pb2.Breakdown
    providers: _containers.RepeatedScalarFieldContainer[str]
    method: _fetcher_pb2.Method
    cited: bool
    warnings: _containers.RepeatedScalarFieldContainer[str]
    attribution: str
    recent: bool
    summary: str
    def __init__(self, n: _Optional[int] = ..., url: _Optional[str] = ..., title: _Optional[str] = ..., domain: _Optional[str] = ..., snippet: _Optional[str] = ..., published: _Optional[_Union[_common_pb2.PublishedDate, _Mapping]] = ..., language: _Optional[str] = ..., relevance_score: _Optional[float] = ..., breakdown: _Optional[_Union[_scorer_pb2.Breakdown, _Mapping]] = ..., providers: _Optional[_Iterable[str]] = ..., method: _Optional[_Union[_fetcher_pb2.Method, str]] = ..., cited: _Optional[bool] = ..., warnings: _Optional[_Iterable[str]] = ..., attribution: _Optional[str] = ..., recent: _Optional[bool] = ..., summary: _Optional[str] = ...) -> None: ...

class Notice(_message.Message):
    __slots__ = ("code", "text", "retry")
    CODE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    RETRY_FIELD_NUMBER: _ClassVar[int]
    code: str
    text: str
    retry: bool
    def __init__(self, code: _Optional[str] = ..., text: _Optional[str] = ..., retry: _Optional[bool] = ...) -> None: ...

class TextDelta(_message.Message):
    __slots__ = ("text",)
    TEXT_FIELD_NUMBER: _ClassVar[int]
    text: str
    def __init__(self, text: _Optional[str] = ...) -> None: ...

class Span(_message.Message):
    __slots__ = ("start", "end")
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    start: int
    end: int
    def __init__(self, start: _Optional[int] = ..., end: _Optional[int] = ...) -> None: ...

class Citation(_message.Message):
    __slots__ = ("start", "end", "source", "url", "title", "cited_text", "support", "check", "added")
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    CITED_TEXT_FIELD_NUMBER: _ClassVar[int]
    SUPPORT_FIELD_NUMBER: _ClassVar[int]
    CHECK_FIELD_NUMBER: _ClassVar[int]
    ADDED_FIELD_NUMBER: _ClassVar[int]
    start: int
    end: int
    source: int
    url: str
    title: str
    cited_text: str
    support: float
    check: CitationCheck
    added: bool
    def __init__(self, start: _Optional[int] = ..., end: _Optional[int] = ..., source: _Optional[int] = ..., url: _Optional[str] = ..., title: _Optional[str] = ..., cited_text: _Optional[str] = ..., support: _Optional[float] = ..., check: _Optional[_Union[CitationCheck, str]] = ..., added: _Optional[bool] = ...) -> None: ...

class CitationReport(_message.Message):
    __slots__ = ("checked", "kept", "rebound", "dropped", "uncited_sentences", "supported", "matched", "unchecked", "added")
    CHECKED_FIELD_NUMBER: _ClassVar[int]
    KEPT_FIELD_NUMBER: _ClassVar[int]
    REBOUND_FIELD_NUMBER: _ClassVar[int]
    DROPPED_FIELD_NUMBER: _ClassVar[int]
    UNCITED_SENTENCES_FIELD_NUMBER: _ClassVar[int]
    SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    MATCHED_FIELD_NUMBER: _ClassVar[int]
    UNCHECKED_FIELD_NUMBER: _ClassVar[int]
    ADDED_FIELD_NUMBER: _ClassVar[int]
    checked: int
    kept: int
    rebound: int
    dropped: int
    uncited_sentences: int
    supported: int
    matched: int
    unchecked: int
    added: int
    def __init__(self, checked: _Optional[int] = ..., kept: _Optional[int] = ..., rebound: _Optional[int] = ..., dropped: _Optional[int] = ..., uncited_sentences: _Optional[int] = ..., supported: _Optional[int] = ..., matched: _Optional[int] = ..., unchecked: _Optional[int] = ..., added: _Optional[int] = ...) -> None: ...

class Usage(_message.Message):
    __slots__ = ("prompt_tokens", "completion_tokens", "context_tokens", "searches", "cost_micro_usd")
    PROMPT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    COMPLETION_TOKENS_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    SEARCHES_FIELD_NUMBER: _ClassVar[int]
    COST_MICRO_USD_FIELD_NUMBER: _ClassVar[int]
    prompt_tokens: int
    completion_tokens: int
    context_tokens: int
    searches: int
    cost_micro_usd: int
    def __init__(self, prompt_tokens: _Optional[int] = ..., completion_tokens: _Optional[int] = ..., context_tokens: _Optional[int] = ..., searches: _Optional[int] = ..., cost_micro_usd: _Optional[int] = ...) -> None: ...

class ChatResult(_message.Message):
    __slots__ = ("id", "conversation_id", "answer", "answer_kind", "model_label", "decision", "sources", "citations", "citation_report", "url_contents", "providers", "iterations", "partial", "degraded", "notices", "timings_ms", "usage", "outbound", "evidence_id", "finished_at", "unsupported")
    class TimingsMsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    ID_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    ANSWER_KIND_FIELD_NUMBER: _ClassVar[int]
    MODEL_LABEL_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    CITATIONS_FIELD_NUMBER: _ClassVar[int]
    CITATION_REPORT_FIELD_NUMBER: _ClassVar[int]
    URL_CONTENTS_FIELD_NUMBER: _ClassVar[int]
    PROVIDERS_FIELD_NUMBER: _ClassVar[int]
    ITERATIONS_FIELD_NUMBER: _ClassVar[int]
    PARTIAL_FIELD_NUMBER: _ClassVar[int]
    DEGRADED_FIELD_NUMBER: _ClassVar[int]
    NOTICES_FIELD_NUMBER: _ClassVar[int]
    TIMINGS_MS_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    OUTBOUND_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_ID_FIELD_NUMBER: _ClassVar[int]
    FINISHED_AT_FIELD_NUMBER: _ClassVar[int]
    UNSUPPORTED_FIELD_NUMBER: _ClassVar[int]
    id: str
    conversation_id: str
    answer: str
    answer_kind: AnswerKind
    model_label: str
    decision: _decision_pb2.Decision
    sources: _containers.RepeatedCompositeFieldContainer[Source]
    citations: _containers.RepeatedCompositeFieldContainer[Citation]
    citation_report: CitationReport
    url_contents: _containers.RepeatedCompositeFieldContainer[UrlFetch]
    providers: _containers.RepeatedCompositeFieldContainer[_search_pb2.ProviderReport]
    iterations: int
    partial: bool
    degraded: _containers.RepeatedCompositeFieldContainer[_common_pb2.Degradation]
    notices: _containers.RepeatedCompositeFieldContainer[Notice]
    timings_ms: _containers.ScalarMap[str, int]
    usage: Usage
    outbound: _containers.RepeatedCompositeFieldContainer[_common_pb2.OutboundText]
    evidence_id: str
    finished_at: _timestamp_pb2.Timestamp
    unsupported: _containers.RepeatedCompositeFieldContainer[Span]
    def __init__(self, id: _Optional[str] = ..., conversation_id: _Optional[str] = ..., answer: _Optional[str] = ..., answer_kind: _Optional[_Union[AnswerKind, str]] = ..., model_label: _Optional[str] = ..., decision: _Optional[_Union[_decision_pb2.Decision, _Mapping]] = ..., sources: _Optional[_Iterable[_Union[Source, _Mapping]]] = ..., citations: _Optional[_Iterable[_Union[Citation, _Mapping]]] = ..., citation_report: _Optional[_Union[CitationReport, _Mapping]] = ..., url_contents: _Optional[_Iterable[_Union[UrlFetch, _Mapping]]] = ..., providers: _Optional[_Iterable[_Union[_search_pb2.ProviderReport, _Mapping]]] = ..., iterations: _Optional[int] = ..., partial: _Optional[bool] = ..., degraded: _Optional[_Iterable[_Union[_common_pb2.Degradation, _Mapping]]] = ..., notices: _Optional[_Iterable[_Union[Notice, _Mapping]]] = ..., timings_ms: _Optional[_Mapping[str, int]] = ..., usage: _Optional[_Union[Usage, _Mapping]] = ..., outbound: _Optional[_Iterable[_Union[_common_pb2.OutboundText, _Mapping]]] = ..., evidence_id: _Optional[str] = ..., finished_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., unsupported: _Optional[_Iterable[_Union[Span, _Mapping]]] = ...) -> None: ...

class ChatError(_message.Message):
    __slots__ = ("reason", "message", "retryable")
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    RETRYABLE_FIELD_NUMBER: _ClassVar[int]
    reason: _error_reason_pb2.ErrorReason
    message: str
    retryable: bool
    def __init__(self, reason: _Optional[_Union[_error_reason_pb2.ErrorReason, str]] = ..., message: _Optional[str] = ..., retryable: _Optional[bool] = ...) -> None: ...

class DecideRequest(_message.Message):
    __slots__ = ("chat",)
    CHAT_FIELD_NUMBER: _ClassVar[int]
    chat: ChatRequest
    def __init__(self, chat: _Optional[_Union[ChatRequest, _Mapping]] = ...) -> None: ...

class DecideResponse(_message.Message):
    __slots__ = ("decision", "degraded")
    DECISION_FIELD_NUMBER: _ClassVar[int]
    DEGRADED_FIELD_NUMBER: _ClassVar[int]
    decision: _decision_pb2.Decision
    degraded: _containers.RepeatedCompositeFieldContainer[_common_pb2.Degradation]
    def __init__(self, decision: _Optional[_Union[_decision_pb2.Decision, _Mapping]] = ..., degraded: _Optional[_Iterable[_Union[_common_pb2.Degradation, _Mapping]]] = ...) -> None: ...
