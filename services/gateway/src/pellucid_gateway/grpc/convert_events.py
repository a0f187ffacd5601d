"""What the engine tells, as messages of gateway.v1. Pure and total."""

from collections.abc import Callable, Iterable
from datetime import datetime
from enum import StrEnum
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp
from pellucid.common.v1 import common_pb2, error_reason_pb2
from pellucid.decision.v1 import decision_pb2
from pellucid.fetcher.v1 import fetcher_pb2
from pellucid.gateway.v1 import gateway_pb2 as pb
from pellucid.scorer.v1 import scorer_pb2
from pellucid.search.v1 import search_pb2

from pellucid_gateway.domain.decision import Decision, PlannedQuery
from pellucid_gateway.domain.events import (
    Citation,
    Cited,
    Decided,
    Delta,
    Done,
    Failed,
    Notice,
    Noticed,
    OutboundText,
    Progress,
    ProgressKind,
    ResultsReady,
    SourcesReady,
    TurnEvent,
    TurnResult,
    UrlFetched,
    Usage,
)
from pellucid_gateway.domain.findings import (
    DateSource,
    Method,
    ProviderReport,
    PublishedDate,
    ScoreBreakdown,
    Source,
)

_PROGRESS = {
    ProgressKind.WAITING: pb.PROGRESS_KIND_WAITING,
    ProgressKind.SEARCH_START: pb.PROGRESS_KIND_SEARCH_START,
    ProgressKind.ITERATION: pb.PROGRESS_KIND_ITERATION,
    ProgressKind.FETCHING: pb.PROGRESS_KIND_FETCHING,
    ProgressKind.EXTRACTING: pb.PROGRESS_KIND_EXTRACTING,
    ProgressKind.REFLECTING: pb.PROGRESS_KIND_REFLECTING,
    ProgressKind.COMPLETE: pb.PROGRESS_KIND_COMPLETE,
}


def _number(enum: Any, prefix: str, word: StrEnum | str | None) -> Any:
    """Number of a domain word; a word that the contract does not know is UNSPECIFIED."""
    name = word.name if isinstance(word, StrEnum) else (word or "").upper()
    known: dict[str, int] = dict(enum.items())
    return known.get(f"{prefix}_{name}", 0)


def _timestamp(moment: datetime) -> Timestamp:
    timestamp = Timestamp()
    timestamp.FromDatetime(moment)
    return timestamp


def decision_message(decision: Decision) -> decision_pb2.Decision:
    """One decision."""
    return decision_pb2.Decision(
        action=_number(decision_pb2.Action, "ACTION", decision.action),
        needs_search=decision.needs_search,
        confidence=decision.confidence,
        stage=_number(decision_pb2.Stage, "STAGE", decision.stage),
        reason=decision.reason,
        reason_code=decision.reason_code,
        signals=[
            decision_pb2.Signal(name=s.name, weight=s.weight, evidence=s.evidence)
            for s in decision.signals
        ],
        standalone_question=decision.standalone_question,
        queries=[_query(query) for query in decision.queries],
        fallback_queries=decision.fallback_queries,
        intent=_number(decision_pb2.Intent, "INTENT", decision.intent),
        requires_context=decision.requires_context,
        category=decision.category,
        freshness=_number(common_pb2.Freshness, "FRESHNESS", decision.freshness),
        recency_days=decision.recency_days,
        real_time=decision.real_time,
        time_sensitive=decision.time_sensitive,
        target_info=decision.target_info,
        language=decision.language,
        urls=decision.urls,
        ignored_urls=decision.ignored_urls,
        priority=decision.priority,
        deep_research=decision.deep_research,
        site=decision.site,
        topicless=decision.topicless,
        about_answer=decision.about_answer,
    )


def _query(query: PlannedQuery) -> decision_pb2.Query:
    freshness = _number(common_pb2.Freshness, "FRESHNESS", query.freshness)
    return decision_pb2.Query(text=query.text, freshness=freshness, site=query.site)


def _method(method: Method | None) -> Any:
    return _number(fetcher_pb2.Method, "METHOD", method)


def _url_fetch(fetched: UrlFetched) -> pb.UrlFetch:
    return pb.UrlFetch(
        url=fetched.url,
        success=fetched.success,
        method=_method(fetched.method),
        error=fetched.error,
        title=fetched.title,
    )


def _progress(step: Progress) -> pb.Progress:
    return pb.Progress(
        kind=_PROGRESS[step.kind],
        message=step.message,
        query=step.query,
        iteration=step.iteration,
        count=step.count,
    )


def _published(published: PublishedDate | None) -> common_pb2.PublishedDate | None:
    if published is None:
        return None
    source = None if published.source is DateSource.UNKNOWN else published.source
    return common_pb2.PublishedDate(
        time=_timestamp(published.time),
        source=_number(common_pb2.DateSource, "DATE_SOURCE", source),
        confidence=published.confidence,
    )


def _breakdown(breakdown: ScoreBreakdown | None) -> scorer_pb2.Breakdown | None:
    if breakdown is None:
        return None
    return scorer_pb2.Breakdown(
        semantic=breakdown.semantic,
        trust=breakdown.trust,
        freshness=breakdown.freshness,
        quality=breakdown.quality,
        lexical_lift=breakdown.lexical_lift,
        subject_lift=breakdown.subject_lift,
        semantic_method=breakdown.semantic_method,
        trust_rule=breakdown.trust_rule,
        trust_shift=breakdown.trust_shift,
    )


def _source(source: Source) -> pb.Source:
    return pb.Source(
        n=source.n,
        url=source.url,
        title=source.title,
        domain=source.domain,
        snippet=source.snippet,
        published=_published(source.published),
        language=source.language,
        relevance_score=source.relevance or 0.0,
        breakdown=_breakdown(source.breakdown),
        providers=source.providers,
        method=_method(source.method),
        cited=source.cited,
        warnings=source.warnings,
        attribution=source.attribution,
        recent=source.recent,
        summary=source.summary,
    )


def _sources(sources: Iterable[Source]) -> pb.Sources:
    return pb.Sources(sources=[_source(source) for source in sources])


def _notice(notice: Notice) -> pb.Notice:
    return pb.Notice(code=notice.code, text=notice.text, retry=notice.retry)


def _citation(citation: Citation) -> pb.Citation:
    return pb.Citation(
        start=citation.start,
        end=citation.end,
        source=citation.source,
        url=citation.url,
        title=citation.title,
        cited_text=citation.cited_text,
        support=citation.support,
        check=_number(pb.CitationCheck, "CITATION_CHECK", citation.check),
        added=citation.added,
    )


def _report(report: ProviderReport) -> search_pb2.ProviderReport:
    return search_pb2.ProviderReport(
        name=report.name,
        status=_number(search_pb2.ProviderStatus, "PROVIDER_STATUS", report.status),
        latency_ms=report.latency_ms,
        results=report.results,
        error_code=_number(search_pb2.ProviderErrorCode, "PROVIDER_ERROR_CODE", report.error_code),
        detail=report.detail,
        calls=report.calls,
        cost_micro_usd=report.cost_micro_usd,
    )


def _usage(usage: Usage) -> pb.Usage:
    return pb.Usage(
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        context_tokens=usage.context_tokens,
        searches=usage.searches,
        cost_micro_usd=usage.cost_micro_usd,
    )


def _outbound(outbound: OutboundText) -> common_pb2.OutboundText:
    return common_pb2.OutboundText(
        to=outbound.to, kind=outbound.kind, text=outbound.text, redacted=outbound.redacted
    )


def _result(result: TurnResult) -> pb.ChatResult:
    report = result.citation_report
    return pb.ChatResult(
        id=result.id,
        conversation_id=result.conversation_id,
        answer=result.answer,
        answer_kind=_number(pb.AnswerKind, "ANSWER_KIND", result.answer_kind),
        model_label=result.model_label,
        decision=decision_message(result.decision),
        sources=[_source(source) for source in result.sources],
        citations=[_citation(citation) for citation in result.citations],
        citation_report=pb.CitationReport(
            checked=report.checked,
            kept=report.kept,
            rebound=report.rebound,
            dropped=report.dropped,
            uncited_sentences=report.uncited_sentences,
            supported=report.supported,
            matched=report.matched,
            unchecked=report.unchecked,
            added=report.added,
        ),
        unsupported=[pb.Span(start=span.start, end=span.end) for span in result.unsupported],
        url_contents=[_url_fetch(fetched) for fetched in result.url_contents],
        providers=[_report(provider) for provider in result.providers],
        iterations=result.iterations,
        partial=result.partial,
        degraded=[
            common_pb2.Degradation(component=lost.component, detail=lost.detail)
            for lost in result.degraded
        ],
        notices=[_notice(notice) for notice in result.notices],
        timings_ms=result.timings_ms,
        usage=_usage(result.usage),
        outbound=[_outbound(outbound) for outbound in result.outbound],
        evidence_id=result.evidence_id,
        finished_at=_timestamp(result.finished_at),
    )


def failed_message(failed: Failed) -> pb.ChatError:
    """The end of a turn that failed."""
    reason = _number(error_reason_pb2.ErrorReason, "ERROR_REASON", failed.reason)
    return pb.ChatError(reason=reason, message=failed.message, retryable=failed.retryable)


_BUILDERS: dict[type, Callable[[Any], pb.ChatResponse]] = {
    Decided: lambda e: pb.ChatResponse(decision=decision_message(e.decision)),
    UrlFetched: lambda e: pb.ChatResponse(url_fetch=_url_fetch(e)),
    Progress: lambda e: pb.ChatResponse(progress=_progress(e)),
    ResultsReady: lambda e: pb.ChatResponse(sources=_sources(e.sources)),
    SourcesReady: lambda e: pb.ChatResponse(sources=_sources(e.sources)),
    Noticed: lambda e: pb.ChatResponse(notice=_notice(e.notice)),
    Delta: lambda e: pb.ChatResponse(delta=pb.TextDelta(text=e.text)),
    Cited: lambda e: pb.ChatResponse(citation=_citation(e.citation)),
    Done: lambda e: pb.ChatResponse(done=_result(e.result)),
    Failed: lambda e: pb.ChatResponse(error=failed_message(e)),
}


def event_message(event: TurnEvent) -> pb.ChatResponse:
    """One event of the stream."""
    return _BUILDERS[type(event)](event)
