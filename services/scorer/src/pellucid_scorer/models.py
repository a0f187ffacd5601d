"""Which models there are, where their files come from and what they were trained on."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Self

import numpy as np
import numpy.typing as npt
import yaml
from pydantic import Field

from pellucid_scorer.errors import TableError
from pellucid_scorer.typed_tables import typed

WEIGHTS = "model.safetensors"


class ModelSource(StrEnum):
    """Where a model's files are taken from."""

    AUTO = "auto"
    PACKAGE = "package"
    HUB = "hub"


class Precision(StrEnum):
    """Number format of the CPU's matrix products; AUTO: by the processor."""

    AUTO = "auto"
    FP32 = "fp32"
    BF16 = "bf16"
    INT8 = "int8"


@dataclass(frozen=True, slots=True)
class Prefixes:
    """What stands before a text, by its part in a search."""

    query: str = ""
    passage: str = ""


@dataclass(frozen=True, slots=True)
class Scale:
    """A line from a model's cosines to the cosines of the reference model.

    Thresholds are those of all-MiniLM-L6-v2. Other models put unrelated texts elsewhere: e5 seldom
    gives less than 0.7.

    Attributes:
        zero: Cosine that means a likeness of 0.
        one: Cosine that means a likeness of 1.
    """

    zero: float = 0.0
    one: float = 1.0

    def __post_init__(self) -> None:
        if not self.zero < self.one:
            raise ValueError("zero is not below one")

    def likenesses(self, cosines: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Return likenesses on the reference's scale, at most 1; below 0 for what is unlike.

        >>> Scale(zero=0.75, one=0.95).likenesses(np.array([0.75, 0.85], np.float32)).round(2)
        array([0. , 0.5], dtype=float32)
        """
        found: npt.NDArray[np.float32] = (cosines - self.zero) / (self.one - self.zero)
        return found.clip(-1.0, 1.0).astype(np.float32)


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """One model.

    Attributes:
        name: Name in settings and responses.
        sha256: Digest of the weights.
        scripts: Scripts that it was trained on (see `scripts.is_read_by`).
        max_tokens: Tokens of a text that it reads.
        encoder: Model whose weights these are, in whatever precision; trained weights name it.
        hub: Repository on the hub.
        revision: Branch, tag or commit there.
        package: Distribution that carries the files; empty when none does.
        folder: Folder of the files within it.
        file: Name of the weights: of the kind safetensors, else of 4 bits (see `packed_model`).
        prefixes: What it wants before a question and before a passage.
        scale: How its cosines become likenesses.
        languages: ISO 639-1 codes of those that it is good at; none: it is equally good at all.
    """

    name: str
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    scripts: frozenset[str]
    max_tokens: int
    encoder: str
    hub: str = ""
    revision: str = "main"
    package: str = ""
    folder: str = ""
    file: str = WEIGHTS
    prefixes: Prefixes = Prefixes()
    scale: Scale = Scale()
    languages: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Models:
    """The known models by name."""

    by_name: Mapping[str, ModelSpec]

    @classmethod
    def from_yaml(cls, text: str, *extensions: str) -> Self:
        """Read the table and the operator's additions.

        Raises:
            TableError: A field of a model is missing or of another form.
        """
        raw: dict[str, dict[str, Any]] = {}
        for part in (text, *extensions):
            raw |= yaml.safe_load(part) or {}
        named = ({"name": name, "encoder": name, **fields} for name, fields in raw.items())
        return cls({entry["name"]: typed(ModelSpec, entry, "models") for entry in named})

    def named(self, name: str) -> ModelSpec:
        """Return a model.

        Raises:
            TableError: No model has this name.
        """
        if name not in self.by_name:
            known = ", ".join(sorted(self.by_name))
            raise TableError(f"SCORER_MODEL: {name!r} is not one of {known}")
        return self.by_name[name]
