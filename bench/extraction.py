"""Extraction: word F1 and pages per CPU second with metadata, beside other libraries in one run.

    python bench/extraction.py [--peer-python .venv-peer/bin/python] [--rounds 3]

Pages are the project's own labelled ones (``eval/pages``), of the usual sizes of pages of the web;
F1 and speed are of the same pages.
Extractors that are not installed are left out and said so. Peers run in the interpreter of
``--peer-python`` through ``extraction_peer.py``.
"""

import argparse
import base64
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "eval"))

from extraction_eval import own_pages, word_f1  # noqa: E402 - the folder is added above

from pellucid_fetcher.document import Document  # noqa: E402
from pellucid_fetcher.extraction.reading.dispatch import open_readers, read  # noqa: E402

RESULTS = ROOT / "bench" / "results" / "extraction.md"
URL = "https://www.lantern.example/page"


@dataclass(frozen=True, slots=True)
class Measured:
    """One extractor: F1 by kind, and pages per CPU second of each round.

    ``unread`` pages are in languages that it cannot read here; they are in no F1.
    """

    f1: Mapping[str, float]
    speeds: Sequence[float]
    unread: int = 0


def measure_own(pages: Sequence[tuple[Mapping[str, Any], bytes]], rounds: int) -> Measured:
    """Measure the fetcher's extraction as a worker process runs it."""
    readers = open_readers()

    def run(bodies: Sequence[bytes]) -> tuple[list[str], float]:
        started = time.process_time()
        texts = [read(readers, Document(body, URL, "text/html")).text for body in bodies]
        return texts, len(bodies) / (time.process_time() - started)

    bodies = [body for _, body in pages]
    texts = run(bodies)[0]
    return Measured(by_kind(pages, texts), [run(bodies)[1] for _ in range(rounds)])


def by_kind(
    pages: Sequence[tuple[Mapping[str, Any], bytes]], texts: Sequence[str | None]
) -> dict[str, float]:
    """Average word F1 for each kind of page, and over all."""
    found: dict[str, list[float]] = {}
    for (row, _), text in zip(pages, texts, strict=True):
        if text is not None:
            found.setdefault(row["page_type"], []).append(word_f1(text, row["text"]))
    means = {kind: statistics.fmean(values) for kind, values in found.items()}
    return means | {"all": statistics.fmean(x for values in found.values() for x in values)}


def measure_peers(
    pages: Sequence[tuple[Mapping[str, Any], bytes]], python: str, rounds: int
) -> dict[str, Measured]:
    """Measure every other library that the interpreter has."""
    job = {
        "rounds": rounds,
        "url": URL,
        "pages": [base64.b64encode(body).decode() for _, body in pages],
    }
    script = Path(__file__).with_name("extraction_peer.py")
    done = subprocess.run(
        [python, script], input=json.dumps(job), stdout=subprocess.PIPE, text=True, check=True
    )
    answers = json.loads(done.stdout.splitlines()[-1])
    return {
        name: Measured(by_kind(pages, found["texts"]), found["speeds"], found["texts"].count(None))
        for name, found in answers.items()
    }


def table(results: Mapping[str, Measured], reference: str) -> str:
    """Write the results as a Markdown table; ratios are to the reference's medians."""
    kinds = list(next(iter(results.values())).f1)
    head = ["extractor", *kinds, "pages/s", "ratio"]
    lines = [f"| {' | '.join(head)} |", "|" + " --- |" * len(head)]
    base = statistics.median(results.get(reference, next(iter(results.values()))).speeds)
    for name, found in results.items():
        cells = [f"{found.f1[kind]:.3f}" for kind in kinds]
        middle = statistics.median(found.speeds)
        cells += [f"{middle:.0f}", f"{middle / base:.2f}"]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    left_out = [
        f"{name} lacks packages for the languages of {found.unread} pages: they are not in its F1, "
        "and its speed is too high by them."
        for name, found in results.items()
        if found.unread
    ]
    return "\n".join([*lines, "", *left_out])


def main() -> None:
    """Measure, print, and keep the table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--peer-python", default=sys.executable)
    arguments.add_argument("--rounds", type=int, default=3)
    chosen = arguments.parse_args()
    pages = list(own_pages())
    results = {"pellucid": measure_own(pages, chosen.rounds)}
    results |= measure_peers(pages, chosen.peer_python, chosen.rounds)
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    sizes = sorted(len(body) // 1000 for _, body in pages)
    told = (
        f"{len(pages)} own pages of {sizes[0]} to {sizes[-1]} KB, half of them above "
        f"{sizes[len(sizes) // 2]} KB; one core, median of {chosen.rounds} rounds, load {load}; "
        "ratios to trafilatura with metadata."
    )
    text = f"# Extraction\n\n{told}\n\n{table(results, 'trafilatura')}\n"
    print(text)
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
