"""Trains a model that reads a claim together with a passage: does the passage say it?

    python eval/pairs_train.py --data <folder> --weights <folder> --output <folder> [--minutes 70]

The data folder has ``support_train.jsonl.gz`` and ``support_dev.jsonl.gz``: rows of claim, passage,
label, lang and source, dev documents apart from train ones. The weights are those of MiniLM (the
folder in its package). Needs torch and transformers, which are no dependencies of any service. It
reads what the scorer's verifier would: the claim, and the best window of the passage. The output
is a folder for ``SCORER_VERIFIER``, with a checkpoint from which an interrupted run goes on. In the
end it prints the area under the curve of each source. What came of it is in ADR 39.
"""

import argparse
import gzip
import json
import random
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from pellucid_scorer.support import likeness

LEFT_OUT = frozenset(
    {"mnli_dev_matched", "snli_dev", "negation_nli", "wice_train_partial", "factcheck_gpt_stance"}
)
"""Of unclear licence, those of one label, and one kept unseen."""
BATCH = 32
BUCKET = 50 * BATCH
LENGTH = 128
RATE, HEAD_RATE, LEAST_RATE = 6e-5, 6e-4, 0.02
WARM_STEPS = 60
STEPS_BETWEEN_CHECKPOINTS = 100
Row = dict[str, Any]


def rows_of(file: Path) -> Iterator[Row]:
    """Yield the English rows, and of derived ones those whose base may be used."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if row["lang"] == "en" and row.get("base") not in LEFT_OUT:
                yield row


def pair(row: Row) -> tuple[str, str]:
    """Best window of a row and its claim, in the order of the scorer's verifier."""
    claim = likeness.Claim.read(row["claim"])
    passage = likeness.Passage.read(id="", text=row["passage"])
    window = likeness.best_window(claim, passage)
    return passage.text[window.start : window.end], row["claim"]


def batches(lengths: Sequence[int], rng: random.Random) -> list[list[int]]:
    """Places of rows in batches of like length, in random order."""
    order, found = list(range(len(lengths))), []
    rng.shuffle(order)
    for start in range(0, len(order), BUCKET):
        bucket = sorted(order[start : start + BUCKET], key=lengths.__getitem__)
        parts = [bucket[k : k + BATCH] for k in range(0, len(bucket), BATCH)]
        rng.shuffle(parts)
        found += parts
    return found


def train(model: Any, tokenizer: Any, rows: Sequence[Row], *, minutes: float, file: Path) -> None:
    """Train for one epoch or until the minutes are spent; the rate falls with whichever is near."""
    pairs = [pair(row) for row in rows]
    order = batches([len(a) + len(b) for a, b in pairs], random.Random(0))  # noqa: S311
    head = [p for name, p in model.named_parameters() if name.startswith(("classifier", "bert.p"))]
    ids = {id(p) for p in head}
    body = [p for p in model.parameters() if id(p) not in ids]
    groups = [{"params": body, "base": RATE}, {"params": head, "base": HEAD_RATE}]
    optimizer = torch.optim.AdamW(groups, lr=RATE, weight_decay=0.01)
    step, spent_s = restored(model, optimizer, file)
    start = time.monotonic() - spent_s
    while step < len(order) and time.monotonic() - start < 60 * minutes:
        done = max(step / len(order), (time.monotonic() - start) / (60 * minutes))
        for group in optimizer.param_groups:
            falling = max(LEAST_RATE, 1 - done)
            group["lr"] = group["base"] * min(1.0, (step + 1) / WARM_STEPS) * falling
        places = order[step]
        gold = torch.tensor([int(rows[k]["label"] == "supported") for k in places])
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(**encoded(tokenizer, [pairs[k] for k in places])).logits
        loss = torch.nn.functional.cross_entropy(logits.float(), gold)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        step += 1
        if step % STEPS_BETWEEN_CHECKPOINTS == 0 or step == len(order):
            spent_s = time.monotonic() - start
            print(
                f"{step} of {len(order)} batches, {step * BATCH / spent_s:.1f} pairs/s", flush=True
            )
            state = (model.state_dict(), optimizer.state_dict(), step, spent_s)
            torch.save(state, file)


def restored(model: Any, optimizer: Any, file: Path) -> tuple[int, float]:
    """Take up a checkpoint; return its steps and the seconds spent on them."""
    if not file.is_file():
        return 0, 0.0
    weights, state, step, spent_s = torch.load(file, weights_only=True)
    model.load_state_dict(weights)
    optimizer.load_state_dict(state)
    return step, spent_s


def encoded(tokenizer: Any, pairs: Sequence[tuple[str, str]]) -> Any:
    """Tensors of a batch."""
    first, second = zip(*pairs, strict=True)
    options = {"truncation": True, "max_length": LENGTH, "padding": True, "return_tensors": "pt"}
    return tokenizer(list(first), list(second), **options)


def area(scores: Sequence[float], truth: Sequence[bool]) -> float:
    """Chance that a supported claim scores above another one."""
    right = [s for s, good in zip(scores, truth, strict=True) if good]
    wrong = [s for s, good in zip(scores, truth, strict=True) if not good]
    wins = sum((a > b) + 0.5 * (a == b) for a in right for b in wrong)
    return wins / (len(right) * len(wrong))


def report(model: Any, tokenizer: Any, rows: Sequence[Row]) -> None:
    """Print the area under the curve of each source that has both labels."""
    by_source = defaultdict(list)
    for row in rows:
        with torch.no_grad():
            logits = model(**encoded(tokenizer, [pair(row)])).logits
        share = float(logits.softmax(-1)[0, 1])
        by_source[row["source"]].append((share, row["label"] == "supported"))
    for source, found in sorted(by_source.items()):
        scores, truth = [share for share, _ in found], [good for _, good in found]
        if any(truth) and not all(truth):
            print(f"{source:<24}{len(found):>6}{area(scores, truth):>8.3f}")


def main() -> int:
    """Train, write and measure."""
    parser = argparse.ArgumentParser()
    for name in ("--data", "--weights", "--output"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=70.0)
    parser.add_argument("--rows", type=int, default=30_000)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    options.output.mkdir(parents=True, exist_ok=True)
    tokenizer = AutoTokenizer.from_pretrained(options.weights)
    labels = {0: "not_supported", 1: "supported"}
    model = AutoModelForSequenceClassification.from_pretrained(
        options.weights, num_labels=len(labels), id2label=labels
    )
    rows = [
        r for r in rows_of(options.data / "support_train.jsonl.gz") if r["source"] not in LEFT_OUT
    ]
    random.Random(0).shuffle(rows)  # noqa: S311
    checkpoint = options.output / "checkpoint.pt"
    train(model, tokenizer, rows[: options.rows], minutes=options.minutes, file=checkpoint)
    model.eval()
    model.save_pretrained(options.output)
    tokenizer.save_pretrained(options.output)
    report(model, tokenizer, list(rows_of(options.data / "support_dev.jsonl.gz"))[: options.rows])
    return 0


if __name__ == "__main__":
    sys.exit(main())
