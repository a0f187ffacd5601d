"""Schemas of stored data and statistics, for /openapi.json."""

from typing import Any, Literal

from pydantic import BaseModel, Field


class ConversationHead(BaseModel):
    """One conversation in the list."""

    id: str
    title: str = Field(description="Beginning of its first message.")
    created_at: str
    updated_at: str
    turns: int


class ConversationsReply(BaseModel):
    """Conversations of a user, last used first."""

    conversations: list[ConversationHead]


class MessageMetadata(BaseModel):
    """Steps of an answer."""

    web_search_performed: bool
    iterations: int
    results_count: int
    answer_kind: str
    model_label: str
    evidence_id: str
    content_kept: bool = Field(
        description="False: based on the user's own page, so the text is not stored."
    )


class KeptMessage(BaseModel):
    """One message."""

    role: Literal["user", "assistant"]
    content: str
    turn: str = Field(description="Id of the turn and of its answer.")
    at: str
    metadata: MessageMetadata | None


class ConversationReply(ConversationHead):
    """One conversation with its messages, oldest first."""

    messages: list[KeptMessage]


class MemoryReply(BaseModel):
    """One memory."""

    id: str
    text: str
    created_at: str


class MemoriesReply(BaseModel):
    """Memories of a user, newest first."""

    memories: list[MemoryReply]


class PreferenceReply(BaseModel):
    """A user's preference for a source."""

    domain: str = Field(description="Host name; includes its subdomains.")
    stance: Literal["prefer", "avoid"]
    created_at: str


class PreferencesReply(BaseModel):
    """Sources that a user prefers or avoids, newest first."""

    sources: list[PreferenceReply]


class UsedOnDay(BaseModel):
    """Usage of one day, in UTC."""

    day: str
    turns: int
    searches: int
    results: int = Field(description="Number of sources in answers and of results in searches.")
    tokens_in: int
    tokens_out: int
    cost_usd: float


class DailyUsageReply(BaseModel):
    """Usage of a user, newest day first."""

    days: list[UsedOnDay]


class Numbers(BaseModel):
    """Statistics of a period; a rate is null without data."""

    turns: int
    completed_turns: int = Field(description="Turns that ended without an error.")
    searched_turns: int
    search_calls: int = Field(description="Calls of search APIs.")
    searches: int = Field(description="Turns that searched, and calls of search APIs.")
    trigger_rate: float | None = Field(description="Share of completed turns that searched.")
    average_relevance: float | None
    latency_ms: dict[str, dict[str, float | None]] = Field(
        description="p50, p95, p99 by stage; `total` and `first_token` of turns with an answer."
    )
    cost_usd: float
    cost_per_turn_usd: float | None
    cache_hit_rate: float | None
    cited_share: float | None
    multi_source_share: float | None
    multi_domain_share: float | None
    citation_validity: float | None
    satisfaction: float | None = Field(description="Mean score, 1 to 5.")
    feedback: int
    thumbs_up: int
    retry_rate: float | None
    abandonment_rate: float | None
    error_rate: float | None
    degraded_rate: float | None
    errors: dict[str, int]
    lost: dict[str, int]
    tokens: dict[str, int]
    providers: list[dict[str, Any]]
    models: list[dict[str, Any]] = Field(description="Calls, tokens and cost by model.")
    profiles: list[dict[str, Any]] = Field(
        description="Relevance, citations and satisfaction by scoring profile under test."
    )


class StatsReply(Numbers):
    """Statistics and curves of the last 24 hours."""

    from_: str = Field(alias="from")
    to: str
    point_minutes: int = Field(description="Minutes of one point of a curve.")
    series: dict[str, list[float | None]]


class TurnLine(BaseModel):
    """Time, cost and defects of one turn, without its text or user."""

    evidence_id: str = Field(description="For GET /v1/evidence/{id}, by the user who asked.")
    at: str
    searched: bool
    answer_kind: str
    first_token_ms: int
    total_ms: int
    cost_usd: float
    relevance: float | None = Field(description="Average over its sources.")
    citations: int
    citations_dropped: int
    unsupported: int = Field(description="Statements that no source supports.")
    degraded: list[str]


class TurnsReply(BaseModel):
    """Turns behind a number, those that stand out most first; at most 50."""

    turns: list[TurnLine]


class AskedReply(BaseModel):
    """A query that enough people asked."""

    query: str
    count: int
    average_relevance: float | None


class ReportReply(BaseModel):
    """The weekly report."""

    from_: str = Field(alias="from")
    to: str
    counted_from: str | None = Field(description="When something was counted first in this week.")
    summary: Numbers
    week_before: Numbers
    days: list[dict[str, Any]]
    least_askers: int = Field(
        description="People who must have asked a query for it to be shown: 3, or 1 where only one "
        "person asks anything."
    )
    top_queries: list[AskedReply]
    low_relevance_queries: list[AskedReply]
    most_cited_domains: list[dict[str, Any]]
    query_log: bool = Field(description="Whether the operator counts queries.")


class LearnedSourceReply(BaseModel):
    """What was counted of a domain in the last five weeks."""

    domain: str
    shift: float = Field(description="What is added to its trust.")
    thumbs_up: int = Field(description="On answers that cite it.")
    thumbs_down: int
    cited: int = Field(description="Answers that were shown it and cite it.")
    uncited: int
    read: int = Field(description="Pages that could be read.")
    unread: int


class LearnedReply(BaseModel):
    """What use taught of sources, the most moved first; at most 1,000 of them."""

    limit: float = Field(description="By how much trust is moved at most, up or down.")
    domains: int
    sources: list[LearnedSourceReply]
