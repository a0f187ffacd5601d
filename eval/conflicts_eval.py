"""Measures which disagreements of sources are told: real ones, and those that only look like it.

    [EVAL_DATA=<folder>] python eval/conflicts_eval.py [-v]

The project's own cases (services/gateway/tests/conflicts.yaml) are always measured. The folder may
hold ``conflicts*.jsonl`` (question, sources with publisher, date and text, real_conflict, values).
"""

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from pellucid_gateway.conflicts.detection import find_conflicts
from pellucid_gateway.domain.findings import PublishedDate, Source

OWN = Path(__file__).parents[1] / "services" / "gateway" / "tests" / "conflicts.yaml"


@dataclass(frozen=True, slots=True)
class Case:
    """A question with what sources say on it; `values` are empty where they do not disagree."""

    question: str
    sources: tuple[Source, ...]
    values: tuple[str, ...]
    is_real: bool


def own_cases() -> Iterator[Case]:
    """The project's own."""
    for case in yaml.safe_load(OWN.read_text("utf-8"))["cases"]:
        texts = [("Paper A", "", case["a"]), ("Paper B", "", case["b"])]
        values = tuple(case.get("values", ()))
        yield Case(case["question"], sources_of(texts), values, bool(values))


def cases_of(path: Path) -> Iterator[Case]:
    """Rows of a folder."""
    for line in path.read_text("utf-8").splitlines():
        row: dict[str, Any] = json.loads(line)
        texts = [(one["publisher"], one.get("date", ""), one["text"]) for one in row["sources"]]
        values = tuple(value["value"] for value in row["values"])
        yield Case(row["question"], sources_of(texts), values, row["real_conflict"])


def sources_of(texts: list[tuple[str, str, str]]) -> tuple[Source, ...]:
    """Sources of publisher, day and text."""
    return tuple(
        Source(
            n=n,
            url=f"https://s{n}.example/",
            title="",
            domain=f"s{n}.example",
            publisher=publisher,
            facts=text,
            text=text,
            published=_day(day),
        )
        for n, (publisher, day, text) in enumerate(texts, start=1)
    )


def _day(day: str) -> PublishedDate | None:
    return PublishedDate(datetime.fromisoformat(day).replace(tzinfo=UTC)) if day else None


def report(name: str, cases: list[Case], *, verbose: bool) -> None:
    """Print precision, recall and the share of real ones told with both values."""
    told = [find_conflicts(case.sources, case.question) for case in cases]
    right = sum(bool(t) and c.is_real for t, c in zip(told, cases, strict=True))
    real, claimed = sum(case.is_real for case in cases), sum(map(bool, told))
    both = sum(c.is_real and _has_both(t, c) for t, c in zip(told, cases, strict=True) if t)
    print(
        f"{name:<24}{len(cases):>5} cases, precision {right / max(1, claimed):.3f}, "
        f"recall {right / max(1, real):.3f}, both values {both / max(1, real):.3f}"
    )
    for found, case in zip(told, cases, strict=True):
        if verbose and bool(found) != case.is_real:
            print(f"  {'false' if found else 'missed'}: {case.question}")


def _has_both(found: Any, case: Case) -> bool:
    given = " ".join(f"{f.first.value} | {f.second.value}" for f in found[:1])
    return sum(value in given or given in value for value in case.values) > 1


def main() -> int:
    """Measure."""
    verbose = "-v" in sys.argv
    report("own", list(own_cases()), verbose=verbose)
    if folder := os.environ.get("EVAL_DATA"):
        for path in sorted(Path(folder).glob("conflicts*.jsonl")):
            report(path.name, list(cases_of(path)), verbose=verbose)
    return 0


if __name__ == "__main__":
    sys.exit(main())
