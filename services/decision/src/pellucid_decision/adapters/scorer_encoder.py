"""Sentence embeddings from the scorer."""

import asyncio
from array import array
from collections import OrderedDict
from collections.abc import Sequence

import grpc
from pellucid.scorer.v1 import scorer_pb2 as pb
from pellucid.scorer.v1.scorer_pb2_grpc import ScorerServiceStub

from pellucid_decision.errors import UnavailableError
from pellucid_runtime.errors import DeadlineExceededError, ServiceError

SERVICE_NAME = "pellucid.scorer.v1.ScorerService"
# The model reads no more than about this much of a text.
TEXT_CHARACTERS = 1200
MAX_KEPT = 2048
# A scorer that cannot be reached is left alone for this long, so that its absence costs no time.
# One that is only late is asked again at once.
REST_SECONDS = 1.0


class ScorerEncoder:
    """Asks the scorer's `Embed`, within a short time, and keeps recent answers.

    Args:
        channel: Channel to the scorer; its owner closes it.
        timeout_s: Longest wait in seconds.
    """

    def __init__(self, channel: grpc.aio.Channel, timeout_s: float) -> None:
        self._stub = ScorerServiceStub(channel)
        self._timeout_s = timeout_s
        self._kept: OrderedDict[str, Sequence[float]] = OrderedDict()
        self._rest_until = 0.0

    async def embed(self, text: str) -> Sequence[float]:
        """Return the unit vector of one text.

        Raises:
            UnavailableError: The scorer did not answer in time, or failed a moment ago.
        """
        key = text[:TEXT_CHARACTERS]
        if key not in self._kept:
            self._kept[key] = await self._ask(key)
        self._kept.move_to_end(key)
        while len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)
        return self._kept[key]

    async def _ask(self, text: str) -> Sequence[float]:
        now = asyncio.get_running_loop().time
        if now() < self._rest_until:
            raise UnavailableError("the scorer failed a moment ago")
        try:
            reply = await self._stub.Embed(pb.EmbedRequest(texts=[text]), timeout=self._timeout_s)
        except (grpc.aio.AioRpcError, ServiceError) as error:
            if _is_down(error):
                self._rest_until = now() + REST_SECONDS
            raise UnavailableError("the scorer did not answer") from error
        return _floats(reply.vectors)


def _is_down(error: grpc.aio.AioRpcError | ServiceError) -> bool:
    if isinstance(error, ServiceError):
        return not isinstance(error, DeadlineExceededError)
    return error.code() is not grpc.StatusCode.DEADLINE_EXCEEDED


def _floats(raw: bytes) -> Sequence[float]:
    """Read little-endian float32."""
    if len(raw) % 4:
        raise UnavailableError("the scorer answered a broken vector")
    values = array("f")
    values.frombytes(raw)
    return values
