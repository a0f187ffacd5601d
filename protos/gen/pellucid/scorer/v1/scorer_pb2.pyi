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

class Exclusion(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EXCLUSION_UNSPECIFIED: _ClassVar[Exclusion]
    EXCLUSION_BELOW_THRESHOLD: _ClassVar[Exclusion]
    EXCLUSION_OFF_TOPIC: _ClassVar[Exclusion]
    EXCLUSION_DOMAIN_CAP: _ClassVar[Exclusion]
    EXCLUSION_NEAR_DUPLICATE: _ClassVar[Exclusion]
    EXCLUSION_BEYOND_LIMIT: _ClassVar[Exclusion]
    EXCLUSION_BLOCKED: _ClassVar[Exclusion]
    EXCLUSION_LOW_QUALITY: _ClassVar[Exclusion]
EXCLUSION_UNSPECIFIED: Exclusion
EXCLUSION_BELOW_THRESHOLD: Exclusion
EXCLUSION_OFF_TOPIC: Exclusion
EXCLUSION_DOMAIN_CAP: Exclusion
EXCLUSION_NEAR_DUPLICATE: Exclusion
EXCLUSION_BEYOND_LIMIT: Exclusion
EXCLUSION_BLOCKED: Exclusion
EXCLUSION_LOW_QUALITY: Exclusion

class ScoreRequest(_message.Message):
    __slots__ = ("question", "candidates", "time_sensitive", "real_time", "subject", "profile", "weights", "threshold", "max_results", "max_per_domain", "now", "further_questions", "shareable_questions")
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    TIME_SENSITIVE_FIELD_NUMBER: _ClassVar[int]
    REAL_TIME_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    PROFILE_FIELD_NUMBER: _ClassVar[int]
    WEIGHTS_FIELD_NUMBER: _ClassVar[int]
    THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    MAX_RESULTS_FIELD_NUMBER: _ClassVar[int]
    MAX_PER_DOMAIN_FIELD_NUMBER: _ClassVar[int]
    NOW_FIELD_NUMBER: _ClassVar[int]
    FURTHER_QUESTIONS_FIELD_NUMBER: _ClassVar[int]
    SHAREABLE_QUESTIONS_FIELD_NUMBER: _ClassVar[int]
    question: str
    candidates: _containers.RepeatedCompositeFieldContainer[Candidate]
    time_sensitive: bool
    real_time: bool
    subject: _common_pb2.SubjectContext
    profile: str
    weights: Weights
    threshold: float
    max_results: int
    max_per_domain: int
    now: _timestamp_pb2.Timestamp
    further_questions: _containers.RepeatedScalarFieldContainer[str]
    shareable_questions: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, question: _Optional[str] = ..., candidates: _Optional[_Iterable[_Union[Candidate, _Mapping]]] = ..., time_sensitive: _Optional[bool] = ..., real_time: _Optional[bool] = ..., subject: _Optional[_Union[_common_pb2.SubjectContext, _Mapping]] = ..., profile: _Optional[str] = ..., weights: _Optional[_Union[Weights, _Mapping]] = ..., threshold: _Optional[float] = ..., max_results: _Optional[int] = ..., max_per_domain: _Optional[int] = ..., now: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., further_questions: _Optional[_Iterable[str]] = ..., shareable_questions: _Optional[_Iterable[str]] = ...) -> None: ...

class Candidate(_message.Message):
    __slots__ = ("id", "url", "title", "snippet", "published_at", "rank", "trust_shift", "internal")
    ID_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    SNIPPET_FIELD_NUMBER: _ClassVar[int]
    PUBLISHED_AT_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    TRUST_SHIFT_FIELD_NUMBER: _ClassVar[int]
    INTERNAL_FIELD_NUMBER: _ClassVar[int]
    id: str
    url: str
    title: str
    snippet: str
    published_at: _timestamp_pb2.Timestamp
    rank: int
    trust_shift: float
    internal: bool
    def __init__(self, id: _Optional[str] = ..., url: _Optional[str] = ..., title: _Optional[str] = ..., snippet: _Optional[str] = ..., published_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., rank: _Optional[int] = ..., trust_shift: _Optional[float] = ..., internal: _Optional[bool] = ...) -> None: ...

class Weights(_message.Message):
    __slots__ = ("semantic", "trust", "freshness", "quality")
    SEMANTIC_FIELD_NUMBER: _ClassVar[int]
    TRUST_FIELD_NUMBER: _ClassVar[int]
    FRESHNESS_FIELD_NUMBER: _ClassVar[int]
    QUALITY_FIELD_NUMBER: _ClassVar[int]
    semantic: float
    trust: float
    freshness: float
    quality: float
    def __init__(self, semantic: _Optional[float] = ..., trust: _Optional[float] = ..., freshness: _Optional[float] = ..., quality: _Optional[float] = ...) -> None: ...

class ScoreResponse(_message.Message):
    __slots__ = ("scored", "profile", "weights", "threshold", "model", "timings", "lost", "outbound")
    SCORED_FIELD_NUMBER: _ClassVar[int]
    PROFILE_FIELD_NUMBER: _ClassVar[int]
    WEIGHTS_FIELD_NUMBER: _ClassVar[int]
    THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    TIMINGS_FIELD_NUMBER: _ClassVar[int]
    LOST_FIELD_NUMBER: _ClassVar[int]
    OUTBOUND_FIELD_NUMBER: _ClassVar[int]
    scored: _containers.RepeatedCompositeFieldContainer[ScoredCandidate]
    profile: str
    weights: Weights
    threshold: float
    model: str
    timings: Timings
    lost: _containers.RepeatedScalarFieldContainer[str]
    outbound: _containers.RepeatedCompositeFieldContainer[_common_pb2.OutboundText]
    def __init__(self, scored: _Optional[_Iterable[_Union[ScoredCandidate, _Mapping]]] = ..., profile: _Optional[str] = ..., weights: _Optional[_Union[Weights, _Mapping]] = ..., threshold: _Optional[float] = ..., model: _Optional[str] = ..., timings: _Optional[_Union[Timings, _Mapping]] = ..., lost: _Optional[_Iterable[str]] = ..., outbound: _Optional[_Iterable[_Union[_common_pb2.OutboundText, _Mapping]]] = ...) -> None: ...

class ScoredCandidate(_message.Message):
    __slots__ = ("id", "final", "breakdown", "included", "exclusion", "domain", "corroborated_by", "warnings")
    ID_FIELD_NUMBER: _ClassVar[int]
    FINAL_FIELD_NUMBER: _ClassVar[int]
    BREAKDOWN_FIELD_NUMBER: _ClassVar[int]
    INCLUDED_FIELD_NUMBER: _ClassVar[int]
    EXCLUSION_FIELD_NUMBER: _ClassVar[int]
    DOMAIN_FIELD_NUMBER: _ClassVar[int]
    CORROBORATED_BY_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    id: str
    final: float
    breakdown: Breakdown
    included: bool
    exclusion: Exclusion
    domain: str
    corroborated_by: _containers.RepeatedScalarFieldContainer[str]
    warnings: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, id: _Optional[str] = ..., final: _Optional[float] = ..., breakdown: _Optional[_Union[Breakdown, _Mapping]] = ..., included: _Optional[bool] = ..., exclusion: _Optional[_Union[Exclusion, str]] = ..., domain: _Optional[str] = ..., corroborated_by: _Optional[_Iterable[str]] = ..., warnings: _Optional[_Iterable[str]] = ...) -> None: ...

class Breakdown(_message.Message):
    __slots__ = ("semantic", "trust", "freshness", "quality", "lexical_lift", "subject_lift", "semantic_method", "trust_rule", "trust_shift")
    SEMANTIC_FIELD_NUMBER: _ClassVar[int]
    TRUST_FIELD_NUMBER: _ClassVar[int]
    FRESHNESS_FIELD_NUMBER: _ClassVar[int]
    QUALITY_FIELD_NUMBER: _ClassVar[int]
    LEXICAL_LIFT_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_LIFT_FIELD_NUMBER: _ClassVar[int]
    SEMANTIC_METHOD_FIELD_NUMBER: _ClassVar[int]
    TRUST_RULE_FIELD_NUMBER: _ClassVar[int]
    TRUST_SHIFT_FIELD_NUMBER: _ClassVar[int]
    semantic: float
    trust: float
    freshness: float
    quality: float
    lexical_lift: float
    subject_lift: float
    semantic_method: str
    trust_rule: str
    trust_shift: float
    def __init__(self, semantic: _Optional[float] = ..., trust: _Optional[float] = ..., freshness: _Optional[float] = ..., quality: _Optional[float] = ..., lexical_lift: _Optional[float] = ..., subject_lift: _Optional[float] = ..., semantic_method: _Optional[str] = ..., trust_rule: _Optional[str] = ..., trust_shift: _Optional[float] = ...) -> None: ...

class EmbedRequest(_message.Message):
    __slots__ = ("texts",)
    TEXTS_FIELD_NUMBER: _ClassVar[int]
    texts: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, texts: _Optional[_Iterable[str]] = ...) -> None: ...

class EmbedResponse(_message.Message):
    __slots__ = ("vectors", "dimensions", "model", "timings")
    VECTORS_FIELD_NUMBER: _ClassVar[int]
    DIMENSIONS_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    TIMINGS_FIELD_NUMBER: _ClassVar[int]
    vectors: bytes
    dimensions: int
    model: str
    timings: Timings
    def __init__(self, vectors: _Optional[bytes] = ..., dimensions: _Optional[int] = ..., model: _Optional[str] = ..., timings: _Optional[_Union[Timings, _Mapping]] = ...) -> None: ...

class SimilarityRequest(_message.Message):
    __slots__ = ("text", "others", "no_store", "thorough")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    OTHERS_FIELD_NUMBER: _ClassVar[int]
    NO_STORE_FIELD_NUMBER: _ClassVar[int]
    THOROUGH_FIELD_NUMBER: _ClassVar[int]
    text: str
    others: _containers.RepeatedScalarFieldContainer[str]
    no_store: bool
    thorough: bool
    def __init__(self, text: _Optional[str] = ..., others: _Optional[_Iterable[str]] = ..., no_store: _Optional[bool] = ..., thorough: _Optional[bool] = ...) -> None: ...

class SimilarityResponse(_message.Message):
    __slots__ = ("similarities", "model")
    SIMILARITIES_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    similarities: _containers.RepeatedScalarFieldContainer[float]
    model: str
    def __init__(self, similarities: _Optional[_Iterable[float]] = ..., model: _Optional[str] = ...) -> None: ...

class UnderstandRequest(_message.Message):
    __slots__ = ("message", "history")
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    HISTORY_FIELD_NUMBER: _ClassVar[int]
    message: str
    history: _containers.RepeatedCompositeFieldContainer[_common_pb2.Message]
    def __init__(self, message: _Optional[str] = ..., history: _Optional[_Iterable[_Union[_common_pb2.Message, _Mapping]]] = ...) -> None: ...

class UnderstandResponse(_message.Message):
    __slots__ = ("search", "leans_on_history", "freshness", "kind", "kind_probability", "pieces", "model", "timings")
    SEARCH_FIELD_NUMBER: _ClassVar[int]
    LEANS_ON_HISTORY_FIELD_NUMBER: _ClassVar[int]
    FRESHNESS_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    KIND_PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    PIECES_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    TIMINGS_FIELD_NUMBER: _ClassVar[int]
    search: float
    leans_on_history: float
    freshness: _containers.RepeatedScalarFieldContainer[float]
    kind: str
    kind_probability: float
    pieces: _containers.RepeatedCompositeFieldContainer[Piece]
    model: str
    timings: Timings
    def __init__(self, search: _Optional[float] = ..., leans_on_history: _Optional[float] = ..., freshness: _Optional[_Iterable[float]] = ..., kind: _Optional[str] = ..., kind_probability: _Optional[float] = ..., pieces: _Optional[_Iterable[_Union[Piece, _Mapping]]] = ..., model: _Optional[str] = ..., timings: _Optional[_Union[Timings, _Mapping]] = ...) -> None: ...

class Piece(_message.Message):
    __slots__ = ("text", "start", "end", "queries")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    QUERIES_FIELD_NUMBER: _ClassVar[int]
    text: int
    start: int
    end: int
    queries: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, text: _Optional[int] = ..., start: _Optional[int] = ..., end: _Optional[int] = ..., queries: _Optional[_Iterable[float]] = ...) -> None: ...

class SupportRequest(_message.Message):
    __slots__ = ("claims", "passages", "no_store")
    CLAIMS_FIELD_NUMBER: _ClassVar[int]
    PASSAGES_FIELD_NUMBER: _ClassVar[int]
    NO_STORE_FIELD_NUMBER: _ClassVar[int]
    claims: _containers.RepeatedScalarFieldContainer[str]
    passages: _containers.RepeatedCompositeFieldContainer[Passage]
    no_store: bool
    def __init__(self, claims: _Optional[_Iterable[str]] = ..., passages: _Optional[_Iterable[_Union[Passage, _Mapping]]] = ..., no_store: _Optional[bool] = ...) -> None: ...

class Passage(_message.Message):
    __slots__ = ("id", "text")
    ID_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    id: str
    text: str
    def __init__(self, id: _Optional[str] = ..., text: _Optional[str] = ...) -> None: ...

class SupportResponse(_message.Message):
    __slots__ = ("claims", "model", "lost")
    CLAIMS_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    LOST_FIELD_NUMBER: _ClassVar[int]
    claims: _containers.RepeatedCompositeFieldContainer[ClaimSupport]
    model: str
    lost: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, claims: _Optional[_Iterable[_Union[ClaimSupport, _Mapping]]] = ..., model: _Optional[str] = ..., lost: _Optional[_Iterable[str]] = ...) -> None: ...

class ClaimSupport(_message.Message):
    __slots__ = ("passages",)
    PASSAGES_FIELD_NUMBER: _ClassVar[int]
    passages: _containers.RepeatedCompositeFieldContainer[PassageSupport]
    def __init__(self, passages: _Optional[_Iterable[_Union[PassageSupport, _Mapping]]] = ...) -> None: ...

class PassageSupport(_message.Message):
    __slots__ = ("passage_id", "score", "window_start", "window_end", "numbers_found", "names_found", "dates_found", "missing", "overlap", "cosine", "likeness", "verdict")
    PASSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    WINDOW_START_FIELD_NUMBER: _ClassVar[int]
    WINDOW_END_FIELD_NUMBER: _ClassVar[int]
    NUMBERS_FOUND_FIELD_NUMBER: _ClassVar[int]
    NAMES_FOUND_FIELD_NUMBER: _ClassVar[int]
    DATES_FOUND_FIELD_NUMBER: _ClassVar[int]
    MISSING_FIELD_NUMBER: _ClassVar[int]
    OVERLAP_FIELD_NUMBER: _ClassVar[int]
    COSINE_FIELD_NUMBER: _ClassVar[int]
    LIKENESS_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    passage_id: str
    score: float
    window_start: int
    window_end: int
    numbers_found: bool
    names_found: bool
    dates_found: bool
    missing: _containers.RepeatedScalarFieldContainer[str]
    overlap: float
    cosine: float
    likeness: float
    verdict: float
    def __init__(self, passage_id: _Optional[str] = ..., score: _Optional[float] = ..., window_start: _Optional[int] = ..., window_end: _Optional[int] = ..., numbers_found: _Optional[bool] = ..., names_found: _Optional[bool] = ..., dates_found: _Optional[bool] = ..., missing: _Optional[_Iterable[str]] = ..., overlap: _Optional[float] = ..., cosine: _Optional[float] = ..., likeness: _Optional[float] = ..., verdict: _Optional[float] = ...) -> None: ...

class Timings(_message.Message):
    __slots__ = ("tokenize_us", "queue_us", "encode_us", "cached_texts")
    TOKENIZE_US_FIELD_NUMBER: _ClassVar[int]
    QUEUE_US_FIELD_NUMBER: _ClassVar[int]
    ENCODE_US_FIELD_NUMBER: _ClassVar[int]
    CACHED_TEXTS_FIELD_NUMBER: _ClassVar[int]
    tokenize_us: int
    queue_us: int
    encode_us: int
    cached_texts: int
    def __init__(self, tokenize_us: _Optional[int] = ..., queue_us: _Optional[int] = ..., encode_us: _Optional[int] = ..., cached_texts: _Optional[int] = ...) -> None: ...
