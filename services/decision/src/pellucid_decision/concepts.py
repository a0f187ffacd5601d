"""Which everyday concepts a text names: price, weather, company, feeling, and some seventy more.

The same names in seven languages, so that the classifier learns a concept once from all of them.
What a concept says about the web is not decided here.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import yaml

DENSE_LANGUAGES = frozenset({"ko", "ja", "zh"})
_LATIN_WORD = re.compile(r"[\w'\-]+")
# Shorter beginnings than this would match words that have nothing to do with each other.
MIN_PREFIX = 2


@dataclass(frozen=True, slots=True)
class Wording:
    """The words of one language.

    Attributes:
        whole: Concepts by word, or by two words with `_` between them.
        beginnings: Concepts by the beginning of a word.
        longest: Length of the longest entry.
    """

    whole: Mapping[str, frozenset[str]]
    beginnings: Mapping[str, frozenset[str]]
    longest: int


@lru_cache(maxsize=1)
def concept_names() -> tuple[str, ...]:
    """Return all concepts in a fixed order."""
    found = {
        name
        for wording in _wordings().values()
        for table in (wording.whole, wording.beginnings)
        for names in table.values()
        for name in names
    }
    return tuple(sorted(found))


def concepts_in(text: str, language: str) -> frozenset[str]:
    """Return the concepts that a text names.

    Args:
        text: Folded text in lower case.
        language: ISO 639-1 code; other languages than the seven are read as English.

    >>> sorted(concepts_in("wie wird das wetter", "de"))
    ['weather']
    """
    if language not in DENSE_LANGUAGES:
        wordings = _wordings()
        return frozenset(_of_words(text, wordings.get(language) or wordings["en"]))
    found = set(_of_run(text, _wordings()[language]))
    if any("a" <= letter <= "z" for letter in text):
        found.update(_of_words(text, _wordings()["en"]))
    return frozenset(found)


def _of_words(text: str, wording: Wording) -> Iterator[str]:
    words = _LATIN_WORD.findall(text)
    for word, after in zip(words, [*words[1:], ""], strict=True):
        yield from wording.whole.get(word, ())
        yield from wording.whole.get(f"{word}_{after}", ())
        for end in range(MIN_PREFIX, min(len(word), wording.longest) + 1):
            yield from wording.beginnings.get(word[:end], ())


def _of_run(text: str, wording: Wording) -> Iterator[str]:
    for start in range(len(text)):
        for end in range(start + 1, min(len(text), start + wording.longest) + 1):
            yield from wording.whole.get(text[start:end], ())


@lru_cache(maxsize=1)
def _wordings() -> Mapping[str, Wording]:
    text = (Path(__file__).parent / "data" / "concepts.yaml").read_text(encoding="utf-8")
    return {code: _wording(code, rows) for code, rows in yaml.safe_load(text).items()}


def _wording(code: str, rows: Mapping[str, str]) -> Wording:
    whole: dict[str, set[str]] = defaultdict(set)
    beginnings: dict[str, set[str]] = defaultdict(set)
    for name, words in rows.items():
        for word in words.split():
            table = beginnings if word.endswith("*") else whole
            table[_plain(word, spaced=code in DENSE_LANGUAGES)].add(name)
    longest = max(map(len, [*whole, *beginnings]))
    return Wording(_frozen(whole), _frozen(beginnings), longest)


def _plain(word: str, *, spaced: bool) -> str:
    """Return an entry as it stands in texts; words of Latin letters are looked up joined by `_`."""
    bare = word.removesuffix("*")
    return bare.replace("_", " ") if spaced else bare


def _frozen(table: Mapping[str, set[str]]) -> Mapping[str, frozenset[str]]:
    return {word: frozenset(names) for word, names in table.items()}
