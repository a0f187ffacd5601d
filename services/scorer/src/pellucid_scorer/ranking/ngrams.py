"""Likeness of texts by character n-grams, for scripts that the model was not trained on."""

from collections.abc import Collection, Iterator

from pellucid_language.folding import fold
from pellucid_language.scripts import script_of
from pellucid_language.stems import stem
from pellucid_language.words import is_stop

PAIR = 2
"""Letters per n-gram in Han, Hangul and kana, where two letters make a word."""
QUAD = 4
"""Letters per n-gram in alphabetic scripts, where two letters say little."""

DENSE_SCRIPTS = frozenset({"CJK", "HANGUL", "HIRAGANA", "KATAKANA"})


def grams(text: str) -> frozenset[str]:
    """Return the n-grams of a text, none across a space, stop words left out."""
    return frozenset(
        gram
        for word in "".join(char if char.isalnum() else " " for char in fold(text)).split()
        if not is_stop(stem(word))
        for gram in _word_grams(word)
    )


def containment(wanted: Collection[str], text: str) -> float:
    """Return the share of a question's n-grams that a text has, in [0, 1]; 0 without any.

    Containment rather than overlap, so that a long passage does not count against itself.
    """
    return len(grams(text).intersection(wanted)) / len(wanted) if wanted else 0.0


def dice(first: Collection[str], second: Collection[str]) -> float:
    """Return twice the shared n-grams over all n-grams, in [0, 1]; 1 for equal sets."""
    total = len(first) + len(second)
    return 2 * len(frozenset(first) & frozenset(second)) / total if total else 0.0


def _word_grams(word: str) -> Iterator[str]:
    size = PAIR if script_of(word[0]) in DENSE_SCRIPTS else QUAD
    for start in range(max(1, len(word) - size + 1)):
        yield word[start : start + size]
