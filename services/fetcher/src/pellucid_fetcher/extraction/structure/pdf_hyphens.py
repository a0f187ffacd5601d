"""Hyphens at the ends of lines: whether they broke a word or belong to a compound.

The document itself tells: by the word as it is written elsewhere, with or without the hyphen, or
by both halves being words of their own ("well-" and "known").
"""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import Final

HYPHENS: Final = ("-", "\N{SOFT HYPHEN}")
_WORD: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_FIRST: Final = re.compile(r"[^\W\d_]+")
_LAST: Final = re.compile(r"(?<![^\W\d_])[^\W\d_]+(?=-$)")
_LEAST_CHARS: Final = 2  # of half a compound


def whole_words(lines: Sequence[str]) -> AbstractSet[str]:
    """Return the words that no end of a line breaks, in lower case.

    >>> sorted(whole_words(["A well-", "known lamp"]))
    ['a', 'lamp']
    """
    words: set[str] = set()
    for before, line in pairwise(("", *lines)):
        told = _WORD.findall(line.lower())
        words.update(told[before.endswith(HYPHENS) : len(told) - line.endswith(HYPHENS)])
    return words


def unbroken(text: str, more: str, words: AbstractSet[str]) -> str:
    """Join a line that ends with a hyphen to the next one.

    Args:
        text: What stands before, with its hyphen.
        more: What follows; begins with a letter.
        words: Of the document.

    >>> unbroken("the har-", "bour of", set()), unbroken("a well-", "known", {"well", "known"})
    ('the harbour of', 'a well-known')
    >>> told = {"road", "side", "roadside"}
    >>> unbroken("North-", "South", set()), unbroken("a road-", "side", told)
    ('North-South', 'a roadside')
    """
    if not more[0].islower() or _is_compound(text.lower(), more.lower(), words):
        return text + more
    return text[:-1] + more


def _is_compound(text: str, more: str, words: AbstractSet[str]) -> bool:
    first, second = _LAST.search(text), _FIRST.match(more)
    if first is None or second is None or first[0] + second[0] in words:
        return False
    if f"{first[0]}-{second[0]}" in words:
        return True
    halves = {first[0], second[0]}
    return halves <= words and min(map(len, halves)) >= _LEAST_CHARS
