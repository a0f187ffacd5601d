"""Tries trained weights: decisions and queries on labelled rows, with what was wrong.

    python evaluate.py --encoder e5-small-q4.bin --weights weights.pt [--sweep] [--show] ROWS...

Rows with `must` groups are judged by them; rows with `queries` by their words: all of a written
query's words found in one of the model's, and at most `SPARE_WORDS` others.
"""

import argparse
import itertools
import json
import re
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from kinds import KINDS
from network import Understanding
from rows import read

from pellucid_decision.understanding.query_assembly import DEFAULTS, Constants, decode, written
from pellucid_decision.understanding.words import Piece, Word, words_of
from pellucid_scorer.adapters.packed_model import PackedModel
from pellucid_scorer.adapters.pieces import Pieces
from pellucid_scorer.understanding.layout import arranged

SPARE_WORDS = 2
BATCH = 24
_CJK = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


class Reader:
    """Weights that read rows."""

    def __init__(self, encoder: Path, weights: Path) -> None:
        vocabulary = PackedModel.read(encoder).vocabulary()
        self.pad = vocabulary.pad
        self.pieces = Pieces(vocabulary, 512)
        self.model = Understanding(encoder, len(KINDS))
        self.model.load_state_dict(torch.load(weights), strict=False)
        self.model.eval()

    def read(self, rows: Sequence[dict]) -> list[dict]:
        """Return words and probabilities of each row."""
        laid = [
            arranged(
                row["message"], [(t["role"], t["content"]) for t in row["history"]], self.pieces
            )
            for row in rows
        ]
        order = sorted(range(len(rows)), key=lambda n: len(laid[n].ids))
        found: list[dict] = [{}] * len(rows)
        for start in range(0, len(order), BATCH):
            places = order[start : start + BATCH]
            for place, said in zip(places, self._batch([laid[n] for n in places]), strict=True):
                texts = [rows[place]["message"], *(t["content"] for t in rows[place]["history"])]
                tagged = [
                    Piece(*at, tuple(map(float, tags)))
                    for at, tags in zip(laid[place].places, said["tags"], strict=False)
                    if at is not None
                ]
                found[place] = said | {"words": words_of(texts, tagged)}
        return found

    def _batch(self, laid: Sequence) -> list[dict]:
        shape = (len(laid), max(len(one.ids) for one in laid))
        ids = np.full(shape, self.pad)
        segments = torch.zeros(shape, dtype=torch.long)
        mask = torch.zeros(shape, dtype=torch.bool)
        for n, one in enumerate(laid):
            ids[n, : len(one.ids)] = one.ids
            segments[n, : len(one.ids)] = torch.tensor(one.segments)
            mask[n, : len(one.ids)] = True
        with torch.inference_mode():
            said = self.model(ids, segments, mask)
        return [
            {
                "tags": torch.sigmoid(said["tags"][n]).numpy(),
                "search": float(said["search"][n]),
                "leans": float(said["leans"][n]),
                "fresh": torch.softmax(said["fresh"][n], 0).numpy(),
                "kind": KINDS[int(said["kind"][n].argmax())],
            }
            for n in range(len(laid))
        ]


def folded(text: str) -> str:
    """Return a text for comparison."""
    text = unicodedata.normalize("NFKC", text)
    for curly, straight in (("’", "'"), ("‘", "'"), ("“", '"'), ("”", '"')):
        text = text.replace(curly, straight)
    return " ".join(text.split()).lower()


def faults(row: dict, queries: Sequence[str]) -> list[str]:
    """Return what is wrong with queries."""
    texts = [folded(query) for query in queries]
    if "must" not in row:
        return _unlike(row["queries"], texts)
    found = [
        f"lacks {group[0]}"
        for group in row["must"]
        if not any(folded(phrase) in text for phrase in group for text in texts)
    ]
    found += [
        f"apart {group}"
        for group in row.get("must_together", ())
        if not any(all(folded(phrase) in text for phrase in group) for text in texts)
    ]
    found += [
        f"has {word}"
        for word in row.get("must_not", ())
        if any(_has(folded(word), text) for text in texts)
    ]
    if row.get("need", 1) > max(1, len(texts)):
        found.append(f"{len(texts)} of {row['need']}")
    return found


def _has(word: str, text: str) -> bool:
    if _CJK.search(word):
        return word in text
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


def _unlike(wanted: Sequence[str], texts: Sequence[str]) -> list[str]:
    found = []
    for query in wanted:
        words = folded(re.sub(r"\[[^\]]*\]", " ", query)).split()
        if not words:
            continue
        lacking = [[w for w in words if w.strip(".,?!") not in text] for text in texts] or [words]
        best = min(lacking, key=len)
        if best:
            found.append(f"lacks {best}")
    size = sum(len(query.split()) for query in wanted)
    if sum(len(text.split()) for text in texts) > size + SPARE_WORDS * max(1, len(wanted)):
        found.append("too long")
    return found


def queries_of(said: dict, constants: Constants) -> list[str]:
    """Return the queries that words make."""
    words: Sequence[Word] = said["words"]
    return [written(query) for query in decode(words, constants)]


def judged(rows: Sequence[dict], read_: Sequence[dict], constants: Constants) -> dict:
    """Return the share of searching rows that are right, by group."""
    groups = defaultdict(list)
    for row, said in zip(rows, read_, strict=True):
        if not row.get("search", row.get("needs_search", True)):
            continue
        right = not faults(row, queries_of(said, constants))
        for name in ("all", "history" if row["history"] else "alone", row["lang"]):
            groups[name].append(right)
    return {name: (round(sum(v) / len(v), 3), len(v)) for name, v in sorted(groups.items())}


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--sweep", action="store_true")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("files", type=Path, nargs="+")
    options = parser.parse_args()
    torch.set_num_threads(1)
    reader = Reader(options.encoder, options.weights)
    sets = {}
    for path in options.files:
        rows = [{"history": []} | row for row in read(path)]
        sets[path.name] = rows, reader.read(rows)
    for name, (rows, said) in sets.items():
        print(name, json.dumps(judged(rows, said, DEFAULTS)))
        labels = [row.get("search", row.get("needs_search")) for row in rows]
        for floor in (0.3, 0.5, 0.7):
            hits = [1 / (1 + np.exp(-one["search"])) > floor for one in said]
            known = [(h, y) for h, y in zip(hits, labels, strict=True) if y is not None]
            both = sum(h and y for h, y in known)
            if known and sum(y for _, y in known):
                print(
                    f"  search above {floor}: P {both / max(1, sum(h for h, _ in known)):.3f}"
                    f" R {both / max(1, sum(y for _, y in known)):.3f}"
                )
        if options.show:
            for row, one in zip(rows, said, strict=True):
                queries = queries_of(one, DEFAULTS)
                wrong = faults(row, queries) if row.get("search", row.get("needs_search", 1)) else 0
                if wrong:
                    print(
                        "  ", row["lang"], len(row["history"]), row["message"][:80], queries, wrong
                    )
    if options.sweep:
        sweep(sets)
    return 0


def sweep(sets: dict) -> None:
    """Print the best constants over all sets, each set counting the same."""
    tried = []
    for keep, gap, further, name, least in itertools.product(
        (0.2, 0.25, 0.3, 0.35, 0.4), (0.1, 0.15), (0.3, 0.4, 0.5), (0.05, 0.08, 0.12), (2,)
    ):
        constants = replace(
            DEFAULTS, keep=keep, gap_floor=gap, further_floor=further, name_floor=name,
            least_words=least,
        )  # fmt: skip
        shares = [judged(rows, said, constants)["all"][0] for rows, said in sets.values()]
        tried.append((sum(shares) / len(shares), shares, keep, gap, further, name, least))
    for line in sorted(tried, reverse=True)[:12]:
        print(line)


if __name__ == "__main__":
    sys.exit(main())
