"""Measures how well citations are told right from wrong.

    EVAL_DATA=<folder> python eval/citations_eval.py

On the project's own planted set: what a model that cites wrongly on purpose gets past the gateway's
verifier, by kind, and how claims about whole pages fare there. With EVAL_DATA also
`cite_dev.jsonl` (sentence, source_texts, supported): the area under the curve of the
support that the verifier finds, and of up to 80 rows of each source of `support_dev.jsonl.gz`
(claim, passage, label, lang, source). Nothing of the data is kept.
"""

import asyncio
import gzip
import json
import os
import random
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from pellucid_gateway.domain.findings import Source
from pellucid_gateway.verification.fact_matching import overlap
from rig.fresh import RightJudge, fresh_answer, fresh_claims, fresh_page
from rig.planted import CHECKABLE, SEMANTIC, Planted, cases, wrongly_answered
from rig.real_support import RealSupport, SupportDown, score
from rig.verifying import judge_of, verified

RIG = Path(__file__).parents[1] / "tests" / "rig"
FRESH = (
    "fresh_claims.yaml",
    "fresh_claims_two.yaml",
    "fresh_claims_three.yaml",
    "fresh_claims_four.yaml",
    "fresh_claims_five.yaml",
    "fresh_claims_six.yaml",
    "fresh_claims_seven.yaml",
    "fresh_claims_eight.yaml",
    "fresh_claims_nine.yaml",
)
MOST_ROWS = 80
PAGES = Path(__file__).parents[1] / "tests" / "rig" / "claims_pages.yaml"


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


async def pages_report() -> None:
    """Print of how many claims about pages the citation is kept, by kind and part of the set."""
    rows: dict[tuple[str, str], list[bool]] = {}
    for case in yaml.safe_load(PAGES.read_text("utf-8")):
        text = case["passage"]
        page = Source(n=1, url="http://p.example/", title="", domain="p.example", facts=text)
        kinds = ((kind, claims) for kind, claims in case.items() if isinstance(claims, list))
        for kind, claim in ((kind, claim) for kind, claims in kinds for claim in claims):
            words = claim.rstrip(".")
            planted = Planted("page", kind, "en", f"{words} [1].", words, (page,), frozenset({1}))
            found = await verified(planted, RealSupport())
            rows.setdefault((kind, case["part"]), []).append(bool(found.cited))
    parts = sorted({part for _, part in rows})
    print(f"\nclaims about pages whose citation is kept{'':>2}" + "".join(f"{p:>9}" for p in parts))
    for kind in dict.fromkeys(kind for kind, _ in rows):
        of_parts = (rows.get((kind, part), []) for part in parts)
        print(f"{kind:<43}" + "".join(f"{f'{sum(k)}/{len(k)}':>9}" for k in of_parts))


async def fresh_report(of: str) -> None:
    """Print how many fresh claims keep their citation: by rules, and by a judge that is right."""
    scorer, count, kept = RealSupport(), Counter[str](), Counter[tuple[str, str]]()
    for case in yaml.safe_load((RIG / of).read_text("utf-8")):
        page = fresh_page(case)
        for kind, claim in fresh_claims(case):
            planted = fresh_answer(page, kind, claim)
            count[kind] += 1
            for name, judge in (("rules", None), ("judge", RightJudge(right=kind == "right"))):
                kept[name, kind] += bool((await verified(planted, scorer, judge)).cited)
    print(f"\n{of}, {count.total()} claims: all, kept by rules, kept with a judge that is right")
    for kind, every in count.items():
        print(f"{kind:<14}{every:>7}{kept['rules', kind]:>7}{kept['judge', kind]:>7}")


async def labelled_report(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print the area under the curve on labelled claims."""
    truth = [bool(row["supported"]) for row in rows]
    pairs = [(row["sentence"], "\n".join(row["source_texts"])) for row in rows]
    methods = {
        "support": [await support(claim, text) for claim, text in pairs],
        "wording": [score(claim, text) for claim, text in pairs],
        "word overlap": [overlap(claim, text) for claim, text in pairs],
    }
    print(f"\narea under the curve, {len(rows)} labelled claims")
    for name, scores in methods.items():
        print(f"{name:<14}{area(scores, truth):>8.3f}")


async def by_source_report(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print the area under the curve of each source that has both labels."""
    by_source: dict[str, list[Mapping[str, Any]]] = {}
    for row in random.Random(1).sample(rows, len(rows)):  # noqa: S311
        by_source.setdefault(row["source"], []).append(row)
    print(f"\n{'support by source':<28}{'rows':>6}{'area':>8}")
    for source, every in sorted(by_source.items()):
        some = every[:MOST_ROWS]
        truth = [row["label"] == "supported" for row in some]
        scores = [await support(r["claim"], r["passage"], r["lang"]) for r in some]
        if any(truth) and not all(truth):
            print(f"{source:<28}{len(some):>6}{area(scores, truth):>8.3f}")


async def support(claim: str, text: str, language: str = "en") -> float:
    """Support of one claim by one text as the gateway judges it, 0 to 1."""
    page = Source(
        n=1, url="http://p.example/", title="", domain="p.example", facts=text, language=language
    )
    ((judged,),) = await judge_of([page], RealSupport(), language).judge([claim])
    return judged.score


def area(scores: list[float], truth: list[bool]) -> float:
    """Chance that a supported claim scores above another one."""
    right = [s for s, good in zip(scores, truth, strict=True) if good]
    wrong = [s for s, good in zip(scores, truth, strict=True) if not good]
    wins = sum((a > b) + 0.5 * (a == b) for a in right for b in wrong)
    return wins / (len(right) * len(wrong))


def main() -> int:
    """Measure both sets."""
    asyncio.run(planted_report())
    asyncio.run(pages_report())
    for of in FRESH:
        asyncio.run(fresh_report(of))
    folder = os.environ.get("EVAL_DATA")
    if not folder:
        print("\ncitations: EVAL_DATA is unset, so no labelled claims were measured")
    elif (file := Path(folder) / "cite_dev.jsonl").is_file():
        rows = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line]
        asyncio.run(labelled_report(rows))
    if folder and (file := Path(folder) / "support_dev.jsonl.gz").is_file():
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            asyncio.run(by_source_report([json.loads(line) for line in lines]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
