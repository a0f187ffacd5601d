"""Measures the fetcher's extraction on labelled pages, beside other libraries in the same run.

    [EVAL_DATA=<folder>] python eval/extraction_eval.py [--without-peer] [--model FILE --fold 2]

The project's own pages (``pages/``) are always measured. Peers are measured when they are installed
(trafilatura, resiliparse, readability-lxml, newspaper4k); no service needs them. With ``--fold``
only the sites of one third are measured, with a model that was trained ``--without`` them.

The folder of EVAL_DATA holds ``pages_dev/index.jsonl`` (id, url, page_type, text, with, without,
title, date) and the pages beside it as ``pages_dev/html/<id>.html.gz``. Printed are word F1 by kind
of page (words as a multiset, mean over pages), the share of forbidden snippets that were found,
exact titles, exact days of dated pages, dates where the page has none, and pages per CPU second.
"""

import argparse
import gzip
import os
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from extraction_samples import fold_of, read_index
from pages.labelled import labelled_pages

from pellucid_fetcher.document import Document
from pellucid_fetcher.extraction.choosing.content_model import MODEL_FILE
from pellucid_fetcher.extraction.choosing.selecting import open_selector
from pellucid_fetcher.extraction.reading.dispatch import open_readers, read
from pellucid_fetcher.extraction.reading.html import HtmlReader
from pellucid_fetcher.extraction.reading.walls import load_walls

WORD = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]|[^\W\u3040-\u30ff\u4e00-\u9fff]+")
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reading:
    """What an extractor makes of a page."""

    text: str
    title: str = ""
    day: str = ""


Extractor = Callable[[bytes, str], Reading]


@dataclass(slots=True)
class Score:
    """Sums over the pages."""

    f1: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    forbidden: list[bool] = field(default_factory=list)
    titles: list[bool] = field(default_factory=list)
    days: list[bool] = field(default_factory=list)
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
        if row["date"]:
            self.days.append(reading.day == row["date"])
        else:
            self.invented.append(bool(reading.day))


def word_f1(text: str, gold: str) -> float:
    """Compare two texts as bags of words, 0 to 1; of CJK texts each character counts."""
    own, other = (Counter(WORD.findall(value.lower())) for value in (text, gold))
    common = sum((own & other).values())
    return 2 * common / max(1, sum(own.values()) + sum(other.values()))


def own_extractor(model: Path = MODEL_FILE) -> Extractor:
    """The fetcher's extraction, as its workers run it."""
    html = HtmlReader(load_walls(), open_selector(model))
    readers = {**open_readers(), "text/html": html.read}

    def extract(body: bytes, url: str) -> Reading:
        extracted = read(readers, Document(body, url, "text/html"))
        published = extracted.published
        day = published.time.date().isoformat() if published is not None else ""
        return Reading(extracted.text, extracted.title, day)

    return extract


def peer_extractor() -> Extractor:
    """Trafilatura's defaults, without comments, with metadata."""
    import trafilatura

    def extract(body: bytes, url: str) -> Reading:
        found = trafilatura.bare_extraction(
            body, url=url, include_comments=False, with_metadata=True
        )
        if found is None:
            return Reading("")
        return Reading(found.text or "", found.title or "", found.date or "")

    return extract


def text_extractor(make: Callable[[], Callable[[bytes, str], str | None]]) -> Extractor:
    """A library of which only the text is measured."""
    extract = make()
    return lambda body, url: Reading(extract(body, url) or "")


def installed_peers() -> dict[str, Callable[[], Extractor]]:
    """List the other libraries that this interpreter has."""
    peers: dict[str, Callable[[], Extractor]] = {}
    if find_spec("trafilatura") is not None:
        peers["trafilatura"] = peer_extractor
    sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))
    import extraction_peer

    for name in ("resiliparse", "readability", "newspaper"):
        if find_spec(name) is not None:
            peers[name] = partial(text_extractor, getattr(extraction_peer, name))
    return peers


def read_pages(folder: Path) -> Iterator[tuple[Row, bytes]]:
    """Read the labelled pages."""
    for row in read_index(folder):
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
    _line("exact days", [_mean(score.days) for score in scores.values()])
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
    arguments.add_argument("--model", type=Path, default=MODEL_FILE)
    arguments.add_argument("--fold", type=int)
    chosen = arguments.parse_args()
    extractors = {"pellucid": partial(own_extractor, chosen.model)}
    if not chosen.without_peer:
        extractors |= installed_peers()
    print("own labelled pages")
    show({name: measure(own_pages(), opened()) for name, opened in extractors.items()})
    if os.environ.get("EVAL_DATA"):
        folder = Path(os.environ["EVAL_DATA"]) / "pages_dev"
        seen = chosen.model == MODEL_FILE
        learnt = "the model has learnt from these pages" if seen else "unseen sites"
        print(f"\n{folder.name}; {learnt}")
        rows = [
            (row, body)
            for row, body in read_pages(folder)
            if chosen.fold is None or fold_of(row["url"]) == chosen.fold
        ]
        show({name: measure(rows, opened()) for name, opened in extractors.items()})


if __name__ == "__main__":
    main()
