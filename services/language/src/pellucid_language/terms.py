"""Comparable words of a text in any script: the lexical measure behind key facts and checks."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

from pellucid_language.folding import fold
from pellucid_language.scripts import EAST_ASIAN
from pellucid_language.stems import beginning
from pellucid_language.stop_words import Left, stop_words
from pellucid_language.text_memory import remembered

_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_UNSPACED = re.compile(f"[{EAST_ASIAN}]")
_MIN_LETTERS = 3
# A term that every text has still counts for a little.
_LEAST = 0.1


def has_unspaced_script(text: str) -> bool:
    """Whether the text has Chinese, Japanese or Korean characters."""
    return bool(_UNSPACED.search(text))


def terms(text: str) -> frozenset[str]:
    """Comparable words: folded stems of spaced scripts, character pairs of the others, numbers.

    >>> sorted(terms("The bridges of Skerry, 2026"))
    ['2026', 'bridge', 'skerry', 'the']
    """
    return _terms(text)


@remembered
def _terms(text: str) -> frozenset[str]:
    found: set[str] = set()
    mixed = has_unspaced_script(text)
    for word in _WORD.findall(fold(text)):
        if mixed and has_unspaced_script(word):
            found.update(word[i : i + 2] for i in range(max(1, len(word) - 1)))
        elif len(word) >= _MIN_LETTERS or word.isdigit():
            found.add(beginning(word))
    return frozenset(found)


@cache
def function_terms() -> frozenset[str]:
    """Comparable forms of words that say nothing about a question's subject, read once."""
    return frozenset(term for word in stop_words(Left.QUESTIONS) for term in terms(word))


def rarity(texts: Sequence[frozenset[str]]) -> Mapping[str, float]:
    """Weight of each term by how few of the texts have it (inverse document frequency), above 0."""
    counts = Counter(term for text in texts for term in text)
    return {term: math.log(len(texts) / count) + _LEAST for term, count in counts.items()}


def coverage(wanted: frozenset[str], text: frozenset[str], weights: Mapping[str, float]) -> float:
    """Weighted share of the wanted terms that the text has, 0 to 1."""
    whole = sum(weights.get(term, 1.0) for term in wanted)
    return sum(weights.get(term, 1.0) for term in wanted & text) / whole if whole else 0.0
