"""Makes the table of spellings by which short texts are told apart (`pellucid_language.spelling`).

    python services/decision/training/languages.py [--held-out]

Learns from the labelled messages and from the words of the glosses, which count less. With
`--held-out`, one fold of the messages is left out and its errors are printed instead.
"""  # noqa: INP001 - a folder of scripts

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from fitting import Array, Indices, minimise
from messages import labelled

import pellucid_decision
import pellucid_language
from pellucid_decision.text.material import own_words
from pellucid_language.spelling import CODES, runs_of

TABLE = Path(pellucid_language.__file__).with_name("spelling.tsv")
GLOSSES = Path(pellucid_decision.__file__).with_name("data") / "glosses"
# A word of a glossary counts this much of a message. Swept 0 and 0.3.
WORD_COUNTS = 0.3
RIDGE = 0.3
LEAST_SEEN = 12
# With 14,000 runs no more languages of the fold left out were told right.
KEPT_RUNS = 4000
LARGEST = 99
HELD_FOLD = 0


@dataclass(frozen=True, slots=True)
class Spelt:
    """A text whose language is known; `fold` is -1 for the words of glossaries."""

    code: str
    text: str
    fold: int


def spelt() -> Iterator[Spelt]:
    """Yield what is learnt from."""
    for item in labelled():
        if item.language in CODES:
            yield Spelt(item.language, own_words(item.text), item.fold)
    for code in set(CODES) - {"en"}:
        for line in (GLOSSES / f"{code}.tsv").read_text(encoding="utf-8").splitlines():
            word, _, english = line.replace("_", " ").partition("\t")
            if english and word != english:
                yield Spelt(code, word, -1)
                yield Spelt("en", english, -1)


class Fit:
    """A softmax regression over runs of letters."""

    def __init__(self, rows: Sequence[Spelt]) -> None:
        found = [runs_of(row.text) for row in rows]
        seen = Counter(run for runs in found for run in runs)
        self._runs = sorted(run for run, count in seen.items() if count >= LEAST_SEEN)
        places = {run: place for place, run in enumerate(self._runs)}
        kept = [[places[run] for run in sorted(runs) if run in places] for runs in found]
        self._shape = (len(rows), len(self._runs))
        self._rows: Indices = np.repeat(np.arange(len(rows)), [len(each) for each in kept])
        self._columns: Indices = np.array([place for each in kept for place in each])
        lengths = np.array([max(1, len(each)) for each in kept])
        self._values: Array = (lengths**-0.5)[self._rows]
        self._labels = np.array([CODES.index(row.code) for row in rows])
        self._counts: Array = np.array([WORD_COUNTS if row.fold < 0 else 1.0 for row in rows])

    def table(self) -> dict[str, Array]:
        """Return each kept run's part for each language; that of the empty run is added once."""
        count, runs = len(CODES), self._shape[1]
        best = minimise(self._loss, np.zeros(count * (runs + 1)))
        weights, bias = best[:-count].reshape(count, runs), best[-count:]
        weights = weights - weights.mean(axis=0)
        order = np.argsort(-np.abs(weights).max(axis=0), kind="stable")[:KEPT_RUNS]
        step = float(np.abs(weights).max()) / LARGEST
        rounded = np.rint(weights / step) * step
        return {"": bias - bias.mean()} | {self._runs[at]: rounded[:, at] for at in order}

    def _loss(self, point: Array) -> tuple[float, Array]:
        count, (rows, runs) = len(CODES), self._shape
        weights, bias = point[:-count].reshape(count, runs), point[-count:]
        sums = [
            np.bincount(self._rows, each[self._columns] * self._values, rows) for each in weights
        ]
        logits = np.stack(sums, axis=1) + bias
        logits -= logits.max(axis=1, keepdims=True)
        chances = np.exp(logits)
        chances /= chances.sum(axis=1, keepdims=True)
        told = chances[np.arange(rows), self._labels]
        loss = -float(self._counts @ np.log(told)) + 0.5 * RIDGE * float((weights**2).sum())
        wrong = (chances - np.eye(count)[self._labels]) * self._counts[:, None]
        slopes = [
            np.bincount(self._columns, column[self._rows] * self._values, runs)
            for column in wrong.T
        ]
        return loss, np.append(np.stack(slopes) + RIDGE * weights, wrong.sum(axis=0))


def told(table: dict[str, Array], text: str) -> str:
    """Return the language that a table tells of a text."""
    known = [table[run] for run in sorted(runs_of(text)) if run in table]
    odds = np.sum(known, axis=0) * max(1, len(known)) ** -0.5 + table[""]
    return CODES[int(np.argmax(odds))]


def main() -> None:
    """Write the table, or print the errors of a fold that is left out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--held-out", action="store_true")
    rows = tuple(spelt())
    if parser.parse_args().held_out:
        table = Fit([row for row in rows if row.fold != HELD_FOLD]).table()
        held = [row for row in rows if row.fold == HELD_FOLD]
        wrong = Counter(row.code for row in held if told(table, row.text) != row.code)
        sys.stdout.write(f"{sum(wrong.values())} of {len(held)} wrong: {dict(wrong)}\n")
        return
    table = Fit(rows).table()
    lines = ["\t".join((run, *(f"{part:.2f}" for part in table[run]))) for run in sorted(table)]
    head = f"# run of letters, then its part for {', '.join(CODES)}; made by languages.py"
    TABLE.write_text("\n".join((head, *lines)) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(rows)} texts, {len(lines)} runs\n")


if __name__ == "__main__":
    main()
