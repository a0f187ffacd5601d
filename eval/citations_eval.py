"""Measures how well citations are told right from wrong.

    EVAL_DATA=<folder> python eval/citations_eval.py

On the project's own planted set: what a model that cites wrongly on purpose gets past the gateway's
verifier, by kind. With EVAL_DATA also `cite_dev.jsonl` (sentence, source_texts, supported): the
area under the curve of the scorer's support, as the verifier uses it. Nothing of the data is kept.
"""

import asyncio
import json
import os
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from pellucid_gateway.claim_checks import overlap
from rig.planted import CHECKABLE, SEMANTIC, cases, wrongly_answered
from rig.real_support import RealSupport, SupportDown, score
from rig.verifying import verified


async def planted_report() -> None:
    """Print how many planted citations of each kind reach the reader."""
    count = Counter(case.kind for case in cases())
    print(f"{len(cases())} planted answers in {len({c.language for c in cases()})} languages")
    print(f"{'kind':<14}{'cases':>7}{'with scorer':>13}{'words alone':>13}")
    wrong = {}
    for name, scorer in (("scorer", RealSupport()), ("words", SupportDown())):
        missed = [c for c in cases() if wrongly_answered(c, await verified(c, scorer))]
        wrong[name] = Counter(case.kind for case in missed)
    for kind in (*CHECKABLE, *SEMANTIC, "right"):
        label = "right, lost" if kind == "right" else kind
        print(f"{label:<14}{count[kind]:>7}{wrong['scorer'][kind]:>13}{wrong['words'][kind]:>13}")


def labelled_report(file: Path) -> None:
    """Print the area under the curve on labelled claims."""
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line]
    truth = [bool(row["supported"]) for row in rows]
    texts = ["\n".join(row["source_texts"]) for row in rows]
    claims = [row["sentence"] for row in rows]
    methods = {
        "support": [score(claim, text) for claim, text in zip(claims, texts, strict=True)],
        "word overlap": [overlap(claim, text) for claim, text in zip(claims, texts, strict=True)],
    }
    print(f"\narea under the curve, {len(rows)} labelled claims")
    for name, scores in methods.items():
        print(f"{name:<14}{area(scores, truth):>8.3f}")


def area(scores: list[float], truth: list[bool]) -> float:
    """Chance that a supported claim scores above another one."""
    right = [s for s, good in zip(scores, truth, strict=True) if good]
    wrong = [s for s, good in zip(scores, truth, strict=True) if not good]
    wins = sum((a > b) + 0.5 * (a == b) for a in right for b in wrong)
    return wins / (len(right) * len(wrong))


def main() -> int:
    """Measure both sets."""
    asyncio.run(planted_report())
    folder = os.environ.get("EVAL_DATA")
    if not folder:
        print("\ncitations: EVAL_DATA is unset, so no labelled claims were measured")
    elif (file := Path(folder) / "cite_dev.jsonl").is_file():
        labelled_report(file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
