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

class SafeSearch(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SAFE_SEARCH_UNSPECIFIED: _ClassVar[SafeSearch]
    SAFE_SEARCH_OFF: _ClassVar[SafeSearch]
    SAFE_SEARCH_MODERATE: _ClassVar[SafeSearch]
    SAFE_SEARCH_STRICT: _ClassVar[SafeSearch]

class Routing(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ROUTING_UNSPECIFIED: _ClassVar[Routing]
    ROUTING_PRIMARY_THEN_FALLBACK: _ClassVar[Routing]
    ROUTING_ALL: _ClassVar[Routing]

class ProviderStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PROVIDER_STATUS_UNSPECIFIED: _ClassVar[ProviderStatus]
    PROVIDER_STATUS_OK: _ClassVar[ProviderStatus]
    PROVIDER_STATUS_CACHED: _ClassVar[ProviderStatus]
    PROVIDER_STATUS_FAILED: _ClassVar[ProviderStatus]
    PROVIDER_STATUS_RATE_LIMITED: _ClassVar[ProviderStatus]
    PROVIDER_STATUS_SKIPPED: _ClassVar[ProviderStatus]
    PROVIDER_STATUS_BUDGET: _ClassVar[ProviderStatus]

class ProviderErrorCode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PROVIDER_ERROR_CODE_UNSPECIFIED: _ClassVar[ProviderErrorCode]
    PROVIDER_ERROR_CODE_BAD_KEY: _ClassVar[ProviderErrorCode]
    PROVIDER_ERROR_CODE_QUOTA: _ClassVar[ProviderErrorCode]
    PROVIDER_ERROR_CODE_RATE: _ClassVar[ProviderErrorCode]
    PROVIDER_ERROR_CODE_TIMEOUT: _ClassVar[ProviderErrorCode]
    PROVIDER_ERROR_CODE_MALFORMED: _ClassVar[ProviderErrorCode]
    PROVIDER_ERROR_CODE_EMPTY: _ClassVar[ProviderErrorCode]
    PROVIDER_ERROR_CODE_BLOCKED: _ClassVar[ProviderErrorCode]
    PROVIDER_ERROR_CODE_UNREACHABLE: _ClassVar[ProviderErrorCode]
    PROVIDER_ERROR_CODE_SERVER: _ClassVar[ProviderErrorCode]
    PROVIDER_ERROR_CODE_BAD_REQUEST: _ClassVar[ProviderErrorCode]
SAFE_SEARCH_UNSPECIFIED: SafeSearch
SAFE_SEARCH_OFF: SafeSearch
SAFE_SEARCH_MODERATE: SafeSearch
SAFE_SEARCH_STRICT: SafeSearch
ROUTING_UNSPECIFIED: Routing
ROUTING_PRIMARY_THEN_FALLBACK: Routing
ROUTING_ALL: Routing
PROVIDER_STATUS_UNSPECIFIED: ProviderStatus
PROVIDER_STATUS_OK: ProviderStatus
PROVIDER_STATUS_CACHED: ProviderStatus
PROVIDER_STATUS_FAILED: ProviderStatus
PROVIDER_STATUS_RATE_LIMITED: ProviderStatus
PROVIDER_STATUS_SKIPPED: ProviderStatus
PROVIDER_STATUS_BUDGET: ProviderStatus
PROVIDER_ERROR_CODE_UNSPECIFIED: ProviderErrorCode
PROVIDER_ERROR_CODE_BAD_KEY: ProviderErrorCode
PROVIDER_ERROR_CODE_QUOTA: ProviderErrorCode
PROVIDER_ERROR_CODE_RATE: ProviderErrorCode
PROVIDER_ERROR_CODE_TIMEOUT: ProviderErrorCode
PROVIDER_ERROR_CODE_MALFORMED: ProviderErrorCode
PROVIDER_ERROR_CODE_EMPTY: ProviderErrorCode
PROVIDER_ERROR_CODE_BLOCKED: ProviderErrorCode
PROVIDER_ERROR_CODE_UNREACHABLE: ProviderErrorCode
PROVIDER_ERROR_CODE_SERVER: ProviderErrorCode
PROVIDER_ERROR_CODE_BAD_REQUEST: ProviderErrorCode

class SearchQuery(_message.Message):
    __slots__ = ("text", "freshness", "site")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    FRESHNESS_FIELD_NUMBER: _ClassVar[int]
    SITE_FIELD_NUMBER: _ClassVar[int]
    text: str
    freshness: _common_pb2.Freshness
    site: str
    def __init__(self, text: _Optional[str] = ..., freshness: _Optional[_Union[_common_pb2.Freshness, str]] = ..., site: _Optional[str] = ...) -> None: ...

class SearchRequest(_message.Message):
    __slots__ = ("queries", "count", "freshness", "language", "country", "safe_search", "site", "include_domains", "exclude_domains", "routing", "providers", "no_external", "caller_hash", "question", "real_time", "news", "bypass_cache", "now", "topic")
    QUERIES_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    FRESHNESS_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    COUNTRY_FIELD_NUMBER: _ClassVar[int]
    SAFE_SEARCH_FIELD_NUMBER: _ClassVar[int]
    SITE_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_DOMAINS_FIELD_NUMBER: _ClassVar[int]
    EXCLUDE_DOMAINS_FIELD_NUMBER: _ClassVar[int]
    ROUTING_FIELD_NUMBER: _ClassVar[int]
    PROVIDERS_FIELD_NUMBER: _ClassVar[int]
    NO_EXTERNAL_FIELD_NUMBER: _ClassVar[int]
    CALLER_HASH_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    REAL_TIME_FIELD_NUMBER: _ClassVar[int]
    NEWS_FIELD_NUMBER: _ClassVar[int]
    BYPASS_CACHE_FIELD_NUMBER: _ClassVar[int]
    NOW_FIELD_NUMBER: _ClassVar[int]
    TOPIC_FIELD_NUMBER: _ClassVar[int]
    queries: _containers.RepeatedCompositeFieldContainer[SearchQuery]
    count: int
    freshness: _common_pb2.Freshness
    language: str
    country: str
    safe_search: SafeSearch
    site: str
    include_domains: _containers.RepeatedScalarFieldContainer[str]
    exclude_domains: _containers.RepeatedScalarFieldContainer[str]
    routing: Routing
    providers: _containers.RepeatedScalarFieldContainer[str]
    no_external: bool
    caller_hash: str
    question: str
    real_time: bool
    news: bool
    bypass_cache: bool
    now: _timestamp_pb2.Timestamp
    topic: str
    def __init__(self, queries: _Optional[_Iterable[_Union[SearchQuery, _Mapping]]] = ..., count: _Optional[int] = ..., freshness: _Optional[_Union[_common_pb2.Freshness, str]] = ..., language: _Optional[str] = ..., country: _Optional[str] = ..., safe_search: _Optional[_Union[SafeSearch, str]] = ..., site: _Optional[str] = ..., include_domains: _Optional[_Iterable[str]] = ..., exclude_domains: _Optional[_Iterable[str]] = ..., routing: _Optional[_Union[Routing, str]] = ..., providers: _Optional[_Iterable[str]] = ..., no_external: _Optional[bool] = ..., caller_hash: _Optional[str] = ..., question: _Optional[str] = ..., real_time: _Optional[bool] = ..., news: _Optional[bool] = ..., bypass_cache: _Optional[bool] = ..., now: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., topic: _Optional[str] = ...) -> None: ...

class SearchResponse(_message.Message):
    __slots__ = ("hits", "providers", "outbound", "blocked", "collapsed", "cost_micro_usd", "degraded", "from_cache", "queries", "entities")
    HITS_FIELD_NUMBER: _ClassVar[int]
    PROVIDERS_FIELD_NUMBER: _ClassVar[int]
    OUTBOUND_FIELD_NUMBER: _ClassVar[int]
    BLOCKED_FIELD_NUMBER: _ClassVar[int]
    COLLAPSED_FIELD_NUMBER: _ClassVar[int]
    COST_MICRO_USD_FIELD_NUMBER: _ClassVar[int]
    DEGRADED_FIELD_NUMBER: _ClassVar[int]
    FROM_CACHE_FIELD_NUMBER: _ClassVar[int]
    QUERIES_FIELD_NUMBER: _ClassVar[int]
    ENTITIES_FIELD_NUMBER: _ClassVar[int]
    hits: _containers.RepeatedCompositeFieldContainer[Hit]
    providers: _containers.RepeatedCompositeFieldContainer[ProviderReport]
    outbound: _containers.RepeatedCompositeFieldContainer[_common_pb2.OutboundText]
    blocked: int
    collapsed: int
    cost_micro_usd: int
    degraded: _containers.RepeatedCompositeFieldContainer[_common_pb2.Degradation]
    from_cache: bool
    queries: _containers.RepeatedScalarFieldContainer[str]
    entities: _containers.RepeatedCompositeFieldContainer[Entity]
    def __init__(self, hits: _Optional[_Iterable[_Union[Hit, _Mapping]]] = ..., providers: _Optional[_Iterable[_Union[ProviderReport, _Mapping]]] = ..., outbound: _Optional[_Iterable[_Union[_common_pb2.OutboundText, _Mapping]]] = ..., blocked: _Optional[int] = ..., collapsed: _Optional[int] = ..., cost_micro_usd: _Optional[int] = ..., degraded: _Optional[_Iterable[_Union[_common_pb2.Degradation, _Mapping]]] = ..., from_cache: _Optional[bool] = ..., queries: _Optional[_Iterable[str]] = ..., entities: _Optional[_Iterable[_Union[Entity, _Mapping]]] = ...) -> None: ...

class Entity(_message.Message):
    __slots__ = ("name", "id", "label", "description")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    name: str
    id: str
    label: str
    description: str
    def __init__(self, name: _Optional[str] = ..., id: _Optional[str] = ..., label: _Optional[str] = ..., description: _Optional[str] = ...) -> None: ...

class Hit(_message.Message):
    __slots__ = ("url", "alternate_urls", "title", "snippet", "domain", "published", "language", "fused_score", "findings", "page_text", "warnings", "internal")
    URL_FIELD_NUMBER: _ClassVar[int]
    ALTERNATE_URLS_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    SNIPPET_FIELD_NUMBER: _ClassVar[int]
    DOMAIN_FIELD_NUMBER: _ClassVar[int]
    PUBLISHED_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    FUSED_SCORE_FIELD_NUMBER: _ClassVar[int]
    FINDINGS_FIELD_NUMBER: _ClassVar[int]
    PAGE_TEXT_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    INTERNAL_FIELD_NUMBER: _ClassVar[int]
    url: str
    alternate_urls: _containers.RepeatedScalarFieldContainer[str]
    title: str
    snippet: str
    domain: str
    published: _common_pb2.PublishedDate
    language: str
    fused_score: float
    findings: _containers.RepeatedCompositeFieldContainer[Finding]
    page_text: str
    warnings: _containers.RepeatedScalarFieldContainer[str]
    internal: bool
    def __init__(self, url: _Optional[str] = ..., alternate_urls: _Optional[_Iterable[str]] = ..., title: _Optional[str] = ..., snippet: _Optional[str] = ..., domain: _Optional[str] = ..., published: _Optional[_Union[_common_pb2.PublishedDate, _Mapping]] = ..., language: _Optional[str] = ..., fused_score: _Optional[float] = ..., findings: _Optional[_Iterable[_Union[Finding, _Mapping]]] = ..., page_text: _Optional[str] = ..., warnings: _Optional[_Iterable[str]] = ..., internal: _Optional[bool] = ...) -> None: ...

class Finding(_message.Message):
    __slots__ = ("provider", "rank", "query_index")
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    QUERY_INDEX_FIELD_NUMBER: _ClassVar[int]
    provider: str
    rank: int
    query_index: int
    def __init__(self, provider: _Optional[str] = ..., rank: _Optional[int] = ..., query_index: _Optional[int] = ...) -> None: ...

class ProviderReport(_message.Message):
    __slots__ = ("name", "status", "latency_ms", "results", "error_code", "detail", "calls", "cost_micro_usd", "retry_after_s")
    NAME_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    LATENCY_MS_FIELD_NUMBER: _ClassVar[int]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    ERROR_CODE_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    CALLS_FIELD_NUMBER: _ClassVar[int]
    COST_MICRO_USD_FIELD_NUMBER: _ClassVar[int]
    RETRY_AFTER_S_FIELD_NUMBER: _ClassVar[int]
    name: str
    status: ProviderStatus
    latency_ms: int
    results: int
    error_code: ProviderErrorCode
    detail: str
    calls: int
    cost_micro_usd: int
    retry_after_s: float
    def __init__(self, name: _Optional[str] = ..., status: _Optional[_Union[ProviderStatus, str]] = ..., latency_ms: _Optional[int] = ..., results: _Optional[int] = ..., error_code: _Optional[_Union[ProviderErrorCode, str]] = ..., detail: _Optional[str] = ..., calls: _Optional[int] = ..., cost_micro_usd: _Optional[int] = ..., retry_after_s: _Optional[float] = ...) -> None: ...

class ListProvidersRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListProvidersResponse(_message.Message):
    __slots__ = ("providers",)
    PROVIDERS_FIELD_NUMBER: _ClassVar[int]
    providers: _containers.RepeatedCompositeFieldContainer[ProviderState]
    def __init__(self, providers: _Optional[_Iterable[_Union[ProviderState, _Mapping]]] = ...) -> None: ...

class ProviderState(_message.Message):
    __slots__ = ("name", "enabled", "disabled_reason", "breaker", "breaker_retry_in_s", "remaining_short", "remaining_long", "spent_today_micro_usd", "latency_p50_ms", "latency_p95_ms", "price_micro_usd", "external")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ENABLED_FIELD_NUMBER: _ClassVar[int]
    DISABLED_REASON_FIELD_NUMBER: _ClassVar[int]
    BREAKER_FIELD_NUMBER: _ClassVar[int]
    BREAKER_RETRY_IN_S_FIELD_NUMBER: _ClassVar[int]
    REMAINING_SHORT_FIELD_NUMBER: _ClassVar[int]
    REMAINING_LONG_FIELD_NUMBER: _ClassVar[int]
    SPENT_TODAY_MICRO_USD_FIELD_NUMBER: _ClassVar[int]
    LATENCY_P50_MS_FIELD_NUMBER: _ClassVar[int]
    LATENCY_P95_MS_FIELD_NUMBER: _ClassVar[int]
    PRICE_MICRO_USD_FIELD_NUMBER: _ClassVar[int]
    EXTERNAL_FIELD_NUMBER: _ClassVar[int]
    name: str
    enabled: bool
    disabled_reason: str
    breaker: str
    breaker_retry_in_s: float
    remaining_short: int
    remaining_long: int
    spent_today_micro_usd: int
    latency_p50_ms: int
    latency_p95_ms: int
    price_micro_usd: int
    external: bool
    def __init__(self, name: _Optional[str] = ..., enabled: _Optional[bool] = ..., disabled_reason: _Optional[str] = ..., breaker: _Optional[str] = ..., breaker_retry_in_s: _Optional[float] = ..., remaining_short: _Optional[int] = ..., remaining_long: _Optional[int] = ..., spent_today_micro_usd: _Optional[int] = ..., latency_p50_ms: _Optional[int] = ..., latency_p95_ms: _Optional[int] = ..., price_micro_usd: _Optional[int] = ..., external: _Optional[bool] = ...) -> None: ...

class GetUsageRequest(_message.Message):
    __slots__ = ("to", "caller_hash")
    FROM_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    CALLER_HASH_FIELD_NUMBER: _ClassVar[int]
    to: _timestamp_pb2.Timestamp
    caller_hash: str
    def __init__(self, to: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., caller_hash: _Optional[str] = ..., **kwargs) -> None: ...

class GetUsageResponse(_message.Message):
    __slots__ = ("rows",)
    ROWS_FIELD_NUMBER: _ClassVar[int]
    rows: _containers.RepeatedCompositeFieldContainer[UsageRow]
    def __init__(self, rows: _Optional[_Iterable[_Union[UsageRow, _Mapping]]] = ...) -> None: ...

class UsageRow(_message.Message):
    __slots__ = ("day", "provider", "calls", "results", "cost_micro_usd")
    DAY_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    CALLS_FIELD_NUMBER: _ClassVar[int]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    COST_MICRO_USD_FIELD_NUMBER: _ClassVar[int]
    day: str
    provider: str
    calls: int
    results: int
    cost_micro_usd: int
    def __init__(self, day: _Optional[str] = ..., provider: _Optional[str] = ..., calls: _Optional[int] = ..., results: _Optional[int] = ..., cost_micro_usd: _Optional[int] = ...) -> None: ...
