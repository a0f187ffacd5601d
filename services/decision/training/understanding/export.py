"""Writes trained weights as the file that the scorer serves, calibrated on held-out rows.

    python export.py --encoder e5-small-q4.bin --weights W.pt --calibrate ROWS --out FILE

The file holds float16 tensors and, in its header, what the server needs to know of them.
"""

import argparse
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from evaluate import Reader
from kinds import KINDS
from network import RANK, SCALE
from rows import marked, read
from safetensors.numpy import save_file

from pellucid_scorer.understanding.card import Card, Line

ENCODER = "multilingual-e5-small"
STEPS = 4000
RATE = 0.02
# Labels of authors who agree are not certainty: keeps the slope finite.
SMOOTHING = 0.02
# The rows need the web more often than what people say: where a calibration on rows says this, half
# of our own messages do. Of .5 to .9 the best for these.
HALF = 0.7


def calibration(logits: Sequence[float], labels: Sequence[bool]) -> list[float]:
    """Return slope and offset of Platt's scaling, fitted by gradient descent."""
    z, y = np.array(logits), np.clip(np.array(labels, dtype=float), SMOOTHING, 1 - SMOOTHING)
    slope, offset = 1.0, 0.0
    for _ in range(STEPS):
        off = 1 / (1 + np.exp(-(slope * z + offset))) - y
        slope -= RATE * float((off * z).mean())
        offset -= RATE * float(off.mean())
    return [round(slope, 4), round(offset, 4)]


def main() -> int:
    """Write the file; print its digest."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--calibrate", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    torch.set_num_threads(1)
    reader = Reader(options.encoder, options.weights)
    rows = [row for path in options.calibrate for row in read(path)]
    said = reader.read(rows)
    slope, offset = calibration([one["search"] for one in said], [row["search"] for row in rows])
    search = slope, round(offset - float(np.log(HALF / (1 - HALF))), 4)
    known = [
        (one["leans"], marked(row, row["queries"], tag_weight=1.0, leans=None).leans)
        for row, one in zip(rows, said, strict=True)
        if row["search"]
    ]
    leans = calibration([z for z, _ in known], [bool(label) for _, label in known])
    card = Card(
        encoder=ENCODER,
        rank=RANK,
        scale=SCALE,
        kinds=KINDS,
        search=Line(*search),
        leans=Line(*leans),
    )
    tensors = {
        name: tensor.numpy().astype(np.float16) for name, tensor in reader.model.learnt().items()
    }
    save_file(tensors, options.out, card.to_metadata())
    print(card, options.out.stat().st_size)
    print(hashlib.sha256(options.out.read_bytes()).hexdigest())
    return 0


if __name__ == "__main__":
    sys.exit(main())
