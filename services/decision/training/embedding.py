"""Embeddings of many texts from a running scorer, for training."""  # noqa: INP001 - a folder of scripts

from collections.abc import Sequence

import grpc
import numpy as np
import numpy.typing as npt
from pellucid.scorer.v1 import scorer_pb2 as pb
from pellucid.scorer.v1.scorer_pb2_grpc import ScorerServiceStub

BATCH = 64


def embed_all(texts: Sequence[str], target: str) -> npt.NDArray[np.float64]:
    """Return unit vectors, `float64[len(texts), dimensions]`."""
    with grpc.insecure_channel(target) as channel:
        stub = ScorerServiceStub(channel)
        batches = [
            _embed(stub, texts[start : start + BATCH]) for start in range(0, len(texts), BATCH)
        ]
    return np.vstack(batches)


def _embed(stub: ScorerServiceStub, texts: Sequence[str]) -> npt.NDArray[np.float64]:
    reply = stub.Embed(pb.EmbedRequest(texts=texts), timeout=120)
    rows = np.frombuffer(reply.vectors, dtype="<f4").reshape(len(texts), reply.dimensions)
    return rows.astype(np.float64)
