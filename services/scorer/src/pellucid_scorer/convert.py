"""Protobuf to domain and back."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from pellucid.common.v1 import common_pb2
from pellucid.scorer.v1 import scorer_pb2

from pellucid_runtime.errors import InvalidArgumentError
from pellucid_scorer.encoding.embedding import Embedded
from pellucid_scorer.ranking.candidates import (
    Breakdown,
    Candidate,
    Exclusion,
    Subject,
    Verdict,
    Weights,
)
from pellucid_scorer.ranking.profiles import Overrides
from pellucid_scorer.scoring import Judged, Scored, ScoreQuery
from pellucid_scorer.spent import Spent
from pellucid_scorer.support.likeness import Judgement
from pellucid_scorer.understanding.reader import Understood

MICROSECONDS = 1_000_000
POSSIBLY_HARMFUL = "possibly_harmful"

_ROLES: Mapping[int, str] = {common_pb2.ROLE_USER: "user", common_pb2.ROLE_ASSISTANT: "assistant"}
_EXCLUSIONS = {
    None: scorer_pb2.EXCLUSION_UNSPECIFIED,
    Exclusion.BELOW_THRESHOLD: scorer_pb2.EXCLUSION_BELOW_THRESHOLD,
    Exclusion.OFF_TOPIC: scorer_pb2.EXCLUSION_OFF_TOPIC,
    Exclusion.DOMAIN_CAP: scorer_pb2.EXCLUSION_DOMAIN_CAP,
    Exclusion.NEAR_DUPLICATE: scorer_pb2.EXCLUSION_NEAR_DUPLICATE,
    Exclusion.BEYOND_LIMIT: scorer_pb2.EXCLUSION_BEYOND_LIMIT,
    Exclusion.BLOCKED: scorer_pb2.EXCLUSION_BLOCKED,
    Exclusion.LOW_QUALITY: scorer_pb2.EXCLUSION_LOW_QUALITY,
}


def score_query(request: scorer_pb2.ScoreRequest) -> ScoreQuery:
    """Read a Score request.

    Raises:
        InvalidArgumentError: A time is outside the years 1 to 9999.
    """
    return ScoreQuery(
        question=request.question,
        candidates=[_candidate(candidate) for candidate in request.candidates],
        subject=_subject(request.subject),
        profile=request.profile,
        overrides=_overrides(request),
        time_sensitive=request.time_sensitive,
        real_time=request.real_time,
        now=_instant(request, "now"),
        further_questions=tuple(request.further_questions),
    )


def score_response(scored: Scored) -> scorer_pb2.ScoreResponse:
    """Write a Score response."""
    return scorer_pb2.ScoreResponse(
        scored=[_scored(verdict) for verdict in scored.verdicts],
        profile=scored.rules.name,
        weights=_weights(scored.rules.weights),
        threshold=scored.rules.threshold,
        model=scored.model,
        timings=_timings(scored.spent),
        lost=scored.lost,
    )


def embed_response(embedded: Embedded) -> scorer_pb2.EmbedResponse:
    """Write an Embed response."""
    return scorer_pb2.EmbedResponse(
        vectors=embedded.vectors.astype("<f4").tobytes(),
        dimensions=embedded.vectors.shape[1],
        model=embedded.model,
        timings=_timings(embedded.spent),
    )


def similarity_response(similarities: Sequence[float], model: str) -> scorer_pb2.SimilarityResponse:
    """Write a Similarity response."""
    return scorer_pb2.SimilarityResponse(similarities=similarities, model=model)


def turns(request: scorer_pb2.UnderstandRequest) -> list[tuple[str, str]]:
    """Read the history of an Understand request: role and text of each turn."""
    return [(_ROLES.get(turn.role, ""), turn.content) for turn in request.history]


def understand_response(understood: Understood) -> scorer_pb2.UnderstandResponse:
    """Write an Understand response."""
    found = understood.reading
    return scorer_pb2.UnderstandResponse(
        search=found.search,
        leans_on_history=found.leans_on_history,
        freshness=found.freshness,
        kind=found.kind,
        kind_probability=found.kind_probability,
        pieces=[
            scorer_pb2.Piece(text=one.text, start=one.start, end=one.end, queries=one.queries)
            for one in found.pieces
        ],
        model=understood.model,
        timings=_timings(understood.spent),
    )


def support_response(judged: Judged) -> scorer_pb2.SupportResponse:
    """Write a Support response."""
    claims = (
        scorer_pb2.ClaimSupport(passages=[_judgement(one) for one in row]) for row in judged.claims
    )
    return scorer_pb2.SupportResponse(claims=claims, model=judged.model, lost=judged.lost)


def _candidate(candidate: scorer_pb2.Candidate) -> Candidate:
    return Candidate(
        id=candidate.id,
        url=candidate.url,
        title=candidate.title,
        snippet=candidate.snippet,
        published_at=_instant(candidate, "published_at"),
        rank=candidate.rank,
        trust_shift=candidate.trust_shift,
    )


def _subject(subject: common_pb2.SubjectContext) -> Subject:
    entities = (*subject.speakers, *subject.organizations, subject.event)
    return Subject(tuple(dict.fromkeys(entity for entity in entities if entity.strip())))


def _overrides(request: scorer_pb2.ScoreRequest) -> Overrides:
    weights = request.weights
    return Overrides(
        weights=Weights(
            semantic=weights.semantic,
            trust=weights.trust,
            freshness=weights.freshness,
            quality=weights.quality,
        )
        if request.HasField("weights")
        else None,
        threshold=request.threshold if request.HasField("threshold") else None,
        max_results=request.max_results or None,
        max_per_domain=request.max_per_domain or None,
    )


def _instant(message: Message, field: str) -> datetime | None:
    if not message.HasField(field):
        return None
    stamp: Timestamp = getattr(message, field)
    try:
        return stamp.ToDatetime(tzinfo=UTC)
    except (ValueError, OverflowError) as error:
        raise InvalidArgumentError(field, "a time in the years 1 to 9999") from error


def _scored(verdict: Verdict) -> scorer_pb2.ScoredCandidate:
    rated = verdict.rated
    return scorer_pb2.ScoredCandidate(
        id=rated.candidate.id,
        final=rated.final,
        breakdown=_breakdown(rated.breakdown),
        included=verdict.exclusion is None,
        exclusion=_EXCLUSIONS[verdict.exclusion],
        domain=rated.domain,
        corroborated_by=verdict.corroborated_by,
        warnings=[POSSIBLY_HARMFUL] if rated.harmful else [],
    )


def _breakdown(parts: Breakdown) -> scorer_pb2.Breakdown:
    return scorer_pb2.Breakdown(
        semantic=parts.semantic.score,
        trust=parts.trust,
        freshness=parts.freshness,
        quality=parts.quality,
        lexical_lift=parts.semantic.lift,
        subject_lift=parts.subject_lift,
        semantic_method=parts.semantic.method,
        trust_rule=parts.trust_rule,
        trust_shift=parts.trust_shift,
    )


def _weights(weights: Weights) -> scorer_pb2.Weights:
    return scorer_pb2.Weights(
        semantic=weights.semantic,
        trust=weights.trust,
        freshness=weights.freshness,
        quality=weights.quality,
    )


def _judgement(judgement: Judgement) -> scorer_pb2.PassageSupport:
    window = judgement.window
    return scorer_pb2.PassageSupport(
        passage_id=judgement.passage_id,
        score=judgement.score,
        window_start=window.start,
        window_end=window.end,
        overlap=window.overlap,
        cosine=judgement.cosine,
        verdict=judgement.verdict,
    )


def _timings(spent: Spent) -> scorer_pb2.Timings:
    return scorer_pb2.Timings(
        tokenize_us=round(spent.tokenize_s * MICROSECONDS),
        queue_us=round(spent.queue_s * MICROSECONDS),
        encode_us=round(spent.encode_s * MICROSECONDS),
        cached_texts=spent.cached_texts,
    )
