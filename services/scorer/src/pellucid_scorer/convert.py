"""Protobuf to domain and back."""

from collections.abc import Mapping, Sequence

from pellucid.common.v1 import common_pb2
from pellucid.scorer.v1 import scorer_pb2

from pellucid_runtime.rpc.messages import read, write
from pellucid_scorer.encoding.embedding import Embedded
from pellucid_scorer.ranking.candidates import Subject, Verdict
from pellucid_scorer.ranking.profiles import Overrides
from pellucid_scorer.scoring import Judged, Scored, ScoreQuery
from pellucid_scorer.spent import Spent
from pellucid_scorer.support.likeness import Judgement
from pellucid_scorer.understanding.reader import Understood

MICROSECONDS = 1_000_000
POSSIBLY_HARMFUL = "possibly_harmful"

_ROLES: Mapping[int, str] = {common_pb2.ROLE_USER: "user", common_pb2.ROLE_ASSISTANT: "assistant"}


def score_query(request: scorer_pb2.ScoreRequest) -> ScoreQuery:
    """Read a Score request.

    Raises:
        InvalidArgumentError: A time is outside the years 1 to 9999.
    """
    return read(
        ScoreQuery, request, subject=_subject(request.subject), overrides=_overrides(request)
    )


def score_response(scored: Scored) -> scorer_pb2.ScoreResponse:
    """Write a Score response."""
    return write(
        scorer_pb2.ScoreResponse,
        scored,
        scored.rules,
        scored=[_scored(verdict) for verdict in scored.verdicts],
        profile=scored.rules.name,
        timings=_timings(scored.spent),
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
    timings = _timings(understood.spent)
    return write(scorer_pb2.UnderstandResponse, understood, understood.reading, timings=timings)


def support_response(judged: Judged) -> scorer_pb2.SupportResponse:
    """Write a Support response."""
    claims = (
        scorer_pb2.ClaimSupport(passages=[_judgement(one) for one in row]) for row in judged.claims
    )
    return scorer_pb2.SupportResponse(claims=claims, model=judged.model, lost=judged.lost)


def _subject(subject: common_pb2.SubjectContext) -> Subject:
    entities = (*subject.speakers, *subject.organizations, subject.event)
    return Subject(tuple(dict.fromkeys(entity for entity in entities if entity.strip())))


def _overrides(request: scorer_pb2.ScoreRequest) -> Overrides:
    return read(
        Overrides,
        request,
        max_results=request.max_results or None,
        max_per_domain=request.max_per_domain or None,
    )


def _scored(verdict: Verdict) -> scorer_pb2.ScoredCandidate:
    rated = verdict.rated
    semantic = rated.breakdown.semantic
    return write(
        scorer_pb2.ScoredCandidate,
        verdict,
        rated,
        rated.candidate,
        breakdown=write(
            scorer_pb2.Breakdown,
            rated.breakdown,
            semantic=semantic.score,
            lexical_lift=semantic.lift,
            semantic_method=semantic.method,
        ),
        included=verdict.exclusion is None,
        warnings=[POSSIBLY_HARMFUL] if rated.harmful else [],
    )


def _judgement(judgement: Judgement) -> scorer_pb2.PassageSupport:
    window = judgement.window
    return write(
        scorer_pb2.PassageSupport,
        judgement,
        window,
        window_start=window.start,
        window_end=window.end,
    )


def _timings(spent: Spent) -> scorer_pb2.Timings:
    return scorer_pb2.Timings(
        tokenize_us=round(spent.tokenize_s * MICROSECONDS),
        queue_us=round(spent.queue_s * MICROSECONDS),
        encode_us=round(spent.encode_s * MICROSECONDS),
        cached_texts=spent.cached_texts,
    )
