"""Makes the classifier's weights file from the labelled messages.

    python services/decision/training/train.py [--scorer HOST:PORT]

With a running scorer the variant with embeddings is trained as well; its vectors are kept beside the
messages (`embeddings.npz`), so that training again needs no scorer.
"""  # noqa: E501, INP001 - one pattern or table row

import argparse
import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from fitting import (
    EMBEDDING_RIDGE,
    NGRAM_RIDGE,
    SIGNAL_RIDGE,
    Array,
    calibrate,
    fit,
)
from messages import FOLDS, Labelled, labelled

from pellucid_decision.adapters.rules_folder import RulesFolder
from pellucid_decision.cascade import examine
from pellucid_decision.classifier import MAX_WEIGHTS_BYTES, PACKAGED_WEIGHTS
from pellucid_decision.features import BUCKETS, embedding_vector, signal_vector, text_vector
from pellucid_decision.rulebook import Rulebook

EMBEDDINGS = Path(__file__).resolve().parent / "embeddings.npz"


def signal_names(book: Rulebook) -> tuple[str, ...]:
    """Return the catalogue's names in a fixed order."""
    return tuple(sorted(book.signals))


def base_features(items: Sequence[Labelled], book: Rulebook) -> Array:
    """Return n-grams and signals of each message, `float64[rows, 8192 + signals + 1]`."""
    names = signal_names(book)
    rows = []
    for item in items:
        case = examine(item.ask(), book)
        text = case.resolved.question if case.resolved.leans else item.text
        rows.append(np.concatenate((text_vector(text), signal_vector(case.reading, names))))
    return np.array(rows, dtype=np.float64)


def ridge_for(columns: int, signals: int) -> Array:
    """Return the penalty of each column."""
    ridge = np.full(columns, EMBEDDING_RIDGE)
    ridge[:BUCKETS] = NGRAM_RIDGE
    ridge[BUCKETS : BUCKETS + signals] = SIGNAL_RIDGE
    return ridge


def held_out_logits(features: Array, labels: Array, folds: Array, ridge: Array) -> Array:
    """Return each row's logit from weights that were fitted without its fold."""
    logits = np.zeros(len(labels))
    for fold in range(FOLDS):
        held = folds == fold
        weights, bias = fit(features[~held], labels[~held], ridge)
        logits[held] = features[held] @ weights + bias
    return logits


def train(items: Sequence[Labelled], book: Rulebook, embeddings: Array | None) -> bytes:
    """Return the content of the weights file."""
    labels = np.array([float(item.needs_search) for item in items])
    folds = np.array([item.fold for item in items])
    base = base_features(items, book)
    names = signal_names(book)
    header = {"format": 1, "buckets": BUCKETS, "signals": list(names), "rules": book.version}
    arrays = {"header": np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)}
    blocks = {"ngram": base}
    if embeddings is not None:
        scaled = np.array([embedding_vector(row) for row in embeddings], dtype=np.float64)
        blocks["embedded"] = np.hstack((base, scaled))
    for name, features in blocks.items():
        ridge = ridge_for(features.shape[1], len(names) + 1)
        logits = held_out_logits(features, labels, folds, ridge)
        slope, offset = calibrate(logits, labels)
        weights, bias = fit(features, labels, ridge)
        arrays[name] = weights.astype(np.float16)
        arrays[f"{name}_scale"] = np.array([bias, slope, offset], dtype=np.float64)
        right = float(((logits > 0) == (labels > 0)).mean())
        sys.stdout.write(f"{name}: held-out accuracy {right:.3f}, slope {slope:.2f}\n")
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


def known_embeddings(items: Sequence[Labelled], book: Rulebook, target: str) -> Array | None:
    """Return the vectors of the messages, asked from a scorer or read from the file beside."""
    if target:
        from embedding import embed_all  # needs gRPC, which training without a scorer does not

        cases = [examine(item.ask(), book).resolved for item in items]
        pairs = zip(items, cases, strict=True)
        texts = [case.question if case.leans else item.text for item, case in pairs]
        vectors = embed_all(texts, target)
        np.savez_compressed(EMBEDDINGS, vectors=vectors.astype(np.float16))
    if not EMBEDDINGS.exists():
        return None
    with np.load(EMBEDDINGS, allow_pickle=False) as arrays:
        vectors = arrays["vectors"].astype(np.float64)
    return vectors if len(vectors) == len(items) else None


def main() -> None:
    """Train and write the weights file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scorer", default="", help="host:port of a running scorer")
    parser.add_argument("--out", type=Path, default=PACKAGED_WEIGHTS)
    arguments = parser.parse_args()
    items = tuple(labelled())
    book = RulesFolder().book
    content = train(items, book, known_embeddings(items, book, arguments.scorer))
    if len(content) > MAX_WEIGHTS_BYTES:
        sys.exit(f"{len(content)} bytes are more than {MAX_WEIGHTS_BYTES}")
    arguments.out.write_bytes(content)
    sys.stdout.write(f"{len(items)} messages, {len(content)} bytes\n")


if __name__ == "__main__":
    main()
