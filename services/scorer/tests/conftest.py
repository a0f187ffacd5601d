"""Fixtures of the scorer's tests: fakes of its ports, the real tables, the real model."""

import importlib.util
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from pellucid_scorer.adapters import backends, model_files
from pellucid_scorer.adapters.model_files import ModelFiles
from pellucid_scorer.encoding.batching import Batcher
from pellucid_scorer.encoding.embedding import Embedder
from pellucid_scorer.encoding.embedding_cache import EmbeddingCache
from pellucid_scorer.models import ModelSource, Prefixes, Scale
from pellucid_scorer.ports import Encoder, TokenIds, Vectors
from pellucid_scorer.ranking import tables
from pellucid_scorer.settings import Device

DIMENSIONS = 16


@dataclass
class FakeEncoder:
    """Vectors from a text's characters, and a record of every batch.

    A token is a word's hash, so equal texts have equal vectors and different ones nearly never.
    With a `spread` above 1 a batch may have more padding than tokens.
    Set `gate` to hold batches back; set `failure` to make the next ones fail.
    """

    name: str = "fake/cpu-fp32"
    dimensions: int = DIMENSIONS
    parallelism: int = 1
    batch_tokens: int = 64
    token_step: int = 1
    spread: int = 1
    scripts: frozenset[str] = frozenset({"LATIN"})
    languages: frozenset[str] = frozenset()
    prefixes: Prefixes = field(default_factory=Prefixes)
    scale: Scale = field(default_factory=Scale)
    gate: threading.Event = field(default_factory=threading.Event)
    failure: Exception | None = None
    seconds_per_batch: float = 0.0
    batches: list[list[TokenIds]] = field(default_factory=list)
    tokenized: int = 0

    def __post_init__(self) -> None:
        self.gate.set()

    @property
    def texts(self) -> int:
        return sum(map(len, self.batches))

    def padded(self, tokens: int) -> int:
        return -(-tokens // self.token_step) * self.token_step

    def most_texts(self, longest: int) -> int:
        return max(1, self.spread * self.batch_tokens // longest)

    def tokenize(self, texts: Sequence[str]) -> list[TokenIds]:
        self.tokenized += len(texts)
        return [[_number(word) for word in text.split()] or [0] for text in texts]

    def encode(self, batch: Sequence[TokenIds]) -> Vectors:
        assert self.gate.wait(timeout=20)
        self.batches.append(list(batch))
        if self.failure is not None:
            raise self.failure
        time.sleep(self.seconds_per_batch)
        vectors = np.array([_vector(ids) for ids in batch], dtype=np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _number(word: str) -> int:
    return int.from_bytes(blake2b(word.encode(), digest_size=4).digest(), "big")


def _vector(ids: TokenIds) -> np.ndarray:
    return sum(
        (np.random.default_rng(token).normal(size=DIMENSIONS) for token in ids),
        np.zeros(DIMENSIONS),
    )


@dataclass
class RecordingObserver:
    """Remembers what the batching reports."""

    refusals: int = 0
    drops: int = 0
    padding: int = 0
    looks: list[tuple[int, int, int]] = field(default_factory=list)

    def queued(self, *, texts: int, tokens: int) -> None:
        assert texts >= 0
        assert tokens >= 0

    def encoded(self, *, texts: int, tokens: int, padding: int, seconds: float) -> None:
        assert min(texts, tokens) > 0
        assert seconds >= 0
        self.padding += padding

    def refused(self, *, texts: int) -> None:
        assert texts > 0
        self.refusals += 1

    def dropped(self, *, texts: int) -> None:
        self.drops += texts

    def looked_up(self, *, hits: int, misses: int, joined: int) -> None:
        self.looks.append((hits, misses, joined))


@pytest.fixture
def encoder() -> FakeEncoder:
    return FakeEncoder()


@pytest.fixture
def observer() -> RecordingObserver:
    return RecordingObserver()


@pytest.fixture
def executor() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool


@pytest.fixture
async def batcher(
    encoder: FakeEncoder, observer: RecordingObserver, executor: ThreadPoolExecutor
) -> AsyncIterator[Batcher]:
    async with Batcher(encoder, executor=executor, observer=observer, max_tokens=1000) as running:
        yield running
        encoder.gate.set()


@pytest.fixture
def cache() -> EmbeddingCache:
    return EmbeddingCache(1_000_000)


@pytest.fixture
def embedder(
    encoder: FakeEncoder,
    batcher: Batcher,
    cache: EmbeddingCache,
    executor: ThreadPoolExecutor,
    observer: RecordingObserver,
) -> Embedder:
    return Embedder(encoder, batcher=batcher, cache=cache, executor=executor, observer=observer)


@pytest.fixture(scope="session")
def score_tables() -> tables.Tables:
    return tables.read_tables()


@pytest.fixture(scope="session")
def profiles() -> tables.Profiles:
    return tables.read_profiles()


@pytest.fixture(scope="session")
def packaged_model(tmp_path_factory: pytest.TempPathFactory) -> ModelFiles:
    spec = tables.read_models().named("all-MiniLM-L6-v2")
    return model_files.find(
        spec, source=ModelSource.PACKAGE, folder=None, cache=tmp_path_factory.mktemp("models")
    )


@pytest.fixture(scope="session")
def real_encoder(packaged_model: ModelFiles) -> Encoder:
    return backends.open_encoder(packaged_model, Device.CPU, threads=2)


@pytest.fixture(scope="session")
def parity() -> ModuleType:
    """The parity tool, which is a script beside the package."""
    return beside_the_package("parity")


@pytest.fixture(scope="session")
def ranked() -> ModuleType:
    """The graded questions and the measures of ranking, beside the package too."""
    return beside_the_package("ranked")


def beside_the_package(name: str) -> ModuleType:
    path = Path(__file__).parents[1] / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"scorer_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module
