"""Leaves out words that say nothing about the topic of a query."""

from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files

import yaml


@lru_cache(maxsize=1)
def _stopwords() -> frozenset[str]:
    table = yaml.safe_load((files("pellucid_search") / "policy/stopwords.yaml").read_text("utf-8"))
    return frozenset(str(word) for words in table.values() for word in words)


def content_terms(wanted: Sequence[str]) -> tuple[str, ...]:
    """Return the terms that carry the topic, each once; all of them when none does.

    >>> content_terms(("what", "is", "the", "ferry", "ferry"))
    ('ferry',)
    """
    unique = tuple(dict.fromkeys(wanted))
    kept = tuple(term for term in unique if term not in _stopwords())
    return kept or unique
