"""Words of a text as the lexical checks compare them: folded, cut at their joints, stemmed."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from pellucid_language.folding import fold
from pellucid_language.scripts import SPACELESS
from pellucid_language.stems import stem
from pellucid_language.stop_words import Left, stop_words

TOKEN = re.compile(r"\w+(?:[.'’_/+-]\w+)*[+#]*")
"""A word with its inner joints, so that ``v1.2-rc3``, ``C++`` and ``don't`` stay whole."""

JOINTS = re.compile(r"[.'’_/+-]+")

FEW = 24
"""Words up to which each is looked for in a text before the text is cut: most texts have few of
them, and a cut costs more than so many looks."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word and where it stands.

    Attributes:
        text: As written.
        start: First code point.
        end: Code point after the last.
    """

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words of a text.

    Attributes:
        tokens: Folded words, inner joints included.
        stems: Stems of their parts.
    """

    tokens: frozenset[str]
    stems: frozenset[str]


def words(text: str) -> Iterator[Word]:
    """Yield the words of a text in order."""
    for match in TOKEN.finditer(text):
        yield Word(match.group(), match.start(), match.end())


def vocabulary(text: str, sought: Collection[str]) -> Vocabulary:
    """Return the words of a text, each once; those that hold none of the sought may be missing.

    Args:
        text: Any text.
        sought: Folded tokens or stems.

    >>> sorted(vocabulary("Ports reopened: v1.2-rc3", ["port", "1"]).stems)
    ['2', 'port', 'rc3', 'v1']
    """
    folded = fold(text)
    pieces = frozenset(folded.split())  # no word holds a space
    if len(sought) <= FEW:
        likely = [one for one in sought if one in folded]
        pieces = frozenset(piece for piece in pieces for one in likely if one in piece)
    tokens = frozenset(token for piece in pieces for token in TOKEN.findall(piece))
    return Vocabulary(tokens, frozenset(stem(part) for token in tokens for part in _parts(token)))


def _parts(token: str) -> Sequence[str]:
    return (token,) if token.isalnum() else JOINTS.split(token)


def terms(text: str) -> Iterator[str]:
    """Yield comparable terms: stems, or character pairs where spaces do not bound words."""
    for token in TOKEN.findall(fold(text)):
        for part in JOINTS.split(token):
            if SPACELESS.search(part):
                yield from _pairs(part)
            elif part:
                yield stem(part)


def content_terms(text: str) -> frozenset[str]:
    """Return the terms of a text that carry meaning."""
    return frozenset(terms(text)) - _STOP_TERMS


def is_stop(term: str) -> bool:
    """Tell whether a term (see `terms`) carries no meaning of its own."""
    return term in _STOP_TERMS


def _pairs(word: str) -> Iterator[str]:
    if len(word) == 1:
        yield word
    for start in range(len(word) - 1):
        yield word[start : start + 2]


_STOP_TERMS = frozenset(term for word in stop_words(Left.TEXTS) for term in terms(word))
