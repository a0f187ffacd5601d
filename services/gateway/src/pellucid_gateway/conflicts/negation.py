"""What denies in a sentence: the words of negation."""

import re
from functools import cache
from importlib import resources

import yaml

from pellucid_language.folding import fold
from pellucid_language.text_memory import remembered


@remembered
def is_negated(text: str) -> bool:
    """Whether a text denies something."""
    return _negations().search(fold(text)) is not None


@cache
def _negations() -> re.Pattern[str]:
    source = resources.files(__package__).joinpath("negation.yaml")
    found: list[str] = yaml.safe_load(source.read_text("utf-8"))
    return re.compile("|".join(found))
