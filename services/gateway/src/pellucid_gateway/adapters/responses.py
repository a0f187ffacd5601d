"""Responses of the four services as the engine sees them. Pure and total."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pellucid.decision.v1 import decision_pb2
from pellucid.fetcher.v1 import fetcher_pb2
from pellucid.scorer.v1 import scorer_pb2
from pellucid.search.v1 import search_pb2

from pellucid_gateway.domain.account import OutboundText
from pellucid_gateway.domain.decision import Action, Decision, PlannedQuery, Stage
from pellucid_gateway.domain.findings import (
    Hit,
    PageContent,
    ProviderReport,
    ProviderStatus,
    ScoredHit,
)
from pellucid_gateway.domain.ports import (
    DecideAnswer,
    PassageSupport,
    Reflection,
    SearchAnswer,
    Written,
)
from pellucid_runtime.rpc.messages import member, read


def decide_answer(response: decision_pb2.DecideResponse) -> DecideAnswer:
    """Translate a decision."""
    decision, writes = response.decision, response.HasField("query_writing")
    leaving = tuple(read(OutboundText, text) for text in response.query_writing.outbound)
    return read(
        DecideAnswer,
        response,
        decision=read(
            Decision,
            decision,
            action=member(Action, decision, "action") or Action.ANSWER,
            stage=member(Stage, decision, "stage") or Stage.FALLBACK,
            language=decision.language or "und",
        ),
        writing=leaving if writes else None,
    )


def written(response: decision_pb2.WriteQueriesResponse) -> Written:
    """Translate what a model wrote."""
    first = response.queries[:1]
    return read(Written, response, queries=tuple(read(PlannedQuery, query) for query in first))


def reflection(response: decision_pb2.ReflectResponse) -> Reflection:
    """Translate a judgement."""
    return read(Reflection, response)


def search_answer(response: search_pb2.SearchResponse) -> SearchAnswer:
    """Translate fused hits and their account."""
    return read(
        SearchAnswer,
        response,
        hits=tuple(map(_hit, response.hits)),
        providers=tuple(map(_report, response.providers)),
    )


def scored_hits(response: scorer_pb2.ScoreResponse, hits: Sequence[Hit]) -> tuple[ScoredHit, ...]:
    """Translate ratings; one of a hit that was not asked about is left out."""
    by_id = {str(i): hit for i, hit in enumerate(hits)}
    sent = tuple((text.to, text.text) for text in response.outbound)
    return tuple(
        read(
            ScoredHit,
            scored,
            hit=_warned(by_id[scored.id], scored.warnings),
            relevance=scored.final,
            corroborated_by=tuple(by_id[i].url for i in scored.corroborated_by if i in by_id),
            without=tuple(response.lost),
            rated_with=response.model,
            sent=sent,
        )
        for scored in response.scored
        if scored.id in by_id
    )


def supports(response: scorer_pb2.SupportResponse) -> tuple[tuple[PassageSupport, ...], ...]:
    """Translate judgements of claims."""
    return tuple(
        tuple(
            # A scorer of the release before lowers its score for facts that it misses.
            read(PassageSupport, passage, score=max(passage.score, passage.likeness))
            for passage in claim.passages
        )
        for claim in response.claims
    )


def page_content(page: fetcher_pb2.Page) -> PageContent:
    """Translate the outcome for one address."""
    return read(PageContent, page, total_ms=page.timings.total_ms, **_published(page))


def _hit(hit: search_pb2.Hit) -> Hit:
    providers = tuple(dict.fromkeys(finding.provider for finding in hit.findings))
    return read(Hit, hit, providers=providers, **_published(hit))


def _warned(hit: Hit, warnings: Sequence[str]) -> Hit:
    return replace(hit, warnings=tuple(sorted({*hit.warnings, *warnings}))) if warnings else hit


def _published(holder: search_pb2.Hit | fetcher_pb2.Page) -> dict[str, Any]:
    """A publication date without a day is none."""
    is_known = holder.HasField("published") and holder.published.HasField("time")
    return {} if is_known else {"published": None}


def _report(report: search_pb2.ProviderReport) -> ProviderReport:
    status = member(ProviderStatus, report, "status") or ProviderStatus.FAILED
    return read(ProviderReport, report, status=status)
