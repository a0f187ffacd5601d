"""Which models there are, where their files come from and what they were trained on."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import yaml

from pellucid_scorer.errors import TableError

SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """One model.

    Attributes:
        name: Name in settings and responses.
        hub: Repository on the hub.
        revision: Branch, tag or commit there.
        package: Distribution that carries the files; empty when none does.
        folder: Folder of the files within it.
        sha256: Digest of ``model.safetensors``.
        scripts: Scripts that it was trained on (see `scripts.is_read_by`).
        max_tokens: Tokens of a text that it reads.
    """

    name: str
    hub: str
    revision: str
    package: str
    folder: str
    sha256: str
    scripts: frozenset[str]
    max_tokens: int


@dataclass(frozen=True, slots=True)
class Models:
    """The known models by name."""

    by_name: Mapping[str, ModelSpec]

    @classmethod
    def from_yaml(cls, text: str, *extensions: str) -> Self:
        """Read the table and the operator's additions.

        Raises:
            TableError: A digest is malformed.
        """
        raw: dict[str, dict[str, Any]] = {}
        for part in (text, *extensions):
            raw |= yaml.safe_load(part) or {}
        return cls({name: _spec(name, fields) for name, fields in raw.items()})

    def named(self, name: str) -> ModelSpec:
        """Return a model.

        Raises:
            TableError: No model has this name.
        """
        if name not in self.by_name:
            known = ", ".join(sorted(self.by_name))
            raise TableError(f"SCORER_MODEL: {name!r} is not one of {known}")
        return self.by_name[name]


def _spec(name: str, fields: Mapping[str, Any]) -> ModelSpec:
    if not SHA256.fullmatch(str(fields["sha256"])):
        raise TableError(f"sha256 of model {name} is not 64 hexadecimal digits")
    return ModelSpec(
        name=name,
        hub=fields["hub"],
        revision=fields.get("revision", "main"),
        package=fields.get("package", ""),
        folder=fields.get("folder", ""),
        sha256=fields["sha256"],
        scripts=frozenset(fields["scripts"]),
        max_tokens=int(fields["max_tokens"]),
    )
