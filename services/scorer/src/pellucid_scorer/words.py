"""Words of a text as the lexical checks compare them: folded, cut, lightly stemmed."""

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import yaml

from pellucid_scorer.scripts import SPACELESS

TOKEN = re.compile(r"\w+(?:[.'’_/+-]\w+)*[+#]*")
"""A word with its inner joints, so that ``v1.2-rc3``, ``C++`` and ``don't`` stay whole."""

JOINTS = re.compile(r"[.'’_/+-]+")

ACCENTS = re.compile(r"[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+")
"""Marks on Latin, Greek and Cyrillic letters; the vowel signs of other scripts are letters."""

LONGEST_KEPT = 32
"""Characters of the longest word whose stem is remembered, so that nobody can fill the memory."""

FEW = 24
"""Words up to which each is looked for in a text before the text is cut: most texts have few of
them, and a cut costs more than so many looks."""

STEM_ENDINGS = ("ingly", "edly", "ings", "ies", "ing", "ed", "es", "ly", "s", "e")
"""English endings that are cut, longest first."""
SHORTEST_STEM = 3


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


def fold(text: str) -> str:
    """Return a text without case, accents, width and compatibility forms.

    >>> fold("Ｃafé STRASSE")
    'cafe strasse'
    """
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", ACCENTS.sub("", decomposed))


def vocabulary(text: str, sought: Collection[str]) -> Vocabulary:
    """Return the words of a text, each once; those that hold none of the sought may be missing.

    Args:
        text: Any text.
        sought: Folded tokens or stems.

    >>> sorted(vocabulary("Ports reopened: v1.2-rc3", ["port", "1"]).stems)
    ['1', '2', 'port', 'rc3', 'v1']
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


def stem(word: str) -> str:
    """Cut the commonest English ending off a folded word.

    >>> stem("reported"), stem("studies"), stem("gas")
    ('report', 'stud', 'gas')
    """
    return _kept_stem(word) if len(word) <= LONGEST_KEPT else _stem(word)


def _stem(word: str) -> str:
    for ending in STEM_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM:
            return word[: -len(ending)]
    return word


_kept_stem = lru_cache(maxsize=65_536)(_stem)


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


def _read_stop_terms() -> frozenset[str]:
    table = yaml.safe_load(files(__package__).joinpath("stopwords.yaml").read_text("utf-8"))
    return frozenset(term for line in table.values() for term in terms(line))


_STOP_TERMS = _read_stop_terms()
