"""What the engine tells, as the JSON of the native faces. Pure; field names are public contract.

Absent values are null, never missing, so that clients need no guards.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from pellucid_gateway.faces.door.whole_turn import failed_problem
from pellucid_gateway.vocabulary.decision import Decision
from pellucid_gateway.vocabulary.events import (
    Citation,
    CitationReport,
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
    SearchOutcome,
    SourcesReady,
    TurnEvent,
    TurnResult,
    UrlFetched,
    Usage,
)
from pellucid_gateway.vocabulary.findings import (
    PageContent,
    ProviderReport,
    PublishedDate,
    ScoreBreakdown,
    Source,
)

Json = dict[str, Any]

SCORE_DIGITS = 4


def _instant(moment: datetime | None) -> str | None:
    """`2026-01-02T03:04:05Z`."""
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _score(value: float | None) -> float | None:
    return None if value is None else round(value, SCORE_DIGITS)


def decision_json(decision: Decision) -> Json:
    """Every field of a decision."""
    return {
        "action": decision.action.value,
        "needs_search": decision.needs_search,
        "confidence": _score(decision.confidence),
        "stage": decision.stage.value,
        "reason": decision.reason,
        "reason_code": decision.reason_code,
        "signals": [
            {"name": s.name, "weight": _score(s.weight), "evidence": s.evidence}
            for s in decision.signals
        ],
        "standalone_question": decision.standalone_question,
        "queries": [query.text for query in decision.queries],
        "fallback_queries": list(decision.fallback_queries),
        "intent": decision.intent.value,
        "requires_context": decision.requires_context,
        "category": decision.category or None,
        "freshness": decision.freshness.value,
        "recency_days": decision.recency_days or None,
        "target_info": list(decision.target_info),
        "language": decision.language,
        "urls": list(decision.urls),
        "ignored_urls": list(decision.ignored_urls),
        "priority": _score(decision.priority),
        "deep_research": decision.deep_research,
    }


def _breakdown_json(breakdown: ScoreBreakdown | None) -> Json | None:
    if breakdown is None:
        return None
    return {
        "semantic": _score(breakdown.semantic),
        "trust": _score(breakdown.trust),
        "freshness": _score(breakdown.freshness),
        "quality": _score(breakdown.quality),
        "lexical_lift": _score(breakdown.lexical_lift),
        "subject_lift": _score(breakdown.subject_lift),
        "semantic_method": breakdown.semantic_method,
        "trust_rule": breakdown.trust_rule,
    }


def _published_json(published: PublishedDate | None) -> Json:
    return {
        "published_at": _instant(published.time if published else None),
        "published_at_from": published.source.value if published else None,
    }


def source_json(source: Source) -> Json:
    """One source as clients see it; the text shown to the model is not part of it."""
    return {
        "n": source.n,
        "url": source.url,
        "title": source.title,
        "domain": source.domain,
        "snippet": source.snippet,
        **_published_json(source.published),
        "language": source.language or None,
        "relevance_score": _score(source.relevance),
        "score_breakdown": _breakdown_json(source.breakdown),
        "providers": list(source.providers),
        "method": source.method.value,
        "cited": source.cited,
        "warnings": list(source.warnings),
    }


def citation_json(citation: Citation) -> Json:
    """One checked claim."""
    return {
        "start": citation.start,
        "end": citation.end,
        "source": citation.source,
        "url": citation.url,
        "title": citation.title,
        "cited_text": citation.cited_text,
        "support": _score(citation.support),
    }


def _report_json(report: CitationReport) -> Json:
    return {
        "checked": report.checked,
        "kept": report.kept,
        "rebound": report.rebound,
        "dropped": report.dropped,
        "uncited_sentences": report.uncited_sentences,
    }


def _url_content_json(fetched: UrlFetched) -> Json:
    return {
        "url": fetched.url,
        "title": fetched.title,
        "success": fetched.success,
        "method": fetched.method.value if fetched.method else None,
        "error": fetched.error or None,
    }


def _provider_json(report: ProviderReport) -> Json:
    return {
        "name": report.name,
        "status": report.status.value,
        "latency_ms": report.latency_ms,
        "results": report.results,
        "error_code": report.error_code or None,
        "detail": report.detail or None,
    }


def _notice_json(notice: Notice) -> Json:
    return {"code": notice.code, "text": notice.text}


def _outbound_json(outbound: OutboundText) -> Json:
    return {
        "to": outbound.to,
        "kind": outbound.kind,
        "text": outbound.text,
        "redacted": list(outbound.redacted),
    }


def _usage_json(usage: Usage) -> Json:
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "context_tokens": usage.context_tokens,
        "searches": usage.searches,
        "cost_usd": usage.cost_usd,
    }


def result_json(result: TurnResult) -> Json:
    """The whole response of POST /v1/chat."""
    return {
        "id": result.id,
        "conversation_id": result.conversation_id,
        "answer": result.answer,
        "answer_kind": result.answer_kind.value,
        "model_label": result.model_label,
        "decision": decision_json(result.decision),
        "sources": [source_json(source) for source in result.sources],
        "citations": [citation_json(citation) for citation in result.citations],
        "citation_report": _report_json(result.citation_report),
        "url_contents": [_url_content_json(fetched) for fetched in result.url_contents],
        "iterations": result.iterations,
        "partial": result.partial,
        **_common_json(result),
        "evidence_id": result.evidence_id or None,
        "finished_at": _instant(result.finished_at),
    }


def _common_json(outcome: TurnResult | SearchOutcome) -> Json:
    """What turns and forced searches both report."""
    return {
        "providers": [_provider_json(report) for report in outcome.providers],
        "degraded": [
            {"component": lost.component, "detail": lost.detail} for lost in outcome.degraded
        ],
        "notices": [_notice_json(notice) for notice in outcome.notices],
        "timings_ms": dict(outcome.timings_ms),
        "usage": _usage_json(outcome.usage),
        "outbound": [_outbound_json(outbound) for outbound in outcome.outbound],
    }


def search_json(query: str, outcome: SearchOutcome) -> Json:
    """The whole response of POST /v1/search."""
    return {
        "id": outcome.id,
        "query": query,
        "queries": list(outcome.queries),
        "results": [source_json(source) for source in outcome.results],
        "excluded": [
            {
                "url": scored.hit.url,
                "title": scored.hit.title,
                "relevance_score": _score(scored.relevance),
                "reason": scored.exclusion,
            }
            for scored in outcome.excluded
        ],
        **_common_json(outcome),
    }


def page_json(page: PageContent) -> Json:
    """One outcome of POST /v1/fetch."""
    return {
        "url": page.url,
        "final_url": page.final_url or None,
        "success": page.success,
        "status": page.status,
        "http_status": page.http_status or None,
        "method": page.method.value if page.method else None,
        "title": page.title,
        "author": page.author or None,
        "site_name": page.site_name or None,
        "language": page.language or None,
        **_published_json(page.published),
        "published_at_confidence": _score(page.published.confidence) if page.published else None,
        "text": page.text,
        "excerpt": page.excerpt,
        "truncated": page.truncated,
        "content_type": page.content_type or None,
        "charset": page.charset or None,
        "redirects": list(page.redirects),
        "retryable": page.retryable,
        "retry_after_s": page.retry_after_s or None,
        "error": page.error or None,
        "warnings": list(page.warnings),
        "timings_ms": {"total": page.total_ms},
    }


# What each step of the search carries besides its sentence.
_PROGRESS_FIELDS: Mapping[ProgressKind, Callable[[Progress], Json]] = {
    ProgressKind.SEARCH_START: lambda step: {"query": step.query},
    ProgressKind.ITERATION: lambda step: {"iteration": step.iteration, "query": step.query},
    ProgressKind.FETCHING: lambda step: {"count": step.count},
    ProgressKind.EXTRACTING: lambda step: {"count": step.count},
    ProgressKind.REFLECTING: lambda step: {"iteration": step.iteration},
    ProgressKind.COMPLETE: lambda step: {"results_count": step.count},
}


def _error_json(failed: Failed) -> Json:
    return failed_problem(failed).document() | {"retryable": failed.retryable}


def _results_json(query: str, sources: tuple[Source, ...]) -> Json:
    """Results of a forced search; `provider` is the one that found the first result."""
    provider = next((name for source in sources for name in source.providers), None)
    return {
        "query": query,
        "provider": provider,
        "results": [source_json(source) for source in sources],
    }


def _progress_json(step: Progress) -> Json:
    return {**_PROGRESS_FIELDS[step.kind](step), "message": step.message}


def _sources_json(sources: tuple[Source, ...]) -> Json:
    return {"sources": [source_json(source) for source in sources]}


_EVENTS: Mapping[type, tuple[str, Callable[[Any], Json]]] = {
    Delta: ("delta", lambda event: {"text": event.text}),
    Cited: ("citation", lambda event: citation_json(event.citation)),
    Decided: ("decision", lambda event: decision_json(event.decision)),
    UrlFetched: ("url_fetch", _url_content_json),
    Progress: ("", _progress_json),
    ResultsReady: ("web_search_results", lambda event: _results_json(event.query, event.sources)),
    SourcesReady: ("sources", lambda event: _sources_json(event.sources)),
    Noticed: ("notice", lambda event: _notice_json(event.notice)),
    Done: ("done", lambda event: result_json(event.result)),
    Failed: ("error", _error_json),
}


EVENT_NAMES = (
    *(kind.value for kind in ProgressKind),
    *(name for name, _ in _EVENTS.values() if name),
)


def event_json(event: TurnEvent) -> tuple[str, Json]:
    """Public name and content of one event."""
    name, content = _EVENTS[type(event)]
    return (event.kind.value if isinstance(event, Progress) else name), content(event)
