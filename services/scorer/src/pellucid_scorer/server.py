"""The servicer: convert, ask the domain, convert."""

import grpc
from pellucid.scorer.v1 import scorer_pb2, scorer_pb2_grpc

from pellucid_runtime.errors import NotReadyError, OverloadedError
from pellucid_scorer import convert, metrics
from pellucid_scorer.scoring import Scorer
from pellucid_scorer.understanding.reader import Reader

SERVICE = scorer_pb2.DESCRIPTOR.services_by_name["ScorerService"].full_name
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

    async def Score(  # noqa: N802 - name of the RPC
        self,
        request: scorer_pb2.ScoreRequest,
        context: "grpc.aio.ServicerContext[scorer_pb2.ScoreRequest, scorer_pb2.ScoreResponse]",
    ) -> scorer_pb2.ScoreResponse:
        """Rate candidates."""
        del context
        scored = await self._scorer.score(convert.score_query(request))
        metrics.observe_scores(scored)
        return convert.score_response(scored)

    async def Embed(  # noqa: N802 - name of the RPC
        self,
        request: scorer_pb2.EmbedRequest,
        context: "grpc.aio.ServicerContext[scorer_pb2.EmbedRequest, scorer_pb2.EmbedResponse]",
    ) -> scorer_pb2.EmbedResponse:
        """Embed texts."""
        del context
        return convert.embed_response(await self._scorer.embed(request.texts))

    async def Similarity(  # noqa: N802 - name of the RPC
        self,
        request: scorer_pb2.SimilarityRequest,
        context: "grpc.aio.ServicerContext[scorer_pb2.SimilarityRequest, scorer_pb2.SimilarityResponse]",  # noqa: E501 - a type
    ) -> scorer_pb2.SimilarityResponse:
        """Compare texts."""
        del context
        similarities, model = await self._scorer.similarity(
            request.text,
            request.others,
            no_store=request.no_store,
            thorough=request.thorough,
        )
        return convert.similarity_response(similarities, model)

    async def Understand(  # noqa: N802 - name of the RPC
        self,
        request: scorer_pb2.UnderstandRequest,
        context: "grpc.aio.ServicerContext[scorer_pb2.UnderstandRequest, scorer_pb2.UnderstandResponse]",  # noqa: E501 - a type
    ) -> scorer_pb2.UnderstandResponse:
        """Read a message."""
        del context
        if self._reader is None:
            raise NotReadyError(UNDERSTANDING)
        understood = await self._reader.read(request.message, convert.turns(request))
        return convert.understand_response(understood)

    async def Support(  # noqa: N802 - name of the RPC
        self,
        request: scorer_pb2.SupportRequest,
        context: "grpc.aio.ServicerContext[scorer_pb2.SupportRequest, scorer_pb2.SupportResponse]",
    ) -> scorer_pb2.SupportResponse:
        """Judge claims."""
        del context
        passages = [(passage.id, passage.text) for passage in request.passages]
        judged = await self._scorer.judge(request.claims, passages, no_store=request.no_store)
        return convert.support_response(judged)
