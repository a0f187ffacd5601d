"""Measures the fetcher's extraction on labelled pages, beside trafilatura in the same run.

    [EVAL_DATA=<folder>] python eval/extraction_eval.py [--without-peer]

The project's own pages (``pages/``) are always measured. The peer is measured when it is installed;
no service needs it.

The folder of EVAL_DATA holds ``pages_dev/index.jsonl`` (id, url, page_type, text, with, without,
title, date) and the pages beside it as ``pages_dev/html/<id>.html.gz``. Printed are word F1 by kind
of page, the share of forbidden snippets that were found, exact titles, dates where the page has
none, and pages per CPU second with metadata.
"""

import argparse
import gzip
import json
import os
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pages.labelled import labelled_pages

from pellucid_fetcher.document import Document
from pellucid_fetcher.extraction.reading import open_readers, read

WORD = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]|[^\W\u3040-\u30ff\u4e00-\u9fff]+")
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reading:
    """What an extractor makes of a page."""

    text: str
    title: str
    dated: bool


Extractor = Callable[[bytes, str], Reading]


@dataclass(slots=True)
class Score:
    """Sums over the pages."""

    f1: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    forbidden: list[bool] = field(default_factory=list)
    titles: list[bool] = field(default_factory=list)
    invented: list[bool] = field(default_factory=list)
    seconds: float = 0.0
    pages: int = 0

    def add(self, row: Row, reading: Reading) -> None:
        """Count a page in."""
        self.pages += 1
        if WORD.search(row["text"]):
            self.f1[row["page_type"]].append(word_f1(reading.text, row["text"]))
        flat = " ".join(reading.text.split())
        self.forbidden += [" ".join(snippet.split()) in flat for snippet in row["without"]]
        if row["title"]:
            self.titles.append(reading.title == row["title"])
        if not row["date"]:
            self.invented.append(reading.dated)


def word_f1(text: str, gold: str) -> float:
    """Compare two texts as bags of words, 0 to 1; of CJK texts each character counts."""
    own, other = (Counter(WORD.findall(value.lower())) for value in (text, gold))
    common = sum((own & other).values())
    return 2 * common / max(1, sum(own.values()) + sum(other.values()))


def own_extractor() -> Extractor:
    """The fetcher's extraction, as its workers run it."""
    readers = open_readers()

    def extract(body: bytes, url: str) -> Reading:
        extracted = read(readers, Document(body, url, "text/html"))
        return Reading(extracted.text, extracted.title, extracted.published is not None)

    return extract


def peer_extractor() -> Extractor:
    """Trafilatura's defaults, without comments, with metadata."""
    import trafilatura

    def extract(body: bytes, url: str) -> Reading:
        found = trafilatura.bare_extraction(
            body, url=url, include_comments=False, with_metadata=True
        )
        if found is None:
            return Reading("", "", dated=False)
        return Reading(found.text or "", found.title or "", bool(found.date))

    return extract


def read_pages(folder: Path) -> Iterator[tuple[Row, bytes]]:
    """Read the labelled pages."""
    for line in (folder / "index.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        yield row, gzip.decompress((folder / "html" / f"{row['id']}.html.gz").read_bytes())


def own_pages() -> Iterator[tuple[Row, bytes]]:
    """Build the project's own labelled pages."""
    for page in labelled_pages():
        row = {
            "page_type": page.kind,
            "url": page.url,
            "text": page.text,
            "without": page.must_not,
            "title": page.title,
            "date": page.date,
        }
        yield row, page.body


def measure(pages: Iterable[tuple[Row, bytes]], extract: Extractor) -> Score:
    """Run an extractor over pages."""
    score = Score()
    for row, body in pages:
        started = time.process_time()
        reading = extract(body, row["url"])
        score.seconds += time.process_time() - started
        score.add(row, reading)
    return score


def show(scores: Mapping[str, Score]) -> None:
    """Print a table, one column for each extractor."""
    kinds = sorted({kind for score in scores.values() for kind in score.f1})
    print(f"{'':24}" + "".join(f"{name:>14}" for name in scores))
    for kind in kinds:
        _line(f"F1 {kind}", [_mean(score.f1[kind]) for score in scores.values()])
    everything = [[x for values in score.f1.values() for x in values] for score in scores.values()]
    _line("F1 all", list(map(_mean, everything)))
    _line("forbidden found", [_mean(score.forbidden) for score in scores.values()])
    _line("exact titles", [_mean(score.titles) for score in scores.values()])
    _line("dates where none is", [_mean(score.invented) for score in scores.values()])
    _line("pages per CPU second", [score.pages / score.seconds for score in scores.values()])


def _line(label: str, values: list[float]) -> None:
    print(f"{label:24}" + "".join(f"{value:14.3f}" for value in values))


def _mean(values: list[float] | list[bool]) -> float:
    return sum(values) / max(1, len(values))


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--without-peer", action="store_true")
    chosen = arguments.parse_args()
    extractors = {"pellucid": own_extractor}
    if not chosen.without_peer and find_spec("trafilatura") is not None:
        extractors["trafilatura"] = peer_extractor
    print("own labelled pages")
    show({name: measure(own_pages(), opened()) for name, opened in extractors.items()})
    if os.environ.get("EVAL_DATA"):
        folder = Path(os.environ["EVAL_DATA"]) / "pages_dev"
        print(f"\n{folder.name}; the model is trained on these pages: quote --folds instead")
        show({name: measure(read_pages(folder), opened()) for name, opened in extractors.items()})


if __name__ == "__main__":
    main()
