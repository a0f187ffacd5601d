"""Encodes texts with sentence-transformers in float32; runs in an environment that has torch.

Reads ``{"model": ..., "threads": ..., "texts": [...], "compared": [...]}`` from standard input,
writes ``{"texts_per_s": ..., "cpu_s_per_1000": ..., "rss_mb": ..., "vectors": ...}``: speed over
``texts``, processor time per 1,000 of them on one thread (several would count their waiting for
each other), and vectors of ``compared`` as base64 of float32[n, d].
"""

import base64
import json
import resource
import sys
import time

import torch
from sentence_transformers import SentenceTransformer

BATCH = 32
KIB = 1024


def main() -> None:
    """Encode everything once to warm up in part, then once for the figure."""
    job = json.load(sys.stdin)
    torch.set_num_threads(job["threads"])
    model = SentenceTransformer(job["model"], device="cpu")
    model.encode(job["texts"][:BATCH], batch_size=BATCH, show_progress_bar=False)
    started = time.perf_counter()
    model.encode(job["texts"], batch_size=BATCH, show_progress_bar=False)
    seconds = time.perf_counter() - started
    torch.set_num_threads(1)
    few = job["texts"][: 4 * BATCH]
    started = time.process_time()
    model.encode(few, batch_size=BATCH, show_progress_bar=False)
    cpu_s = time.process_time() - started
    torch.set_num_threads(job["threads"])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    vectors = model.encode(job["compared"], normalize_embeddings=True, show_progress_bar=False)
    found = {
        "texts_per_s": len(job["texts"]) / seconds,
        "cpu_s_per_1000": 1000 * cpu_s / len(few),
        "rss_mb": peak / KIB,
        "vectors": base64.b64encode(vectors.astype("<f4").tobytes()).decode("ascii"),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
