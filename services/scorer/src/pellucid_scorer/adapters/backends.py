"""Chooses and opens the encoder that the settings ask for."""

import importlib.util
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import openvino as ov

from pellucid_scorer.adapters import model_files, openvino_encoder
from pellucid_scorer.adapters.mixed_encoder import MixedEncoder
from pellucid_scorer.adapters.model_files import ModelFiles
from pellucid_scorer.adapters.openvino_encoder import (
    OpenVinoEncoder,
    Precision,
    Threads,
    best_precision,
)
from pellucid_scorer.errors import ModelError
from pellucid_scorer.models import ModelSpec
from pellucid_scorer.ports import Encoder
from pellucid_scorer.ranking.tables import read_models
from pellucid_scorer.settings import AUTO, CpuPrecision, Device, ScorerSettings

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


def open_encoders(settings: ScorerSettings) -> tuple[Encoder, ...]:
    """Return the encoders of the models that the settings name, warm, the first one first.

    Raises:
        TableError: There is no model of some name, or the file of models breaks its rules.
        ModelError: Its files are missing or changed, or cannot be used as the settings want.
    """
    wanted = settings.scorer_precision
    precision = None if wanted is CpuPrecision.AUTO else Precision(wanted)
    first, further = chosen_files(settings), further_files(settings)

    def opened(files: ModelFiles, precision: Precision | None) -> Encoder:
        device, threads = settings.scorer_device, settings.scorer_threads
        return open_encoder(files, device, threads, precision=precision)

    # Side by side: half of the time is spent outside the interpreter.
    with ThreadPoolExecutor(1 + len(further)) as pool:
        return tuple(pool.map(lambda files: opened(files, precision), (first, *further)))


def open_encoder(
    files: ModelFiles, device: Device, threads: int, *, precision: Precision | None = None
) -> Encoder:
    """Return a warm encoder.

    Args:
        files: The verified model.
        device: Where it shall run.
        threads: CPU threads; 0 means one per usable core.
        precision: Of the CPU's matrix products; None chooses by the processor.

    Raises:
        ModelError: CUDA was asked for and is not there, or int8 for a model without calibration.
    """
    if device is Device.CUDA or (device is Device.AUTO and _has_torch()):
        encoder = _cuda(files)
        if encoder is not None:
            return encoder
        if device is Device.CUDA:
            raise ModelError("SCORER_DEVICE=cuda: no CUDA device, or the gpu extra is missing")
    return _cpu(files, threads, precision)


def usable_cores() -> int:
    """Return the cores that this process may use, by affinity and by its control group's quota."""
    cores = len(os.sched_getaffinity(0))
    quota = _quota()
    return max(1, min(cores, round(quota))) if quota else cores


def _cpu(files: ModelFiles, threads: int, precision: Precision | None) -> Encoder:
    calibration = openvino_encoder.calibration_of(files)
    flags = openvino_encoder.processor_flags()
    chosen = precision or best_precision(flags, is_calibrated=calibration is not None)
    cores = threads or usable_cores()
    every = Threads(streams=cores, threads=cores)
    if chosen is not Precision.INT8:
        return _opened(files, openvino_encoder.graph(files), chosen, every)
    if calibration is None:
        raise ModelError(f"SCORER_PRECISION=int8: {files.spec.name} has not been calibrated")
    weights = openvino_encoder.weights_of(files)
    quick = openvino_encoder.graph(files, calibration, weights=weights)
    plain = openvino_encoder.graph(files, weights=weights)
    exact = best_precision(flags, is_calibrated=False)
    return MixedEncoder(
        _opened(files, quick, chosen, every),
        _opened(files, plain, exact, Threads(streams=1, threads=1)),
    )


def _opened(
    files: ModelFiles, graph: ov.Model, precision: Precision, threads: Threads
) -> OpenVinoEncoder:
    encoder = OpenVinoEncoder(files, graph, precision=precision, threads=threads)
    encoder.warm_up()
    return encoder


def _cuda(files: ModelFiles) -> Encoder | None:
    if not _has_torch():
        return None
    from pellucid_scorer.adapters import cuda_encoder

    if not cuda_encoder.is_available():
        return None
    encoder = cuda_encoder.CudaEncoder(files)
    encoder.warm_up()
    return encoder


def _has_torch() -> bool:
    """Tell whether the gpu extra is installed, without importing anything of it."""
    return all(importlib.util.find_spec(name) for name in ("torch", "sentence_transformers"))


def _quota() -> float | None:
    """Return the CPU quota in cores; None when there is none."""
    try:
        most, period = CPU_QUOTA.read_text("ascii").split()
    except (OSError, ValueError):
        return None
    return None if most == "max" else int(most) / int(period)
