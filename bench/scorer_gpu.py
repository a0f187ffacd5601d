"""Measures the scorer on a GPU, in one command on a machine that has one.

    python bench/scorer_gpu.py [--rounds N] [--out FILE]

Prints the cosine to sentence-transformers float32 by kind of text; texts per second and latency of
the encoder at several batch sizes, beside sentence-transformers on the same GPU; what the whole
service, called over gRPC, gives to several numbers of callers; and what several of it give that
share the GPU. Exits with 1 when a cosine is below its floor, with 2 without a CUDA device.
"""

import argparse
import asyncio
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import grpc

ROOT = Path(__file__).parents[1]
sys.path += [str(ROOT / "bench"), str(ROOT / "services" / "scorer")]

import parity  # noqa: E402
import scorer as bench  # noqa: E402
import scorer_replicas as replicas  # noqa: E402
import scorer_rig as rig  # noqa: E402

from pellucid_scorer.adapters import backends  # noqa: E402
from pellucid_scorer.errors import ModelError  # noqa: E402
from pellucid_scorer.ports import Encoder, TokenIds  # noqa: E402
from pellucid_scorer.settings import Device, ScorerSettings  # noqa: E402

FILE = rig.RESULTS / "scorer_gpu.json"
BATCH_SIZES = (1, 8, 32, 128, 512)
TOKENS = 65
CALLERS = (1, 4, 16, 64, 256)
CALLS = 600
REPLICAS = (1, 2, 4)
CALLERS_PER_REPLICA = 32
CALLS_PER_REPLICA = 400
PEER_TEXTS = 4096
PEER_BATCH = 256


def seconds(work: Callable[[], object], rounds: int) -> float:
    """Return the median time of some work."""
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def batches(encoder: Encoder, rounds: int) -> dict[str, dict[str, float]]:
    """Return texts per second and milliseconds by the texts of a batch, all of one length."""
    text = encoder.tokenize(["tide " * TOKENS])[0]
    found = {}
    for size in BATCH_SIZES:
        batch: list[TokenIds] = [text] * size
        encoder.encode(batch)
        spent = seconds(partial(encoder.encode, batch), rounds)
        found[str(size)] = {"texts_per_s": size / spent, "ms": spent * 1000}
    return found


def peer(folder: Path) -> dict[str, float]:
    """Return texts per second of sentence-transformers on this GPU, by precision.

    It gets one list with texts as long as those of searches, and tokenizes them itself, as the
    service does.
    """
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), device="cuda")
    found = {}
    for precision, made in (("fp32", model), ("fp16", model.half())):
        encode = partial(made.encode, batch_size=PEER_BATCH, show_progress_bar=False)
        encode(rig.search_texts(PEER_TEXTS))
        texts = rig.search_texts(PEER_TEXTS)
        found[precision] = PEER_TEXTS / seconds(partial(encode, texts), 3)
    return found


async def service() -> dict[str, Any]:
    """Return what the service on the GPU gives to callers who ask with 30 results each."""
    with rig.running(SCORER_DEVICE="cuda") as scorer:
        found: dict[str, Any] = {"ready_s": scorer.ready_s, "callers": {}}
        async with grpc.aio.insecure_channel(scorer.target) as channel:
            await bench.callers(channel, max(CALLERS))
            for number in CALLERS:
                spent = scorer.cpu_s
                load = asdict(await bench.callers(channel, number, calls=CALLS))
                calls = max(CALLS, 2 * number)
                cpu = (scorer.cpu_s - spent) / calls / rig.CALL_RESULTS * 1000
                found["callers"][str(number)] = load | {"cpu_s_per_1000_results": cpu}
            found["latency"] = {
                str(n): await bench.latency(scorer, rig.Stub(channel), n) for n in (10, 30, 100)
            }
            found["rss_mb"] = scorer.rss_mb
    return found


async def shared() -> dict[str, Any]:
    """Return what callers get from several services on the one GPU, by their number."""
    found = {}
    for number in REPLICAS:
        with ExitStack() as stack:
            services = [
                stack.enter_context(rig.running(SCORER_DEVICE="cuda")) for _ in range(number)
            ]
            async with replicas.channel_to(services) as channel:
                callers = CALLERS_PER_REPLICA * number
                await bench.callers(channel, callers)
                load = await bench.callers(channel, callers, calls=CALLS_PER_REPLICA * number)
                found[str(number)] = asdict(load)
    return found


def cosines(encoder: Encoder) -> dict[str, float]:
    """Return the worst cosine to sentence-transformers float32 by kind of text."""
    return {kind: float(all_.min()) for kind, all_ in parity.cosines_by_kind(encoder).items()}


def stages(rounds: int) -> Iterator[tuple[str, Any, list[str]]]:
    """Yield the name of each stage with its figures and the lines that tell them.

    Raises:
        ModelError: There is no CUDA device.
    """
    settings = ScorerSettings()
    files = backends.chosen_files(settings)
    encoder = backends.open_encoder(files, Device.CUDA, threads=0)
    device = device_name()
    yield "device", {"name": device, "model": encoder.name, **rig.machine()}, [device, encoder.name]
    worst = cosines(encoder)
    yield "worst_cosine", worst, [f"{kind:26} {cosine:.5f}" for kind, cosine in worst.items()]
    rates = batches(encoder, rounds)
    yield "batches", rates, [batch_line(size, one) for size, one in rates.items()]
    others = peer(files.folder)
    said = [f"sentence-transformers {name}: {rate:.0f} texts/s" for name, rate in others.items()]
    yield "peer", others, said
    del encoder
    served = asyncio.run(service())
    yield "service", served, service_lines(served)
    sharing = asyncio.run(shared())
    yield "sharing", sharing, [f"{n} services: {load_line(one)}" for n, one in sharing.items()]


def batch_line(size: str, one: Mapping[str, float]) -> str:
    """Return what is printed of a batch of so many texts."""
    return f"batch {size:>4}: {one['texts_per_s']:9.0f} texts/s, {one['ms']:7.2f} ms"


def load_line(load: Mapping[str, float]) -> str:
    """Return what is printed of what some callers got."""
    times = f"p50 {load['p50_ms']:.1f} ms, p99 {load['p99_ms']:.1f} ms"
    return f"{load['texts_per_s']:.0f} texts/s, {times}"


def service_lines(served: Mapping[str, Any]) -> list[str]:
    """Return what is printed of the service."""
    said = [
        f"{number:>3} callers: {load_line(load)}, "
        f"{load['cpu_s_per_1000_results']:.2f} s of processor per 1,000 results"
        for number, load in served["callers"].items()
    ]
    for results, one in served["latency"].items():
        said.append(f"{results:>3} results: {one['fresh']:.1f} ms, {one['cached']:.1f} ms cached")
    return [*said, f"ready after {served['ready_s']:.1f} s, {served['rss_mb']:.0f} MB"]


def device_name() -> str:
    """Return the name of the GPU."""
    import torch

    return str(torch.cuda.get_device_name())


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and keep the figures.

    Returns:
        0; 1 when a cosine is below its floor; 2 when there is no CUDA device to measure.
    """
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=20, help="times each batch is encoded")
    parser.add_argument("--out", type=Path, default=FILE, help="file that gets the figures as JSON")
    chosen = parser.parse_args(arguments)
    found: dict[str, Any] = {}
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    try:
        for name, figures, said in stages(chosen.rounds):
            print("\n".join(said), flush=True)
            found[name] = figures
            chosen.out.write_text(json.dumps(found, indent=2), "utf-8")
    except ModelError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return int(min(found["worst_cosine"].values()) < parity.FLOORS["fp16"])


if __name__ == "__main__":
    sys.exit(main())
