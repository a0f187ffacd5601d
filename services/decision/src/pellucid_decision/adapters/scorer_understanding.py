"""What the scorer's trained model reads in a message."""

import asyncio
from collections.abc import Sequence

import grpc
from pellucid.common.v1 import common_pb2 as common
from pellucid.scorer.v1 import scorer_pb2 as pb
from pellucid.scorer.v1.scorer_pb2_grpc import ScorerServiceStub

from pellucid_decision.decision import Freshness
from pellucid_decision.errors import UnavailableError
from pellucid_decision.intent.kinds import SMALL_TALK
from pellucid_decision.intent.model_verdict import SEARCH_AT, SURELY_TALK
from pellucid_decision.ports import Understanding
from pellucid_decision.text.conversation import Role, Turn
from pellucid_decision.understanding.words import QUERIES, Piece
from pellucid_runtime.errors import ServiceError
from pellucid_runtime.rpc.status import CODE_OF

SERVICE_NAME = "pellucid.scorer.v1.ScorerService"
# A scorer that cannot be reached is left alone for this long, so that its absence costs no time.
# One that is late or full, or cannot read this one message, is asked again at once.
REST_SECONDS = 1.0
_DOWN = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.FAILED_PRECONDITION)
# The order of the contract.
_WINDOWS = (Freshness.NONE, Freshness.DAY, Freshness.WEEK, Freshness.MONTH, Freshness.YEAR)
_ROLES = {Role.USER: common.ROLE_USER, Role.ASSISTANT: common.ROLE_ASSISTANT}


class ScorerUnderstanding:
    """Asks the scorer's `Understand`, within a short time.

    Args:
        channel: Channel to the scorer; its owner closes it.
        timeout_s: Longest wait in seconds.
    """

    def __init__(self, channel: grpc.aio.Channel, timeout_s: float) -> None:
        self._channel = channel
        self._stub = ScorerServiceStub(channel)
        self._timeout_s = timeout_s
        self._rest_until = 0.0

    async def understand(self, message: str, turns: Sequence[Turn]) -> Understanding:
        """Return what the model reads; pieces count the turns from 1.

        Raises:
            UnavailableError: No usable answer in time, or the scorer failed a moment ago.
        """
        now = asyncio.get_running_loop().time
        if now() < self._rest_until:
            raise UnavailableError("the scorer failed a moment ago")
        history = [common.Message(role=_ROLES[turn.role], content=turn.content) for turn in turns]
        request = pb.UnderstandRequest(message=message, history=history)
        try:
            reply = await self._stub.Understand(request, timeout=self._timeout_s)
        except (grpc.aio.AioRpcError, ServiceError) as error:
            if self._is_down(error):
                self._rest_until = now() + REST_SECONDS
            raise UnavailableError("the scorer did not answer") from error
        return _understanding(reply, follows=bool(turns))

    def _is_down(self, error: grpc.aio.AioRpcError | ServiceError) -> bool:
        """Whether the scorer has no connection or no model.

        A call without a connection is tried again until its time is up, and then looks late.
        """
        if self._channel.get_state() is not grpc.ChannelConnectivity.READY:
            return True
        code = CODE_OF[error.kind] if isinstance(error, ServiceError) else error.code()
        return code in _DOWN


def _understanding(reply: pb.UnderstandResponse, *, follows: bool) -> Understanding:
    """Read a reply to a message that follows others or not; windows that it lacks are improbable.

    Raises:
        UnavailableError: It holds what is no probability, or tags of other queries than ours.
    """
    pieces = tuple(
        Piece(piece.text, piece.start, piece.end, tuple(piece.queries)) for piece in reply.pieces
    )
    shares = (reply.search, reply.leans_on_history, *reply.freshness)
    tags = (share for piece in pieces for share in piece.queries)
    lawful = all(0 <= share <= 1 for share in (*shares, *tags))
    if not lawful or any(len(piece.queries) != QUERIES for piece in pieces):
        raise UnavailableError("the scorer's reply is not usable")
    windows = dict(zip(_WINDOWS, reply.freshness, strict=False))
    # Short questions after an answer are often taken for small talk.
    most = SURELY_TALK if follows else SEARCH_AT
    doubtful = reply.kind in SMALL_TALK and reply.search > most
    return Understanding(
        search=reply.search,
        leans=reply.leans_on_history,
        freshness=max(windows, key=windows.__getitem__, default=Freshness.NONE),
        kind="" if doubtful else reply.kind,
        pieces=pieces,
    )
