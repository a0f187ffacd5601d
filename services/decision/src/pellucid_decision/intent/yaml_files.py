"""Reads the YAML files of a rules folder in the form that the rulebook wants of each."""

from pathlib import Path
from typing import TypeVar

import yaml
from pydantic import TypeAdapter, ValidationError

from pellucid_decision.errors import RulesError

MAX_FILE_BYTES = 262_144
T = TypeVar("T")


def read_as(form: type[T], path: Path) -> T:
    """Return the content of a YAML file as a type.

    Raises:
        RulesError: It cannot be read, or the entry that it names is of another form.
    """
    try:
        return TypeAdapter(form).validate_python(_content(path), strict=True)
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
        entry = ".".join(map(str, wrong["loc"])) or "all of it"
        raise RulesError(f"{path.name}: {entry}: {wrong['msg']}") from None


def _content(path: Path) -> object:
    """Return what a YAML file holds; one that is too large or has aliases is refused."""
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
