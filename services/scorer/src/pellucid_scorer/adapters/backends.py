"""Chooses and opens the encoder that the settings ask for."""

import ctypes
import gc
import importlib.util
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from pellucid_scorer.adapters import model_files, openvino_encoder
from pellucid_scorer.adapters.int8 import Calibration
from pellucid_scorer.adapters.loaded_model import LoadedModel
from pellucid_scorer.adapters.mapped_weights import mapped
from pellucid_scorer.adapters.mixed_encoder import MixedEncoder
from pellucid_scorer.adapters.model_files import ModelFiles
from pellucid_scorer.adapters.openvino_encoder import OpenVinoEncoder, Threads, best_precision
from pellucid_scorer.adapters.openvino_reader import OpenVinoReader
from pellucid_scorer.adapters.understanding_weights import UnderstandingWeights
from pellucid_scorer.errors import ModelError
from pellucid_scorer.models import ModelSpec, Precision
from pellucid_scorer.ports import Encoder, ReadingModel
from pellucid_scorer.ranking.tables import read_models
from pellucid_scorer.settings import AUTO, Device, ScorerSettings

CPU_QUOTA = Path("/sys/fs/cgroup/cpu.max")
"""Where Linux tells the quota of a control group (version 2)."""


REFERENCE = "all-MiniLM-L6-v2"
"""Used where no model is named; the scale of the thresholds is its."""
COMPANION = "multilingual-e5-small"
"""Used beside it where it is installed."""


def chosen_files(settings: ScorerSettings) -> ModelFiles:
    """Return the verified files of the first model that the settings name.

    Raises:
        TableError: There is no model of this name, or the file of models breaks its rules.
        ModelError: Its files are missing or changed.
    """
    return _files(settings, chosen_specs(settings)[0], folder=settings.scorer_model_dir)


def further_files(settings: ScorerSettings) -> tuple[ModelFiles, ...]:
    """Return the verified files of the other models; see `chosen_files` for the errors."""
    return tuple(_files(settings, spec, folder=None) for spec in chosen_specs(settings)[1:])


def chosen_specs(settings: ScorerSettings) -> tuple[ModelSpec, ...]:
    """Return the models that the settings name, in order, at least one.

    Raises:
        TableError: There is no model of some name, or the file of models breaks its rules.
    """
    known = read_models(settings.scorer_models_file)
    names = settings.model_names
    if names == (AUTO,):
        companion = known.named(COMPANION)
        others = (companion,) if model_files.is_installed(companion) else ()
        return (known.named(REFERENCE), *others)
    return tuple(map(known.named, names))


def _files(settings: ScorerSettings, spec: ModelSpec, *, folder: Path | None) -> ModelFiles:
    return model_files.find(
        spec,
        source=settings.scorer_model_source,
        folder=folder,
        cache=settings.data_dir / "models",
    )


@dataclass(frozen=True, slots=True)
class Opened:
    """Warm models.

    Attributes:
        encoders: In the order of the settings.
        reader: Reads messages; None where its weights or their encoder are not there.
    """

    encoders: tuple[Encoder, ...]
    reader: ReadingModel | None


def open_models(settings: ScorerSettings) -> Opened:
    """Return the models that the settings name, and what was trained on top of one of them.

    Raises:
        TableError: There is no model of some name, or the file of models breaks its rules.
        ModelError: Its files are missing or changed, or cannot be used as the settings want.
    """
    every = (chosen_files(settings), *further_files(settings))
    trained = UnderstandingWeights.packaged()
    read_by = next((files for files in every if trained and trained.is_for(files.spec)), None)

    def opened(files: ModelFiles) -> _Opened:
        device, threads = settings.scorer_device, settings.scorer_threads
        weights = trained if files is read_by else None
        return _open(files, device, threads, settings.scorer_precision, weights)

    # Side by side: half of the time is spent outside the interpreter.
    with ThreadPoolExecutor(len(every)) as pool:
        found = list(pool.map(opened, every))
    readers = (one.reader for one in found if one.reader)
    _give_back_memory()
    return Opened(tuple(one.encoder for one in found), next(readers, None))


def open_encoder(
    files: ModelFiles, device: Device, threads: int, *, precision: Precision = Precision.AUTO
) -> Encoder:
    """Return a warm encoder.

    Args:
        files: The verified model.
        device: Where it shall run.
        threads: CPU threads; 0 means one per usable core.
        precision: Of the CPU's matrix products.

    Raises:
        ModelError: CUDA was asked for and is not there, or int8 for a model without calibration.
    """
    return _open(files, device, threads, precision, None).encoder


@dataclass(frozen=True, slots=True)
class _Opened:
    encoder: Encoder
    reader: ReadingModel | None = None


def _open(
    files: ModelFiles,
    device: Device,
    threads: int,
    precision: Precision,
    trained: UnderstandingWeights | None,
) -> _Opened:
    cores = threads or usable_cores()
    # Weights in 4 bits are read by our own graph alone.
    if not _uses_gpu(device) or files.is_packed:
        return _cpu(files, cores, precision, trained)
    encoder = _cuda(files)
    if trained is None:
        return _Opened(encoder)
    exact = best_precision(openvino_encoder.processor_flags(), is_calibrated=False)
    model = LoadedModel.read(files)
    return _Opened(encoder, OpenVinoReader(model, trained, precision=exact, threads=cores))


def _uses_gpu(device: Device) -> bool:
    """Tell whether models run on a GPU.

    Raises:
        ModelError: CUDA was asked for and is not there.
    """
    if device is Device.CPU:
        return False
    found = _has_torch() and _has_gpu()
    if device is Device.CUDA and not found:
        raise ModelError("SCORER_DEVICE=cuda: no CUDA device, or the gpu extra is missing")
    return found


def usable_cores() -> int:
    """Return the cores that this process may use, by affinity and by its control group's quota."""
    cores = len(os.sched_getaffinity(0))
    quota = _quota()
    return max(1, min(cores, round(quota))) if quota else cores


def _cpu(
    files: ModelFiles,
    cores: int,
    precision: Precision,
    trained: UnderstandingWeights | None,
) -> _Opened:
    calibration = Calibration.packaged(files.spec.sha256)
    flags = openvino_encoder.processor_flags()
    best = best_precision(flags, is_calibrated=calibration is not None)
    chosen = best if precision is Precision.AUTO else precision
    exact = best_precision(flags, is_calibrated=False) if chosen is Precision.INT8 else chosen
    model = LoadedModel.read(files)
    with mapped(model.tensors) as tensors:
        model = replace(model, tensors=tensors)
        encoder = _encoder(model, cores, chosen, exact, calibration)
        if trained is None:
            return _Opened(encoder)
        return _Opened(encoder, OpenVinoReader(model, trained, precision=exact, threads=cores))


def _encoder(
    model: LoadedModel,
    cores: int,
    chosen: Precision,
    exact: Precision,
    calibration: Calibration | None,
) -> Encoder:
    every, plain = Threads(streams=cores, threads=cores), openvino_encoder.graph(model)
    if chosen is not Precision.INT8:
        return _warm(OpenVinoEncoder(model, plain, precision=chosen, threads=every))
    if calibration is None:
        raise ModelError(f"SCORER_PRECISION=int8: {model.spec.name} has not been calibrated")
    quick = openvino_encoder.graph(model, calibration)
    one = Threads(streams=1, threads=1)
    return MixedEncoder(
        _warm(OpenVinoEncoder(model, quick, precision=chosen, threads=every)),
        _warm(OpenVinoEncoder(model, plain, precision=exact, threads=one)),
    )


def _warm(encoder: OpenVinoEncoder) -> OpenVinoEncoder:
    encoder.warm_up()
    return encoder


def _cuda(files: ModelFiles) -> Encoder:
    from pellucid_scorer.adapters.cuda_encoder import CudaEncoder

    encoder = CudaEncoder(files)
    encoder.warm_up()
    return encoder


def _give_back_memory() -> None:
    """Return to the system what reading and compiling took and freed; glibc alone keeps it."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _has_torch() -> bool:
    """Tell whether the gpu extra is installed, without importing anything of it."""
    return all(importlib.util.find_spec(name) for name in ("torch", "sentence_transformers"))


def _has_gpu() -> bool:
    from pellucid_scorer.adapters import cuda_encoder

    return cuda_encoder.is_available()


def _quota() -> float | None:
    """Return the CPU quota in cores; None when there is none."""
    try:
        most, period = CPU_QUOTA.read_text("ascii").split()
    except (OSError, ValueError):
        return None
    return None if most == "max" else int(most) / int(period)
