"""What a slow processor reads in time: beginnings instead of whole texts, one model of two."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pellucid_runtime.clock import SystemClock
from pellucid_runtime.errors import OverloadedError
from pellucid_scorer.encoding.batching import Batcher
from pellucid_scorer.encoding.embedding import TOKENS_READ, Embedder
from pellucid_scorer.encoding.embedding_cache import EmbeddingCache
from pellucid_scorer.models import Scale
from pellucid_scorer.ranking import closer
from pellucid_scorer.ranking.candidates import Candidate, Exclusion
from pellucid_scorer.scoring import ScoreQuery, Scorer

LONG = [" ".join(f"t{text}w{word}" for word in range(200)) for text in range(4)]
RATE = 1000.0


@pytest.fixture
def slow(embedder: Embedder, batcher: Batcher) -> Embedder:
    """An embedder whose model encodes a thousand tokens per second."""
    batcher._rate = RATE
    return embedder


def lengths(encoder: Any) -> list[int]:
    return [len(ids) for batch in encoder.batches for ids in batch]


async def test_whole_texts_are_read_where_there_is_time(slow: Embedder, encoder: Any) -> None:
    await slow.embed(LONG, within_s=2.0)
    assert lengths(encoder) == [200] * 4


async def test_beginnings_are_read_where_whole_texts_would_be_late(
    slow: Embedder, batcher: Batcher, encoder: Any
) -> None:
    short = await slow.embed(LONG, within_s=0.4)
    assert lengths(encoder) == [96] * 4
    ids = encoder.tokenize(LONG[:1])[0]
    assert encoder.batches[0][0] == [*ids[:95], ids[-1]], "its last token ends it for the model"
    batcher._rate = RATE
    again = await slow.embed(LONG, within_s=0.4)
    np.testing.assert_array_equal(again.vectors, short.vectors)
    assert len(lengths(encoder)) == 4, "kept"


async def test_a_vector_of_a_beginning_is_not_taken_for_one_of_the_whole(
    slow: Embedder, encoder: Any
) -> None:
    short = await slow.embed(LONG, within_s=0.4)
    whole = await slow.embed(LONG)
    assert sorted(lengths(encoder)) == [96] * 4 + [200] * 4
    assert not np.array_equal(whole.vectors, short.vectors)


async def test_a_first_model_reads_the_least_a_further_one_leaves(
    slow: Embedder, encoder: Any
) -> None:
    with pytest.raises(OverloadedError):
        await slow.embed(LONG, within_s=0.01, may_skip=True)
    assert not encoder.batches
    await slow.embed(LONG, within_s=0.01)
    assert lengths(encoder) == [TOKENS_READ[-1]] * 4


async def test_the_rate_is_known_before_the_first_call(
    embedder: Embedder, batcher: Batcher, encoder: Any
) -> None:
    assert batcher.tokens_within(1.0) == float("inf")
    encoder.batch_tokens = 256
    await embedder.measure()
    assert batcher.tokens_within(1.0) < float("inf")


Opened = Callable[..., AbstractAsyncContextManager[tuple[Embedder, Any]]]


@pytest.fixture
def opened(encoder: Any, executor: Any, observer: Any) -> Opened:
    """Open an embedder of an encoder like the fixture's, with some fields changed."""

    @asynccontextmanager
    async def opening(**fields: Any) -> AsyncIterator[tuple[Embedder, Any]]:
        own = type(encoder)(**fields)
        async with Batcher(own, executor=executor, observer=observer, max_tokens=9000) as batcher:
            cache = EmbeddingCache(1_000_000)
            parts = {"batcher": batcher, "cache": cache, "executor": executor}
            yield Embedder(own, observer=observer, **parts), own

    return opening


async def test_a_question_that_only_a_further_model_reads_costs_the_first_nothing(
    opened: Opened, encoder: Any, embedder: Embedder, score_tables: Any, profiles: Any
) -> None:
    async with opened(scripts=frozenset({"all"}), name="wide/cpu-fp32") as (wide, its_encoder):
        scorer = Scorer(
            embedder,
            companions=[wide],
            tables=score_tables,
            profiles=profiles,
            clock=SystemClock(),
        )
        scored = await scorer.score(
            ScoreQuery("항구는 왜 닫았나요", [Candidate("a", title="부두")])
        )
        assert scored.model == "wide/cpu-fp32"
        assert not encoder.batches
        assert its_encoder.batches
        latin = await scorer.score(ScoreQuery("Why did it close", [Candidate("a", title="Pier")]))
    assert latin.model == "fake/cpu-fp32+wide/cpu-fp32"


async def test_a_further_model_reads_the_best_of_many_results(
    opened: Opened, score_tables: Any, profiles: Any
) -> None:
    parts = {"tables": score_tables, "profiles": profiles, "clock": SystemClock()}
    results = [Candidate(str(n), title=f"The pier of Northport {n}") for n in range(20)]
    async with (
        opened(languages=frozenset({"en"})) as (usual, encoder),
        opened(name="further/cpu-fp32") as (further, its_encoder),
    ):
        scorer = Scorer(usual, companions=[further], **parts)
        scored = await scorer.score(ScoreQuery("Why did the pier close?", results))
        assert scored.model == "fake/cpu-fp32+further/cpu-fp32"
    assert (encoder.texts, its_encoder.texts) == (21, 1 + closer.BEST)
    assert len(scored.verdicts) == 20
    assert all(0 <= one.rated.breakdown.semantic.score <= 1 for one in scored.verdicts)


@pytest.mark.parametrize("is_late", [False, True])
async def test_thorough_likeness_is_the_mean_of_the_models_that_are_in_time(
    opened: Opened, embedder: Embedder, score_tables: Any, profiles: Any, *, is_late: bool
) -> None:
    texts = ("a ferry to the isle", ["a ferry at noon", "soup"])
    parts = {"tables": score_tables, "profiles": profiles, "clock": SystemClock()}
    async with opened(name="further/cpu-fp32", scale=Scale(0.5, 1.0)) as (further, its_encoder):
        both = Scorer(embedder, companions=[further], **parts)
        alone, model = await both.similarity(*texts)
        assert model == "fake/cpu-fp32"
        assert not its_encoder.batches, "the usual likeness costs one model"
        second, _ = await Scorer(further, **parts).similarity(*texts)
        if is_late:
            its_encoder.failure = OverloadedError("full", retry_after_s=1.0)
            texts = (texts[0], ["a ferry at noon", "soups"])
            alone, _ = await both.similarity(*texts)
            second = alone
        mean, models = await both.similarity(*texts, thorough=True)
    assert models == ("fake/cpu-fp32" if is_late else "fake/cpu-fp32+further/cpu-fp32")
    assert mean == pytest.approx([(a + b) / 2 for a, b in zip(alone, second, strict=True)])


async def test_a_result_may_answer_a_further_question(
    opened: Opened, score_tables: Any, profiles: Any
) -> None:
    """A query that followed from what was found brings a page that the question does not name."""
    pages = [
        Candidate("medal", snippet="the medal goes to Maren Tollund"),
        Candidate("born", snippet="Maren Tollund born in Cormorant Town"),
    ]
    async with opened() as (embedder, _):
        scorer = Scorer(embedder, tables=score_tables, profiles=profiles, clock=SystemClock())
        asked = ScoreQuery("birthplace of who won the medal", pages)
        alone = {v.rated.candidate.id: v for v in (await scorer.score(asked)).verdicts}
        further = replace(asked, further_questions=["Maren Tollund born", " "])
        both = {v.rated.candidate.id: v for v in (await scorer.score(further)).verdicts}
    assert alone["born"].exclusion is Exclusion.OFF_TOPIC
    assert both["born"].exclusion is None
    for name in both:
        scores = [found[name].rated.breakdown.semantic.score for found in (alone, both)]
        assert scores[1] >= scores[0]
