"""Misspelt words of a question, put right where there is little doubt.

A word that a dictionary knows stays as it is, and so does one that looks like a name; the nearest
frequent word takes the place of one that differs by a single slip.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
from spellchecker import SpellChecker

from pellucid_decision.question.sounds import by_sound, countries, nearby_korean, sound_of
from pellucid_decision.text.gloss import glossary_of

LANGUAGES = ("en", "de", "fr", "es")
MIN_LETTERS = 5
# Letters from which on a word may be a small one written as it sounds ("kel").
MIN_SOUND = 3
# Occurrences in the dictionary's texts below which a word is too rare to be what was meant.
MIN_COUNT = 150
MIN_COUNT_LONG = 50
LONG_LETTERS = 9
_ENDING = re.compile(
    "[adelnorstyzáéíóú]?|a[lnrs]|e[dmnrstz]|i[cerst]|ly|n[st]|os|rs|st|te|ts|ée|és"
)
# A word this frequent in another language is most likely one of that language: any word where
# nothing around it tells the language ("wechselkurs schweizer franken").
FOREIGN = 2000
FOREIGN_ALONE = 1


def corrected(word: str, language: str, *, told: bool = True) -> str:
    """Return the word as it is most likely meant; itself when it is known, or in doubt.

    Args:
        word: One word of a question.
        language: ISO 639-1 code of the question.
        told: Small words around it say that the question is in that language.

    >>> corrected("symtoms", "en")
    'symptoms'
    >>> corrected("Ryanair", "en")
    'Ryanair'
    """
    if language == "ko":
        return _korean(word)
    if language not in LANGUAGES or len(word) < MIN_SOUND or not word.isalpha():
        return word
    least = FOREIGN if told else FOREIGN_ALONE
    return word if word != word.lower() else _corrected(word, language, least) or word


@lru_cache(maxsize=4096)
def _corrected(word: str, language: str, foreign: int) -> str:
    own = _dictionary(language)
    known_elsewhere = any(_dictionary(code).count(word) >= foreign for code in LANGUAGES)
    if own.count(word) or word in _names() | countries(language) or known_elsewhere:
        return ""
    if any(own.count(base) for base in _bases(word, language)):
        return ""
    return _as_heard(word, language) or _by_slip(word, language)


@lru_cache(maxsize=4096)
def _korean(word: str) -> str:
    """Return the only known word nearby; of two syllables a name, since "성수" is no "선수"."""
    known, found = glossary_of("ko").whole, nearby_korean(word)
    if len(word) <= SHORT_KOREAN:
        rare = (one for one in found if occurrences(known[one], "en") <= NAME_COUNT)
        found = frozenset(one for one in rare if known[one].isalpha())
    return next(iter(found)) if len(found) == 1 else word


def _as_heard(word: str, language: str) -> str:
    """Return the frequent word that sounds like an unknown one; short ones only as small words."""
    own = _dictionary(language)
    meant = own.heard.get(sound_of(word, language), "")
    if not meant and language in {"es", "fr"} and word[-1] == "s":
        meant = own.heard.get(sound_of(word[:-1], language), "")
        meant = f"{meant}s" if meant and meant[-1] != "s" else meant
    if len(meant) < len(word) - 1:
        return ""  # "La Baule" is no "bol"
    if len(word) < (MIN_LETTERS if language == "en" else MIN_LETTERS - 1):
        return meant if own.count(meant) >= SMALL_WORD_COUNT else ""
    return "" if _is_form(meant, word) else meant


def _by_slip(word: str, language: str) -> str:
    """Return the frequent word that differs by a single slip of the hand."""
    own = _dictionary(language)
    if len(word) < MIN_LETTERS:
        return ""
    least = MIN_COUNT_LONG if len(word) >= LONG_LETTERS else MIN_COUNT
    near = (one for one in own.checker.edit_distance_1(word) if one.isalpha())
    slips = (one for one in near if _is_slip(one, word))
    known = [one for one in slips if own.count(one) >= least and not _is_form(one, word)]
    return max(known, key=lambda one: (sorted(one) == sorted(word), own.count(one)), default="")


# Spanish verbs that change their vowel where it is stressed ("jugar", "juega"; "nevar", "nieva").
_STRESSED = (("ue", "o"), ("ue", "u"), ("ie", "e"))
_VERB_ENDING = re.compile("(?:as|es|an|en|a|e|o)$")
_INFINITIVES = ("ar", "er", "ir")


def _bases(word: str, language: str) -> Iterator[str]:
    """Other spellings under which a dictionary may know a word: its infinitive, "ß" for "ss"."""
    if language == "de":
        yield word.replace("ss", "ß")
    if language == "es" and (ending := _VERB_ENDING.search(word)):
        stem = word[: ending.start()]
        for stressed, plain in _STRESSED:
            head, found, tail = stem.rpartition(stressed)
            if found:
                yield from (f"{head}{plain}{tail}{infinitive}" for infinitive in _INFINITIVES)


@lru_cache(maxsize=1)
def _names() -> frozenset[str]:
    """Names that people write in small letters and dictionaries of everyday words lack."""
    text = (Path(__file__).parents[1] / "data" / "names.txt").read_text(encoding="utf-8")
    return frozenset(word for line in text.splitlines() if line[:1] != "#" for word in line.split())


# Occurrences from which on a word may be what an unknown one sounds like.
MIN_HEARD = {"en": 1000, "de": 100, "fr": 1000, "es": 1000}
# Occurrences of a small word at least ("wann").
SMALL_WORD_COUNT = 20_000
# Syllables of a short Korean word at most, and occurrences of the gloss of a name.
SHORT_KOREAN, NAME_COUNT = 2, 400
# Each dictionary gives this count to all that it met too seldom to tell, which is most of it.
RARE = 50


@dataclass(frozen=True, slots=True)
class Dictionary:
    """Words of one language; the rare ones by their hashes alone, which take a tenth of the memory.

    Attributes:
        checker: Of the frequent words.
        rare: Sorted hashes of the others, `int64[n]`.
        heard: The most frequent word of each sound.
    """

    checker: SpellChecker
    rare: npt.NDArray[np.int64]
    heard: Mapping[str, str]

    def count(self, word: str) -> int:
        """Return how often a word occurs, 0 when it is unknown."""
        frequent = self.checker.word_frequency.dictionary.get(word, 0)
        if frequent:
            return int(frequent)
        place = int(np.searchsorted(self.rare, hash(word)))
        return RARE if place < len(self.rare) and self.rare[place] == hash(word) else 0


def occurrences(word: str, language: str) -> int:
    """Return how often a word occurs in the texts of the dictionary of one of `LANGUAGES`."""
    return _dictionary(language).count(word)


def load_dictionaries() -> None:
    """Read all dictionaries: nobody's request should wait for it."""
    for language in LANGUAGES:
        _dictionary(language)


@lru_cache(maxsize=len(LANGUAGES))
def _dictionary(language: str) -> Dictionary:
    frequent, hashes = _thinned(language)
    # Only now: what is kept must not lie between what has just been freed.
    counts = frequent.word_frequency.dictionary.items()
    often = [(word, n) for word, n in counts if n >= MIN_HEARD[language] and word.isalpha()]
    return Dictionary(frequent, hashes, by_sound(often, language))


def _thinned(language: str) -> tuple[SpellChecker, npt.NDArray[np.int64]]:
    """Return a dictionary's frequent words, and the hashes of the others."""
    checker = SpellChecker(language=language, distance=1)
    counts = checker.word_frequency.dictionary
    rare = [word for word, count in counts.items() if count <= RARE]
    hashes = np.sort(np.fromiter(map(hash, rare), dtype=np.int64, count=len(rare)))
    frequent = SpellChecker(language=None, distance=1)
    frequent.word_frequency.load_json({w: n for w, n in counts.items() if n > RARE})
    return frequent, hashes


def _is_slip(known: str, word: str) -> bool:
    """Whether a hand or ear slipped: letters left out, doubled or swapped, a vowel for a vowel.

    Another consonant makes another word, most often a name ("lakers", "layers").
    """
    if known[0] != word[0]:
        return False
    changed = [(a, b) for a, b in zip(known, word, strict=False) if a != b]
    if len(known) < len(word) and not _is_shorter_slip(known, word):
        return False
    if len(known) != len(word) or len(changed) != 1:
        return True
    if any(letter in _ACCENTED for letter in changed[0]):
        return "".join(sorted(changed[0])) in _SAME_VOWEL
    if frozenset(changed[0]) in _SOUND_APART:
        return False  # "parqué" is no "porqué"
    return set(changed[0]) <= _VOWELS or frozenset(changed[0]) in _SOUND_ALIKE


def _is_shorter_slip(known: str, word: str) -> bool:
    """Whether the letter that a word has too many was doubled, or added at its end.

    In a short word any other makes another word ("gasta", "monzo", "spacex").
    """
    if known == word[:-1]:
        return word[-1] in _DOUBLED_ENDS
    place = next(n for n, (a, b) in enumerate(zip(known, word, strict=False)) if a != b)
    doubled = word[place] in {word[place - 1], word[place + 1 : place + 2]}
    return doubled or len(word) >= LONG_LETTERS


# Letters that a finger adds to a word that was complete.
_DOUBLED_ENDS = frozenset("aeioulmnrsty")
# Another vowel with an accent is another form of the verb ("marcó", "marca").
_ACCENTED = frozenset("áéíóú")
_SAME_VOWEL = frozenset({"aá", "eé", "ií", "oó", "uú"})
_VOWELS = frozenset("aeiouyáéíóúàèùâêîôûäöü")
_SOUND_APART = frozenset(map(frozenset, ("ao", "au", "io", "iu")))
_SOUND_ALIKE = frozenset(map(frozenset, ("cs", "sz", "ck", "kq", "bv", "dt", "gj", "mn")))


def _is_form(known: str, word: str) -> bool:
    """Whether two words differ in their endings only: dictionaries lack many a form."""
    if sorted(known) == sorted(word):
        return False
    shared = next((n for n, (a, b) in enumerate(zip(known, word, strict=False)) if a != b), None)
    shared = min(len(known), len(word)) if shared is None else shared
    return all(_ENDING.fullmatch(one[shared:]) for one in (known, word))
