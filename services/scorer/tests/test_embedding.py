"""Batching and the embedder: fairness, padding, overload, departures, equal texts."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from pellucid_runtime.errors import OverloadedError
from pellucid_scorer.encoding.batching import Batcher
from pellucid_scorer.encoding.embedding import Embedder
from pellucid_scorer.encoding.embedding_cache import ENTRY_OVERHEAD, EmbeddingCache


def texts(caller: str, count: int, words: int = 4) -> list[str]:
    return [
        " ".join(f"{caller}{number}w{word}" for word in range(words)) for number in range(count)
    ]


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 - what is awaited has no event
            await asyncio.sleep(0.001)


async def test_vectors_come_in_order_and_have_length_one(embedder: Embedder, encoder: Any) -> None:
    many = texts("a", 40)
    embedded = await embedder.embed(many)
    alone = np.concatenate([encoder.encode([ids]) for ids in encoder.tokenize(many)])
    np.testing.assert_allclose(embedded.vectors, alone, rtol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(embedded.vectors, axis=1), 1.0, rtol=1e-5)


async def test_no_texts(embedder: Embedder) -> None:
    assert (await embedder.embed([])).vectors.shape == (0, 16)


async def test_batches_keep_the_token_budget_and_waste_little(
    embedder: Embedder, encoder: Any, observer: Any
) -> None:
    mixed = [text for words in range(1, 33) for text in texts(f"t{words}x", 2, words)]
    await embedder.embed(mixed)
    padded = [len(batch) * max(map(len, batch)) for batch in encoder.batches]
    assert max(padded) <= encoder.batch_tokens
    assert observer.padding < 0.25 * sum(padded)


async def test_one_call_keeps_all_workers_busy_alike(embedder: Embedder, encoder: Any) -> None:
    encoder.parallelism, encoder.batch_tokens = 2, 2048
    await embedder.embed([*texts("a", 30, 40), *texts("question", 1, 9)])
    tokens = sorted(sum(map(len, batch)) for batch in encoder.batches)
    assert len(tokens) == 2
    assert tokens[1] - tokens[0] <= 40, "no more than a text apart"


async def test_a_call_of_more_than_a_batch_for_each_worker_leaves_none_idle(
    embedder: Embedder, encoder: Any
) -> None:
    encoder.parallelism, encoder.batch_tokens = 2, 1024
    await embedder.embed(texts("a", 60, 40))
    assert len(encoder.batches) == 4, "not three, of which one would run alone"


@pytest.mark.parametrize("longest", [120, 150])
async def test_a_search_of_many_lengths_is_one_batch_for_each_worker(
    embedder: Embedder, encoder: Any, longest: int
) -> None:
    """A third batch, where padding costs little, would leave a worker idle for half of the time."""
    encoder.parallelism, encoder.batch_tokens, encoder.spread = 2, 1088, 4
    lengths = [longest - 4 * number for number in range(30)]
    await embedder.embed([texts(f"a{words}x", 1, words)[0] for words in lengths])
    tokens = sorted(sum(map(len, batch)) for batch in encoder.batches)
    assert len(tokens) == 2 * -(-sum(lengths) // 2176)
    assert tokens[-1] - tokens[0] <= longest, "no more than a text apart"


async def test_a_small_call_is_not_split(embedder: Embedder, encoder: Any) -> None:
    encoder.parallelism, encoder.batch_tokens = 2, 2048
    await embedder.embed(texts("a", 10, 10))
    assert len(encoder.batches) == 1


async def test_batches_of_a_long_queue_fill_what_they_are_rounded_up_to(
    embedder: Embedder, encoder: Any
) -> None:
    encoder.batch_tokens, encoder.token_step = 1024, 64
    await embedder.embed(texts("a", 66, 58))
    tokens = [sum(map(len, batch)) for batch in encoder.batches]
    assert sum(map(encoder.padded, tokens)) < 1.025 * sum(tokens)


async def test_a_text_longer_than_the_budget_still_runs(embedder: Embedder, encoder: Any) -> None:
    await embedder.embed([" ".join(f"w{n}" for n in range(100))])
    assert encoder.texts == 1


async def test_callers_share_batches(embedder: Embedder, encoder: Any) -> None:
    await asyncio.gather(*(embedder.embed(texts(f"c{caller}x", 1)) for caller in range(16)))
    assert len(encoder.batches) <= 3


async def test_a_large_request_does_not_starve_a_small_one(
    embedder: Embedder, encoder: Any, batcher: Batcher
) -> None:
    encoder.gate.clear()
    large = asyncio.create_task(embedder.embed(texts("large", 240)))
    await until(lambda: batcher.unfinished_tokens == 960)
    small = asyncio.create_task(embedder.embed(texts("small", 2)))
    await until(lambda: batcher.unfinished_tokens == 968)
    encoder.seconds_per_batch = 0.005
    encoder.gate.set()
    await small
    assert not large.done()
    assert encoder.texts < 160
    await large


async def test_calls_of_a_search_end_one_after_another(
    embedder: Embedder, encoder: Any, batcher: Batcher
) -> None:
    encoder.gate.clear()
    ended: list[int] = []

    async def call(name: str) -> None:
        await embedder.embed(texts(name, 30))
        ended.append(encoder.texts)

    calls = [asyncio.create_task(call(name)) for name in "abcdefgh"]
    await until(lambda: batcher.unfinished_tokens == 960)
    encoder.seconds_per_batch = 0.003
    encoder.gate.set()
    await asyncio.gather(*calls)
    assert min(ended) <= 120, "not with the last of them"


async def test_equal_texts_are_computed_once(
    embedder: Embedder, encoder: Any, observer: Any
) -> None:
    encoder.gate.clear()
    same = texts("a", 3)
    calls = [asyncio.create_task(embedder.embed([*same, *same])) for _ in range(5)]
    await until(lambda: len(observer.looks) == 5)
    encoder.gate.set()
    results = await asyncio.gather(*calls)
    assert encoder.texts == 3
    assert all(np.array_equal(result.vectors, results[0].vectors) for result in results)


async def test_cached_texts_cost_nothing(embedder: Embedder, encoder: Any) -> None:
    first = await embedder.embed(texts("a", 5))
    again = await embedder.embed(texts("a", 5))
    assert encoder.texts == 5
    assert again.spent.cached_texts == 5
    np.testing.assert_array_equal(first.vectors, again.vectors)


async def test_a_full_queue_refuses_at_once_and_tells_when_to_return(
    embedder: Embedder, encoder: Any, observer: Any, batcher: Batcher
) -> None:
    encoder.gate.clear()
    waiting = [asyncio.create_task(embedder.embed(texts(f"w{n}x", 50))) for n in range(5)]
    await until(lambda: len(observer.looks) == 5 and batcher.queued_tokens >= 700)
    started = time.perf_counter()
    with pytest.raises(OverloadedError) as refused:
        await embedder.embed(texts("late", 150))
    assert time.perf_counter() - started < 5, "the encoder's gate is still shut"
    assert refused.value.retry_after_s is not None
    assert refused.value.retry_after_s > 0
    assert observer.refusals >= 1
    encoder.gate.set()
    await asyncio.gather(*waiting)
    await embedder.embed(texts("late", 150))


async def test_what_clearly_finds_no_room_is_refused_unread(
    embedder: Embedder, encoder: Any, batcher: Batcher
) -> None:
    """Tokenizing what is refused afterwards would cost the calls that are served."""
    encoder.gate.clear()
    waiting = asyncio.create_task(embedder.embed(texts("first", 150)))
    await until(lambda: encoder.tokenized == 150 and batcher.queued_tokens >= 300)
    with pytest.raises(OverloadedError):
        await embedder.embed(texts("late", 900, words=40))
    assert encoder.tokenized == 150
    encoder.gate.set()
    await waiting


async def test_an_idle_queue_takes_a_request_of_any_size(embedder: Embedder, encoder: Any) -> None:
    await embedder.embed(texts("huge", 1000, 2))
    assert encoder.texts == 1000


async def test_texts_that_nobody_waits_for_are_dropped(
    embedder: Embedder, encoder: Any, observer: Any, batcher: Batcher
) -> None:
    encoder.gate.clear()
    first = asyncio.create_task(embedder.embed(texts("first", 1)))
    await until(lambda: batcher.unfinished_tokens == 4)
    leaving = asyncio.create_task(embedder.embed(texts("leaving", 30)))
    await until(lambda: batcher.unfinished_tokens == 124)
    leaving.cancel()
    await asyncio.gather(leaving, return_exceptions=True)
    encoder.gate.set()
    await first
    await embedder.embed(texts("next", 1))
    assert observer.drops > 0
    assert encoder.texts + observer.drops == 32


async def test_a_text_is_kept_while_another_caller_wants_it(
    embedder: Embedder, encoder: Any, batcher: Batcher
) -> None:
    encoder.gate.clear()
    first = asyncio.create_task(embedder.embed(texts("first", 80)))
    await until(lambda: batcher.unfinished_tokens == 320)
    same = texts("same", 2)
    leaving = asyncio.create_task(embedder.embed(same))
    await until(lambda: batcher.unfinished_tokens == 328)
    staying = asyncio.create_task(embedder.embed(same))
    await until(lambda: sum(job.waiters for job in embedder._coming.values()) == 84)
    leaving.cancel()
    await asyncio.gather(leaving, return_exceptions=True)
    encoder.gate.set()
    assert (await staying).vectors.shape == (2, 16)
    await first
    assert encoder.texts == 82


async def test_a_failed_batch_fails_its_callers_and_no_others(
    embedder: Embedder, encoder: Any
) -> None:
    encoder.failure = RuntimeError("the device is gone")
    with pytest.raises(RuntimeError, match="device is gone"):
        await embedder.embed(texts("a", 3))
    encoder.failure = None
    assert (await embedder.embed(texts("a", 3))).vectors.shape == (3, 16)


async def test_closing_cancels_what_waits(
    encoder: Any, observer: Any, executor: ThreadPoolExecutor
) -> None:
    encoder.gate.clear()
    async with Batcher(encoder, executor=executor, observer=observer, max_tokens=100) as batcher:
        jobs = batcher.submit([[1]] * 90)
        await asyncio.sleep(0.02)
        encoder.gate.set()
    assert all(job.done.done() for job in jobs)


def test_the_cache_lets_go_of_the_least_recently_used() -> None:
    vector = np.ones(4, np.float32)
    cache = EmbeddingCache(3 * (vector.nbytes + ENTRY_OVERHEAD))
    for key in (b"a", b"b", b"c"):
        cache.put(key, vector)
    assert cache.get(b"a") is not None
    cache.put(b"d", vector)
    assert cache.get(b"b") is None
    assert len(cache) == 3
    assert cache.size_bytes <= 3 * (vector.nbytes + ENTRY_OVERHEAD)


def test_a_cache_without_room_keeps_nothing() -> None:
    cache = EmbeddingCache(0)
    cache.put(b"a", np.ones(4, np.float32))
    assert (len(cache), cache.size_bytes) == (0, 0)


def test_a_cached_row_does_not_keep_its_batch_alive() -> None:
    cache = EmbeddingCache(10_000)
    cache.put(b"a", np.ones((100, 4), np.float32)[3])
    kept = cache.get(b"a")
    assert kept is not None
    assert kept.base is None
