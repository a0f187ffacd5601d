"""Classes of English words that tell where in a sentence a word stands."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import yaml


def word_class(name: str) -> frozenset[str]:
    """Return the folded words of a class, for example "determiners".

    Args:
        name: A key of `english_words.yaml`; a `KeyError` names any other.

    >>> "until" in word_class("clause")
    True
    """
    return _classes()[name]


@cache
def _classes() -> Mapping[str, frozenset[str]]:
    table = yaml.safe_load(files(__package__).joinpath("english_words.yaml").read_text("utf-8"))
    return {name: frozenset(str(words).split()) for name, words in table.items()}
