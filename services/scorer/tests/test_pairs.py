"""Cross-encoders: their files and labels, the graph of a small BERT, and their part in calls."""

import json
import threading
import time
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from pellucid_runtime.clock import FixedClock
from pellucid_scorer.adapters import bert_graph, cross_encoder
from pellucid_scorer.adapters.cross_encoder import open_cross_encoder
from pellucid_scorer.encoding.embedding import Embedder
from pellucid_scorer.encoding.pairs import PairReader
from pellucid_scorer.errors import ModelError, ModelMissingError
from pellucid_scorer.ranking.candidates import Candidate, Semantic
from pellucid_scorer.ranking.semantic import reordered
from pellucid_scorer.ranking.tables import Profiles, Tables
from pellucid_scorer.scoring import ScoreQuery, Scorer

HIDDEN, WIDE, LAYERS, HEADS = 32, 48, 2, 4
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "tide", "harbour", "closed", "soup", "lemon", "storm"]
PAIRS = [("tide harbour", "harbour closed storm"), ("soup", "lemon soup tide harbour closed")]


def write(folder: Path, labels: int = 1, **config: Any) -> dict[str, np.ndarray]:
    """Write a small BERT with random weights as its publisher would; return the weights."""
    random = np.random.default_rng(7)

    def tensor(*shape: int) -> np.ndarray:
        return random.normal(0, 0.3, shape).astype(np.float32)

    sizes = {"attention.self.query": (32, 32), "attention.self.key": (32, 32),
             "attention.self.value": (32, 32), "attention.output.dense": (32, 32),
             "intermediate.dense": (WIDE, 32), "output.dense": (32, WIDE)}  # fmt: skip
    weights = {
        "bert.embeddings.word_embeddings.weight": tensor(len(WORDS), HIDDEN),
        "bert.embeddings.position_embeddings.weight": tensor(64, HIDDEN),
        "bert.embeddings.token_type_embeddings.weight": tensor(2, HIDDEN),
        "bert.pooler.dense.weight": tensor(HIDDEN, HIDDEN),
        "bert.pooler.dense.bias": tensor(HIDDEN),
        "classifier.weight": tensor(labels, HIDDEN),
        "classifier.bias": tensor(labels),
    }
    norms = ["bert.embeddings."]
    for number in range(LAYERS):
        layer = f"bert.encoder.layer.{number}."
        for name, (rows, width) in sizes.items():
            weights[f"{layer}{name}.weight"] = tensor(rows, width)
            weights[f"{layer}{name}.bias"] = tensor(rows)
        norms += [f"{layer}attention.output.", f"{layer}output."]
    for norm in norms:
        weights[f"{norm}LayerNorm.weight"] = 1 + tensor(HIDDEN)
        weights[f"{norm}LayerNorm.bias"] = tensor(HIDDEN)
    save_file(weights, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps({
        "model_type": "bert", "num_hidden_layers": LAYERS, "num_attention_heads": HEADS,
        "layer_norm_eps": 1e-12, "pad_token_id": 0, "max_position_embeddings": 64, **config,
    }))  # fmt: skip
    words = {word: place for place, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    return weights


def spelled_out(weights: dict[str, np.ndarray], ids: list[int], kinds: list[int]) -> np.ndarray:
    """The logits of one pair, as the paper has it, in numpy."""

    def dense(x: np.ndarray, name: str) -> np.ndarray:
        return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def norm(x: np.ndarray, name: str) -> np.ndarray:
        centred = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-12)
        return centred * weights[f"{name}.LayerNorm.weight"] + weights[f"{name}.LayerNorm.bias"]

    def gelu(x: np.ndarray) -> np.ndarray:
        from math import erf

        return x * 0.5 * (1 + np.vectorize(erf)(x / np.sqrt(2)))

    at = "bert.embeddings."
    x = (
        weights[f"{at}word_embeddings.weight"][ids]
        + weights[f"{at}position_embeddings.weight"][: len(ids)]
        + weights[f"{at}token_type_embeddings.weight"][kinds]
    )
    x = norm(x, "bert.embeddings")
    for number in range(LAYERS):
        at = f"bert.encoder.layer.{number}."
        parts = [
            dense(x, f"{at}attention.self.{part}").reshape(len(ids), HEADS, -1).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        ]
        scores = parts[0] @ parts[1].transpose(0, 2, 1) / np.sqrt(HIDDEN / HEADS)
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (shares / shares.sum(-1, keepdims=True)) @ parts[2]
        mixed = mixed.transpose(1, 0, 2).reshape(len(ids), HIDDEN)
        x = norm(x + dense(mixed, f"{at}attention.output.dense"), f"{at}attention.output")
        wide = gelu(dense(x, f"{at}intermediate.dense"))
        x = norm(x + dense(wide, f"{at}output.dense"), f"{at}output")
    return dense(np.tanh(dense(x[0], "bert.pooler.dense")), "classifier")


def expected(weights: dict[str, np.ndarray], folder: Path) -> np.ndarray:
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    read = [tokenizer.encode(*pair) for pair in PAIRS]
    return np.array([spelled_out(weights, one.ids, one.type_ids) for one in read])


def test_plain_weights_of_a_bert_say_what_the_paper_has(tmp_path: Path) -> None:
    weights = write(tmp_path)
    model = open_cross_encoder(str(tmp_path), cache=tmp_path, threads=1)
    wanted = 1 / (1 + np.exp(-expected(weights, tmp_path)[:, 0]))
    np.testing.assert_allclose(model.rate(PAIRS), wanted, atol=1e-4)
    np.testing.assert_allclose(model.rate(PAIRS[::-1]), wanted[::-1], atol=1e-4)


def test_a_network_in_the_engines_own_form_is_read_as_it_is(tmp_path: Path) -> None:
    labels = {"0": "contradiction", "1": "neutral", "2": "entailment"}
    write(tmp_path, labels=3, id2label=labels, model_type="deberta-v2")
    with pytest.raises(ModelError, match="deberta-v2"):
        open_cross_encoder(str(tmp_path), cache=tmp_path, threads=1)
    (tmp_path / "openvino").mkdir()
    ov.save_model(
        _padded_graph(), tmp_path / "openvino" / "openvino_model.xml", compress_to_fp16=False
    )
    found = open_cross_encoder(str(tmp_path), cache=tmp_path, threads=1).rate(PAIRS)
    lengths = np.array([8, 9], np.float32)
    powers = np.exp(np.stack([lengths, lengths, 0.5 * lengths], axis=1))
    np.testing.assert_allclose(found, powers[:, 2] / powers.sum(axis=1), rtol=1e-5)


def _padded_graph() -> ov.Model:
    """A network whose logits are 1, 1 and 1/2 times a pair's tokens."""
    from openvino import opset13 as ops

    ids, mask = (ops.parameter([-1, -1], np.int64, name=n) for n in ("input_ids", "attention_mask"))
    for one, name in ((ids, "input_ids"), (mask, "attention_mask")):
        one.output(0).set_names({name})
    count = ops.convert(ops.reduce_sum(mask, ops.constant(np.array([1])), keep_dims=True), "f32")
    logits = ops.multiply(count, ops.constant(np.array([[1.0, 1.0, 0.5]], np.float32)))
    return ov.Model([ops.result(logits)], [ids, mask], "lengths")


@pytest.mark.parametrize(
    ("labels", "place"),
    [
        ({}, None),
        ({"0": "LABEL_0"}, None),
        ({"0": "LABEL_0", "1": "LABEL_1"}, 1),
        ({"0": "ENTAILMENT", "1": "NEUTRAL", "2": "CONTRADICTION"}, 0),
        ({"0": "not_supported", "1": "supported"}, 1),
    ],
)
def test_the_label_that_says_yes(labels: dict[str, str], place: int | None) -> None:
    assert cross_encoder.affirmative({"id2label": labels}) == place


def test_labels_that_say_nothing_are_named() -> None:
    with pytest.raises(ModelError, match="dogs"):
        cross_encoder.affirmative({"id2label": {"0": "cats", "1": "dogs"}})


def test_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(ModelMissingError, match=r"config\.json"):
        open_cross_encoder(str(tmp_path), cache=tmp_path, threads=1)
    write(tmp_path)
    (tmp_path / "model.safetensors").unlink()
    with pytest.raises(ModelMissingError, match="openvino_model"):
        open_cross_encoder(str(tmp_path), cache=tmp_path, threads=1)


def test_a_missing_tensor_stops_the_start(tmp_path: Path) -> None:
    weights = write(tmp_path)
    del weights["bert.pooler.dense.bias"]
    save_file(weights, tmp_path / "model.safetensors")
    with pytest.raises(ModelError, match=r"pooler\.dense\.bias"):
        open_cross_encoder(str(tmp_path), cache=tmp_path, threads=1)
    assert bert_graph.WORDS in {name.removeprefix("bert.") for name in weights}


def test_a_new_order_deals_out_the_same_scores() -> None:
    parts = [Semantic(0.9), Semantic(0.5), Semantic(0.7), Semantic(0.1)]
    again = reordered(parts, [1, 0, 2])
    assert [part.score for part in again] == [0.7, 0.9, 0.5, 0.1]


@dataclass
class ScriptedPairs:
    """Likes a pair by a word of its second text."""

    word: str
    seconds: float = 0.0
    name: str = "scripted/cpu"
    pairs: list[Sequence[tuple[str, str]]] = field(default_factory=list)
    left: threading.Event = field(default_factory=threading.Event)

    def rate(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        self.pairs.append(pairs)
        self.left.wait(self.seconds)
        return np.array([0.95 if self.word in text else 0.05 for _, text in pairs], np.float32)


@asynccontextmanager
async def scorer(
    embedder: Embedder, score_tables: Tables, profiles: Profiles, **models: ScriptedPairs
) -> AsyncIterator[Scorer]:
    with ThreadPoolExecutor(2) as pool:
        readers = {
            part: PairReader(model, executor=pool, most_s=0.2) for part, model in models.items()
        }
        clock = FixedClock(datetime(2026, 5, 1, tzinfo=UTC))
        yield Scorer(embedder, tables=score_tables, profiles=profiles, clock=clock, **readers)
        for model in models.values():
            model.left.set()


QUERY = ScoreQuery(
    question="harbour storm tide",
    candidates=[
        Candidate(id="a", snippet="harbour storm tide today"),
        Candidate(id="b", snippet="harbour tide report with lemon"),
    ],
)


async def test_the_reranker_orders_the_best_again(
    embedder: Embedder, score_tables: Tables, profiles: Profiles
) -> None:
    async with scorer(embedder, score_tables, profiles) as plain:
        before = await plain.score(QUERY)
    model = ScriptedPairs("lemon")
    async with scorer(embedder, score_tables, profiles, reranker=model) as one:
        after = await one.score(QUERY)
    assert [v.rated.candidate.id for v in before.verdicts] == ["a", "b"]
    assert [v.rated.candidate.id for v in after.verdicts] == ["b", "a"]
    assert after.model.endswith("+scripted/cpu")
    assert sorted(v.rated.breakdown.semantic.score for v in after.verdicts) == sorted(
        v.rated.breakdown.semantic.score for v in before.verdicts
    )
    assert model.pairs[0][0] == (QUERY.question, QUERY.candidates[0].text)


async def test_a_late_reranker_is_done_without_and_named(
    embedder: Embedder, score_tables: Tables, profiles: Profiles
) -> None:
    model = ScriptedPairs("lemon", seconds=5)
    async with scorer(embedder, score_tables, profiles, reranker=model) as one:
        started = time.monotonic()
        found = await one.score(QUERY)
        again = await one.score(QUERY)
        third = await one.score(QUERY)
        assert time.monotonic() - started < 2
    assert [v.rated.candidate.id for v in found.verdicts] == ["a", "b"]
    assert (found.lost, again.lost, third.lost) == (("reranker",),) * 3
    assert "scripted" not in found.model


async def test_the_verifier_reads_passage_and_claim_where_they_are_about_the_same(
    embedder: Embedder, score_tables: Tables, profiles: Profiles
) -> None:
    model = ScriptedPairs("closed")
    claims = [
        "The harbour closed in a storm.",
        "The harbour opened in a storm.",
        "Soup needs salt.",
    ]
    async with scorer(embedder, score_tables, profiles, verifier=model) as one:
        judged = await one.judge(claims, [("p", "The harbour closed because of a storm.")])
    verdicts = [row[0].verdict for row in judged.claims]
    assert verdicts == [pytest.approx(0.95), pytest.approx(0.05), None]
    assert judged.model.endswith("+scripted/cpu")
    assert all("because of a storm" in passage for passage, _ in model.pairs[0])


@pytest.mark.parametrize("scripts", [{"LATIN"}, {"all"}])
async def test_a_model_of_all_languages_chooses_the_window_of_a_claim_in_another(
    embedder: Embedder,
    encoder: Any,
    score_tables: Tables,
    profiles: Profiles,
    scripts: set[str],
) -> None:
    encoder.scripts = frozenset(scripts)
    page = "The harbour closed. It rained. The lock is wide. Tidewater made no bid for the ferry."
    claim = "Tidewater hat für die Fähre nicht geboten, sagte die Chefin."
    async with scorer(embedder, score_tables, profiles) as one:
        judged = await one.judge([claim], [("p", page)])
    window = judged.claims[0][0].window
    across = "The lock is wide. Tidewater made no bid for the ferry."
    assert (page[window.start : window.end].strip() == across) is ("all" in scripts)
