"""Finds a model's files (folder, installed package or hub) and verifies them before use."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from pellucid_scorer.errors import ChecksumError, ModelMissingError
from pellucid_scorer.models import WEIGHTS, ModelSource, ModelSpec

TOKENIZER = "tokenizer.json"
CONFIG = "config.json"
SPECIAL_TOKENS = "special_tokens_map.json"
NEEDED = (WEIGHTS, TOKENIZER, CONFIG, SPECIAL_TOKENS)

ALSO_FOR_TORCH = (
    "modules.json",
    "sentence_bert_config.json",
    "tokenizer_config.json",
    "1_Pooling/config.json",
)
"""What sentence-transformers reads besides; fetched with the rest, used by the CUDA backend."""


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A verified model on disk.

    Attributes:
        spec: Which model it is.
        folder: Folder with all its files.
    """

    spec: ModelSpec
    folder: Path

    @property
    def weights(self) -> Path:
        """The weights, verified."""
        return self.folder / self.spec.file

    @property
    def is_packed(self) -> bool:
        """The weights are one file of 4 bits that needs no other file."""
        return self.spec.file != WEIGHTS

    @property
    def tokenizer(self) -> Path:
        """The tokenizer's description."""
        return self.folder / TOKENIZER

    @property
    def pad_token(self) -> str:
        """The token that fills a batch's shorter rows."""
        token = self.read(SPECIAL_TOKENS)["pad_token"]
        return str(token["content"] if isinstance(token, dict) else token)

    @property
    def config(self) -> dict[str, Any]:
        """The model's configuration."""
        return self.read(CONFIG)

    def read(self, name: str) -> dict[str, Any]:
        """Return one of the JSON files."""
        content: dict[str, Any] = json.loads((self.folder / name).read_text("utf-8"))
        return content


def find(spec: ModelSpec, *, source: ModelSource, folder: Path | None, cache: Path) -> ModelFiles:
    """Return a model's files after verifying them.

    Args:
        spec: Which model.
        source: The installed package, the hub, or the first of these that has it.
        folder: Folder that holds the files already; None to look in ``source``.
        cache: Where downloads are kept.

    Raises:
        ModelMissingError: There are no such files.
        ChecksumError: The weights are not the expected ones.
    """
    where = folder or _folder(spec, source, cache)
    found = ModelFiles(spec, where)
    for name in (spec.file,) if found.is_packed else NEEDED:
        if not (where / name).is_file():
            raise ModelMissingError(f"model {spec.name}: {where / name} is missing")
    verify(found.weights, spec.sha256)
    return found


def is_installed(spec: ModelSpec) -> bool:
    """Tell whether a model's package is there."""
    try:
        return (_packaged(spec) / spec.file).is_file()
    except PackageNotFoundError:
        return False


def verify(file: Path, sha256: str) -> None:
    """Compare a file's digest with the expected one.

    Raises:
        ChecksumError: They differ.
    """
    with file.open("rb") as stream:
        actual = hashlib.file_digest(stream, "sha256").hexdigest()
    if actual != sha256:
        raise ChecksumError(file=str(file), expected=sha256, actual=actual)


def _folder(spec: ModelSpec, source: ModelSource, cache: Path) -> Path:
    if source is not ModelSource.HUB or not spec.hub:
        try:
            return _packaged(spec)
        except PackageNotFoundError as error:
            if source is ModelSource.PACKAGE or not spec.hub:
                raise ModelMissingError(f"package {spec.package} is not installed") from error
    folder = cache / spec.name
    if all((folder / name).is_file() for name in NEEDED):
        return folder
    return download(spec.hub, spec.revision, folder, NEEDED + ALSO_FOR_TORCH)


def _packaged(spec: ModelSpec) -> Path:
    """Return the folder inside the package, which is never imported: it would want torch."""
    if not spec.package:
        raise PackageNotFoundError(spec.name)
    return Path(str(distribution(spec.package).locate_file(spec.folder)))


def download(repository: str, revision: str, folder: Path, names: Sequence[str]) -> Path:
    """Fetch files from the hub (``HF_ENDPOINT`` and ``HF_TOKEN`` are honoured) into a folder.

    Args:
        repository: As the hub calls it.
        revision: Branch, tag or commit; empty means the usual one.
        folder: Where they are kept; what is there and unchanged is not fetched again.
        names: Of files; what the repository lacks is left out.

    Raises:
        ModelMissingError: It could not be reached or is not there.
    """
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    try:
        snapshot_download(
            repository, revision=revision or None, local_dir=folder, allow_patterns=list(names)
        )
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        raise ModelMissingError(f"model {repository} could not be fetched: {error}") from error
    return folder
