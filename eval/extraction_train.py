"""Trains the fetcher's content model on labelled pages.

    EVAL_DATA=<folder> python eval/extraction_train.py [--folds 8]

The folder holds ``pages_dev/index.jsonl`` (id, url, page_type, text) and the pages beside it as
``pages_dev/html/<id>.html.gz``. Needs scikit-learn, which is no dependency of any service. With
``--folds`` it only reports word F1 of pages that were held out; without, it trains on all pages and
writes the model into the package.
"""

import argparse
import gzip
import json
import os
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from selectolax.lexbor import LexborHTMLParser
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from pellucid_fetcher.extraction import charset
from pellucid_fetcher.extraction.blocks import Block
from pellucid_fetcher.extraction.content_model import CLIP, MODEL_FILE, TREES_SHARE, best_choice
from pellucid_fetcher.extraction.features import Featurizer, load_surroundings
from pellucid_fetcher.extraction.metadata import read_metadata
from pellucid_fetcher.extraction.walking import walk_page

WORD = re.compile(r"\w+")
GRAM = 3
HALF = 0.5
CAP_BYTES = 1024 * 1024
TREES = {
    "max_iter": 140,
    "learning_rate": 0.06,
    "max_leaf_nodes": 15,
    "max_depth": 6,
    "min_samples_leaf": 50,
    "l2_regularization": 20.0,
    "max_features": 0.2,
    "max_bins": 64,
    "early_stopping": False,
}


@dataclass(frozen=True, slots=True)
class Sample:
    """One labelled page: blocks, their features, and which belong to the main content."""

    kind: str
    gold: "Counter[str]"
    blocks: list[Block]
    columns: NDArray[Any]
    wanted: NDArray[Any]

    @property
    def words(self) -> NDArray[Any]:
        """Number of words of each block."""
        return np.asarray([block.words for block in self.blocks], dtype=float)

    @property
    def weights(self) -> NDArray[Any]:
        """Weight of each block: every page counts alike, long blocks more than short ones."""
        raw = np.power(self.words + 1, 0.8)
        return raw / raw.sum() * (1.0 if self.gold else 0.2)


def read_samples(folder: Path) -> Iterator[Sample]:
    """Read the labelled pages that have any text."""
    featurizer = Featurizer(load_surroundings())
    for line in (folder / "index.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        body = gzip.decompress((folder / "html" / f"{row['id']}.html.gz").read_bytes())
        parser = LexborHTMLParser(charset.decode(body[:CAP_BYTES], "").text)
        page = walk_page(parser)
        if page.blocks:
            columns = featurizer.matrix(page, read_metadata(parser, row["url"]), row["url"])
            wanted = labels(page.blocks, row["text"]) >= HALF
            gold = Counter(WORD.findall(row["text"].lower()))
            yield Sample(row["page_type"], gold, page.blocks, columns, wanted)


def labels(blocks: list[Block], gold: str) -> NDArray[Any]:
    """Tell how much of each block stands in the labelled text, 0 to 1."""
    tokens = WORD.findall(gold.lower())
    grams = set(zip(*(tokens[start:] for start in range(GRAM)), strict=False))
    joined = f" {' '.join(tokens)} "
    own = [WORD.findall(block.text.lower()) for block in blocks]
    found = np.asarray([_share(words, grams) for words in own])
    return np.asarray(
        [_short(i, own, found, joined) if found[i] < 0 else found[i] for i in range(len(own))]
    )


def _share(words: list[str], grams: set[tuple[str, ...]]) -> float:
    if not words:
        return 0.0
    own = list(zip(*(words[start:] for start in range(GRAM)), strict=False))
    return sum(gram in grams for gram in own) / len(own) if own else -1.0


def _short(i: int, own: list[list[str]], found: NDArray[Any], joined: str) -> float:
    """Judge a block of one or two words by where it stands."""
    words = own[i]
    if f" {' '.join(words)} " not in joined:
        return 0.0
    before = own[i - 1][-2:] if i else []
    after = own[i + 1][:2] if i + 1 < len(own) else []
    if (before and f" {' '.join(before + words)} " in joined) or (
        after and f" {' '.join(words + after)} " in joined
    ):
        return 1.0
    near = [value for value in found[max(0, i - 4) : i + 5] if value >= 0]
    mean = float(np.mean(near)) if near else 0.5
    return mean if mean > HALF else 0.0


@dataclass(frozen=True, slots=True)
class Judges:
    """The trained pair: trees and a linear one."""

    trees: Any
    linear: Any
    scaler: Any

    def chances(self, columns: NDArray[Any]) -> NDArray[Any]:
        """Judge blocks, 0 to 1."""
        scaled = np.clip(self.scaler.transform(columns), -CLIP, CLIP)
        first = self.trees.decision_function(columns)
        odds = TREES_SHARE * first + (1 - TREES_SHARE) * self.linear.decision_function(scaled)
        return 1 / (1 + np.exp(-np.clip(odds, -30, 30)))


def train(samples: list[Sample]) -> Judges:
    """Train on pages."""
    columns = np.vstack([sample.columns for sample in samples])
    wanted = np.hstack([sample.wanted for sample in samples])
    weights = np.hstack([sample.weights for sample in samples])
    weights = weights / weights.mean()
    scaler = StandardScaler().fit(columns)
    scaled = np.clip(scaler.transform(columns), -CLIP, CLIP)
    trees = HistGradientBoostingClassifier(random_state=0, **TREES)
    linear = LogisticRegression(C=0.01, max_iter=300)
    return Judges(
        trees.fit(columns, wanted, sample_weight=weights),
        linear.fit(scaled, wanted, sample_weight=weights),
        scaler,
    )


def word_f1(sample: Sample, kept: NDArray[Any]) -> float:
    """Compare the chosen blocks with the labelled text as bags of words."""
    own: Counter[str] = Counter()
    for block, keep in zip(sample.blocks, kept, strict=True):
        if keep:
            own.update(WORD.findall(block.text.lower()))
    common = sum((own & sample.gold).values())
    return 2 * common / (sum(own.values()) + sum(sample.gold.values()))


def report(samples: list[Sample], folds: int) -> None:
    """Print word F1 of pages that were held out, by kind of page."""
    order = np.random.default_rng(0).permutation(len(samples))
    scores: dict[str, list[float]] = defaultdict(list)
    for fold in range(folds):
        held = set(order[fold::folds].tolist())
        judges = train([sample for i, sample in enumerate(samples) if i not in held])
        for sample in (samples[i] for i in held if samples[i].gold):
            kept = best_choice(judges.chances(sample.columns), sample.words)
            scores[sample.kind].append(word_f1(sample, kept))
    for kind in sorted(scores):
        print(f"{kind:15} {np.mean(scores[kind]):.3f}")
    print(f"{'all':15} {np.mean([x for values in scores.values() for x in values]):.3f}")


def export(judges: Judges, path: Path) -> None:
    """Write the model as plain arrays."""
    grown = [stage[0].nodes for stage in judges.trees._predictors]  # noqa: SLF001 - no public way
    size = max(len(nodes) for nodes in grown)

    def table(field: str, kind: str) -> NDArray[Any]:
        rows = [np.pad(nodes[field], (0, size - len(nodes))) for nodes in grown]
        return np.asarray(rows).astype(kind)

    leaf = table("is_leaf", "bool")
    stay = np.broadcast_to(np.arange(size), leaf.shape)
    np.savez_compressed(
        path,
        feature=np.where(leaf, 0, table("feature_idx", "int16")),
        threshold=table("num_threshold", "float32"),
        left=np.where(leaf, stay, table("left", "int16")).astype("int16"),
        right=np.where(leaf, stay, table("right", "int16")).astype("int16"),
        value=np.where(leaf, table("value", "float32"), 0).astype("float32"),
        depth=np.asarray(max(int(nodes["depth"].max()) for nodes in grown)),
        offset=np.asarray(judges.trees._baseline_prediction.ravel()[0]),  # noqa: SLF001
        mean=judges.scaler.mean_.astype("float32"),
        scale=judges.scaler.scale_.astype("float32"),
        weights=judges.linear.coef_[0].astype("float32"),
        bias=np.asarray(judges.linear.intercept_[0], dtype="float32"),
    )


def main() -> None:
    """Train, or report on held-out pages."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--folds", type=int, default=0)
    chosen = arguments.parse_args()
    if not os.environ.get("EVAL_DATA"):
        sys.exit("set EVAL_DATA to the folder that holds pages_dev")
    samples = list(read_samples(Path(os.environ["EVAL_DATA"]) / "pages_dev"))
    if chosen.folds:
        report(samples, chosen.folds)
    else:
        export(train(samples), MODEL_FILE)


if __name__ == "__main__":
    main()
