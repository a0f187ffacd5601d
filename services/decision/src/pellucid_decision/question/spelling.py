"""Misspelt words of a question, put right where there is little doubt.

A word is taken for another one that is met far oftener and that a slip of the hand or ear explains.
What is met often enough as it is written stays, and so does what may be a name or a word of another
language: a search engine forgives a misspelling sooner than another word.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from pellucid_decision.question.frequency import LANGUAGES, frequencies, zipf
from pellucid_decision.question.rarity import NAME_COUNT, occurrences
from pellucid_decision.question.slips import (
    LIKE_SOUND,
    LONG_LETTERS,
    SWAP,
    VOWEL,
    accented,
    slips,
    slips_of_sound,
)
from pellucid_decision.question.sounds import countries, nearby_korean, sounds_of
from pellucid_decision.text.gloss import glossary_of
from pellucid_language.folding import fold
from pellucid_language.terms import function_terms, terms

MIN_LETTERS = 4
# Letters from which on a word may be a small one written as it sounds ("kel").
MIN_SOUND = 3
# All on Zipf's scale, decades above one in a billion words. A word this frequent is meant as it is.
KNOWN, KNOWN_SMALL = 3.3, 3.7
# One this frequent in another language, and more so than in that of the question, is a word of the
# other one; the lesser value where no small words tell the language ("wechselkurs franken").
FOREIGN, FOREIGN_ALONE, FOREIGN_MORE = 3.0, 2.0, 0.3
# What was meant is at least this frequent, by the letters of what was written.
LEAST_MEANT = ((8, 1.4), (6, 2.2), (0, 3.2))
SMALL_WORD, SMALL_WORD_GAIN = 5.0, 1.5
# An accent that was left out is put back where it stands in ten of eleven.
LEAST_ACCENTED, ACCENT_GAIN = 3.0, 1.0
# A name takes the place of a word only if it is this well known ("fennwick" is no "fenwick").
KNOWN_NAME = 3.3
LONG_NAME_LETTERS = 9
# A word this rare may be one all the same, and not a slip of which many are met.
RARE, RARE_SHORT, SHORT_LETTERS = 1.0, 2.0, 5
# What a slip is worth in frequency, and by how much the gain must exceed it: less of a word that
# nobody writes, and of a longer one, where fewer words are near.
SLIP_WEIGHT = 1.6
UNKNOWN = 0.6
LEAST_GAIN_UNKNOWN, LEAST_GAIN_LONG, LEAST_GAIN = 0.4, 0.7, 1.3
# The gain of a word that differs in its ending only: lists lack many a form.
LEAST_GAIN_FORM, FORM_DOUBT = 2.0, 0.5
_ENDING = re.compile(
    "[adelmnorstyzáéíóú]?|a[lnrs]|e[dmnrstz]|i[cerst]|ly|n[st]|os|rs|st|te|ts|ée|és"
)


def corrected(word: str, language: str, *, told: bool = True, names: bool = True) -> str:
    """Return the word as it is most likely meant; itself when it is known, or in doubt.

    Args:
        word: One word of a question.
        language: ISO 639-1 code of the question.
        told: Small words around it say that the question is in that language.
        names: A capital says that it is a name, as where no sentence begins.

    >>> corrected("symtoms", "en"), corrected("amoxicilin", "en")
    ('symptoms', 'amoxicillin')
    >>> corrected("Ryanair", "en"), corrected("favourite", "en")
    ('Ryanair', 'favourite')
    """
    if language == "ko":
        return _korean(word)
    if language not in LANGUAGES or len(word) < MIN_SOUND or not word.isalpha():
        return word
    if word == word.lower():
        return _corrected(word, language, told=told) or word
    if names or not word.istitle() or len(word) < LONG_LETTERS:
        return word
    meant = _corrected(word.lower(), language, told=told)
    return meant.capitalize() if occurrences(meant, language) else word


@lru_cache(maxsize=4096)
def _corrected(word: str, language: str, *, told: bool) -> str:
    if word in _names() | countries(language):
        return ""
    own = max(zipf(written, language) for written in (word, word.replace("ß", "ss")))
    if small := _small_word(word, own, language):
        return small
    if meant := _accented(word, own, language):
        return meant
    is_plain = own >= KNOWN or occurrences(word, language) > 0
    if len(word) < MIN_LETTERS or is_plain or _is_foreign(word, own, language, told=told):
        return ""
    singular = zipf(word[:-1], language)
    if not own and word[-1] == "s" and singular > 0:
        meant = _meant(word[:-1], singular, language)
        return f"{meant}s" if meant else ""
    return _meant(word, own, language)


def _small_word(word: str, own: float, language: str) -> str:
    """Return the function word that a short one sounds like ("wan", "koi")."""
    if len(word) > MIN_LETTERS or own >= KNOWN_SMALL or _elsewhere(word, language) >= SMALL_WORD:
        return ""
    heard = _heard(word, language)
    is_small = heard not in {"", word} and terms(heard) <= function_terms()
    frequent = is_small and zipf(heard, language) >= max(SMALL_WORD, own + SMALL_WORD_GAIN)
    return heard if frequent else ""


def _accented(word: str, own: float, language: str) -> str:
    """Return the word with the accent that its writer left out, where hardly anybody else does."""
    if len(word) < MIN_LETTERS or not word.isascii():
        return ""
    spelt = list(accented(word, language))
    counts = zip(spelt, frequencies(language).zipf.each(spelt), strict=True)
    frequent, meant = max(((float(count), one) for one, count in counts), default=(0.0, ""))
    return meant if frequent >= max(LEAST_ACCENTED, own + ACCENT_GAIN) else ""


def _is_foreign(word: str, own: float, language: str, *, told: bool) -> bool:
    elsewhere = _elsewhere(word, language)
    return elsewhere >= (FOREIGN if told else FOREIGN_ALONE) and elsewhere > own + FOREIGN_MORE


def _elsewhere(word: str, language: str) -> float:
    return max(zipf(word, code) for code in LANGUAGES if code != language)


def _meant(word: str, own: float, language: str) -> str:
    """Return the word of which the frequency best outweighs the slip; "" where none does enough."""
    costs, plain = dict(_candidates(word, language)), fold(word)
    least = next(value for letters, value in LEAST_MEANT if len(word) >= letters)
    known = frequencies(language).zipf.each(list(costs))
    gains = {
        one: float(frequency) - SLIP_WEIGHT * cost - max(own, UNKNOWN)
        for (one, cost), frequency in zip(costs.items(), known, strict=True)
        if frequency >= least and one.isalpha() and one != plain
    }
    forms = [one for one in gains if _is_form(one, word)]
    gains |= {one: gains[one] - FORM_DOUBT if gains[one] >= LEAST_GAIN_FORM else 0 for one in forms}
    best = max(gains, key=gains.__getitem__, default="")
    if not best or gains[best] < _least_gain(word, own):
        return ""
    is_faint = costs[best] <= SWAP
    if not is_faint and own >= RARE and len(word) < LONG_LETTERS:
        return ""
    if own >= RARE_SHORT and len(word) <= SHORT_LETTERS:
        return ""
    is_slight = costs[best] <= VOWEL
    return "" if _is_doubtful_name(best, word, own, language, is_slight=is_slight) else best


def _is_doubtful_name(best: str, word: str, own: float, language: str, *, is_slight: bool) -> bool:
    """Whether one of two names would take the place of the other."""
    if own >= RARE_SHORT and language != "de" and occurrences(best, language) <= NAME_COUNT:
        return True
    if occurrences(best, language) or zipf(best, language) >= KNOWN_NAME:
        return False
    return not is_slight or len(word) < LONG_NAME_LETTERS


def _least_gain(word: str, own: float) -> float:
    if own < RARE:
        return LEAST_GAIN_UNKNOWN
    return LEAST_GAIN_LONG if len(word) >= LONG_LETTERS else LEAST_GAIN


def _candidates(word: str, language: str) -> Iterator[tuple[str, float]]:
    """Yield words with the cost of the slip that explains them, the dearest first."""
    heard, shortest, longest = frequencies(language).heard, len(word) - 1, len(word) + 2
    if len(word) >= LONG_LETTERS:
        sound = sounds_of([word], language)[0]
        near = dict(slips_of_sound(sound, language))
        for one, cost in zip(heard.each(list(near)), near.values(), strict=True):
            if shortest <= len(one) <= longest:
                yield one, cost
    yield from sorted(slips(word, language), key=lambda slip: -slip[1])
    one = _heard(word, language)
    if shortest <= len(one) <= longest:
        yield one, LIKE_SOUND


def _heard(word: str, language: str) -> str:
    """Return the most frequent word that sounds like one; a plural only where one is written."""
    heard = frequencies(language).heard.each(sounds_of([word], language))[0]
    is_plural_only = heard[-1:] == "s" and word[-1] != "s" and zipf(heard[:-1], language)
    return heard[:-1] if is_plural_only else heard


@lru_cache(maxsize=4096)
def _korean(word: str) -> str:
    """Return the only known word nearby; of two syllables a name, since "성수" is no "선수"."""
    known, found = glossary_of("ko").whole, nearby_korean(word)
    if len(word) <= SHORT_KOREAN:
        rare = (one for one in found if occurrences(known[one], "en") <= NAME_COUNT)
        found = frozenset(one for one in rare if known[one].isalpha())
    return next(iter(found)) if len(found) == 1 else word


# Syllables of a short Korean word at most.
SHORT_KOREAN = 2


@lru_cache(maxsize=1)
def _names() -> frozenset[str]:
    """Names that people write in small letters and that lists of words may lack."""
    text = (Path(__file__).parents[1] / "data" / "names.txt").read_text(encoding="utf-8")
    return frozenset(word for line in text.splitlines() if line[:1] != "#" for word in line.split())


def _is_form(known: str, word: str) -> bool:
    """Whether two words differ in their endings only: lists lack many a form."""
    if sorted(known) == sorted(word):
        return False
    shared = next((n for n, (a, b) in enumerate(zip(known, word, strict=False)) if a != b), None)
    shared = min(len(known), len(word)) if shared is None else shared
    return all(_ENDING.fullmatch(one[shared:]) for one in (known, word))
