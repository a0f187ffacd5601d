"""Asks an embedding server that speaks OpenAI's `/v1/embeddings`, over the runtime's client.

Servers limit the texts of a request (TEI 32 unless told otherwise, Voyage 1,000, OpenAI 2,048), so
texts go in batches. Vectors are asked for in base64, which all of them know or pass over; either
form is read. Their rows are ordered by `index` and need not have length 1.
"""

import asyncio
from base64 import b64decode
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Any

import numpy as np

from pellucid_runtime.llm.calls import observed, within
from pellucid_runtime.llm.endpoint import Endpoint, open_endpoint
from pellucid_runtime.llm.model import Usage
from pellucid_runtime.llm.refusals import RefusedError
from pellucid_runtime.llm.wire import object_of
from pellucid_scorer.ports import PlainText, Vectors
from pellucid_scorer.settings import ScorerSettings


class EmbeddingService:
    """Implements `ports.EmbeddingServer`.

    Args:
        endpoint: Where, and which model.
        receiver: Its host where that is outside the installation, else empty.
        batch_texts: Most texts of one request.
        dimensions: Length of the vectors to ask for; 0: the model's own.
        tells_types: Requests say `input_type`, and hold texts of one type.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        receiver: str,
        batch_texts: int,
        dimensions: int = 0,
        tells_types: bool = False,
    ) -> None:
        self.name = f"{endpoint.model}/{endpoint.host}"
        self.receiver = receiver
        self._endpoint = endpoint
        self._batch_texts = batch_texts
        self._dimensions = dimensions
        self._types = {True: "query", False: "document"} if tells_types else {}
        self._length = 0

    async def embed(self, texts: Sequence[PlainText], *, within_s: float) -> Vectors:
        """See `EmbeddingServer`."""
        batches = list(self._batches(texts))
        asked = (self._asked([texts[place] for place in batch], within_s) for batch in batches)
        parts = await asyncio.gather(*asked)
        vectors = np.empty((len(texts), self._length), np.float32)
        vectors[np.concatenate(batches)] = np.concatenate(parts)
        return vectors

    def _batches(self, texts: Sequence[PlainText]) -> Sequence[Sequence[int]]:
        """Return places of texts that share a request."""
        groups: dict[str | None, list[int]] = {}
        for place, text in enumerate(texts):
            groups.setdefault(self._types.get(text.is_question), []).append(place)
        most = self._batch_texts
        return [
            group[first : first + most]
            for group in groups.values()
            for first in range(0, len(group), most)
        ]

    async def _asked(self, texts: Sequence[PlainText], within_s: float) -> Vectors:
        """Return the vectors of one request.

        Raises:
            LlmError: The server refused, was late, or said something else.
            DeadlineExceededError: There was no time to ask.
        """
        endpoint, kind = self._endpoint, self._types.get(texts[0].is_question)
        try:
            with observed(endpoint, endpoint.model, "embeddings") as call:
                body = {
                    "model": endpoint.model,
                    "input": [text.text for text in texts],
                    "encoding_format": "base64",
                    **({"dimensions": self._dimensions} if self._dimensions else {}),
                    **({"input_type": kind} if kind else {}),
                }
                said = object_of(await within(within_s, endpoint.read("/embeddings", body)))
                rows = self._rows(said["data"], len(texts))
                call.used(Usage((said.get("usage") or {}).get("prompt_tokens", 0), 0))
        except RefusedError as error:
            raise error.refusal.error(endpoint.model) from None
        return rows

    def _rows(self, data: Sequence[Any], texts: int) -> Vectors:
        """Return unit rows in the order of the texts.

        Raises:
            LookupError: There is none for some text.
            ValueError: They are no finite vectors of one length, always the same.
        """
        by_index = {one["index"]: _numbers(one["embedding"]) for one in data}
        rows = np.array([by_index[place] for place in range(texts)], np.float32)
        lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
        if rows.ndim != 2 or not np.all(np.isfinite(lengths) & (lengths > 0)):  # noqa: PLR2004
            raise ValueError("no vectors")
        self._length = self._length or rows.shape[1]
        if rows.shape[1] != self._length:
            raise ValueError("vectors of another length")
        unit: Vectors = rows / lengths
        return unit


def _numbers(embedding: Any) -> Any:
    """Numbers as they are, or as little-endian float32 in base64."""
    if isinstance(embedding, str):
        return np.frombuffer(b64decode(embedding), "<f4")
    return embedding


async def open_embedding_service(
    settings: ScorerSettings, url: str, stack: AsyncExitStack
) -> EmbeddingService:
    """Return the service at an address; its connections are closed with the stack."""
    endpoint = await open_endpoint(
        url,
        settings.secret("scorer_embedding_api_key"),
        settings.scorer_embedding_model,
        stack,
    )
    return EmbeddingService(
        endpoint,
        receiver="" if settings.scorer_embedding_internal else endpoint.host,
        batch_texts=settings.scorer_embedding_batch,
        dimensions=settings.scorer_embedding_dimensions,
        tells_types=settings.scorer_embedding_input_types,
    )
