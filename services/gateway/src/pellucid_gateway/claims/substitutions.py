"""Whether a claim repeats a sentence of its source with one word exchanged for another.

"The mayor regretted the decision" against "the mayor praised the decision": whoever repeats a
sentence to the letter and changes one word of it says something else. Of 190 right claims of the
planted set two are built like that, of 168 wrong ones about a third.
"""

import re
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

from pellucid_language.folding import fold
from pellucid_language.scripts import HAN, HANGUL
from pellucid_language.stems import beginning
from pellucid_language.terms import function_terms, has_unspaced_script, terms
from pellucid_language.text_memory import remembered

_TOKEN = re.compile(r"[^\W_]+(?:['’.,][^\W_]+)*")
_HANGUL = re.compile(f"[{HANGUL}]")
_HAN = re.compile(f"[{HAN}]")
_RELATED_LETTERS = 4
_ARTICLES = frozenset(
    {"the", "a", "an", "der", "die", "das", "den", "dem", "ein", "eine", "einen", "einem"}
    | {"le", "la", "les", "l", "el", "los", "las", "un", "une", "una"}
)
_PRONOUNS = frozenset(
    {"he", "she", "it", "they", "him", "her", "them", "his", "its", "their", "this", "these"}
    | {"er", "sie", "es", "ihn", "ihm", "ihnen", "sein", "seine", "ihre", "dieser", "diese"}
    | {"il", "elle", "ils", "elles", "lui", "leur", "celui", "ella", "ellos", "ellas", "ese"}
)
# Fewer words are repeated by chance.
_LEAST_REPEATED = 3
_LEAST_REPEATED_CHARS = 5
# One character alone is often but part of another way to say it.
_WORD_CHARS = range(2, 5)

Alike = Callable[[str, str], bool]


def is_substituted(claim: str, found: Sequence[str], *, are_alike: Alike) -> bool:
    """Whether the claim is a sentence of the source but for one word that means something else.

    Args:
        claim: One sentence or clause.
        found: Sentences of the source.
        are_alike: Whether two words are known to say the same.
    """
    exchanged = [_exchanged(claim, sentence) for sentence in found]
    if any(pair == ("", "") for pair in exchanged):
        return False
    return any(pair and not are_alike(*pair) for pair in exchanged)


def _exchanged(claim: str, sentence: str) -> tuple[str, str] | None:
    """The one word of a claim that a sentence has otherwise; empty ones when it has every word."""
    if has_unspaced_script(claim) and not _HANGUL.search(claim):
        return _exchanged_characters(claim, sentence)
    mine, theirs = _tokens(claim), _tokens(sentence)
    ops = _operations(list(map(beginning, mine)), list(map(beginning, theirs)))
    if not ops:
        return "", ""
    if len(ops) != 1 or len(mine) <= _LEAST_REPEATED:
        return None
    i, end, j, last = ops[0]
    own, other = _telling(mine[i:end]), _telling(theirs[j:last])
    if len(own) != 1 or len(other) != 1:
        return None
    return (own[0], other[0]) if _mean_something_else(own[0], other[0]) else None


def _telling(words: Sequence[str]) -> Sequence[str]:
    """The words without particles; one that stands alone is a word, as for and against are."""
    return [w for w in words if len(words) == 1 or not terms(w) <= function_terms()]


def _mean_something_else(word: str, other: str) -> bool:
    if {word, other} & _PRONOUNS or bool(terms(word) - function_terms()) != bool(
        terms(other) - function_terms()
    ):
        return False
    if any(c.isdigit() for c in word + other):
        return False
    return word[:_RELATED_LETTERS] != other[:_RELATED_LETTERS]


def _exchanged_characters(claim: str, sentence: str) -> tuple[str, str] | None:
    """The same in Chinese and Japanese, for a few characters."""
    mine, theirs = claim.strip("。 "), sentence.strip("。 ")
    ops = _operations(mine, theirs)
    if not ops:
        return "", ""
    i, end, j, last = ops[0]
    one, other = mine[i:end], theirs[j:last]
    is_word = all(_HAN.search(w) and len(w) in _WORD_CHARS for w in (one, other))
    is_repeated = len(mine) - len(one) >= _LEAST_REPEATED_CHARS
    if len(ops) != 1 or not is_word or not is_repeated:
        return None
    return None if any(c.isdigit() for c in one + other) else (one, other)


def _operations(mine: Sequence[str], theirs: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """Places of the claim that the sentence has otherwise or not at all."""
    matcher = SequenceMatcher(None, mine, theirs, autojunk=False)
    return [(a, b, c, d) for kind, a, b, c, d in matcher.get_opcodes() if kind in _CHANGES]


_CHANGES = frozenset({"replace", "delete"})


@remembered
def _tokens(text: str) -> tuple[str, ...]:
    return tuple(word for word in _TOKEN.findall(fold(text)) if word not in _ARTICLES)
