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
import numpy.typing as npt
from fitting import Array, Features, Grams, calibrate, fit
from messages import FOLDS, Labelled, labelled
from plain import plain_messages

from pellucid_decision import lexicon
from pellucid_decision.adapters.rules_folder import RulesFolder
from pellucid_decision.cascade import Case, examine
from pellucid_decision.classifier import EMBEDDED_LANGUAGES, MAX_WEIGHTS_BYTES, PACKAGED_WEIGHTS
from pellucid_decision.features import (
    BUCKETS,
    EMBEDDING_SIZE,
    Seen,
    buckets_of,
    context_vector,
    embedding_vector,
    seen_in,
    vector_of,
)
from pellucid_decision.rulebook import Rulebook

# Share of the signals that the third view leaves out, so that the rest has to do.
DROPPED = 0.5
SEED = 1
# Vectors are kept as whole numbers of this step: 0.005 is below what moves a decision.
EMBEDDING_STEP = 1 / 400
# N-gram weights are kept as bytes, so that many buckets stay a small file.
LARGEST_BYTE = 127
EMBEDDINGS = Path(__file__).resolve().parent / "embeddings.npz"


def signal_names(book: Rulebook) -> tuple[str, ...]:
    """Return the catalogue's names in a fixed order."""
    return tuple(sorted(book.signals))


def examined(items: Sequence[Labelled], book: Rulebook) -> tuple[Case, ...]:
    """Return what the cascade reads from each message."""
    return tuple(examine(item.ask(), book) for item in items)


def text_of(case: Case) -> str:
    """Return the text whose embedding the classifier looks at."""
    return case.resolved.question if case.resolved.leans else case.ask.message


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
    """Return each row's logit from weights fitted without its fold, 0 where it is in none."""
    logits = np.zeros(len(labels))
    for fold in range(FOLDS):
        held = folds == fold
        weights, bias = fit(features.take(~held), labels[~held])
        logits[held] = features.take(held).logits(weights, bias)
    return logits


def train(items: Sequence[Labelled], book: Rulebook, target: str) -> bytes:
    """Return the content of the weights file."""
    labels = np.array([float(item.needs_search) for item in items])
    folds = np.array([item.fold for item in items])
    cases = examined(items, book)
    base, embeddings = base_features(cases, book), known_embeddings(cases, target)
    names = signal_names(book)
    header = {
        "format": 2,
        "buckets": BUCKETS,
        "signals": list(names),
        "lexicon": lexicon.version(),
        "rules": book.version,
    }
    arrays = {"header": np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)}
    blocks = {"ngram": base}
    if embeddings is not None:
        blocks["embedded"] = with_embeddings(base, embeddings)
    for name, features in blocks.items():
        logits = held_out_logits(features, labels, folds)
        counted = folds >= 0
        slope, offset = calibrate(logits[counted], labels[counted])
        weights, bias = fit(features, labels)
        grams, rest = weights[:BUCKETS], weights[BUCKETS:]
        step = float(np.abs(grams).max()) / LARGEST_BYTE
        arrays[f"{name}_grams"] = np.rint(grams / step).astype(np.int8)
        arrays[name] = rest.astype(np.float16)
        arrays[f"{name}_scale"] = np.array([bias, slope, offset, step], dtype=np.float64)
        right = float(((logits > 0) == (labels > 0))[counted].mean())
        sys.stdout.write(f"{name}: held-out accuracy {right:.3f}, slope {slope:.2f}\n")
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


def read_by_model(cases: Sequence[Case]) -> npt.NDArray[np.bool_]:
    """Return which messages are in a language that the embedding model reads."""
    return np.array([case.language in EMBEDDED_LANGUAGES for case in cases])


def known_embeddings(cases: Sequence[Case], target: str = "") -> Array | None:
    """Return scaled vectors of the messages, from a scorer or the file beside; None for neither.

    Messages in languages that the embedding model does not read have zeros.
    """
    read = read_by_model(cases)
    if target:
        from embedding import embed_all  # needs gRPC, which training without a scorer does not

        texts = [text_of(case) for case, wanted in zip(cases, read, strict=True) if wanted]
        whole = np.rint(embed_all(texts, target) / EMBEDDING_STEP).astype(np.int8)
        np.savez_compressed(EMBEDDINGS, vectors=whole)
    if not EMBEDDINGS.exists():
        return None
    with np.load(EMBEDDINGS, allow_pickle=False) as arrays:
        vectors = arrays["vectors"].astype(np.float64) * EMBEDDING_STEP
    if len(vectors) != read.sum():
        return None
    scaled = np.zeros((len(cases), EMBEDDING_SIZE))
    scaled[read] = [embedding_vector(row) for row in vectors]
    return scaled


def main() -> None:
    """Train and write the weights file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scorer", default="", help="host:port of a running scorer")
    parser.add_argument("--out", type=Path, default=PACKAGED_WEIGHTS)
    arguments = parser.parse_args()
    items = (*labelled(), *plain_messages())
    book = RulesFolder().book
    content = train(items, book, arguments.scorer)
    if len(content) > MAX_WEIGHTS_BYTES:
        sys.exit(f"{len(content)} bytes are more than {MAX_WEIGHTS_BYTES}")
    arguments.out.write_bytes(content)
    sys.stdout.write(f"{len(items)} messages, {len(content)} bytes\n")


if __name__ == "__main__":
    main()
