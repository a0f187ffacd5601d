"""Messages of other languages, word by word in English.

The embedding model reads English, and most of what the classifier learns of words it learns once if
they are named alike in all languages. A gloss has no grammar and need not be good prose: "wann
öffnet das Rathaus" becomes "when opens the town hall". Words that no table has stand as they are.
The tables (`data/glosses/<code>.tsv`) are our own: a word, or several with `_` between them, or the
beginning of a word with `*` behind it; then what it says in English, `-` for nothing.
"""

import hashlib
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pellucid_decision.text.lexicon import DENSE_LANGUAGES

LANGUAGES = ("de", "es", "fr", "ja", "ko", "zh")
UNKNOWN = "name"
"""Stands for a run of unknown characters where no blanks divide words: mostly a name."""
_FOLDER = Path(__file__).resolve().parent.parent / "data" / "glosses"
_WORD = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*|\?")
_LATIN_RUN = re.compile(r"[a-z0-9][a-z0-9.+#\-]*")
# Words of an entry at most, where blanks divide words.
_MAX_WORDS = 3
# A word that differs from an entry only in its last letters is taken for another form of it; words
# of four letters are too often names.
_SHORTEST_FORM = 5
_FEWEST_SHARED = 4
_MOST_ENDING = 3
# Shorter words are not taken for compounds, nor are shorter parts looked for.
_COMPOUND = 9
_FEWEST_PART = 4


@dataclass(frozen=True, slots=True)
class Glossary:
    """The table of one language.

    Attributes:
        whole: English by word or phrase; empty for words that say nothing.
        beginnings: English by the beginning of a word.
        words: The keys of `whole` in order, to find words that begin alike.
        longest: Length of the longest key.
    """

    whole: Mapping[str, str]
    beginnings: Mapping[str, str]
    words: Sequence[str]
    longest: int

    def of_word(self, word: str) -> str | None:
        """Return the English of one word, of its parts or of a form of it; None if unknown."""
        if word in self.whole:
            return self.whole[word]
        if "-" in word:
            return " ".join(self.of_word(part) or part for part in word.split("-"))
        return self._of_beginning(word) or self._of_form(word) or self._of_compound(word)

    def _of_beginning(self, word: str) -> str | None:
        for end in range(len(word) - 1, _FEWEST_SHARED - 1, -1):
            if word[:end] in self.beginnings:
                rest = self._of_rest(word, end)
                return f"{self.beginnings[word[:end]]} {rest or ''}".rstrip()
        return None

    def _of_rest(self, word: str, start: int) -> str | None:
        """Return what the rest of a compound says, with or without a linking letter."""
        rest = self.of_word(word[start:]) if len(word) - start >= _FEWEST_PART - 1 else None
        if rest or word[start] not in "sn" or len(word) - start < _FEWEST_PART:
            return rest
        return self.of_word(word[start + 1 :])

    def _of_form(self, word: str) -> str | None:
        if len(word) < _SHORTEST_FORM:
            return None
        shortest = max(_FEWEST_SHARED, len(word) - _MOST_ENDING)
        for end in range(len(word), shortest - 1, -1):
            place = bisect_left(self.words, word[:end])
            near = self.words[place] if place < len(self.words) else ""
            if near.startswith(word[:end]) and len(near) <= len(word) + 2:
                return self.whole[near]
        return None

    def _of_compound(self, word: str) -> str | None:
        if len(word) < _COMPOUND:
            return None
        for end in range(len(word) - _FEWEST_PART, _FEWEST_PART - 1, -1):
            head = self.whole.get(word[:end])
            rest = self._of_rest(word, end) if head else None
            if rest:
                return f"{head} {rest}"
        return None


def gloss_of(text: str, language: str) -> str:
    """Return a text word by word in English, in lower case.

    Args:
        text: Folded text.
        language: ISO 639-1 code; text of a language without a table is returned in lower case.

    >>> gloss_of("wann öffnet das Rathaus?", "de")
    'when opens the town hall ?'
    """
    low = text.casefold()
    if language not in LANGUAGES:
        return low
    glossary = glossary_of(language)
    said = _of_run if language in DENSE_LANGUAGES else _of_words
    return " ".join(word for word in said(low, glossary) if word)


def _of_words(text: str, glossary: Glossary) -> Iterator[str]:
    words = _WORD.findall(text)
    place = 0
    while place < len(words):
        for count in range(min(_MAX_WORDS, len(words) - place), 1, -1):
            phrase = " ".join(words[place : place + count])
            if phrase in glossary.whole:
                yield glossary.whole[phrase]
                place += count
                break
        else:
            yield _of_spaced(words[place], glossary)
            place += 1


def _of_spaced(word: str, glossary: Glossary) -> str:
    said = glossary.of_word(word)
    if said is None and "'" in word:
        elided, _, rest = word.partition("'")
        said = f"{glossary.of_word(elided + chr(39)) or ''} {_of_spaced(rest, glossary)}".strip()
    return word if said is None else said


def _of_run(text: str, glossary: Glossary) -> Iterator[str]:
    place, unknown = 0, False
    while place < len(text):
        latin = _LATIN_RUN.match(text, place)
        end = latin.end() if latin else _longest_entry(text, place, glossary)
        if latin:
            yield latin.group()
        elif end > place:
            yield glossary.whole[text[place:end]]
        elif text[place] == "?":
            yield "?"
        elif text[place].isalpha() and not unknown:
            yield UNKNOWN
        unknown = end == place and text[place].isalpha()
        place = max(end, place + 1)


def _longest_entry(text: str, start: int, glossary: Glossary) -> int:
    """Return where the longest entry that stands at `start` ends; `start` if none does."""
    for end in range(min(len(text), start + glossary.longest), start, -1):
        if text[start:end] in glossary.whole:
            return end
    return start


@lru_cache(maxsize=len(LANGUAGES))
def glossary_of(language: str) -> Glossary:
    """Return the table of one of `LANGUAGES`, read once."""
    whole: dict[str, str] = {}
    beginnings: dict[str, str] = {}
    for line in (_FOLDER / f"{language}.tsv").read_text(encoding="utf-8").splitlines():
        word, said = line.split("\t")
        table = beginnings if word.endswith("*") else whole
        table[word.removesuffix("*").casefold().replace("_", " ")] = "" if said == "-" else said
    return Glossary(whole, beginnings, sorted(whole), max(map(len, whole)))


@lru_cache(maxsize=1)
def version() -> str:
    """Return a digest of all tables: weights are good for those that they were fitted with."""
    content = b"".join((_FOLDER / f"{code}.tsv").read_bytes() for code in LANGUAGES)
    return hashlib.sha256(content).hexdigest()[:16]
