"""Every instrument of the scorer."""

import collections
from collections.abc import Iterable

from prometheus_client import Counter, Gauge, Histogram

from pellucid_scorer.ranking.candidates import Exclusion
from pellucid_scorer.scoring import Scored

BATCH_TEXTS = Histogram(
    "pellucid_scorer_batch_texts",
    "Texts per batch.",
    buckets=(1, 2, 4, 8, 16, 32, 64, 128, 256),
)
ENCODE_SECONDS = Histogram(
    "pellucid_scorer_encode_seconds",
    "Time of one batch in the model.",
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0),
)
ENCODED_TEXTS = Counter("pellucid_scorer_encoded_texts_total", "Texts that the model encoded.")
ENCODED_TOKENS = Counter("pellucid_scorer_encoded_tokens_total", "Tokens encoded, without padding.")
PADDING_TOKENS = Counter("pellucid_scorer_padding_tokens_total", "Padding encoded with them.")
QUEUED_TEXTS = Gauge("pellucid_scorer_queued_texts", "Texts that wait for a batch.")
QUEUED_TOKENS = Gauge("pellucid_scorer_queued_tokens", "Tokens that wait for a batch.")
REFUSED_CALLS = Counter("pellucid_scorer_refused_calls_total", "Calls that found the queue full.")
DROPPED_TEXTS = Counter(
    "pellucid_scorer_dropped_texts_total", "Texts given up because every caller had left."
)
READ_SECONDS = Histogram(
    "pellucid_scorer_read_seconds",
    "Time of one message in the model of understanding.",
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0),
)
READ_PIECES = Counter(
    "pellucid_scorer_read_pieces_total", "Pieces of messages and their history that were read."
)
WAITING_MESSAGES = Gauge(
    "pellucid_scorer_waiting_messages", "Messages that wait to be read or are being read."
)
CACHE_TEXTS = Counter(
    "pellucid_scorer_cache_texts_total", "Texts looked up: hit, miss or joined.", ("outcome",)
)
CACHE_BYTES = Gauge("pellucid_scorer_cache_bytes", "Bytes of the embedding cache.")
RESULTS = Counter(
    "pellucid_scorer_results_total", "Rated results by profile and outcome.", ("profile", "outcome")
)
FINAL_SCORE = Histogram(
    "pellucid_scorer_final_score_ratio",
    "Final scores of included results.",
    ("profile",),
    buckets=(0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
)
MODEL = Gauge("pellucid_scorer_model_info", "Constant 1 for each model in use.", ("model",))

INCLUDED = "included"


class PrometheusObserver:
    """Writes what the batching of one model reports into the instruments."""

    def __init__(self) -> None:
        self._texts = 0
        self._tokens = 0

    def queued(self, *, texts: int, tokens: int) -> None:
        """Record what waits now; the gauges have the sums over all models."""
        QUEUED_TEXTS.inc(texts - self._texts)
        QUEUED_TOKENS.inc(tokens - self._tokens)
        self._texts, self._tokens = texts, tokens

    def encoded(self, *, texts: int, tokens: int, padding: int, seconds: float) -> None:
        """Record one batch."""
        BATCH_TEXTS.observe(texts)
        ENCODE_SECONDS.observe(seconds)
        ENCODED_TEXTS.inc(texts)
        ENCODED_TOKENS.inc(tokens)
        PADDING_TOKENS.inc(padding)

    def refused(self, *, texts: int) -> None:
        """Record a refused call."""
        del texts
        REFUSED_CALLS.inc()

    def dropped(self, *, texts: int) -> None:
        """Record texts that nobody waited for any more."""
        DROPPED_TEXTS.inc(texts)

    def looked_up(self, *, hits: int, misses: int, joined: int) -> None:
        """Record the cache's use."""
        CACHE_TEXTS.labels("hit").inc(hits)
        CACHE_TEXTS.labels("miss").inc(misses)
        CACHE_TEXTS.labels("joined").inc(joined)


class MessageObserver:
    """Writes what the reading of messages reports into the instruments."""

    def waiting(self, messages: int) -> None:
        """Record how many messages wait or are being read."""
        WAITING_MESSAGES.set(messages)

    def read(self, *, tokens: int, seconds: float) -> None:
        """Record one message."""
        READ_SECONDS.observe(seconds)
        READ_PIECES.inc(tokens)

    def refused(self) -> None:
        """Record a refused message."""
        REFUSED_CALLS.inc()


def observe_scores(scored: Scored) -> None:
    """Record the outcome of one Score call."""
    profile = scored.rules.name
    for exclusion, number in collections.Counter(one.exclusion for one in scored.verdicts).items():
        RESULTS.labels(profile, _outcome(exclusion)).inc(number)
    final_score = FINAL_SCORE.labels(profile)
    for verdict in scored.verdicts:
        if verdict.exclusion is None:
            final_score.observe(verdict.rated.final)


def observe_models(names: Iterable[str]) -> None:
    """Record the models in use."""
    MODEL.clear()
    for name in names:
        MODEL.labels(name).set(1)


def _outcome(exclusion: Exclusion | None) -> str:
    return INCLUDED if exclusion is None else exclusion.value
