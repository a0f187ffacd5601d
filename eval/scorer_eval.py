"""Measures ranking and claim support of the scorer on labelled rows.

    [EVAL_DATA=<folder>] python eval/scorer_eval.py

The project's own graded questions are always measured. The folder may hold ``rank_dev.jsonl``
(query, candidates with title, url, snippet, grade) and ``cite_dev.jsonl`` (sentence, source_texts,
supported); what is missing is left out. Nothing of the data is kept.
"""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pellucid_scorer.adapters import backends
from pellucid_scorer.ports import Encoder
from pellucid_scorer.ranking.candidates import Candidate
from pellucid_scorer.settings import ScorerSettings
from pellucid_scorer.support import likeness as support

sys.path.insert(0, str(Path(__file__).parents[1] / "services" / "scorer"))

import ranked

Scores = npt.NDArray[np.float64]


def rank_report(
    title: str, asked: Sequence[ranked.Asked], encoders: Mapping[str, Sequence[Encoder]]
) -> None:
    """Print nDCG of each method and precision by kind of question."""
    kinds = [*dict.fromkeys(one.kind for one in asked), "all"]
    print(f"\n{title}: nDCG@{ranked.DEPTH} of {len(asked)} questions")
    print(" " * 27 + "".join(f"{kind[:14]:>16}" for kind in kinds))
    rows = {name: ranked.read(asked, models) for name, models in encoders.items()}
    for method_name, method in ranked.methods(datetime.now(UTC)).items():
        # Only these depend on the vectors.
        names = list(rows)[:1] if method_name in ("given order", "BM25") else rows
        for name in names:
            found = ranked.mean_by_kind(rows[name], method)
            label = f"{method_name} {name}" if len(list(names)) > 1 else method_name
            print(f"{label:<27}" + "".join(f"{found.get(k, np.nan):>16.4f}" for k in kinds))


def _asked(row: Mapping[str, Any]) -> ranked.Asked:
    candidates = tuple(
        Candidate(
            id=str(place),
            url=one["url"],
            title=one["title"],
            snippet=one["snippet"],
            rank=one.get("rank", place + 1),
        )
        for place, one in enumerate(row["candidates"])
    )
    grades = tuple(one["grade"] for one in row["candidates"])
    return ranked.Asked(row["query"], row["source"], candidates, grades)


def support_report(rows: Sequence[Mapping[str, Any]], encoder: Encoder) -> None:
    """Print how well support and its parts tell supported claims from others."""
    truth = np.array([bool(row["supported"]) for row in rows])
    judged = _judgements(rows, encoder)
    parts = {
        "support score": [one.score for one in judged],
        "overlap alone": [one.window.overlap for one in judged],
        "cosine alone": [one.cosine for one in judged],
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


def _judgements(rows: Sequence[Mapping[str, Any]], encoder: Encoder) -> Sequence[support.Judgement]:
    found = []
    for row in rows:
        passage = support.Passage.read(id="p", text="\n".join(row["source_texts"]))
        window = support.best_window(support.Claim.read(row["sentence"]), passage)
        found.append((row["sentence"], passage.text[window.start : window.end], window))
    claims = ranked.embed(encoder, [claim for claim, _, _ in found])
    windows = ranked.embed(encoder, [window for _, window, _ in found])
    cosines = (claims * windows).sum(axis=1)
    return [
        support.judge("p", window, float(cosine))
        for (_, _, window), cosine in zip(found, cosines, strict=True)
    ]


def open_encoders() -> Mapping[str, Sequence[Encoder]]:
    """Return this machine's models: all together, then each alone."""
    encoders = backends.open_models(ScorerSettings()).encoders
    alone = {encoder.name.partition("/")[0]: (encoder,) for encoder in encoders}
    return {"together": encoders, **alone} if len(encoders) > 1 else alone


def rows_of(file: Path) -> list[dict[str, Any]]:
    """Return the rows of a file of JSON lines; none when it is not there."""
    if not file.is_file():
        return []
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line]


def main() -> int:
    """Measure the project's own questions and what the folder offers."""
    encoders = open_encoders()
    rank_report("own questions", ranked.own(), encoders)
    rank_report("own questions across languages", ranked.own(ranked.ACROSS), encoders)
    folder = os.environ.get("EVAL_DATA")
    if not folder:
        print("scorer: EVAL_DATA=<folder> of labelled rows measures more")
        return 0
    asked = [_asked(row) for row in rows_of(Path(folder) / "rank_dev.jsonl")]
    if asked:
        rank_report("rank_dev", asked, encoders)
    cited = rows_of(Path(folder) / "cite_dev.jsonl")
    if cited:
        support_report(cited, next(iter(encoders.values()))[0])
    return 0


if __name__ == "__main__":
    sys.exit(main())
