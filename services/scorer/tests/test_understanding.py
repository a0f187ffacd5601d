"""The model of understanding: trained weights over either kind of encoder, as spelled out here."""

import asyncio
import hashlib
import json
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import erf
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from pellucid_runtime.errors import OverloadedError
from pellucid_scorer.adapters import backends, bert_graph, model_files
from pellucid_scorer.adapters.loaded_model import LoadedModel
from pellucid_scorer.adapters.model_files import ModelFiles
from pellucid_scorer.adapters.openvino_reader import OpenVinoReader
from pellucid_scorer.adapters.understanding_weights import UnderstandingWeights
from pellucid_scorer.errors import ChecksumError, ModelError
from pellucid_scorer.models import ModelSource, ModelSpec, Precision
from pellucid_scorer.ranking import tables
from pellucid_scorer.settings import ScorerSettings
from pellucid_scorer.understanding.card import Card, Line
from pellucid_scorer.understanding.layout import Arranged, arranged
from pellucid_scorer.understanding.reader import MOST_WAITING, Reader
from pellucid_scorer.understanding.reading import Logits, reading

Floats = npt.NDArray[np.float32]

RANK = 4
CARD = Card("multilingual-e5-small", RANK, 0.5, ("news", "smalltalk"), Line(2, -1), Line(1, 0.5))
HISTORY = [("user", "Wann öffnet das Museum?"), ("assistant", "Es öffnet um zehn.")]
MESSAGE = "and the other one, 東京タワー?"
LAYERS, HEADS, HIDDEN, WIDE = 2, 4, 32, 48
WORDS = ["<s>", "<pad>", "</s>", "<unk>", "▁", "▁and", "▁the", "other", "o", "n", "e", "?", "京"]


def trained(hidden: int, wide: int, layers: int) -> dict[str, Floats]:
    """Return random weights of the documented names and sizes."""
    random = np.random.default_rng(3)

    def some(*shape: int) -> Floats:
        return random.normal(0, 0.1, shape).astype(np.float16).astype(np.float32)

    heads = {"tag.0": (128, hidden), "tag.2": (3, 128), "pool.0": (128, 2 * hidden)}
    heads |= {"search": (1, 128), "leans": (1, 128), "fresh": (5, 128), "kind": (2, 128)}
    found = {"segment.weight": some(3, hidden), "norm.emb.weight": 1 + some(hidden)}
    for name, shape in heads.items():
        found |= {f"{name}.weight": some(*shape), f"{name}.bias": some(shape[0])}
    for layer in range(layers):
        for short in ("q", "k", "v", "o", "fi", "fo"):
            out, width = {"fi": (wide, hidden), "fo": (hidden, wide)}.get(short, (hidden, hidden))
            found[f"lora.{layer}.{short}.a"] = some(RANK, width)
            found[f"lora.{layer}.{short}.b"] = some(out, RANK)
        found[f"norm.{layer}.1.bias"] = some(hidden)
        found[f"norm.{layer}.2.weight"] = 1 + some(hidden)
    return found


def write(folder: Path, tensors: dict[str, Floats], card: Card = CARD) -> Path:
    path = folder / "understanding.safetensors"
    small = {name: tensor.astype(np.float16) for name, tensor in tensors.items()}
    save_file(small, path, metadata=card.to_metadata())
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    path.with_name(path.name + ".sha256").write_text(f"{digest}  {path.name}\n", "ascii")
    return path


def spelled_out(
    plain: dict[str, Floats], more: dict[str, Floats], heads: int, epsilon: float, text: Arranged
) -> Logits:
    """Compute what the model gives, layer by layer, from the weights as they are in the files."""

    def norm(x: Floats, name: str, replaced: str) -> Floats:
        weight = more.get(f"{replaced}.weight", plain[f"{name}.weight"])
        bias = more.get(f"{replaced}.bias", plain[f"{name}.bias"])
        x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt((x**2).mean(-1, keepdims=True) + epsilon) * weight + bias

    def gelu(x: Floats) -> Floats:
        return x / 2 * (1 + np.vectorize(erf)(x / np.sqrt(2)))

    def head(x: Floats, name: str) -> Floats:
        return x @ more[f"{name}.weight"].T + more[f"{name}.bias"]

    ids, segments = list(text.ids), list(text.segments)
    x = plain[bert_graph.WORDS][ids]
    x = x + plain["embeddings.position_embeddings.weight"][: len(ids)]
    x = x + plain["embeddings.token_type_embeddings.weight"][0] + more["segment.weight"][segments]
    x = norm(x, "embeddings.LayerNorm", "norm.emb")
    layers = sum(name.endswith(".q.a") for name in more)
    for n in range(layers):
        at = f"encoder.layer.{n}."

        def dense(x: Floats, name: str, short: str, n: int = n, at: str = at) -> Floats:
            low = x @ more[f"lora.{n}.{short}.a"].T
            added = 0.5 * (low @ more[f"lora.{n}.{short}.b"].T)
            return x @ plain[f"{at}{name}.weight"].T + plain[f"{at}{name}.bias"] + added

        query, key, value = (
            dense(x, f"attention.self.{name}", name[0]).reshape(len(ids), heads, -1).swapaxes(0, 1)
            for name in ("query", "key", "value")
        )
        scores = query @ key.swapaxes(1, 2) / np.sqrt(query.shape[-1])
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (shares / shares.sum(-1, keepdims=True)) @ value
        mixed = mixed.swapaxes(0, 1).reshape(len(ids), -1)
        y = x + dense(mixed, "attention.output.dense", "o")
        x = norm(y, f"{at}attention.output.LayerNorm", f"norm.{n}.1")
        y = x + dense(gelu(dense(x, "intermediate.dense", "fi")), "output.dense", "fo")
        x = norm(y, f"{at}output.LayerNorm", f"norm.{n}.2")
    tags = head(gelu(head(x, "tag.0")), "tag.2")
    pooled = gelu(head(np.concatenate([x[0], x.mean(0)]), "pool.0"))
    return Logits(tags, *(head(pooled, name) for name in ("search", "leans", "fresh", "kind")))


def assert_alike(found: Logits, expected: Logits) -> None:
    for name in ("queries", "search", "leans", "freshness", "kinds"):
        one, other = getattr(found, name), getattr(expected, name)
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, atol=2e-3)


@pytest.fixture(scope="module")
def packed() -> ModelFiles:
    spec = tables.read_models().named("multilingual-e5-small")
    return model_files.find(spec, source=ModelSource.PACKAGE, folder=None, cache=Path())


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> ModelFiles:
    """Return a small encoder of the same family in full precision, as the hub would have it."""
    folder = tmp_path_factory.mktemp("full")
    random = np.random.default_rng(9)
    sizes = {
        "embeddings.word_embeddings.weight": (len(WORDS), HIDDEN),
        "embeddings.position_embeddings.weight": (300, HIDDEN),
        "embeddings.token_type_embeddings.weight": (2, HIDDEN),
    }
    dense = {f"attention.self.{part}": (HIDDEN, HIDDEN) for part in ("query", "key", "value")}
    dense |= {"attention.output.dense": (HIDDEN, HIDDEN)}
    dense |= {"intermediate.dense": (WIDE, HIDDEN), "output.dense": (HIDDEN, WIDE)}
    norms = ["embeddings.LayerNorm"]
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}."
        sizes |= {f"{at}{name}.weight": shape for name, shape in dense.items()}
        sizes |= {f"{at}{name}.bias": (shape[0],) for name, shape in dense.items()}
        norms += [f"{at}attention.output.LayerNorm", f"{at}output.LayerNorm"]
    sizes |= {f"{name}.{part}": (HIDDEN,) for name in norms for part in ("weight", "bias")}
    weights = {name: random.normal(0.1, 0.4, shape) for name, shape in sizes.items()}
    save_file(
        {name: tensor.astype(np.float32) for name, tensor in weights.items()},
        folder / "model.safetensors",
    )
    write_tokenizer(folder)
    config = {"num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "layer_norm_eps": 1e-12}
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    (folder / "special_tokens_map.json").write_text('{"pad_token": "<pad>"}', "utf-8")
    digest = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    spec = ModelSpec("tiny-fp32", digest, frozenset({"all"}), 256, CARD.encoder)
    return ModelFiles(spec, folder)


def write_tokenizer(folder: Path) -> None:
    scores = [(word, -float(place)) for place, word in enumerate(WORDS)]
    tokenizer = Tokenizer(models.Unigram(scores, unk_id=3))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))


def unpacked(words: bert_graph.NibbleTable) -> np.ndarray:
    both = words.rows.reshape(*words.steps.shape, -1)[..., 2:]
    whole = np.concatenate([both & 0x0F, both >> 4], axis=-1).astype(np.float32) - 8
    return (whole * words.steps[..., None]).reshape(len(both), -1)


def opened(files: ModelFiles, tmp_path: Path) -> tuple[OpenVinoReader, Callable[..., Logits]]:
    """Return the model and what it should give."""
    model = LoadedModel.read(files)
    wide, hidden = model.tensors["encoder.layer.0.intermediate.dense.weight"].shape
    more = trained(hidden, wide, model.shape.layers)
    weights = UnderstandingWeights.read(write(tmp_path, more))
    reader = OpenVinoReader(model, weights, precision=Precision.FP32, threads=2)
    table = unpacked(model.words) if model.words else model.tensors[bert_graph.WORDS]
    plain = {**model.tensors, bert_graph.WORDS: table}
    shape = model.shape
    return reader, lambda text: spelled_out(plain, more, shape.heads, shape.norm_epsilon, text)


@pytest.mark.parametrize("kind", ["packed", "full"])
def test_what_is_served_is_what_the_weights_say(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    reader, expected = opened(request.getfixturevalue(kind), tmp_path)
    for message, history in ((MESSAGE, HISTORY), ("one", [])):
        text = arranged(message, history, reader.pieces)
        assert_alike(reader.run(text), expected(text))


def test_full_weights_cut_words_by_their_own_tokenizer(full: ModelFiles) -> None:
    pieces = LoadedModel.read(full).tokenizer.pieces
    assert (pieces.first, pieces.last) == (0, 2)
    assert list(pieces.cut(["and", "other", "京"])) == [
        [(5, 0, 3)],
        [(4, 0, 1), (7, 0, 5)],
        [(4, 0, 1), (12, 0, 1)],
    ]


def test_changed_weights_are_not_used(tmp_path: Path) -> None:
    path = write(tmp_path, trained(HIDDEN, WIDE, LAYERS))
    path.write_bytes(path.read_bytes() + b"\0")
    with pytest.raises(ChecksumError):
        UnderstandingWeights.read(path)


@pytest.mark.parametrize("missing", ["segment.weight", "tag.2.bias", "kind.weight"])
def test_weights_without_a_head_are_not_used(tmp_path: Path, missing: str) -> None:
    tensors = trained(HIDDEN, WIDE, LAYERS)
    del tensors[missing]
    with pytest.raises(ModelError):
        UnderstandingWeights.read(write(tmp_path, tensors))


def test_weights_that_do_not_fit_are_not_used(full: ModelFiles, tmp_path: Path) -> None:
    weights = UnderstandingWeights.read(write(tmp_path, trained(HIDDEN, WIDE, LAYERS + 1)))
    with pytest.raises(ModelError, match=r"layer\.2"):
        weights.laid_over(LoadedModel.read(full))


def test_a_card_is_read_as_it_was_written() -> None:
    metadata = CARD.to_metadata()
    assert Card.from_metadata(metadata) == CARD
    for broken in ({}, {"card": "[]"}, {"card": metadata["card"].replace("256", "512")}):
        with pytest.raises(ModelError):
            Card.from_metadata(broken)


def test_logits_become_calibrated_probabilities() -> None:
    text = Arranged((0, 5, 2, 6, 2), (0, 0, 0, 1, 1), (None, (1, 0, 3), None, (0, 4, 5), None))
    logits = Logits(
        np.array([[9, 9, 9], [0, 2, -2], [9, 9, 9], [9, -9, 0], [9, 9, 9]], np.float32),
        np.array([0.5], np.float32),
        np.array([-0.5], np.float32),
        np.array([0, 0, 0, 0, 90], np.float32),
        np.log(np.array([1, 3], np.float32)),
    )
    found = reading(text, logits, CARD)
    assert (found.search, found.leans_on_history) == (0.5, 0.5)
    assert found.freshness == pytest.approx([0, 0, 0, 0, 1])
    assert (found.kind, found.kind_probability) == ("smalltalk", pytest.approx(0.75))
    assert [(one.text, one.start, one.end) for one in found.pieces] == [(0, 4, 5), (1, 0, 3)]
    assert found.pieces[1].queries == pytest.approx([0.5, 0.881, 0.119], abs=1e-3)


class HeldModel:
    """Reads nothing until it may."""

    name, card = "held", CARD
    first, last = 0, 2

    def __init__(self) -> None:
        self.pieces = self
        self.gate = threading.Event()
        self.runs = 0

    def cut(self, words: Sequence[str]) -> list[list[tuple[int, int, int]]]:
        return [[(5, 0, len(word))] for word in words]

    def run(self, arranged: Arranged) -> Logits:
        assert self.gate.wait(20)
        self.runs += 1
        one = np.zeros(1, np.float32)
        tags = np.zeros((len(arranged.ids), 3), np.float32)
        return Logits(tags, one, one, np.zeros(5, np.float32), np.zeros(2, np.float32))


class Watch:
    """Notes what the reading reports."""

    def __init__(self) -> None:
        self.most = self.refusals = self.pieces = 0

    def waiting(self, messages: int) -> None:
        self.most = max(self.most, messages)

    def read(self, *, tokens: int, seconds: float) -> None:
        assert seconds >= 0
        self.pieces += tokens

    def refused(self) -> None:
        self.refusals += 1


async def test_too_many_messages_are_refused_at_once_and_none_is_kept() -> None:
    model, watch = HeldModel(), Watch()
    with ThreadPoolExecutor(1) as executor:
        reader = Reader(model, executor=executor, observer=watch)
        asked = [asyncio.create_task(reader.read("a b", [])) for _ in range(MOST_WAITING)]
        await asyncio.sleep(0)
        with pytest.raises(OverloadedError):
            await reader.read("one more", [])
        asked[-1].cancel()
        await asyncio.sleep(0)
        model.gate.set()
        found = await asyncio.gather(*asked, return_exceptions=True)
    assert isinstance(found[-1], asyncio.CancelledError)
    assert model.runs == MOST_WAITING - 1  # the one that left was never read
    assert (watch.most, watch.refusals) == (MOST_WAITING, 1)
    assert watch.pieces == 2 * (MOST_WAITING - 1)


def test_only_an_encoder_that_they_were_trained_on_gets_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = UnderstandingWeights.read(write(tmp_path, trained(384, 1536, 12)))
    monkeypatch.setattr(UnderstandingWeights, "packaged", lambda: weights)
    settings = ScorerSettings(data_dir=tmp_path, scorer_model="all-MiniLM-L6-v2")
    assert backends.open_models(settings).reader is None
    spoken = backends.open_models(settings.model_copy(update={"scorer_model": CARD.encoder}))
    assert spoken.reader is not None
    assert spoken.reader.name.startswith("multilingual-e5-small/cpu-")
    assert spoken.reader.name.endswith(f"+understanding-{weights.sha256[:8]}")
