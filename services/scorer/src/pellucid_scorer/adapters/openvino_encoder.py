"""The CPU backend: OpenVINO, without torch.

The precision is chosen by what the processor has (`best_precision`). One request per stream, so
that short batches run side by side on one core each, which is faster than one batch on all cores.
"""

import queue
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import openvino as ov

from pellucid_scorer.adapters import bert_graph
from pellucid_scorer.adapters.bert_graph import Packed
from pellucid_scorer.adapters.int8 import Calibration
from pellucid_scorer.adapters.loaded_model import LoadedModel
from pellucid_scorer.models import Precision
from pellucid_scorer.ports import TokenIds, Vectors

DEVICE = "CPU"
BATCH_TOKENS = 1088
"""Tokens of a batch: two hold a question and 30 results of 65 tokens. Swept 512-4096 on 2
cores with AMX: 569, 599 (at 1,024), 585, 538 texts/s of 67 tokens; above it the latency of 30 texts
grows as well (95, 119, 163 ms). In 8 bits with VNNI all sizes from 450 to 1,850 are within 3 %, but
every further size of a batch takes memory."""

CPU_INFO = Path("/proc/cpuinfo")
DOT_PRODUCTS = frozenset({"avx512_vnni", "avx_vnni"})
"""Features with 8-bit dot products that do not overflow."""

TOKEN_STEP = 64
"""Tokens of a batch are rounded up to a multiple of this, because the engine prepares and keeps
code for every number that it meets: 5 to 10 ms and 3 MB each."""
SMALL_STEP = 16
"""Up to `TOKEN_STEP` tokens, one short text, the multiple is this: a message that is waited for."""
LENGTH_STEP = 16
"""So is its longest text, for attention alone: 2 ms and 0.1 MB each. Multiples of 8 compute less,
but not in less time."""
WARM_TOKENS = (1, 100)
"""The engine lays out all weights for a short and for a long input when the first of its kind
comes, 50 to 100 ms each; a further size takes at most a fifth of that."""


@dataclass(frozen=True, slots=True)
class Threads:
    """How the cores are used.

    Attributes:
        streams: Batches at a time.
        threads: Threads of all streams together.
    """

    streams: int
    threads: int


def best_precision(flags: Collection[str], *, is_calibrated: bool) -> Precision:
    """Return the fastest precision of a processor whose worst vectors are still near float32's.

    A matrix unit (AMX) is as fast in bf16 as in 8 bits and exact enough for every text. Without
    one, the 8-bit dot products of VNNI are nearly twice as fast as bf16.

    Args:
        flags: The processor's features, as Linux names them.
        is_calibrated: There are ranges for the model's weights.

    >>> best_precision({"avx2", "avx512_vnni", "avx512_bf16"}, is_calibrated=True).value
    'int8'
    >>> best_precision({"avx512_vnni", "avx512_bf16", "amx_bf16"}, is_calibrated=True).value
    'bf16'
    """
    if "amx_bf16" in flags:
        return Precision.BF16
    if is_calibrated and not DOT_PRODUCTS.isdisjoint(flags):
        return Precision.INT8
    return Precision.BF16 if "avx512_bf16" in flags else Precision.FP32


def processor_flags() -> frozenset[str]:
    """Return the processor's features as Linux lists them; none where there is no such list."""
    if not CPU_INFO.is_file():
        return frozenset()
    lines = CPU_INFO.read_text("utf-8", errors="replace").splitlines()
    found = next((line for line in lines if line.startswith("flags")), "")
    return frozenset(found.partition(":")[2].split())


def graph(model: LoadedModel, calibration: Calibration | None = None) -> ov.Model:
    """Return the model's graph (see `bert_graph.build`); in float32 without a calibration.

    Args:
        model: The model.
        calibration: Ranges of the inputs that are read in 8 bits.
    """
    return bert_graph.build(model.tensors, model.shape, calibration, words=model.words)


class OpenVinoEncoder:
    """An `Encoder` on the CPU.

    Args:
        model: The model.
        graph: Its graph, as of `graph`: with a calibration for int8, else without.
        precision: What the matrix products run in.
        threads: How the cores are used.
    """

    def __init__(
        self, model: LoadedModel, graph: ov.Model, *, precision: Precision, threads: Threads
    ) -> None:
        self._spec = spec = model.spec
        self.prefixes, self.scale = spec.prefixes, spec.scale
        self.scripts, self.languages = spec.scripts, spec.languages
        self._tokenizer = model.tokenizer
        self._precision = precision
        self._threads = threads
        compiled = ov.Core().compile_model(graph, DEVICE, options(precision, threads))
        self.dimensions = int(compiled.output(0).partial_shape[-1].get_length())
        self._requests: queue.SimpleQueue[ov.InferRequest] = queue.SimpleQueue()
        for _ in range(threads.streams):
            self._requests.put(compiled.create_infer_request())

    @property
    def name(self) -> str:
        """Model, device and precision."""
        return f"{self._spec.name}/cpu-{self._precision}"

    @property
    def parallelism(self) -> int:
        """One batch per stream."""
        return self._threads.streams

    @property
    def batch_tokens(self) -> int:
        """See `BATCH_TOKENS`."""
        return BATCH_TOKENS

    def most_texts(self, longest: int) -> int:
        """Return how many texts take as much attention as a full batch of the longest texts.

        Only attention computes padding, and it alone takes memory by the square of the length.
        """
        return max(1, BATCH_TOKENS * self._spec.max_tokens // longest**2)

    def padded(self, tokens: int) -> int:
        """Return the tokens of a packed batch, see `packed`."""
        return padded(tokens)

    def tokenize(self, texts: Sequence[str]) -> tuple[TokenIds, ...]:
        """Return the token ids of each text."""
        return self._tokenizer.tokenize(texts)

    def encode(self, batch: Sequence[TokenIds]) -> Vectors:
        """Return float32[n, dimensions]; waits for a free stream."""
        rows = packed(batch, self._tokenizer.pad_id)
        with self._request() as request:
            request.infer(rows.inputs(), share_inputs=True)
            return np.array(request.get_output_tensor(0).data, dtype=np.float32)

    def warm_up(self) -> None:
        """Encode texts of `WARM_TOKENS`, so that first calls find all ready."""
        for text in self.tokenize(["warm " * count for count in WARM_TOKENS]):
            self.encode([text])

    @contextmanager
    def _request(self) -> Iterator[ov.InferRequest]:
        request = self._requests.get()
        try:
            yield request
        finally:
            self._requests.put(request)


def options(precision: Precision, threads: Threads) -> dict[str, str]:
    """Return how the engine compiles a graph."""
    is_narrow = precision is not Precision.FP32 and "BF16" in ov.Core().get_property(
        DEVICE, "OPTIMIZATION_CAPABILITIES"
    )
    return {
        # Of what is not in 8 bits.
        "INFERENCE_PRECISION_HINT": "bf16" if is_narrow else "f32",
        "NUM_STREAMS": str(threads.streams),
        "INFERENCE_NUM_THREADS": str(threads.threads),
    }


def packed(batch: Sequence[TokenIds], pad_id: int) -> Packed:
    """Return a batch as the graph reads it; at least one padding token is at the end."""
    lengths = [len(text) for text in batch]
    used = sum(lengths)
    ids = np.full(padded(used), pad_id, dtype=np.int32)
    ids[:used] = np.fromiter(chain.from_iterable(batch), dtype=np.int32, count=used)
    width = _rounded_up(max(lengths), LENGTH_STEP)
    within = np.arange(width) < np.array(lengths)[:, None]
    rows = np.full((len(batch), width), len(ids) - 1, dtype=np.int32)
    rows[within] = np.arange(used)
    slots, places = np.zeros(len(ids), np.int32), np.zeros(len(ids), np.int32)
    slots[:used] = np.flatnonzero(within)
    places[:used] = slots[:used] % width
    return Packed(ids[None], places[None], rows, slots)


def padded(tokens: int) -> int:
    """Return the tokens that a batch of so many real ones is packed into.

    >>> padded(12), padded(63), padded(64)
    (16, 64, 128)
    """
    return _rounded_up(tokens + 1, SMALL_STEP if tokens < TOKEN_STEP else TOKEN_STEP)


def _rounded_up(number: int, step: int) -> int:
    return -(-number // step) * step
