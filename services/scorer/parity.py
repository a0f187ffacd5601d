# ruff: noqa: INP001 - a tool beside the package, not a module of it
"""Holds the scorer's encoders against sentence-transformers in float32.

    python services/scorer/parity.py compare           # this machine's backend against the vectors
    python services/scorer/parity.py make --model DIR  # makes the vectors again (needs torch)

``make`` runs where sentence-transformers is installed, which is never the service's own
environment; the vectors and the digest of their texts are committed beside the tests, so that
``compare`` and the tests need neither torch nor a network.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from pellucid_scorer.ports import Encoder

HERE = Path(__file__).parent / "tests"
TEXTS = HERE / "reference_texts.json"
VECTORS = HERE / "reference_vectors.npz"

FLOORS = {"fp32": 0.9999, "bf16": 0.999, "fp16": 0.999, "int8": 0.99}
"""Least cosine to float32 of the worst text, by precision."""


def texts_by_kind() -> Mapping[str, Sequence[str]]:
    """Return the reference texts, all of our own writing."""
    loaded: dict[str, list[str]] = json.loads(TEXTS.read_text("utf-8"))
    return loaded


def digest(texts: Sequence[str]) -> str:
    """Return the digest that ties vectors to their texts."""
    return hashlib.sha256("\x1e".join(texts).encode()).hexdigest()


def make(model: str) -> None:
    """Write the reference vectors with sentence-transformers on the CPU in float32.

    Args:
        model: Name or folder of the model.
    """
    from sentence_transformers import SentenceTransformer

    texts = [text for group in texts_by_kind().values() for text in group]
    encoder = SentenceTransformer(model, device="cpu")
    vectors = encoder.encode(texts, normalize_embeddings=True, batch_size=1)
    np.savez_compressed(VECTORS, vectors=vectors.astype(np.float16), texts_sha256=digest(texts))
    sys.stdout.write(f"{len(texts)} vectors, {VECTORS.stat().st_size} bytes\n")


def compare(device: str) -> int:
    """Print the worst cosine of each kind of text; return 1 when one is below its floor."""
    from pellucid_scorer.adapters import backends
    from pellucid_scorer.settings import Device, ScorerSettings

    settings = ScorerSettings()
    files = backends.chosen_files(settings)
    encoder = backends.open_encoder(files, Device(device), settings.scorer_threads)
    floor = FLOORS[encoder.name.rsplit("-", 1)[-1]]
    worst = {kind: float(cosines.min()) for kind, cosines in cosines_by_kind(encoder).items()}
    for kind, cosine in worst.items():
        sys.stdout.write(f"{kind:26} {cosine:.5f}\n")
    sys.stdout.write(f"{encoder.name}: worst {min(worst.values()):.5f}, floor {floor}\n")
    return int(min(worst.values()) < floor)


def cosines_by_kind(encoder: "Encoder") -> Mapping[str, npt.NDArray[np.float32]]:
    """Return the cosine of each text's vector with its reference, by kind of text.

    Raises:
        ValueError: The committed vectors belong to other texts.
    """
    groups = texts_by_kind()
    reference = reference_vectors([text for group in groups.values() for text in group])
    found: dict[str, npt.NDArray[np.float32]] = {}
    start = 0
    for kind, texts in groups.items():
        vectors = np.concatenate([encoder.encode([row]) for row in encoder.tokenize(texts)])
        found[kind] = (vectors * reference[start : start + len(texts)]).sum(axis=1)
        start += len(texts)
    return found


def reference_vectors(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """Return the committed vectors as float32[n, d], each row of length 1.

    Raises:
        ValueError: They belong to other texts.
    """
    with np.load(VECTORS) as archive:
        if str(archive["texts_sha256"]) != digest(texts):
            raise ValueError("reference vectors belong to other texts: run `parity.py make`")
        vectors = archive["vectors"].astype(np.float32)
    unit: npt.NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("command", choices=("compare", "make"))
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda", "auto"))
    parser.add_argument("--model", default="sentence-transformers/all-MiniLM-L6-v2")
    arguments = parser.parse_args()
    if arguments.command == "make":
        make(arguments.model)
        return 0
    return compare(arguments.device)


if __name__ == "__main__":
    sys.exit(main())
