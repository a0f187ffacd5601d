"""Composition root of the scorer: the only reader of its settings."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack

from pellucid.scorer.v1 import scorer_pb2_grpc

from pellucid_runtime.clock import clock_from
from pellucid_runtime.health import Health
from pellucid_runtime.listener import StartError
from pellucid_runtime.metrics import MetricsServer
from pellucid_runtime.server import GrpcServer
from pellucid_runtime.service import Service
from pellucid_scorer import metrics, tables
from pellucid_scorer.adapters import backends
from pellucid_scorer.adapters.openvino_encoder import Precision
from pellucid_scorer.batching import Batcher
from pellucid_scorer.embedding import Embedder
from pellucid_scorer.embedding_cache import EmbeddingCache
from pellucid_scorer.errors import ModelError, TableError
from pellucid_scorer.ports import Encoder
from pellucid_scorer.scoring import Scorer
from pellucid_scorer.server import SERVICE, ScorerServicer
from pellucid_scorer.settings import CpuPrecision, ScorerSettings

TOKENIZE_THREADS = 2
QUEUE_TOKENS = 65_536
"""That may wait at least: three seconds' work of two cores."""
QUEUE_BATCHES = 16
"""Of the largest size that may wait: a GPU's work of as many milliseconds."""


async def build(settings: ScorerSettings, stack: AsyncExitStack) -> Service:
    """Open the model and wire the service.

    Raises:
        StartError: The model, a table or a profile cannot be used; one line says why.
    """
    health = Health()
    model = health.component("model")
    try:
        scorer = await _scorer(settings, stack)
    except (ModelError, TableError, OSError) as error:
        raise StartError(str(error)) from error
    model.set_ready()
    servicer = ScorerServicer(scorer)
    server = GrpcServer(
        settings,
        register=[lambda to: scorer_pb2_grpc.add_ScorerServiceServicer_to_server(servicer, to)],
        services=[SERVICE],
        health=health,
        refuses=servicer.refusal,
    )
    return Service("scorer", [server, MetricsServer(settings, health)], health)


async def _scorer(settings: ScorerSettings, stack: AsyncExitStack) -> Scorer:
    encoder = await asyncio.to_thread(_open_encoder, settings)
    metrics.observe_model(encoder.name)
    observer = metrics.PrometheusObserver()
    batches = _threads(stack, encoder.parallelism, "encode")
    batcher = Batcher(
        encoder, executor=batches, observer=observer, max_tokens=queue_tokens(settings, encoder)
    )
    cache = EmbeddingCache(settings.scorer_cache_bytes)
    metrics.CACHE_BYTES.set_function(lambda: float(cache.size_bytes))
    embedder = Embedder(
        encoder,
        batcher=await stack.enter_async_context(batcher),
        cache=cache,
        executor=_threads(stack, TOKENIZE_THREADS, "tokenize"),
        observer=observer,
    )
    return Scorer(
        embedder,
        tables=tables.read_tables(settings.scorer_trust_file),
        profiles=tables.read_profiles(settings.scorer_profiles_file),
        clock=clock_from(settings),
    )


def queue_tokens(settings: ScorerSettings, encoder: Encoder) -> int:
    """Return the tokens that may wait, as set or by what the encoder takes at once."""
    by_device = max(QUEUE_TOKENS, QUEUE_BATCHES * encoder.batch_tokens)
    return settings.scorer_queue_tokens or by_device


def _open_encoder(settings: ScorerSettings) -> Encoder:
    files = backends.chosen_files(settings)
    chosen = settings.scorer_precision
    return backends.open_encoder(
        files,
        settings.scorer_device,
        settings.scorer_threads,
        precision=None if chosen is CpuPrecision.AUTO else Precision(chosen),
    )


def _threads(stack: AsyncExitStack, count: int, name: str) -> ThreadPoolExecutor:
    pool = ThreadPoolExecutor(count, thread_name_prefix=f"scorer-{name}")
    stack.callback(pool.shutdown, wait=True, cancel_futures=True)
    return pool
