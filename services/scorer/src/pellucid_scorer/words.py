"""Words of a text as the lexical checks compare them: folded, cut, lightly stemmed."""

import re
import unicodedata
from collections.abc import Iterator
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


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Cut the commonest English ending off a folded word.

    >>> stem("reported"), stem("studies"), stem("gas")
    ('report', 'stud', 'gas')
    """
    for ending in STEM_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM:
            return word[: -len(ending)]
    return word


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
