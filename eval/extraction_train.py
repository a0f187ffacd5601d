"""Trains the fetcher's content model on labelled pages.

    EVAL_DATA=<folder> python eval/extraction_train.py [--folds 8 | --without 2 --output FILE]

The folder holds ``pages_dev/index.jsonl`` (id, url, page_type, text) and the pages beside it as
``pages_dev/html/<id>.html.gz``. Needs scikit-learn and LightGBM, which are no dependencies of any
service; set OMP_NUM_THREADS=1 on a busy machine. With ``--folds`` it only reports word F1 of pages
that were held out, whole sites at a time; with ``--without`` it leaves a third of the sites out and
writes the model elsewhere, for ``extraction_eval.py --model``; else it trains on all pages and
writes the model into the package.
"""

import argparse
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
from extraction_samples import WORD, Sample, read_samples, with_nameless
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from pellucid_fetcher.extraction.choosing.content_model import CLIP, MODEL_FILE, TREES_SHARE
from pellucid_fetcher.extraction.choosing.context import context_columns
from pellucid_fetcher.extraction.choosing.features import Featurizer, signature
from pellucid_fetcher.extraction.choosing.priors import Priors
from pellucid_fetcher.extraction.choosing.selecting import choose
from pellucid_fetcher.extraction.choosing.surroundings import load_surroundings

INNER_FOLDS = 2
LINEAR_ROWS = 80_000
ROUNDS = 100
TREES = {
    "objective": "binary",
    "learning_rate": 0.06,
    "num_leaves": 15,
    "max_depth": 6,
    "min_data_in_leaf": 50,
    "lambda_l2": 20.0,
    "feature_fraction_bynode": 0.2,
    "max_bin": 63,
    "num_threads": 1,
    "seed": 0,
    "verbosity": -1,
}


@dataclass(frozen=True, slots=True)
class Trained:
    """A trained judge: trees and a linear one."""

    trees: Any
    linear: Any
    scaler: Any

    def chances(self, columns: NDArray[Any]) -> NDArray[Any]:
        """Judge blocks, 0 to 1."""
        scaled = np.clip(self.scaler.transform(columns), -CLIP, CLIP)
        first = np.asarray(self.trees.predict(columns, raw_score=True))
        odds = TREES_SHARE * first + (1 - TREES_SHARE) * self.linear.decision_function(scaled)
        return 1 / (1 + np.exp(-np.clip(odds, -30, 30)))


@dataclass(frozen=True, slots=True)
class Pair:
    """The two judges, one after the other."""

    first: Trained
    second: Trained

    def chances(self, sample: Sample) -> NDArray[Any]:
        """Judge the blocks of a page, 0 to 1."""
        return self.second.chances(with_context(sample, self.first.chances(sample.columns)))


def with_context(sample: Sample, chances: NDArray[Any]) -> NDArray[Any]:
    """Return the columns of the second judge."""
    looks = [signature(block) for block in sample.blocks]
    return np.hstack([sample.columns, context_columns(sample.blocks, chances, looks)])


def train_pair(samples: list[Sample]) -> Pair:
    """Train both; the second one learns from what the first says about pages it has not seen."""
    seconds = []
    for learned, held in split(samples, INNER_FOLDS):
        judge = train([(samples[i], samples[i].columns) for i in learned])
        seconds += [
            (samples[i], with_context(samples[i], judge.chances(samples[i].columns))) for i in held
        ]
    return Pair(train([(sample, sample.columns) for sample in samples]), train(seconds))


def split(samples: list[Sample], folds: int) -> Iterator[tuple[list[int], list[int]]]:
    """Part the pages into learned and held-out ones, site by site."""
    sites = sorted({sample.site for sample in samples})
    order = np.random.default_rng(folds).permutation(len(sites))
    fold_of = {sites[site]: place % folds for place, site in enumerate(order)}
    for fold in range(folds):
        held = [i for i, sample in enumerate(samples) if fold_of[sample.site] == fold]
        yield sorted(set(range(len(samples))) - set(held)), held


def train(rows: list[tuple[Sample, NDArray[Any]]]) -> Trained:
    """Train one judge on pages and their columns."""
    drawn = [(sample, columns, sample.drawn()) for sample, columns in rows]
    columns = np.vstack([columns[at] for _, columns, at in drawn]).astype(np.float32)
    wanted = np.hstack([sample.wanted[at] for sample, _, at in drawn])
    weights = np.hstack(
        [sample.weights[at] * (len(sample.blocks) / len(at)) for sample, _, at in drawn]
    )
    weights = weights / weights.mean()
    rows_seen = lightgbm.Dataset(columns, wanted, weight=weights)
    trees = lightgbm.train(TREES, rows_seen, num_boost_round=ROUNDS)
    few = np.random.default_rng(0).permutation(len(wanted))[:LINEAR_ROWS]
    scaler = StandardScaler().fit(columns[few])
    scaled = np.clip(scaler.transform(columns[few]), -CLIP, CLIP)
    linear = LogisticRegression(C=0.01, max_iter=100)
    return Trained(trees, linear.fit(scaled, wanted[few], sample_weight=weights[few]), scaler)


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
    surroundings = load_surroundings()
    priors = Priors(Featurizer(surroundings), surroundings)
    scores: dict[str, list[float]] = defaultdict(list)
    for learned, held in split(samples, folds):
        pair = train_pair([samples[i] for i in learned])
        for sample in (samples[i] for i in held if is_measured(samples[i])):
            chances = priors.weigh(
                pair.chances(sample),
                sample.columns,
                sample.blocks,
                is_article=sample.is_article,
                is_goods=sample.is_goods,
            )
            kept = choose(sample.blocks, chances, sample.words)
            scores[sample.kind].append(word_f1(sample, kept))
    for kind in sorted(scores):
        print(f"{kind:15} {np.mean(scores[kind]):.3f}")
    print(f"{'all':15} {np.mean([x for values in scores.values() for x in values]):.3f}")


def is_measured(sample: Sample) -> bool:
    """Tell whether a page is whole, as it was, and has a labelled text."""
    return sample.share == 1.0 and not sample.is_copy and bool(sample.gold)


def export(pair: Pair, path: Path) -> None:
    """Write both judges as plain arrays."""
    first = {f"first_{name}": values for name, values in arrays(pair.first).items()}
    second = {f"second_{name}": values for name, values in arrays(pair.second).items()}
    np.savez_compressed(path, **first, **second)


def arrays(judge: Trained) -> dict[str, NDArray[Any]]:
    """Turn a judge into plain arrays."""
    grown = [flat_tree(tree["tree_structure"]) for tree in judge.trees.dump_model()["tree_info"]]
    size = max(len(nodes) for nodes in grown)
    padding = Node(0, 0.0, 0, 0, 0.0)

    def table(field: str, kind: str) -> NDArray[Any]:
        rows = [[getattr(node, field) for node in nodes] for nodes in grown]
        return np.asarray(
            [row + [getattr(padding, field)] * (size - len(row)) for row in rows]
        ).astype(kind)

    return {
        "feature": table("feature", "int16"),
        "threshold": table("threshold", "float32"),
        "left": table("left", "int16"),
        "right": table("right", "int16"),
        "value": table("value", "float32"),
        "depth": np.asarray(TREES["max_depth"]),
        "offset": np.asarray(0.0),
        "mean": judge.scaler.mean_.astype("float32"),
        "scale": judge.scaler.scale_.astype("float32"),
        "weights": judge.linear.coef_[0].astype("float32"),
        "bias": np.asarray(judge.linear.intercept_[0], dtype="float32"),
    }


@dataclass(slots=True)
class Node:
    """A node of a tree; leaves point at themselves."""

    feature: int
    threshold: float
    left: int
    right: int
    value: float


def flat_tree(root: dict[str, Any]) -> list[Node]:
    """Number the nodes of a tree, the root first."""
    nodes: list[Node] = []
    waiting: list[tuple[dict[str, Any], int, str]] = [(root, -1, "")]
    while waiting:
        found, parent, side = waiting.pop()
        number = len(nodes)
        if parent >= 0:
            setattr(nodes[parent], side, number)
        value = float(found.get("leaf_value", 0.0))
        threshold = float(found.get("threshold", 0.0))
        nodes.append(Node(found.get("split_feature", 0), threshold, number, number, value))
        waiting += [
            (found[f"{name}_child"], number, name)
            for name in ("left", "right")
            if f"{name}_child" in found
        ]
    return nodes


def main() -> None:
    """Train, or report on held-out pages."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--folds", type=int, default=0)
    arguments.add_argument("--without", type=int)
    arguments.add_argument("--output", type=Path, default=MODEL_FILE)
    chosen = arguments.parse_args()
    if chosen.without is not None and chosen.output == MODEL_FILE:
        sys.exit("a model that has not seen all sites is not shipped: give --output")
    if not os.environ.get("EVAL_DATA"):
        sys.exit("set EVAL_DATA to the folder that holds pages_dev")
    read = read_samples(Path(os.environ["EVAL_DATA"]) / "pages_dev")
    whole = [sample for sample in read if sample.fold != chosen.without]
    samples = with_nameless(whole, Featurizer(load_surroundings()))
    if chosen.folds:
        report(samples, chosen.folds)
    else:
        export(train_pair(samples), chosen.output)


if __name__ == "__main__":
    main()
