"""What the words of a text mean, by names that are the same in seven languages.

Two tables of our own: broad concepts (`data/concepts.tsv`: price, weather, company, feeling and
some seventy more) and fine senses (`data/senses.tsv`: rain, umbrella, invoice). What the classifier
learns of either from one language holds in all. What a meaning says about the web is not decided
here.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

LANGUAGES = ("en", "de", "fr", "es", "ko", "ja", "zh")
DENSE_LANGUAGES = frozenset({"ko", "ja", "zh"})
_DATA = Path(__file__).resolve().parent.parent / "data"
_LATIN_WORD = re.compile(r"[\w'\-]+")
_LATIN_LETTER = re.compile(r"[a-z]")
# Shorter beginnings than this would match words that have nothing to do with each other.
MIN_PREFIX = 2
# Words of an entry of the tables at most, where blanks divide words.
MAX_WORDS = 3
_TABLES = ("concepts.tsv", "senses.tsv")
SENSE = "~"
"""Stands before the name of a sense, so that it is not taken for a concept of the same name."""


@dataclass(frozen=True, slots=True)
class Wording:
    """The words of one language.

    Attributes:
        whole: Meanings by word, or by up to three words with `_` between them.
        beginnings: Meanings by the beginning of a word.
        lengths: Lengths of the words by their first character.
        prefix_lengths: Lengths of the beginnings by their first `MIN_PREFIX` characters.
        openings: First words of entries of several.
    """

    whole: Mapping[str, frozenset[str]]
    beginnings: Mapping[str, frozenset[str]]
    lengths: Mapping[str, tuple[int, ...]]
    prefix_lengths: Mapping[str, tuple[int, ...]]
    openings: frozenset[str]


def meanings_of(text: str, language: str) -> frozenset[str]:
    """Return the concepts and, with `SENSE` before them, the senses that a text names.

    Args:
        text: Folded text in lower case.
        language: ISO 639-1 code; other languages than the seven are read as English.

    >>> sorted(meanings_of("regnet es", "de"))
    ['weather', '~rain']
    """
    if language not in DENSE_LANGUAGES:
        wordings = _wordings()
        return frozenset(_of_words(text, wordings.get(language) or wordings["en"]))
    found = set(_of_run(text, _wordings()[language]))
    if _LATIN_LETTER.search(text):
        found.update(_of_words(text, _wordings()["en"]))
    return frozenset(found)


def _of_words(text: str, wording: Wording) -> Iterator[str]:
    words = _LATIN_WORD.findall(text)
    for place, word in enumerate(words):
        yield from wording.whole.get(word, ())
        for count in range(2, MAX_WORDS + 1) if word in wording.openings else ():
            yield from wording.whole.get("_".join(words[place : place + count]), ())
        for end in wording.prefix_lengths.get(word[:MIN_PREFIX], ()):
            yield from wording.beginnings.get(word[:end], ())


def _of_run(text: str, wording: Wording) -> Iterator[str]:
    for start, letter in enumerate(text):
        for length in wording.lengths.get(letter, ()):
            yield from wording.whole.get(text[start : start + length], ())


@lru_cache(maxsize=1)
def version() -> str:
    """Return a digest of both tables: weights are good for those that they were fitted with."""
    content = b"".join((_DATA / file).read_bytes() for file in _TABLES)
    return hashlib.sha256(content).hexdigest()[:16]


@lru_cache(maxsize=1)
def concept_names() -> tuple[str, ...]:
    """Return all concepts in a fixed order."""
    return tuple(sorted(name for name, *_ in _rows(_TABLES[0])))


@lru_cache(maxsize=1)
def _wordings() -> Mapping[str, Wording]:
    concepts, senses = _TABLES
    rows = [*_rows(concepts)]
    rows.extend([f"{SENSE}{name}", *words] for name, *words in _rows(senses))
    return {code: _wording(code, rows, column) for column, code in enumerate(LANGUAGES, start=1)}


def _rows(file: str) -> Iterator[list[str]]:
    """Yield the name and the columns of each row below the header, one for each language."""
    lines = (_DATA / file).read_text(encoding="utf-8").splitlines()[1:]
    yield from (line.split("\t") for line in lines)


def _wording(code: str, rows: Sequence[Sequence[str]], column: int) -> Wording:
    whole: dict[str, set[str]] = defaultdict(set)
    beginnings: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        for word in row[column].split():
            table = beginnings if word.endswith("*") else whole
            table[_plain(word, spaced=code in DENSE_LANGUAGES)].add(row[0])
    return Wording(
        _frozen(whole),
        _frozen(beginnings),
        _lengths(whole, 1),
        _lengths(beginnings, MIN_PREFIX),
        frozenset(word.partition("_")[0] for word in whole if "_" in word),
    )


def _lengths(words: Iterable[str], opening: int) -> Mapping[str, tuple[int, ...]]:
    """Return the lengths of words by their first characters, so that no other is tried."""
    found: dict[str, set[int]] = defaultdict(set)
    for word in words:
        found[word[:opening]].add(len(word))
    return {start: tuple(sorted(lengths)) for start, lengths in found.items()}


def _plain(word: str, *, spaced: bool) -> str:
    """Return an entry as it stands in texts; words of Latin letters are looked up joined by `_`."""
    bare = word.removesuffix("*").casefold()
    return bare.replace("_", " ") if spaced else bare


def _frozen(table: Mapping[str, set[str]]) -> Mapping[str, frozenset[str]]:
    return {word: frozenset(names) for word, names in table.items()}
