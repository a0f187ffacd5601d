"""The engine's results as the JSON of the native API. Pure; field names are public contract.

Each reply is read off the engine's value of the same field names, so that what is sent and what
/openapi.json says of it have one definition. Absent values are null, never missing, so that clients
need no guards.
"""

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AfterValidator, AliasPath, BaseModel, BeforeValidator, ConfigDict, Field

from pellucid_gateway.domain.citation import CitationCheck
from pellucid_gateway.domain.decision import Action, Freshness, Intent, PlannedQuery, Stage
from pellucid_gateway.domain.events import AnswerKind
from pellucid_gateway.domain.findings import DateSource, Method, ProviderStatus
from pellucid_gateway.domain.search_outcome import SearchOutcome

Json = dict[str, Any]

SCORE_DIGITS = 4


def _instant(moment: datetime | None) -> str | None:
    """`2026-01-02T03:04:05Z`."""
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _rounded(value: float) -> float:
    return round(value, SCORE_DIGITS)


def _or_null(value: object) -> object:
    """The engine's "" and 0 for what is not known."""
    return value or None


def _query_text(query: PlannedQuery) -> str:
    return query.text


Instant = Annotated[str, BeforeValidator(_instant)]
MaybeInstant = Annotated[str | None, BeforeValidator(_instant)]
Score = Annotated[float, AfterValidator(_rounded)]
MaybeText = Annotated[str | None, BeforeValidator(_or_null)]
MaybeCount = Annotated[int | None, BeforeValidator(_or_null)]
QueryText = Annotated[str, BeforeValidator(_query_text)]
# A result without a date has none of these.
PublishedAt = Annotated[MaybeInstant, Field(validation_alias=AliasPath("published", "time"))]
PublishedFrom = Annotated[
    DateSource | None, Field(validation_alias=AliasPath("published", "source"))
]


class Reply(BaseModel):
    """Base: exactly these fields."""

    model_config = ConfigDict(
        extra="forbid", from_attributes=True, json_schema_serialization_defaults_required=True
    )

    @classmethod
    def of(cls, told: object) -> Json:
        """JSON of a value of the engine with the attributes that the fields name."""
        return cls.model_validate(told).as_json()

    def as_json(self) -> Json:
        """Every field, in the order of the class."""
        return self.model_dump(mode="json")


class SignalReply(Reply):
    """One reason for or against a search."""

    name: str
    weight: Score = Field(description="Positive: for a search; negative: against.")
    evidence: str = Field(description="The matched words of the message.")


class DecisionReply(Reply):
    """The decision about the message, with its reason."""

    action: Action
    needs_search: bool
    confidence: Score = Field(description="0 to 1.")
    stage: Stage
    reason: str = Field(description="One sentence in English.")
    reason_code: str
    signals: list[SignalReply]
    standalone_question: str
    queries: list[QueryText]
    fallback_queries: list[str]
    intent: Intent
    requires_context: bool
    category: MaybeText
    freshness: Freshness
    recency_days: MaybeCount
    target_info: list[str]
    language: str
    urls: list[str]
    ignored_urls: list[str]
    priority: Score
    deep_research: bool


class BreakdownReply(Reply):
    """Parts of a score, each 0 to 1."""

    semantic: Score
    trust: Score
    freshness: Score
    quality: Score
    lexical_lift: Score
    subject_lift: Score
    semantic_method: str
    trust_rule: str
    trust_shift: float = Field(
        description="Part of `trust` that comes from the user's preferences and from use."
    )


class SourceReply(Reply):
    """One source; numbered from 1."""

    n: int
    url: str
    title: str
    domain: str
    snippet: str
    published_at: PublishedAt = None
    published_at_from: PublishedFrom = None
    language: MaybeText
    relevance_score: Score | None = Field(
        validation_alias="relevance", description="0 to 1; null when unscored."
    )
    score_breakdown: BreakdownReply | None = Field(validation_alias="breakdown")
    providers: list[str]
    method: Method
    cited: bool
    warnings: list[str]
    attribution: str = Field(description="Publisher, in the user's language.")
    recent: bool = Field(description="Published within the last seven days.")
    summary: MaybeText = Field(description="One Korean sentence on a foreign result.")


class CitationReply(Reply):
    """A checked claim; offsets are Unicode code points into `answer`, end exclusive."""

    start: int
    end: int
    source: int
    url: str
    title: str
    cited_text: str
    support: Score
    check: CitationCheck
    added: bool = Field(description="Added by the check: the model cited nothing here.")


class SpanReply(Reply):
    """A part of the answer, in Unicode code points, end exclusive."""

    start: int
    end: int


class CitationReportReply(Reply):
    """Result of the citation check."""

    checked: int
    kept: int
    supported: int
    matched: int
    unchecked: int
    rebound: int
    dropped: int
    added: int
    uncited_sentences: int


class UrlContentReply(Reply):
    """One page that the user named."""

    url: str
    title: str
    success: bool
    method: Method | None
    error: MaybeText
    error_code: MaybeText = Field(description="FETCH_FAILED or EXTRACTION_FAILED.")


class ProviderReply(Reply):
    """Outcome of one provider."""

    name: str
    status: ProviderStatus
    latency_ms: int
    results: int
    error_code: MaybeText
    detail: MaybeText


class DegradedReply(Reply):
    """A component that failed while the rest of the answer is complete."""

    component: str
    detail: str


class NoticeReply(Reply):
    """A sentence in the user's language."""

    code: str
    text: str
    retry: bool = Field(description="The same request may succeed later.")


class UsageReply(Reply):
    """Resources used."""

    prompt_tokens: int
    completion_tokens: int
    context_tokens: int
    searches: int
    cost_usd: float


class OutboundReply(Reply):
    """One outgoing string, exactly as sent."""

    to: str
    kind: str
    text: str
    redacted: list[str]


class EntityReply(Reply):
    """An item of Wikidata that a name of a query stands for."""

    name: str = Field(description="As it was sent.")
    id: str = Field(description="For example `Q42`; its page is https://www.wikidata.org/wiki/Q42.")
    label: str
    description: str
    sources: list[int] = Field(description="Numbers of the sources that contain the name.")


class Reported(Reply):
    """Fields that turns and searches share."""

    entities: list[EntityReply] = Field(description="Only if the installation links names.")
    providers: list[ProviderReply]
    degraded: list[DegradedReply]
    notices: list[NoticeReply]
    timings_ms: dict[str, int]
    usage: UsageReply
    outbound: list[OutboundReply]


class _TurnHead(Reply):
    """First fields of a turn."""

    id: str
    conversation_id: str
    answer: str
    answer_kind: AnswerKind
    model_label: str
    decision: DecisionReply
    sources: list[SourceReply]
    citations: list[CitationReply]
    citation_report: CitationReportReply
    unsupported: list[SpanReply] = Field(description="Statements that no source supports.")
    url_contents: list[UrlContentReply]
    iterations: int
    partial: bool


# Fields of the rightmost base come first.
class ChatReply(Reported, _TurnHead):
    """The whole turn."""

    evidence_id: MaybeText
    finished_at: Instant


class ExcludedReply(Reply):
    """An excluded result, with the reason."""

    url: str = Field(validation_alias=AliasPath("hit", "url"))
    title: str = Field(validation_alias=AliasPath("hit", "title"))
    relevance_score: Score | None = Field(validation_alias="relevance")
    reason: str = Field(validation_alias="exclusion")
    warnings: list[str] = Field(validation_alias=AliasPath("hit", "warnings"))


class _SearchHead(Reply):
    """First fields of a search."""

    id: str
    query: str = Field("", description="As requested.")
    queries: list[str]
    results: list[SourceReply]
    excluded: list[ExcludedReply]


class SearchReply(Reported, _SearchHead):
    """Ranked results without an answer."""

    @classmethod
    def found(cls, query: str, outcome: SearchOutcome) -> Json:
        """JSON of an outcome, which does not know how it was asked for."""
        return cls.model_validate(outcome).model_copy(update={"query": query}).as_json()
