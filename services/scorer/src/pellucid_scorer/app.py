"""Composition root of the scorer: the only reader of its settings."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack

from pellucid.scorer.v1 import scorer_pb2_grpc

from pellucid_runtime.clock import clock_from
from pellucid_runtime.health import Health
from pellucid_runtime.listener import StartError
from pellucid_runtime.rpc.server import GrpcServer
from pellucid_runtime.service import Service
from pellucid_runtime.telemetry.metrics import MetricsServer
from pellucid_scorer import metrics
from pellucid_scorer.adapters import backends
from pellucid_scorer.adapters.cross_encoder import open_cross_encoder
from pellucid_scorer.encoding.batching import Batcher
from pellucid_scorer.encoding.embedding import Embedder
from pellucid_scorer.encoding.embedding_cache import EmbeddingCache
from pellucid_scorer.encoding.pairs import PairReader
from pellucid_scorer.encoding.service_encoder import ServiceEncoder
from pellucid_scorer.errors import ModelError, TableError
from pellucid_scorer.models import Prefixes
from pellucid_scorer.ports import Encoder, ReadingModel
from pellucid_scorer.ranking import tables
from pellucid_scorer.scoring import Scorer
from pellucid_scorer.server import SERVICE, ScorerServicer
from pellucid_scorer.settings import ScorerSettings
from pellucid_scorer.understanding.reader import Reader

TOKENIZE_THREADS = 2
QUEUE_TOKENS = 65_536
"""That may wait at least: three seconds' work of two cores."""
QUEUE_BATCHES = 16
"""Of the largest size that may wait: a GPU's work of as many milliseconds."""
MEASURE_S = 5.0
"""That the start waits at most for an embedding service to show what its cosines mean."""


async def build(settings: ScorerSettings, stack: AsyncExitStack) -> Service:
    """Open the model and wire the service.

    Raises:
        StartError: The model, a table or a profile cannot be used; one line says why.
    """
    health = Health()
    model = health.component("model")
    try:
        scorer, reader = await _wired(settings, stack)
    except (ModelError, TableError, OSError) as error:
        raise StartError(str(error)) from error
    model.set_ready()
    servicer = ScorerServicer(scorer, reader)
    server = GrpcServer(
        settings,
        register=[lambda to: scorer_pb2_grpc.add_ScorerServiceServicer_to_server(servicer, to)],
        services=[SERVICE],
        health=health,
        refuses=servicer.refusal,
    )
    return Service("scorer", [server, MetricsServer(settings, health)], health)


async def _wired(settings: ScorerSettings, stack: AsyncExitStack) -> tuple[Scorer, Reader | None]:
    opened = await asyncio.to_thread(backends.open_models, settings)
    names = [encoder.name for encoder in opened.encoders]
    metrics.observe_models([*names, opened.reader.name] if opened.reader else names)
    return await _scorer(settings, stack, opened.encoders), _reader(stack, opened.reader)


def _reader(stack: AsyncExitStack, model: ReadingModel | None) -> Reader | None:
    if model is None:
        return None
    observer = metrics.MessageObserver()
    return Reader(model, executor=_threads(stack, 1, "understand"), observer=observer)


async def _scorer(
    settings: ScorerSettings, stack: AsyncExitStack, encoders: Sequence[Encoder]
) -> Scorer:
    url = settings.scorer_embedding_url
    caches = _caches(settings, len(encoders) + bool(url))
    service = await _service(settings, stack, url, caches.pop()) if url else None
    embedder, *companions = await _embedders(settings, stack, encoders, caches)
    return Scorer(
        embedder,
        companions=companions,
        service=service,
        reranker=await _pairs(settings, stack, settings.scorer_reranker),
        verifier=await _pairs(settings, stack, settings.scorer_verifier),
        tables=tables.read_tables(settings.scorer_trust_file),
        profiles=tables.read_profiles(settings.scorer_profiles_file),
        clock=clock_from(settings),
    )


async def _pairs(settings: ScorerSettings, stack: AsyncExitStack, named: str) -> PairReader | None:
    """Return the reader of a model for pairs; None where none is named."""
    if not named:
        return None
    model = await asyncio.to_thread(
        open_cross_encoder,
        named,
        cache=settings.data_dir / "models",
        threads=settings.scorer_threads or backends.usable_cores(),
    )
    executor = _threads(stack, 1, "pairs")
    return PairReader(model, executor=executor, most_s=settings.scorer_pairs_ms / 1000)


def _caches(settings: ScorerSettings, count: int) -> list[EmbeddingCache]:
    """Return caches that share the bytes equally."""
    caches = [EmbeddingCache(settings.scorer_cache_bytes // count) for _ in range(count)]
    every = tuple(caches)
    metrics.CACHE_BYTES.set_function(lambda: float(sum(cache.size_bytes for cache in every)))
    return caches


async def _service(
    settings: ScorerSettings, stack: AsyncExitStack, url: str, cache: EmbeddingCache
) -> ServiceEncoder:
    """Return the embedding service, measured if it is there; if not, calls will measure it."""
    from pellucid_scorer.adapters.embedding_service import open_embedding_service

    prefixes = (settings.scorer_embedding_query_prefix, settings.scorer_embedding_passage_prefix)
    service = ServiceEncoder(
        await open_embedding_service(settings, url, stack),
        prefixes=Prefixes(*prefixes),
        cache=cache,
        most_s=settings.scorer_embedding_ms / 1000,
    )
    await service.measure(MEASURE_S)
    return service


async def _embedders(
    settings: ScorerSettings,
    stack: AsyncExitStack,
    encoders: Sequence[Encoder],
    caches: Sequence[EmbeddingCache],
) -> list[Embedder]:
    """Return an embedder of each model; they share the threads."""
    encode = _threads(stack, max(encoder.parallelism for encoder in encoders), "encode")
    tokenize = _threads(stack, TOKENIZE_THREADS, "tokenize")
    embedders = []
    for encoder, cache in zip(encoders, caches, strict=True):
        observer = metrics.PrometheusObserver()
        most = queue_tokens(settings, encoder)
        batcher = Batcher(encoder, executor=encode, observer=observer, max_tokens=most)
        running = await stack.enter_async_context(batcher)
        embedder = Embedder(
            encoder, batcher=running, cache=cache, executor=tokenize, observer=observer
        )
        await embedder.measure()
        embedders.append(embedder)
    return embedders


def queue_tokens(settings: ScorerSettings, encoder: Encoder) -> int:
    """Return the tokens that may wait, as set or by what the encoder takes at once."""
    by_device = max(QUEUE_TOKENS, QUEUE_BATCHES * encoder.batch_tokens)
    return settings.scorer_queue_tokens or by_device


def _threads(stack: AsyncExitStack, count: int, name: str) -> ThreadPoolExecutor:
    pool = ThreadPoolExecutor(count, thread_name_prefix=f"scorer-{name}")
    stack.callback(pool.shutdown, wait=True, cancel_futures=True)
    return pool
