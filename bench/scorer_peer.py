"""Encodes texts with sentence-transformers in float32; runs in an environment that has torch.

    python scorer_peer.py MODEL_FOLDER

Reads one JSON object a line, ``{"texts": [...], "threads": null, "vectors": false}``, and answers
each with a line: ``{"texts_per_s": ..., "cpu_s_per_1000": ..., "rss_mb": ...}``, and the vectors as
base64 of float32[n, d] where they were asked for. Without ``threads`` torch chooses, as it does for
people who use it. The first line that it writes tells that it is ready.
"""

import base64
import json
import resource
import sys
import time
from typing import Any

import torch
from sentence_transformers import SentenceTransformer

BATCH = 32
KIB = 1024


def answer(model: SentenceTransformer, job: dict[str, Any], threads: int) -> dict[str, Any]:
    """Encode the texts of one job."""
    torch.set_num_threads(job["threads"] or threads)
    started, cpu = time.perf_counter(), time.process_time()
    vectors = model.encode(
        job["texts"], batch_size=BATCH, normalize_embeddings=True, show_progress_bar=False
    )
    seconds, cpu_s = time.perf_counter() - started, time.process_time() - cpu
    found = {
        "texts_per_s": len(job["texts"]) / seconds,
        "cpu_s_per_1000": 1000 * cpu_s / len(job["texts"]),
        "rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / KIB,
    }
    if job["vectors"]:
        found["vectors"] = base64.b64encode(vectors.astype("<f4").tobytes()).decode("ascii")
    return found


def main() -> None:
    """Answer until the input ends."""
    model = SentenceTransformer(sys.argv[1], device="cpu")
    threads = torch.get_num_threads()
    print(json.dumps({"threads": threads}), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(model, json.loads(line), threads)), flush=True)


if __name__ == "__main__":
    main()
