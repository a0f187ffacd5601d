"""Responses of the four services as the engine sees them. Pure and total."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar

from pellucid.common.v1 import common_pb2
from pellucid.decision.v1 import decision_pb2
from pellucid.fetcher.v1 import fetcher_pb2
from pellucid.scorer.v1 import scorer_pb2
from pellucid.search.v1 import search_pb2

from pellucid_gateway.domain.decision import (
    Action,
    Decision,
    Freshness,
    Intent,
    PlannedQuery,
    Signal,
    Stage,
)
from pellucid_gateway.domain.events import Degradation, OutboundText
from pellucid_gateway.domain.findings import (
    DateSource,
    Entity,
    Hit,
    Method,
    PageContent,
    ProviderReport,
    ProviderStatus,
    PublishedDate,
    ScoreBreakdown,
    ScoredHit,
)
from pellucid_gateway.domain.ports import (
    DecideAnswer,
    PassageSupport,
    Reflection,
    SearchAnswer,
    Written,
)

W = TypeVar("W", bound=StrEnum)


def decide_answer(response: decision_pb2.DecideResponse) -> DecideAnswer:
    """Translate a decision."""
    return DecideAnswer(
        _decision(response.decision),
        _degraded(response.degraded),
        _outbound(response.outbound),
        _outbound(response.query_writing.outbound) if response.HasField("query_writing") else None,
    )


def written(response: decision_pb2.WriteQueriesResponse) -> Written:
    """Translate what a model wrote."""
    return Written(
        tuple(map(_query, response.queries[:1])),
        _degraded(response.degraded),
        _outbound(response.outbound),
    )


def reflection(response: decision_pb2.ReflectResponse) -> Reflection:
    """Translate a judgement."""
    return Reflection(
        sufficient=response.sufficient,
        missing_aspects=tuple(response.missing_aspects),
        refined_query=response.refined_query,
        reasoning=response.reasoning,
        outbound=_outbound(response.outbound),
        degraded=_degraded(response.degraded),
    )


def search_answer(response: search_pb2.SearchResponse) -> SearchAnswer:
    """Translate fused hits and their account."""
    return SearchAnswer(
        hits=tuple(_hit(hit) for hit in response.hits),
        queries=tuple(response.queries),
        providers=tuple(_report(report) for report in response.providers),
        outbound=_outbound(response.outbound),
        degraded=_degraded(response.degraded),
        cost_micro_usd=response.cost_micro_usd,
        entities=tuple(
            Entity(name=one.name, id=one.id, label=one.label, description=one.description)
            for one in response.entities
        ),
    )


def scored_hits(response: scorer_pb2.ScoreResponse, hits: Sequence[Hit]) -> tuple[ScoredHit, ...]:
    """Translate ratings; one of a hit that was not asked about is left out."""
    by_id = {str(i): hit for i, hit in enumerate(hits)}
    known = (scored for scored in response.scored if scored.id in by_id)
    rated = (_scored(scored, by_id, tuple(response.lost)) for scored in known)
    return tuple(replace(one, rated_with=response.model) for one in rated)


def supports(response: scorer_pb2.SupportResponse) -> tuple[tuple[PassageSupport, ...], ...]:
    """Translate judgements of claims."""
    return tuple(
        tuple(
            PassageSupport(
                passage_id=passage.passage_id,
                # A scorer of the release before lowers its score for facts that it misses.
                score=max(passage.score, passage.likeness),
                window_start=passage.window_start,
                window_end=passage.window_end,
                verdict=passage.verdict if passage.HasField("verdict") else None,
            )
            for passage in claim.passages
        )
        for claim in response.claims
    )


def page_content(page: fetcher_pb2.Page) -> PageContent:
    """Translate the outcome for one address."""
    status = fetcher_pb2.FetchStatus.Name(page.status).removeprefix("FETCH_STATUS_").lower()
    return PageContent(
        url=page.url,
        success=page.success,
        status=status,
        final_url=page.final_url,
        http_status=page.http_status,
        method=_word(Method, fetcher_pb2.Method, "METHOD", page.method),
        title=page.title,
        author=page.author,
        site_name=page.site_name,
        language=page.language,
        published=_published(page),
        text=page.text,
        excerpt=page.excerpt,
        truncated=page.truncated,
        content_type=page.content_type,
        charset=page.charset,
        redirects=tuple(page.redirects),
        retryable=page.retryable,
        error=page.error,
        reason=page.reason,
        retry_after_s=page.retry_after_s,
        warnings=tuple(page.warnings),
        total_ms=page.timings.total_ms,
        next_offset=page.next_offset,
    )


def _decision(decision: decision_pb2.Decision) -> Decision:
    return Decision(
        action=_word(Action, decision_pb2.Action, "ACTION", decision.action) or Action.ANSWER,
        confidence=decision.confidence,
        stage=_word(Stage, decision_pb2.Stage, "STAGE", decision.stage) or Stage.FALLBACK,
        reason=decision.reason,
        reason_code=decision.reason_code,
        signals=tuple(Signal(s.name, s.weight, s.evidence) for s in decision.signals),
        standalone_question=decision.standalone_question,
        queries=tuple(_query(query) for query in decision.queries),
        fallback_queries=tuple(decision.fallback_queries),
        intent=_word(Intent, decision_pb2.Intent, "INTENT", decision.intent) or Intent.GENERAL,
        requires_context=decision.requires_context,
        category=decision.category,
        freshness=_freshness(decision.freshness),
        recency_days=decision.recency_days,
        real_time=decision.real_time,
        time_sensitive=decision.time_sensitive,
        target_info=tuple(decision.target_info),
        language=decision.language or "und",
        urls=tuple(decision.urls),
        ignored_urls=tuple(decision.ignored_urls),
        priority=decision.priority,
        deep_research=decision.deep_research,
        site=decision.site,
        topicless=decision.topicless,
        about_answer=decision.about_answer,
    )


def _query(query: decision_pb2.Query) -> PlannedQuery:
    return PlannedQuery(query.text, _freshness(query.freshness), query.site)


def _freshness(number: int) -> Freshness:
    return _word(Freshness, common_pb2.Freshness, "FRESHNESS", number) or Freshness.NONE


def _word(kind: type[W], enum: Any, prefix: str, number: int) -> W | None:
    """The domain word of an enum number; None for UNSPECIFIED and for numbers of newer servers."""
    return _words(kind, enum, prefix).get(number)


@cache
def _words(kind: type[W], enum: Any, prefix: str) -> Mapping[int, W]:
    """The domain words of an enum by their numbers; of the few enums of the contract."""
    named = ((number, name.removeprefix(f"{prefix}_")) for name, number in enum.items() if number)
    return {number: kind[name] for number, name in named if name in kind.__members__}


def _degraded(losses: Iterable[common_pb2.Degradation]) -> tuple[Degradation, ...]:
    return tuple(Degradation(loss.component, loss.detail) for loss in losses)


def _outbound(texts: Iterable[common_pb2.OutboundText]) -> tuple[OutboundText, ...]:
    return tuple(OutboundText(t.to, t.kind, t.text, tuple(t.redacted)) for t in texts)


def _hit(hit: search_pb2.Hit) -> Hit:
    return Hit(
        url=hit.url,
        title=hit.title,
        snippet=hit.snippet,
        domain=hit.domain,
        alternate_urls=tuple(hit.alternate_urls),
        published=_published(hit),
        language=hit.language,
        providers=tuple(dict.fromkeys(finding.provider for finding in hit.findings)),
        page_text=hit.page_text,
        warnings=tuple(hit.warnings),
        internal=hit.internal,
    )


def _published(holder: search_pb2.Hit | fetcher_pb2.Page) -> PublishedDate | None:
    if not holder.HasField("published") or not holder.published.HasField("time"):
        return None
    published = holder.published
    source = _word(DateSource, common_pb2.DateSource, "DATE_SOURCE", published.source)
    return PublishedDate(
        published.time.ToDatetime(tzinfo=UTC), source or DateSource.UNKNOWN, published.confidence
    )


def _report(report: search_pb2.ProviderReport) -> ProviderReport:
    status = _word(ProviderStatus, search_pb2.ProviderStatus, "PROVIDER_STATUS", report.status)
    code = ""
    if report.error_code in search_pb2.ProviderErrorCode.values() and report.error_code:
        name = search_pb2.ProviderErrorCode.Name(report.error_code)
        code = name.removeprefix("PROVIDER_ERROR_CODE_").lower()
    return ProviderReport(
        name=report.name,
        status=status or ProviderStatus.FAILED,
        latency_ms=report.latency_ms,
        results=report.results,
        error_code=code,
        detail=report.detail,
        calls=report.calls,
        cost_micro_usd=report.cost_micro_usd,
        retry_after_s=report.retry_after_s,
    )


def _scored(
    scored: scorer_pb2.ScoredCandidate, by_id: dict[str, Hit], without: tuple[str, ...]
) -> ScoredHit:
    parts = scored.breakdown
    exclusion = ""
    if not scored.included:
        name = scorer_pb2.Exclusion.Name(scored.exclusion)
        exclusion = name.removeprefix("EXCLUSION_").lower()
    hit = by_id[scored.id]
    if scored.warnings:
        hit = replace(hit, warnings=tuple(sorted({*hit.warnings, *scored.warnings})))
    return ScoredHit(
        hit=hit,
        relevance=scored.final,
        breakdown=ScoreBreakdown(
            semantic=parts.semantic,
            trust=parts.trust,
            freshness=parts.freshness,
            quality=parts.quality,
            lexical_lift=parts.lexical_lift,
            subject_lift=parts.subject_lift,
            semantic_method=parts.semantic_method,
            trust_rule=parts.trust_rule,
            trust_shift=parts.trust_shift,
        ),
        included=scored.included,
        exclusion=exclusion,
        corroborated_by=tuple(by_id[i].url for i in scored.corroborated_by if i in by_id),
        without=without,
    )
