"""Words that say nothing of a subject: articles, pronouns, prepositions, auxiliaries, asking.

Each word stands once in the table, with what it is left out of. Which forms of them are compared is
decided by who compares.
"""

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from importlib import resources

import yaml


class Left(StrEnum):
    """What words are left out of."""

    TEXTS = "texts"
    QUESTIONS = "questions"
    INDEX = "index"


_EVERYWHERE = "everywhere"


@cache
def stop_words(of: Left = Left.INDEX) -> frozenset[str]:
    """Return the words of all languages to leave out, lower case, with accents.

    Args:
        of: Texts that are compared, questions, or the index, which leaves out those of both.

    >>> {"the", "für", "où", "무엇", "的"} <= stop_words(), "ferry" in stop_words()
    (True, False)
    >>> "latest" in stop_words(Left.QUESTIONS), "latest" in stop_words(Left.TEXTS)
    (True, False)
    """
    kinds = tuple(Left) if of is Left.INDEX else (of,)
    lists = (_table()[kind] for kind in (_EVERYWHERE, *kinds))
    return frozenset(word for table in lists for words in table.values() for word in words.split())


@cache
def query_stop_words(language: str) -> frozenset[str]:
    """Return the words of a language that do not belong in a search query, lower case.

    Args:
        language: ISO 639-1 code; the set is empty for a language that has no list.

    >>> "please" in query_stop_words("en"), query_stop_words("pl")
    (True, frozenset())
    """
    return frozenset(_table()["queries"].get(language, "").casefold().split())


@cache
def _table() -> Mapping[str, Mapping[str, str]]:
    source = resources.files("pellucid_language").joinpath("stopwords.yaml")
    table: dict[str, dict[str, str]] = yaml.safe_load(source.read_text("utf-8"))
    return table
