"""Fits the heads over whole messages once the layers below are settled.

    python heads.py --encoder e5-small-q4.bin --weights tags.pt --out weights.pt

The vectors of all rows are computed once, rows in other spellings beside them, and spread out: the
encoder's vectors hardly differ from one another. A tenth of the rows, chosen by their text, tells
when to stop. With `--further` the heads that the weights have learn on, slowly: for rows that came
later, without a change to what is known.
"""

import argparse
import copy
import hashlib
import random
import sys
from collections.abc import Sequence
from pathlib import Path

import torch
from kinds import KINDS
from network import Understanding
from rows import FRESHNESS, Row, varied
from torch import Tensor
from torch.nn import functional
from train import MESSAGE, Example, batches, load, tensors

from pellucid_scorer.adapters.packed_model import PackedModel
from pellucid_scorer.adapters.pieces import Pieces

EPOCHS = 40
BATCH = 256
RATE, FURTHER_RATE = 1e-3, 1e-4
DECAY = 0.05
DROPPED = 0.2
HELD_OUT = 10
GOLD_WEIGHT = 3.0
WEIGHTS = {"search": 1.0, "leans": 0.5, "fresh": 0.3, "kind": 0.3}
HEADS = ("pool", "search", "leans", "fresh", "kind")


def vectors(model: Understanding, examples: Sequence[Example], pad: int) -> Tensor:
    """Return float32[n, 768] in the order of the examples."""
    place = {id(one): n for n, one in enumerate(examples)}
    found = torch.zeros(len(examples), 768)
    with torch.inference_mode():
        for batch in batches(examples, random.Random(0)):
            ids, segments, mask, _ = tensors(batch, pad)
            whole = model(ids, segments, mask)["whole"]
            for one, vector in zip(batch, whole, strict=True):
                found[place[id(one)]] = vector
    return found


class Labels:
    """Labels of rows as tensors; -1 where unknown."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.search = torch.tensor([float(row.search) for row in rows])
        self.leans = torch.tensor([-1.0 if row.leans is None else float(row.leans) for row in rows])
        self.fresh = torch.tensor(
            [-1 if row.fresh is None else FRESHNESS.index(row.fresh) for row in rows]
        )
        self.kind = torch.tensor(
            [-1 if row.kind is None else KINDS.index(row.kind) for row in rows]
        )
        gold = torch.tensor([row.author != MESSAGE for row in rows])
        self.weight = torch.where(gold, GOLD_WEIGHT, 1.0)

    def loss(self, said: dict[str, Tensor], at: Tensor) -> Tensor:
        """Return the weighted loss over the rows `at`."""
        weight = self.weight[at]
        each = functional.binary_cross_entropy_with_logits
        total = WEIGHTS["search"] * (
            each(said["search"], self.search[at], reduction="none") * weight
        )
        known = (self.leans[at] >= 0).float()
        leans = each(said["leans"], self.leans[at].clamp(min=0), reduction="none")
        total = total + WEIGHTS["leans"] * leans * known
        for name in ("fresh", "kind"):
            goal = getattr(self, name)[at]
            total = total + WEIGHTS[name] * functional.cross_entropy(
                said[name], goal, ignore_index=-1, reduction="none"
            )
        return total.mean()


def said_of(
    model: Understanding, whole: Tensor, chance: torch.Generator | None
) -> dict[str, Tensor]:
    """Return the heads' logits; with chance some of the vector is dropped."""
    x = (whole - model.middle) / model.spread
    if chance is not None:
        kept = torch.rand(x.shape, generator=chance) > DROPPED
        x = x * kept / (1 - DROPPED)
    pooled = model.pool(x)
    return {
        "search": model.search(pooled)[:, 0],
        "leans": model.leans(pooled)[:, 0],
        "fresh": model.fresh(pooled),
        "kind": model.kind(pooled),
    }


def begin(model: Understanding, whole: Tensor) -> None:
    """Spread the vectors out and forget the heads."""
    model.middle.copy_(whole.mean(0))
    model.spread.copy_(whole.std(0).clamp(min=1e-5))
    for name in HEADS:
        for module in getattr(model, name).modules():
            if isinstance(module, torch.nn.Linear):
                module.reset_parameters()


def fit(
    model: Understanding, whole: Tensor, labels: Labels, held: Tensor, *, further: bool
) -> None:
    """Fit the heads; the state that is best on the held-out rows stays."""
    train = torch.nonzero(~held)[:, 0]
    test = torch.nonzero(held)[:, 0]
    if not further:
        begin(model, whole[train])
    parameters = [one for name in HEADS for one in getattr(model, name).parameters()]
    for parameter in parameters:
        parameter.requires_grad_()
    rate = FURTHER_RATE if further else RATE
    optimizer = torch.optim.AdamW(parameters, lr=rate, weight_decay=DECAY)
    chance = torch.Generator().manual_seed(1)
    best, kept = float("inf"), {}
    for epoch in range(EPOCHS):
        order = train[torch.randperm(len(train), generator=chance)]
        for start in range(0, len(order), BATCH):
            at = order[start : start + BATCH]
            loss = labels.loss(said_of(model, whole[at], chance), at)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.inference_mode():
            said = said_of(model, whole[test], None)
            loss = float(labels.loss(said, test))
            hit = ((said["search"] > 0) == (labels.search[test] > 0)).float().mean()
            kind = (
                (said["kind"].argmax(1) == labels.kind[test])[labels.kind[test] >= 0].float().mean()
            )
        print(epoch, round(loss, 4), "search", round(float(hit), 4), "kind", round(float(kind), 4))
        if loss < best:
            best = loss
            kept = {name: copy.deepcopy(getattr(model, name).state_dict()) for name in HEADS}
    for name, state in kept.items():
        getattr(model, name).load_state_dict(state)


def main() -> int:
    """Fit and save."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--messages", type=int, default=30000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--further", action="store_true", help="from the heads of the weights")
    options = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(options.threads)
    chance = random.Random(1)
    vocabulary = PackedModel.read(options.encoder).vocabulary()
    pieces = Pieces(vocabulary, 512)
    model = Understanding(options.encoder, len(KINDS))
    model.load_state_dict(torch.load(options.weights), strict=False)
    model.eval()
    gold, silver = load()
    base = [*gold, *chance.sample(silver, min(len(silver), options.messages))]
    rows = [*base, *(varied(row, chance, gold) for row in gold)]
    rows += [varied(row, chance, gold) for row in chance.sample(silver, len(silver) // 4)]
    origins = [*base, *gold]
    examples = [Example(row, pieces) for row in rows]
    whole = vectors(model, examples, vocabulary.pad)
    held = torch.tensor(
        [_is_held(row) for row in origins] + [row is None for row in rows[len(origins) :]]
    )
    fit(model, whole, Labels(rows), held, further=options.further)
    torch.save(model.trainable(), options.out)
    return 0


def _is_held(row: Row) -> bool:
    text = row.message.text + "".join(turn.text for turn in row.history[:1])
    return hashlib.sha256(text.encode()).digest()[0] % HELD_OUT == 0


if __name__ == "__main__":
    sys.exit(main())
