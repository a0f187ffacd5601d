"""The real model: parity with sentence-transformers, its files and its tokenizer."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from pellucid_scorer.adapters import backends, model_files, openvino_encoder
from pellucid_scorer.adapters.int8 import Calibration
from pellucid_scorer.adapters.loaded_model import LoadedModel
from pellucid_scorer.adapters.mixed_encoder import MixedEncoder
from pellucid_scorer.adapters.model_files import ModelFiles
from pellucid_scorer.adapters.openvino_encoder import OpenVinoEncoder, Threads
from pellucid_scorer.adapters.tokenizer import ModelTokenizer
from pellucid_scorer.errors import ChecksumError, ModelError, ModelMissingError, TableError
from pellucid_scorer.models import Models, ModelSource, Precision
from pellucid_scorer.ports import Encoder
from pellucid_scorer.ranking import tables
from pellucid_scorer.settings import Device


def test_parity_of_this_machines_best_precision(parity: ModuleType, real_encoder: Encoder) -> None:
    floor = parity.FLOORS[real_encoder.name.rsplit("-", 1)[-1]]
    worst = {kind: float(c.min()) for kind, c in parity.cosines_by_kind(real_encoder).items()}
    assert min(worst.values()) >= floor, worst


def test_parity_of_float32(parity: ModuleType, packaged_model: ModelFiles) -> None:
    model = LoadedModel.read(packaged_model)
    encoder = OpenVinoEncoder(
        model,
        openvino_encoder.graph(model),
        precision=Precision.FP32,
        threads=Threads(streams=1, threads=2),
    )
    worst = {kind: float(c.min()) for kind, c in parity.cosines_by_kind(encoder).items()}
    assert min(worst.values()) >= parity.FLOORS["fp32"], worst


@pytest.mark.parametrize(
    ("flags", "is_calibrated", "precision"),
    [
        ({"avx2"}, True, Precision.FP32),
        ({"avx2", "avx_vnni"}, True, Precision.INT8),
        ({"avx2", "avx512_vnni"}, False, Precision.FP32),
        ({"avx2", "avx512_vnni", "avx512_bf16"}, False, Precision.BF16),
        ({"avx2", "avx512_vnni", "avx512_bf16"}, True, Precision.INT8),
        ({"avx2", "avx512_vnni", "avx512_bf16", "amx_bf16"}, True, Precision.BF16),
        (set(), True, Precision.FP32),
    ],
)
def test_the_precision_is_chosen_by_what_the_processor_has(
    flags: set[str], precision: Precision, *, is_calibrated: bool
) -> None:
    assert openvino_encoder.best_precision(flags, is_calibrated=is_calibrated) is precision


def test_parity_of_int8(parity: ModuleType, packaged_model: ModelFiles) -> None:
    """Without AVX-512 VNNI the engine computes the same numbers more slowly."""
    encoder = backends.open_encoder(packaged_model, Device.CPU, 2, precision=Precision.INT8)
    worst = {kind: float(c.min()) for kind, c in parity.cosines_by_kind(encoder).items()}
    assert min(worst.values()) >= parity.FLOORS["int8"], worst
    assert encoder.name.endswith("cpu-int8")


def test_int8_is_refused_for_a_model_that_was_not_calibrated(packaged_model: ModelFiles) -> None:
    other = replace(packaged_model, spec=replace(packaged_model.spec, sha256="0" * 64))
    with pytest.raises(ModelError, match="calibrated"):
        backends.open_encoder(other, Device.CPU, 1, precision=Precision.INT8)


def test_a_text_is_read_exactly_by_its_own_length_alone(encoder: Any) -> None:
    exact, short, long = replace(encoder, batches=[]), list(range(16)), list(range(17))
    vectors = MixedEncoder(encoder, exact).encode([long, short, long])
    assert encoder.batches == [[long, long]]
    assert exact.batches == [[short]]
    np.testing.assert_array_equal(vectors[1], exact.encode([short])[0])
    np.testing.assert_array_equal(vectors[2], encoder.encode([long])[0])


def test_the_calibration_belongs_to_the_weights_and_saw_no_reference_text(
    packaged_model: ModelFiles,
) -> None:
    kept = Calibration.packaged(packaged_model.spec.sha256)
    assert kept is not None
    assert len(kept.inputs) == 24
    calibration = json.loads((Path(__file__).parents[1] / "calibration_texts.json").read_text())
    reference = json.loads((Path(__file__).parent / "reference_texts.json").read_text())
    seen, held_out = (
        {text for group in groups.values() for text in group} for groups in (calibration, reference)
    )
    assert not seen & held_out


def test_a_packed_batch_can_be_unpacked() -> None:
    """Texts lie one after the other; a padding token is always there to fill up the rows."""
    batch = openvino_encoder.packed([[5, 6, 7], [8], list(range(10, 70))], pad_id=0)
    assert batch.ids.shape == (1, 128)
    padded = batch.ids[0, batch.rows]
    assert padded[:2, :4].tolist() == [[5, 6, 7, 0], [8, 0, 0, 0]]
    assert padded[2].tolist() == [*range(10, 70), 0, 0, 0, 0]
    assert batch.places[0, :5].tolist() == [0, 1, 2, 0, 0]
    np.testing.assert_array_equal(padded.ravel()[batch.slots[:64]], batch.ids[0, :64])


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
