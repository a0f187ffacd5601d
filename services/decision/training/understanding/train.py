"""Trains the tags of the model of understanding: LoRA over the packed encoder, and a head.

    python train.py --encoder e5-small-q4.bin --out weights.pt [--from weights.pt]

Niced and resumable: parameters are saved every `SAVE_STEPS` steps and taken up with --from.
"""

import argparse
import hashlib
import random
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from kinds import KINDS, kind_of
from network import Understanding
from rows import Row, marked, read, varied
from torch.nn import functional

from pellucid_scorer.adapters.packed_model import PackedModel
from pellucid_scorer.adapters.pieces import Pieces
from pellucid_scorer.understanding.layout import arranged

BATCH_TOKENS = 2600
SAVE_STEPS = 50
WARM_STEPS = 30
TAG_WEIGHTS = (1.0, 0.9, 0.8)
HERE = Path(__file__).resolve().parent
ROWS = HERE / "rows"
HELD_OUT = ROWS / "held_out.jsonl"
"""By the same authors as the first rows: for calibration and early stopping."""
MESSAGES = tuple(sorted((HERE.parent / "messages").glob("*.jsonl")))
WINDOWS = HERE / "freshness.tsv"
"""Windows other than none, by the digest of a message, as the rules before this model gave them."""
DIGEST_CHARACTERS = 12
ROLES = ("user", "assistant")
MESSAGE = "message"
"""Author of the rows without queries."""


def load() -> tuple[list[Row], list[Row]]:
    """Return rows with queries, and messages of which only the need for the web is known."""
    windows = dict(line.split("\t") for line in WINDOWS.read_text("utf-8").splitlines())
    written = [
        marked(
            row | _labels(row, row["message"], windows),
            row["queries"] if row["search"] else (),
            tag_weight=1.0,
            leans=None,
        )
        for path in sorted(ROWS.glob("*.jsonl"))
        if path != HELD_OUT
        for row in read(path)
    ]
    return written, [_labelled(row, windows) for path in MESSAGES for row in read(path)]


def _labelled(row: Mapping[str, Any], windows: Mapping[str, str]) -> Row:
    """Return a message without queries; of one that needs none it is known that no word counts."""
    history = [
        {"role": ROLES[place % 2], "content": text}
        for place, text in enumerate(row.get("history", ()))
    ]
    search = row["needs_search"]
    known = {"message": row["text"], "history": history, "search": search, "kind": row["kind"]}
    leans = None if history else False
    whole = known | _labels(known, row["text"], windows)
    found = marked(whole, (), tag_weight=0.0 if search else 1.0, leans=leans)
    return replace(found, author=MESSAGE)


def _labels(row: Mapping[str, Any], text: str, windows: Mapping[str, str]) -> dict[str, str | None]:
    """Return the kind of a row, and the window that the former rules gave it."""
    digest = hashlib.sha256(text.encode()).hexdigest()[:DIGEST_CHARACTERS]
    return {"kind": kind_of(row), "fresh": windows.get(digest, "none")}


class Example:
    """A row cut into pieces."""

    def __init__(self, row: Row, pieces: Pieces) -> None:
        laid = arranged(row.message.text, [(turn.role, turn.text) for turn in row.history], pieces)
        self.ids, self.segments, self.row = laid.ids, laid.segments, row
        texts = (row.message, *row.history)
        self.tags = np.zeros((len(laid.ids), 3), dtype=np.float32)
        for at, place in enumerate(laid.places):
            if place is None:
                continue
            bits = 0
            for mark in texts[place[0]].marks[place[1] : place[2]]:
                bits |= mark
            self.tags[at] = [bits >> query & 1 for query in range(3)]


def batches(examples: Sequence[Example], chance: random.Random) -> Iterator[Sequence[Example]]:
    """Yield examples of like length in batches of about so many tokens, in random order."""
    order = sorted(examples, key=lambda one: len(one.ids) + chance.random() * 6)
    found, batch, longest = [], [], 0
    for one in order:
        longest = max(longest, len(one.ids))
        if batch and longest * (len(batch) + 1) > BATCH_TOKENS:
            found.append(batch)
            batch, longest = [], len(one.ids)
        batch.append(one)
    found.append(batch)
    chance.shuffle(found)
    yield from found


def tensors(
    batch: Sequence[Example], pad: int
) -> tuple[np.ndarray, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return ids, segments, mask and tags, filled up to the longest."""
    shape = (len(batch), max(len(one.ids) for one in batch))
    ids = np.full(shape, pad)
    segments = torch.zeros(shape, dtype=torch.long)
    mask = torch.zeros(shape, dtype=torch.bool)
    tags = torch.zeros((*shape, 3))
    for place, one in enumerate(batch):
        length = len(one.ids)
        ids[place, :length] = one.ids
        segments[place, :length] = torch.tensor(one.segments)
        mask[place, :length] = True
        tags[place, :length] = torch.from_numpy(one.tags)
    return ids, segments, mask, tags


def loss_of(
    said: Mapping[str, torch.Tensor],
    batch: Sequence[Example],
    mask: torch.Tensor,
    tags: torch.Tensor,
) -> torch.Tensor:
    """Return the loss of the tags; each row counts as much as is known of its queries."""
    weight = torch.tensor([one.row.tag_weight for one in batch])
    each = functional.binary_cross_entropy_with_logits(said["tags"], tags, reduction="none")
    each = each * torch.tensor(TAG_WEIGHTS) * weight[:, None, None]
    return each[mask].mean()


def centre(model: Understanding, examples: Sequence[Example], pad: int) -> None:
    """Let the tags' head begin with centred tokens and the shares of its classes."""
    hidden, shares = [], []
    with torch.inference_mode():
        for batch in batches(examples, random.Random(0)):
            ids, segments, mask, tags = tensors(batch, pad)
            hidden.append(model(ids, segments, mask)["hidden"][mask])
            shares.append(tags[mask])
    tokens, share = torch.cat(hidden), torch.cat(shares).mean(0)
    model.token_middle.copy_(tokens.mean(0))
    model.token_spread.copy_(tokens.std(0))
    last = model.tag[2]
    last.weight.data.mul_(0.3)
    last.bias.data.copy_(torch.log(share / (1 - share)))


def main() -> int:
    """Train."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--from", dest="start", type=Path)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument(
        "--messages", type=int, default=700, help="rows without queries in an epoch"
    )
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    chance = random.Random(options.seed)
    vocabulary = PackedModel.read(options.encoder).vocabulary()
    pieces = Pieces(vocabulary, 512)
    gold, silver = load()
    print(len(gold), "rows,", len(silver), "messages", flush=True)
    model = Understanding(options.encoder, len(KINDS))
    if options.start:
        model.load_state_dict(torch.load(options.start), strict=False)
    if not options.start:
        centre(model, [Example(row, pieces) for row in chance.sample(gold, 300)], vocabulary.pad)
    heads = ("pool.", "search.", "leans.", "fresh.", "kind.")  # see `heads.py`
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(not name.startswith(heads))
    parameters = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=options.rate, weight_decay=0.01)
    begun, step, steps = time.monotonic(), 0, 0
    for epoch in range(options.epochs):
        chosen = [*gold, *chance.sample(silver, min(len(silver), options.messages))]
        examples = [Example(varied(row, chance, gold), pieces) for row in chosen]
        todo = list(batches(examples, chance))
        steps = options.epochs * len(todo)
        mean = 0.0
        for done, batch in enumerate(todo, start=1):
            ids, segments, mask, tags = tensors(batch, vocabulary.pad)
            loss = loss_of(model(ids, segments, mask), batch, mask, tags)
            spent = (time.monotonic() - begun) / 60 / options.minutes
            left = 1 - max(step / steps, spent)
            for group in optimizer.param_groups:
                group["lr"] = options.rate * min(1, step / WARM_STEPS) * max(left, 0.02)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            step += 1
            mean = 0.98 * mean + 0.02 * loss.item()
            if done % 10 == 0:
                shown = round(mean / (1 - 0.98**done), 4)
                print(epoch, done, len(todo), shown, int(time.monotonic() - begun), flush=True)
            if step % SAVE_STEPS == 0 or left <= 0:
                torch.save(model.trainable(), options.out)
            if left <= 0:
                return 0
    torch.save(model.trainable(), options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
