"""Models that read two texts together: rerankers, entailment and grounding models, on the CPU.

A folder has ``config.json``, ``tokenizer.json`` and the network in one of the forms that the engine
reads: OpenVINO, ONNX, or the plain weights of a BERT with a classifier (see `pair_graph`).
"""

import json
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import openvino as ov
from safetensors.numpy import load_file
from tokenizers import Encoding, Tokenizer

from pellucid_scorer.adapters import pair_graph
from pellucid_scorer.adapters.bert_graph import BertShape
from pellucid_scorer.adapters.model_files import download
from pellucid_scorer.adapters.openvino_encoder import packed
from pellucid_scorer.errors import ModelError, ModelMissingError

Logits = npt.NDArray[np.float32]
Shares = npt.NDArray[np.float32]
Run = Callable[[Sequence[Encoding]], Logits]

CONFIG, TOKENIZER, WEIGHTS = "config.json", "tokenizer.json", "model.safetensors"
NETWORKS = (
    "openvino/openvino_model.xml",
    "openvino_model.xml",
    "onnx/model.onnx",
    "model.onnx",
)
"""Where publishers put what the engine reads as it is, in the order that it is looked for."""
FETCHED = (CONFIG, TOKENIZER, WEIGHTS, *NETWORKS, "openvino/*.bin", "openvino_model.bin")

MAX_TOKENS = 512
BATCH_PAIRS = 16
AFFIRMATIVE = re.compile(r"^(entail|support|ground|consistent|true|yes|relevant)", re.IGNORECASE)
UNNAMED = ["LABEL_0", "LABEL_1"]
"""Names of two classes that nobody named: the second is then the one that says yes."""


class CrossEncoder:
    """Rates pairs of texts. Its methods are called from worker threads.

    Args:
        folder: Files of the model.
        name: Of the model, for responses.
        threads: CPU threads.

    Raises:
        ModelError: The files are missing or of a kind that is not known.
    """

    def __init__(self, folder: Path, *, name: str, threads: int) -> None:
        config = _json(folder / CONFIG)
        self._name = name
        self._affirmative = affirmative(config)
        self._tokenizer = _tokenizer(folder, int(config.get("max_position_embeddings") or 0))
        self._run = _network(folder, config, threads)
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """Model and device."""
        return f"{self._name}/cpu"

    def rate(self, pairs: Sequence[tuple[str, str]]) -> Shares:
        """Return float32[n] in [0, 1]: how surely the second text answers or says the first."""
        found = np.zeros(len(pairs), np.float32)
        encodings = self._tokenizer.encode_batch(list(pairs))
        order = sorted(range(len(pairs)), key=lambda place: len(encodings[place].ids))
        with self._lock:
            for start in range(0, len(order), BATCH_PAIRS):
                places = order[start : start + BATCH_PAIRS]
                logits = self._run([encodings[place] for place in places])
                found[places] = shares(logits, self._affirmative)
        return found


def open_cross_encoder(named: str, *, cache: Path, threads: int) -> CrossEncoder:
    """Return a warm model.

    Args:
        named: A folder, or a repository on the hub, with ``@revision`` where wanted.
        cache: Where downloads are kept.
        threads: CPU threads.

    Raises:
        ModelError: It cannot be found or used.
    """
    folder = Path(named)
    if not folder.is_dir():
        repository, _, revision = named.partition("@")
        kept = cache / "pairs" / repository.replace("/", "--")
        folder = download(repository, revision, kept, FETCHED)
    model = CrossEncoder(folder, name=named, threads=threads)
    model.rate([("warm", "up")])
    return model


def affirmative(config: Mapping[str, Any]) -> int | None:
    """Return the place of the label that says yes; None where there is but one number.

    >>> affirmative({"id2label": {"0": "contradiction", "1": "entailment", "2": "neutral"}})
    1

    Raises:
        ModelError: No label says so.
    """
    labels: Mapping[str, str] = config.get("id2label") or {}
    count = len(labels) or int(config.get("num_labels", 1))
    if count == 1:
        return None
    for place, label in labels.items():
        if AFFIRMATIVE.search(label):
            return int(place)
    if sorted(labels.values()) == UNNAMED:
        return 1
    raise ModelError(f"no label of {sorted(labels.values())} says that the first text is supported")


def shares(logits: Logits, affirmative: int | None) -> Shares:
    """Return float32[n] of logits float32[n, labels]: their sigmoid, or one label's softmax."""
    if affirmative is None:
        single: Shares = (1.0 / (1.0 + np.exp(-logits[:, 0]))).astype(np.float32)
        return single
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    found: Shares = (powers[:, affirmative] / powers.sum(axis=1)).astype(np.float32)
    return found


def _tokenizer(folder: Path, positions: int) -> Tokenizer:
    if not (folder / TOKENIZER).is_file():
        raise ModelMissingError(f"{folder / TOKENIZER} is missing")
    tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
    tokenizer.no_padding()
    tokenizer.enable_truncation(min(MAX_TOKENS, positions or MAX_TOKENS), strategy="longest_first")
    return tokenizer


def _network(folder: Path, config: Mapping[str, Any], threads: int) -> Run:
    pad_id = int(config.get("pad_token_id") or 0)
    options = {"INFERENCE_NUM_THREADS": str(threads), "INFERENCE_PRECISION_HINT": "f32"}
    for name in NETWORKS:
        if (folder / name).is_file():
            network = ov.Core().read_model(folder / name)
            return _Padded(ov.Core().compile_model(network, "CPU", options), pad_id).run
    if not (folder / WEIGHTS).is_file():
        raise ModelMissingError(f"{folder}: neither {', '.join(NETWORKS)} nor {WEIGHTS}")
    if config.get("model_type") != "bert":
        kind = config.get("model_type")
        raise ModelError(f"{folder}: weights of {kind} need their OpenVINO or ONNX form beside")
    weights = {
        name.removeprefix("bert."): tensor for name, tensor in load_file(folder / WEIGHTS).items()
    }
    shape = BertShape(
        layers=config["num_hidden_layers"],
        heads=config["num_attention_heads"],
        norm_epsilon=config["layer_norm_eps"],
        pad_id=pad_id,
    )
    try:
        network = pair_graph.build(weights, shape)
    except KeyError as error:
        raise ModelError(f"{folder / WEIGHTS}: tensor {error} is missing") from error
    compiled = ov.Core().compile_model(network, "CPU", options)
    return _Packed(compiled, pad_id).run


class _Padded:
    """A network with the inputs that its publisher gave it."""

    def __init__(self, compiled: ov.CompiledModel, pad_id: int) -> None:
        self._request = compiled.create_infer_request()
        self._names = [port.get_any_name() for port in compiled.inputs]
        self._pad_id = pad_id

    def run(self, batch: Sequence[Encoding]) -> Logits:
        width = max(len(one.ids) for one in batch)
        every = {
            "input_ids": _rows([one.ids for one in batch], width, self._pad_id),
            "attention_mask": _rows([one.attention_mask for one in batch], width, 0),
            "token_type_ids": _rows([one.type_ids for one in batch], width, 0),
        }
        self._request.infer({name: every[name] for name in self._names})
        return np.array(self._request.get_output_tensor(0).data, np.float32).reshape(len(batch), -1)


class _Packed:
    """Our own graph, which computes no padding."""

    def __init__(self, compiled: ov.CompiledModel, pad_id: int) -> None:
        self._request = compiled.create_infer_request()
        self._pad_id = pad_id

    def run(self, batch: Sequence[Encoding]) -> Logits:
        rows = packed([one.ids for one in batch], self._pad_id)
        segments = np.zeros_like(rows.ids)
        types = [kind for one in batch for kind in one.type_ids]
        segments[0, : len(types)] = types
        self._request.infer([*rows.inputs(), segments])
        return np.array(self._request.get_output_tensor(0).data, np.float32)


def _rows(rows: Sequence[Sequence[int]], width: int, fill: int) -> npt.NDArray[np.int64]:
    return np.array([[*row, *[fill] * (width - len(row))] for row in rows], np.int64)


def _json(path: Path) -> Mapping[str, Any]:
    if not path.is_file():
        raise ModelMissingError(f"{path} is missing")
    try:
        content: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise ModelError(f"{path}: {error}") from error
    return content
