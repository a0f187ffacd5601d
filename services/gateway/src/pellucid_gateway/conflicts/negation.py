"""What denies in a sentence: the words of negation, and what only looks like one."""

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources

import yaml

from pellucid_language.folding import fold
from pellucid_language.text_memory import remembered

_CONDITION = re.compile(r",?\s(?:if|unless|falls|wenn)\s")


@remembered
def is_negated(text: str) -> bool:
    """Whether a text denies something."""
    return bool(negations().search(without_seeming(fold(text))))


def without_seeming(folded: str) -> str:
    """A folded text without what has a word of negation and denies nothing ("not only")."""
    return _patterns()["not_denying"].sub(" ", folded)


def stated(text: str) -> str:
    """A text up to its condition: "they strike if it is not raised" denies no strike."""
    return _CONDITION.split(text)[0] or text


def negations() -> re.Pattern[str]:
    """Matches each negation of a folded text."""
    return _patterns()["negations"]


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    source = resources.files(__package__).joinpath("negation.yaml")
    table = yaml.safe_load(source.read_text("utf-8"))
    return {name: re.compile("|".join(each)) for name, each in table.items()}
