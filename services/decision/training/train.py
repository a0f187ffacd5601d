"""Makes the classifier's weights file from the labelled messages.

    python services/decision/training/train.py [--scorer HOST:PORT]

Embeddings come from the scorer that is named, or from one that is started for the while.
"""  # noqa: INP001 - a folder of scripts

import argparse
import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from embedding import embed_all, scorer_at
from fitting import Array, Features, Grams, calibrate, calibrated, fit
from messages import FOLDS, Labelled, labelled
from network import fit_network, inputs_of
from pellucid_decision.rules.rulebook import Rulebook
from pellucid_decision.stages.case import Case, examine
from pellucid_decision.stages.classifier import EMBEDDED_LANGUAGES
from pellucid_decision.stages.features import (
    BUCKETS,
    EMBEDDING_SIZE,
    Seen,
    buckets_of,
    context_vector,
    embedded_text,
    embedding_vector,
    seen_in,
    vector_of,
)
from pellucid_decision.stages.weights import MAX_WEIGHTS_BYTES, PACKAGED_WEIGHTS, Network
from plain import plain_messages

from pellucid_decision.adapters.rules_folder import RulesFolder
from pellucid_decision.text import gloss, lexicon

# Share of the signals that the third view leaves out, so that the rest has to do.
DROPPED = 0.5
SEED = 1
# N-gram weights are kept as bytes, so that many buckets stay a small file.
LARGEST_BYTE = 127
EVEN = 0.5


def signal_names(book: Rulebook) -> tuple[str, ...]:
    """Return the catalogue's names in a fixed order."""
    return tuple(sorted(book.signals))


def examined(items: Sequence[Labelled], book: Rulebook) -> tuple[Case, ...]:
    """Return what the cascade reads from each message."""
    return tuple(examine(item.ask(), book) for item in items)


def text_of(case: Case) -> str:
    """Return the text whose embedding the classifier looks at."""
    return embedded_text(case.ask, case.resolved, case.language)


def base_features(cases: Sequence[Case], book: Rulebook) -> Features:
    """Return n-grams, meanings, signals and form of each message, without embeddings."""
    seen = [seen_in(case.ask, case.resolved, case.language) for case in cases]
    context = np.array([context_vector(one) for one in seen], dtype=np.float64)
    return Features(_grams(seen), _views(cases, book), context)


def with_embeddings(base: Features, embeddings: Array) -> Features:
    """Return `base` with the embeddings behind the other features."""
    return Features(base.grams, base.views, np.hstack((base.dense, embeddings)))


def _grams(seen: Sequence[Seen]) -> Grams:
    found = [buckets_of(one) for one in seen]
    rows = np.repeat(np.arange(len(found)), [len(one.places) for one in found])
    places = np.concatenate([one.places for one in found])
    values = np.concatenate([one.values for one in found]).astype(np.float64)
    return Grams(places, rows, values, (len(found), BUCKETS))


def _views(cases: Sequence[Case], book: Rulebook) -> tuple[Array, ...]:
    """Return the signals as they fired, none of them, and some left out by lot."""
    dice = np.random.default_rng(SEED)
    fired = [[signal.name for signal in case.reading.signals] for case in cases]
    fewer = [[name for name in names if dice.random() >= DROPPED] for names in fired]
    return tuple(_signals(view, book) for view in (fired, [[] for _ in cases], fewer))


def _signals(fired: Sequence[Sequence[str]], book: Rulebook) -> Array:
    names = signal_names(book)
    return np.array([vector_of(row, names, _score(row, book)) for row in fired], dtype=np.float64)


def _score(fired: Sequence[str], book: Rulebook) -> float:
    total = book.prior + sum(book.signals[name].weight for name in fired)
    return min(1.0, max(0.0, total))


def held_out_logits(features: Features, labels: Array, folds: Array) -> Array:
    """Return the regression's opinion of each row, fitted without its fold: `float64[rows, 1]`.

    0 where a row is in no fold.
    """
    logits = np.zeros((len(labels), 1))
    for fold in range(FOLDS):
        held = folds == fold
        weights, bias = fit(features.take(~held), labels[~held])
        logits[held, 0] = features.take(held).logits(weights, bias)
    return logits


def held_out_opinions(features: Features, labels: Array, folds: Array) -> Array:
    """Return the same of regression and network, `float64[rows, 2]`."""
    logits = np.zeros((len(labels), 1))
    for fold in range(FOLDS):
        held = folds == fold
        network = fit_network(features.take(~held), labels[~held])
        logits[held, 0] = network.logits(inputs_of(features.take(held)))
    return np.hstack((held_out_logits(features, labels, folds), logits))


def train(items: Sequence[Labelled], book: Rulebook, target: str) -> bytes:
    """Return the content of the weights file, with embeddings from the scorer at `target`."""
    labels = np.array([float(item.needs_search) for item in items])
    folds = np.array([item.fold for item in items])
    cases = examined(items, book)
    base = base_features(cases, book)
    names = signal_names(book)
    header = {
        "format": 3,
        "buckets": BUCKETS,
        "signals": list(names),
        "lexicon": lexicon.version(),
        "glosses": gloss.version(),
        "rules": book.version,
    }
    full = with_embeddings(base, embeddings_of(cases, target))
    arrays = {"header": np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)}
    blocks = (
        ("ngram", base, held_out_logits(base, labels, folds)),
        ("embedded", full, held_out_opinions(full, labels, folds)),
    )
    for name, features, opinions in blocks:
        counted = folds >= 0
        shares = calibrate(opinions[counted], labels[counted])
        arrays |= _regression(name, features, labels)
        arrays[f"{name}_shares"] = shares
        right = (calibrated(opinions, shares) > EVEN) == (labels > 0)
        sys.stdout.write(f"{name}: held-out accuracy {right[counted].mean():.3f}, {shares}\n")
    arrays |= _network(fit_network(full, labels))
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


def _regression(name: str, features: Features, labels: Array) -> dict[str, npt.NDArray[Any]]:
    weights, bias = fit(features, labels)
    grams, rest = weights[:BUCKETS], weights[BUCKETS:]
    step = float(np.abs(grams).max()) / LARGEST_BYTE
    return {
        f"{name}_grams": np.rint(grams / step).astype(np.int8),
        name: rest.astype(np.float16),
        f"{name}_scale": np.array([bias, step], dtype=np.float64),
    }


def _network(network: Network) -> dict[str, npt.NDArray[Any]]:
    steps = np.abs(network.inner).max(axis=0) / LARGEST_BYTE
    return {
        "network_inner": np.rint(network.inner / steps).astype(np.int8),
        "network_steps": steps,
        "network_bias": network.bias,
        "network_outer": network.outer,
        "network_offset": np.array([network.offset]),
    }


def embeddings_of(cases: Sequence[Case], target: str) -> Array:
    """Return scaled embeddings of the messages from the scorer at `target`.

    Messages in languages that the classifier does not embed have zeros.
    """
    embedded = np.array([case.language in EMBEDDED_LANGUAGES for case in cases])
    texts = [text_of(case) for case, wanted in zip(cases, embedded, strict=True) if wanted]
    scaled = np.zeros((len(cases), EMBEDDING_SIZE))
    scaled[embedded] = [embedding_vector(row) for row in embed_all(texts, target)]
    return scaled


def main() -> None:
    """Train and write the weights file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scorer", default="", help="host:port of a running one")
    parser.add_argument("--out", type=Path, default=PACKAGED_WEIGHTS)
    arguments = parser.parse_args()
    items = (*labelled(), *plain_messages())
    book = RulesFolder().book
    with scorer_at(arguments.scorer) as target:
        content = train(items, book, target)
    if len(content) > MAX_WEIGHTS_BYTES:
        sys.exit(f"{len(content)} bytes are more than {MAX_WEIGHTS_BYTES}")
    arguments.out.write_bytes(content)
    sys.stdout.write(f"{len(items)} messages, {len(content)} bytes\n")


if __name__ == "__main__":
    main()
