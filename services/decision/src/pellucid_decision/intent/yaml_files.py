"""Reads the YAML files of a rules folder, and checks what stands in them.

What the values mean is decided by the rulebook.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from pellucid_decision.errors import RulesError

MAX_FILE_BYTES = 262_144


def read_yaml(path: Path) -> object:
    """Return the content of a YAML file.

    Raises:
        RulesError: It cannot be read, is too large or not YAML, or has aliases.
    """
    try:
        raw = path.read_bytes()
        if len(raw) > MAX_FILE_BYTES:
            raise RulesError(f"{path.name}: larger than {MAX_FILE_BYTES} bytes")
        text = raw.decode()
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=_Loader)):
            raise yaml.YAMLError("aliases are not allowed, they can blow up a small file")  # noqa: TRY301 - one place maps the errors
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a SafeLoader subclass
    except OSError as error:
        raise RulesError(f"{path.name}: cannot be read ({error.strerror})") from error
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise RulesError(f"{path.name}: not valid YAML ({type(error).__name__})") from error


class _Loader(yaml.CSafeLoader):
    """Safe loader that takes "on" and "no" for words."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - the form that PyYAML reads
        first: [(tag, form) for tag, form in pairs if first in "tTfF" or not tag.endswith(":bool")]
        for first, pairs in yaml.CSafeLoader.yaml_implicit_resolvers.items()
    }


def mapping_of(value: object, owner: str) -> Mapping[str, Any]:
    """Return a mapping with text keys.

    Raises:
        RulesError: It is none; `owner` says where.
    """
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise RulesError(f"{owner}: must be a mapping with text keys")
    return value


def texts_of(table: Mapping[str, Any], owner: str) -> Mapping[str, str]:
    """Return a table of texts by their keys in lower case.

    Raises:
        RulesError: A value is no text.
    """
    if not all(isinstance(value, str) for value in table.values()):
        raise RulesError(f"{owner}: values must be text")
    return {key.casefold(): value for key, value in table.items()}


def strings_of(value: object, owner: str) -> list[str]:
    """Return a list of texts.

    Raises:
        RulesError: It is none.
    """
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise RulesError(f"{owner}: must be a list of texts")
    return value


def flag_of(row: Mapping[str, Any], name: str, owner: str) -> bool:
    """Return a flag of a row, False where it is not given.

    Raises:
        RulesError: It is neither `true` nor `false`.
    """
    value = row.get(name, False)
    if not isinstance(value, bool):
        raise RulesError(f"{owner}.{name}: must be true or false")
    return value


def number_of(
    row: Mapping[str, Any], name: str, *, low: float, high: float, owner: str = "rules"
) -> float:
    """Return a number of a row within its bounds.

    Raises:
        RulesError: It is none, or outside of them.
    """
    value = row.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise RulesError(f"{owner}.{name}: must be a number from {low} to {high}")
    return float(value)
