"""Stems: what a word has in common with its other forms.

Two measures for two purposes. `stem` cuts English endings, for the likeness of sentences.
`beginning` keeps the first letters, for words shared across languages, where no ending is known.
Both take folded words. Snowball's English stemmer in place of both lost 10 of 276 right planted
citations instead of 7, and let one wrong date of 113 pass (`eval/citations_eval.py`).
"""

from functools import lru_cache

LONGEST_KEPT = 32
"""Characters of the longest word whose stem is remembered, so that nobody can fill the memory."""

ENDINGS = ("ingly", "edly", "ings", "ies", "ing", "ed", "es", "ly", "s", "e")
"""English endings that are cut, longest first."""
SHORTEST_STEM = 3
LETTERS = 6
"""Of a word's beginning: most endings of the languages with Latin letters stand behind them."""


def stem(word: str) -> str:
    """Cut the commonest English ending off a folded word.

    >>> stem("reported"), stem("studies"), stem("gas")
    ('report', 'stud', 'gas')
    """
    return _kept_stem(word) if len(word) <= LONGEST_KEPT else _stem(word)


def beginning(word: str, letters: int = LETTERS) -> str:
    """Keep the first letters of a folded word.

    >>> beginning("brucken"), beginning("bruckenbau"), beginning("toll")
    ('brucke', 'brucke', 'toll')
    """
    return word[:letters]


def _stem(word: str) -> str:
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM:
            return word[: -len(ending)]
    return word


_kept_stem = lru_cache(maxsize=65_536)(_stem)
