"""Measures ranking and claim support of the scorer on labelled rows.

    EVAL_DATA=<folder> python eval/scorer_eval.py

The folder may hold ``rank_dev.jsonl`` (query, candidates with title, url, snippet, grade) and
``cite_dev.jsonl`` (sentence, source_texts, supported); what is missing is left out. Nothing of the
data is kept.
"""

import json
import math
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pellucid_scorer import semantic, support, tables, words
from pellucid_scorer.adapters import backends, model_files, openvino_encoder
from pellucid_scorer.adapters.openvino_encoder import OpenVinoEncoder, Precision, Threads
from pellucid_scorer.candidates import Candidate, Subject
from pellucid_scorer.ports import Encoder
from pellucid_scorer.profiles import Overrides
from pellucid_scorer.ranking import Question, Ranking
from pellucid_scorer.settings import Device, ScorerSettings

Scores = npt.NDArray[np.float64]
DEPTH = 10
BM25_K1, BM25_B = 1.2, 0.75


@dataclass(frozen=True, slots=True)
class Asked:
    """One query with its candidates and vectors of both precisions."""

    query: str
    source: str
    candidates: Sequence[Candidate]
    grades: Sequence[int]
    vectors: Mapping[str, npt.NDArray[np.float32]]

    @property
    def texts(self) -> list[str]:
        """What the model reads of each candidate."""
        return [candidate.text for candidate in self.candidates]

    def cosines(self, precision: str) -> npt.NDArray[np.float32]:
        """Return the cosine of the query and each candidate."""
        vectors = self.vectors[precision]
        return semantic.cosines(vectors[1:], vectors[0])


def ndcg(grades: Sequence[int], scores: Sequence[float]) -> float | None:
    """Return nDCG at `DEPTH` with exponential gains; None when nothing is relevant."""
    order = sorted(range(len(grades)), key=lambda place: -scores[place])
    best = _gain(sorted(grades, reverse=True))
    return _gain([grades[place] for place in order]) / best if best else None


def _gain(grades: Sequence[int]) -> float:
    return sum((2**grade - 1) / math.log2(rank + 2) for rank, grade in enumerate(grades[:DEPTH]))


def bm25(query: str, texts: Sequence[str]) -> list[float]:
    """Return the BM25 score of each text, with statistics of these texts alone."""
    bags = [Counter(words.terms(text)) for text in texts]
    lengths = [bag.total() for bag in bags]
    mean = sum(lengths) / len(lengths) or 1.0
    seen = Counter(term for bag in bags for term in bag)
    scores = []
    for bag, length in zip(bags, lengths, strict=True):
        norm = BM25_K1 * (1 - BM25_B + BM25_B * length / mean)
        scores.append(
            sum(
                math.log(1 + (len(bags) - seen[term] + 0.5) / (seen[term] + 0.5))
                * bag[term]
                * (BM25_K1 + 1)
                / (bag[term] + norm)
                for term in set(words.terms(query))
                if bag[term]
            )
        )
    return scores


def rank_report(rows: Sequence[Mapping[str, Any]], encoders: Mapping[str, Encoder]) -> None:
    """Print nDCG of each method by source of the rows."""
    asked = [_asked(row, encoders) for row in rows]
    rules = tables.read_profiles().rules("", Overrides(), time_sensitive=False)
    score_tables = tables.read_tables()
    ours = next(iter(encoders))

    def full(one: Asked) -> list[float]:
        question = Question(one.query, Subject(), datetime.now(UTC))
        verdicts = Ranking(score_tables, rules, question).rank(
            one.candidates, _lifted(one, ours), one.vectors[ours][1:]
        )
        by_id = {verdict.rated.candidate.id: verdict.rated.final for verdict in verdicts}
        return [by_id[candidate.id] for candidate in one.candidates]

    methods: dict[str, Callable[[Asked], Sequence[float]]] = {
        "given order": lambda one: [-place for place in range(len(one.candidates))],
        "BM25": lambda one: bm25(one.query, one.texts),
        **{
            f"cosine {name}": lambda one, name=name: one.cosines(name).tolist()  # type: ignore[misc]
            for name in encoders
        },
        "semantic with lift": lambda one: [part.score for part in _lifted(one, ours)],
        "full formula": full,
    }
    sources = sorted({one.source for one in asked})
    print(f"\nnDCG@{DEPTH:<22}" + "".join(f"{source[:18]:>20}" for source in [*sources, "all"]))
    for name, method in methods.items():
        found: dict[str, list[float]] = defaultdict(list)
        for one in asked:
            value = ndcg(one.grades, method(one))
            if value is not None:
                found[one.source].append(value)
                found["all"].append(value)
        print(f"{name:<27}" + "".join(f"{np.mean(found[s]):>20.4f}" for s in [*sources, "all"]))


def support_report(rows: Sequence[Mapping[str, Any]], encoder: Encoder) -> None:
    """Print how well support and its parts tell supported claims from others."""
    truth = np.array([bool(row["supported"]) for row in rows])
    judged = [_judgement(row, encoder) for row in rows]
    parts = {
        "support score": [one.score for one in judged],
        "overlap alone": [one.checks.window.overlap for one in judged],
        "cosine alone": [one.cosine for one in judged],
        "nothing missing": [float(not one.checks.missing) for one in judged],
    }
    print("\narea under the curve")
    for name, values in parts.items():
        print(f"{name:<27}{area(np.array(values), truth):>8.3f}")
    print("\nscore      claims  supported")
    scores = np.array(parts["support score"])
    for low, high in ((0.0, 0.2), (0.2, 0.5), (0.5, 0.7), (0.7, 1.01)):
        inside = (scores >= low) & (scores < high)
        share = truth[inside].mean() if inside.any() else float("nan")
        print(f"{low:.1f}-{min(high, 1.0):.1f}    {inside.sum():>6}  {share:>9.2f}")


def area(scores: Scores, truth: npt.NDArray[np.bool_]) -> float:
    """Return the chance that a supported claim scores above another one."""
    right, wrong = scores[truth][:, None], scores[~truth][None, :]
    return float(np.mean((right > wrong) + 0.5 * (right == wrong)))


def _asked(row: Mapping[str, Any], encoders: Mapping[str, Encoder]) -> Asked:
    candidates = [
        Candidate(id=str(place), url=one["url"], title=one["title"], snippet=one["snippet"])
        for place, one in enumerate(row["candidates"])
    ]
    texts = [row["query"], *(candidate.text for candidate in candidates)]
    vectors = {name: embed(encoder, texts) for name, encoder in encoders.items()}
    grades = [one["grade"] for one in row["candidates"]]
    return Asked(row["query"], row["source"], candidates, grades, vectors)


def _lifted(one: Asked, precision: str) -> Sequence[semantic.Semantic]:
    return semantic.rate_all(one.query, one.texts, one.cosines(precision), frozenset({"LATIN"}))


def _judgement(row: Mapping[str, Any], encoder: Encoder) -> support.Judgement:
    passage = support.Passage.read(id="p", text="\n".join(row["source_texts"]))
    checks = support.check(support.Claim.read(row["sentence"]), passage)
    window = passage.text[checks.window.start : checks.window.end]
    claim, text = embed(encoder, [row["sentence"], window])
    return support.judge("p", checks, float(claim @ text))


def embed(encoder: Encoder, texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """Return float32[n, d], each text alone so that padding plays no part."""
    return np.concatenate([encoder.encode([ids]) for ids in encoder.tokenize(texts)])


def open_encoders() -> Mapping[str, Encoder]:
    """Return the backend of this machine, and float32 beside it."""
    settings = ScorerSettings()
    files = model_files.find(
        tables.read_models(settings.scorer_models_file).named(settings.scorer_model),
        source=settings.scorer_model_source,
        folder=settings.scorer_model_dir,
        cache=settings.data_dir / "models",
    )
    ours = backends.open_encoder(files, Device.CPU, settings.scorer_threads)
    exact = OpenVinoEncoder(
        files,
        openvino_encoder.graph(files),
        precision=Precision.FP32,
        threads=Threads(streams=1, threads=backends.usable_cores()),
    )
    return {encoder.name.rsplit("/", 1)[-1]: encoder for encoder in (ours, exact)}


def rows_of(file: Path) -> list[dict[str, Any]]:
    """Return the rows of a file of JSON lines; none when it is not there."""
    if not file.is_file():
        return []
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line]


def main() -> int:
    """Measure what the folder offers."""
    folder = os.environ.get("EVAL_DATA")
    if not folder:
        print("scorer: set EVAL_DATA to a folder of labelled rows")
        return 0
    encoders = open_encoders()
    ranked, cited = (rows_of(Path(folder) / f"{name}_dev.jsonl") for name in ("rank", "cite"))
    if ranked:
        rank_report(ranked, encoders)
    if cited:
        support_report(cited, next(iter(encoders.values())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
