"""Schemas of the native replies, for /openapi.json only: replies are not validated when sent.

A test holds them against what `replies` really writes.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Score = float | None


class Reply(BaseModel):
    """Base: exactly these fields."""

    model_config = ConfigDict(extra="forbid")


class SignalReply(Reply):
    """One reason for or against searching."""

    name: str
    weight: float = Field(description="Positive speaks for a search, negative against.")
    evidence: str = Field(description="The matched words of the message.")


class DecisionReply(Reply):
    """What was decided about the message, and why."""

    action: Literal["search", "fetch", "answer"]
    needs_search: bool
    confidence: float = Field(description="0 to 1.")
    stage: Literal["mode", "url", "rule", "matrix", "classifier", "llm", "fallback"]
    reason: str = Field(description="One sentence for people, in English.")
    reason_code: str
    signals: list[SignalReply]
    standalone_question: str
    queries: list[str]
    fallback_queries: list[str]
    intent: Literal["news", "background", "general"]
    requires_context: bool
    category: str | None
    freshness: Literal["day", "week", "month", "year", "none"]
    recency_days: int | None
    target_info: list[str]
    language: str
    urls: list[str]
    ignored_urls: list[str]
    priority: float
    deep_research: bool


class BreakdownReply(Reply):
    """Parts of a score, each 0 to 1."""

    semantic: float
    trust: float
    freshness: float
    quality: float
    lexical_lift: float
    subject_lift: float
    semantic_method: str
    trust_rule: str


class SourceReply(Reply):
    """One source; numbered from 1."""

    n: int
    url: str
    title: str
    domain: str
    snippet: str
    published_at: str | None
    published_at_from: str | None
    language: str | None
    relevance_score: Score = Field(description="0 to 1; null when unscored.")
    score_breakdown: BreakdownReply | None
    providers: list[str]
    method: str
    cited: bool
    warnings: list[str]


class CitationReply(Reply):
    """A checked claim; offsets are Unicode code points into `answer`, end exclusive."""

    start: int
    end: int
    source: int
    url: str
    title: str
    cited_text: str
    support: float


class CitationReportReply(Reply):
    """What the citation check did."""

    checked: int
    kept: int
    rebound: int
    dropped: int
    uncited_sentences: int


class UrlContentReply(Reply):
    """One page that the person named."""

    url: str
    title: str
    success: bool
    method: str | None
    error: str | None


class ProviderReply(Reply):
    """What one provider did."""

    name: str
    status: Literal["ok", "cached", "failed", "rate_limited", "skipped", "budget"]
    latency_ms: int
    results: int
    error_code: str | None
    detail: str | None


class DegradedReply(Reply):
    """A part that was lost while the rest is good."""

    component: str
    detail: str


class NoticeReply(Reply):
    """A sentence in the person's language."""

    code: str
    text: str


class UsageReply(Reply):
    """What it used."""

    prompt_tokens: int
    completion_tokens: int
    context_tokens: int
    searches: int
    cost_usd: float


class OutboundReply(Reply):
    """One string that left, exactly as sent."""

    to: str
    kind: str
    text: str
    redacted: list[str]


class Reported(Reply):
    """What turns and searches both report."""

    providers: list[ProviderReply]
    degraded: list[DegradedReply]
    notices: list[NoticeReply]
    timings_ms: dict[str, int]
    usage: UsageReply
    outbound: list[OutboundReply]


class ChatReply(Reported):
    """The whole turn."""

    id: str
    conversation_id: str
    answer: str
    answer_kind: Literal["model", "extractive", "results", "none"]
    model_label: str
    decision: DecisionReply
    sources: list[SourceReply]
    citations: list[CitationReply]
    citation_report: CitationReportReply
    url_contents: list[UrlContentReply]
    iterations: int
    partial: bool
    evidence_id: str | None
    finished_at: str


class ExcludedReply(Reply):
    """A result that was left out, and why."""

    url: str
    title: str
    relevance_score: Score
    reason: str


class SearchReply(Reported):
    """Ranked results without an answer."""

    id: str
    query: str
    queries: list[str]
    results: list[SourceReply]
    excluded: list[ExcludedReply]


class PageReply(Reply):
    """One page; a bad page is an outcome, not an error."""

    url: str
    final_url: str | None
    success: bool
    status: str
    http_status: int | None
    method: str | None
    title: str
    author: str | None
    site_name: str | None
    language: str | None
    published_at: str | None
    published_at_from: str | None
    published_at_confidence: Score
    text: str
    excerpt: str
    truncated: bool
    content_type: str | None
    charset: str | None
    redirects: list[str]
    retryable: bool
    retry_after_s: int | None
    error: str | None
    warnings: list[str]
    timings_ms: dict[str, int]


class FetchReply(Reply):
    """Outcomes in the order asked for."""

    results: list[PageReply]


class FeedbackReply(Reply):
    """What was recorded."""

    id: str
    rating: Literal["up", "down"]
    score: int = Field(description="1 to 5.")


class VersionReply(Reply):
    """What runs."""

    name: str
    version: str
    features: list[str] = Field(description="Optional faces that are on.")
