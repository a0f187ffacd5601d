"""The servicer: convert, ask the domain, convert."""

from typing import Any

from pellucid.scorer.v1 import scorer_pb2 as pb
from pellucid.scorer.v1 import scorer_pb2_grpc

from pellucid_runtime.errors import NotReadyError, OverloadedError
from pellucid_scorer import convert, metrics
from pellucid_scorer.scoring import Scorer
from pellucid_scorer.understanding.reader import Reader

SERVICE = pb.DESCRIPTOR.services_by_name["ScorerService"].full_name
UNDERSTANDING = "understanding"
SCORE = f"/{SERVICE}/Score"


class ScorerServicer(scorer_pb2_grpc.ScorerServiceServicer):
    """Answers `pellucid.scorer.v1.ScorerService`.

    Args:
        scorer: Does the work.
        reader: Reads messages; None where no such model is loaded.
    """

    def __init__(self, scorer: Scorer, reader: Reader | None) -> None:
        self._scorer = scorer
        self._reader = reader

    def refusal(self, method: str) -> OverloadedError | None:
        """Return what a call gets that is refused before it is read; None: it is to be read.

        Only of Score calls, which an overload is made of. The others are small, nearly always
        find room, and belong to turns in which much has been spent already.
        """
        return self._scorer.refusal() if method == SCORE else None

    async def Score(self, request: pb.ScoreRequest, context: Any) -> pb.ScoreResponse:  # noqa: N802, ARG002 - gRPC
        """Rate candidates."""
        scored = await self._scorer.score(convert.score_query(request))
        metrics.observe_scores(scored)
        return convert.score_response(scored)

    async def Embed(self, request: pb.EmbedRequest, context: Any) -> pb.EmbedResponse:  # noqa: N802, ARG002 - gRPC
        """Embed texts."""
        return convert.embed_response(await self._scorer.embed(request.texts))

    async def Similarity(  # noqa: N802 - gRPC
        self,
        request: pb.SimilarityRequest,
        context: Any,  # noqa: ARG002 - gRPC
    ) -> pb.SimilarityResponse:
        """Compare texts."""
        similarities, model = await self._scorer.similarity(
            request.text,
            request.others,
            no_store=request.no_store,
            thorough=request.thorough,
        )
        return convert.similarity_response(similarities, model)

    async def Understand(  # noqa: N802 - gRPC
        self,
        request: pb.UnderstandRequest,
        context: Any,  # noqa: ARG002 - gRPC
    ) -> pb.UnderstandResponse:
        """Read a message."""
        if self._reader is None:
            raise NotReadyError(UNDERSTANDING)
        understood = await self._reader.read(request.message, convert.turns(request))
        return convert.understand_response(understood)

    async def Support(self, request: pb.SupportRequest, context: Any) -> pb.SupportResponse:  # noqa: N802, ARG002 - gRPC
        """Judge claims."""
        passages = [(passage.id, passage.text) for passage in request.passages]
        judged = await self._scorer.judge(request.claims, passages, no_store=request.no_store)
        return convert.support_response(judged)
