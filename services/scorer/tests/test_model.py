"""The real model: parity with sentence-transformers, its files and its tokenizer."""

import shutil
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from pellucid_scorer import tables
from pellucid_scorer.adapters import model_files, openvino_encoder
from pellucid_scorer.adapters.model_files import ModelFiles, ModelSource
from pellucid_scorer.adapters.openvino_encoder import OpenVinoEncoder, Precision, Threads
from pellucid_scorer.adapters.tokenizer import ModelTokenizer
from pellucid_scorer.errors import ChecksumError, ModelMissingError, TableError
from pellucid_scorer.models import Models
from pellucid_scorer.ports import Encoder


def test_parity_of_this_machines_best_precision(parity: ModuleType, real_encoder: Encoder) -> None:
    floor = parity.FLOORS[real_encoder.name.rsplit("-", 1)[-1]]
    worst = {kind: float(c.min()) for kind, c in parity.cosines_by_kind(real_encoder).items()}
    assert min(worst.values()) >= floor, worst


def test_parity_of_float32(parity: ModuleType, packaged_model: ModelFiles) -> None:
    encoder = OpenVinoEncoder(
        packaged_model,
        openvino_encoder.graph(packaged_model),
        precision=Precision.FP32,
        threads=Threads(streams=1, threads=2),
    )
    worst = {kind: float(c.min()) for kind, c in parity.cosines_by_kind(encoder).items()}
    assert min(worst.values()) >= parity.FLOORS["fp32"], worst


def test_reference_covers_many_kinds_of_text(parity: ModuleType) -> None:
    groups = parity.texts_by_kind()
    assert sum(map(len, groups.values())) >= 60
    assert {"code", "korean", "chinese", "japanese", "emoji_and_symbols"} <= groups.keys()


def test_vectors_of_other_texts_are_refused(parity: ModuleType) -> None:
    with pytest.raises(ValueError, match="other texts"):
        parity.reference_vectors(["something else"])


def test_padding_does_not_change_a_vector(real_encoder: Encoder) -> None:
    short, long = real_encoder.tokenize(["a tide table", "word " * 200])
    alone = real_encoder.encode([short])[0]
    together = real_encoder.encode([long, short])[1]
    assert float(alone @ together) > 0.9995


@pytest.mark.parametrize("text", ["", "   ", "🎉" * 50, "\x00\x01", "가" * 9000, "x" * 60_000])
def test_odd_texts_have_finite_unit_vectors(real_encoder: Encoder, text: str) -> None:
    vector = real_encoder.encode(real_encoder.tokenize([text]))[0]
    assert np.isfinite(vector).all()
    assert float(np.linalg.norm(vector)) == pytest.approx(1.0, abs=1e-3)


def test_a_long_text_is_tokenized_as_if_it_were_whole(packaged_model: ModelFiles) -> None:
    tokenizer = ModelTokenizer(packaged_model)
    spaced = " " * 9000 + "late words"
    assert len(tokenizer.tokenize([spaced])[0]) == len(tokenizer.tokenize(["late words"])[0])
    assert len(tokenizer.tokenize(["word " * 9000])[0]) == 256


def test_a_changed_weights_file_is_refused(packaged_model: ModelFiles, tmp_path: Path) -> None:
    for name in model_files.NEEDED:
        shutil.copy(packaged_model.folder / name, tmp_path / name)
    with (tmp_path / model_files.WEIGHTS).open("r+b") as file:
        file.seek(1_000_000)
        file.write(b"\x00\x01\x02\x03")
    with pytest.raises(ChecksumError, match="sha256"):
        find(folder=tmp_path, cache=tmp_path)


def test_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(ModelMissingError, match=r"model\.safetensors"):
        find(folder=tmp_path, cache=tmp_path)


def test_a_hub_that_cannot_be_reached_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(ModelMissingError, match="could not be fetched"):
        find(source=ModelSource.HUB, cache=tmp_path)


def find(
    *, cache: Path, folder: Path | None = None, source: ModelSource = ModelSource.PACKAGE
) -> ModelFiles:
    spec = tables.read_models().named("all-MiniLM-L6-v2")
    return model_files.find(spec, source=source, folder=folder, cache=cache)


def test_an_unknown_model_is_named() -> None:
    with pytest.raises(TableError, match="no-such-model"):
        tables.read_models().named("no-such-model")


def test_a_malformed_digest_is_refused() -> None:
    with pytest.raises(TableError, match="sha256"):
        Models.from_yaml("m: {hub: a/b, sha256: abc, scripts: [all], max_tokens: 128}")
