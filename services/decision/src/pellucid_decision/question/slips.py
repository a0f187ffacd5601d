"""Slips of a hand or an ear in one letter, each with how unlikely it is.

Costs are in decades of frequency: a slip that costs 1 is believed where what was meant is ten times
as frequent as what was written. Another consonant that neither sounds alike nor lies beside it on a
keyboard is no slip: it makes another word, most often a name ("lakers", "layers").
"""

from collections.abc import Iterator
from itertools import pairwise

# Letters from which on two slips in one word are believed, if one of them is not heard.
LONG_LETTERS = 7
# The whole word sounds alike.
LIKE_SOUND = 0.3
# Two letters in each other's place; a vowel for a vowel.
SWAP, VOWEL = 0.4, 0.7
_ACCENT, _DOUBLE, _ALIKE = 0.1, 0.3, 0.7
_MISSING, _BESIDE, _EXTRA, _DELIBERATE = 0.7, 1.3, 0.9, 2.0
# A slip that is heard, in a word that does not sound quite as it is written.
_IN_SOUND = 0.8
# People seldom miss the letter that a word begins with, but for a silent one.
_FIRST = 0.6
_SILENT_FIRST = {"fr": "h", "es": "h"}

_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_OWN_LETTERS = {"en": "", "de": "äöü", "fr": "éèêàçâîôûëï", "es": "áéíóúñ"}
_ACCENTED = ("aáàâä", "eéèêë", "iíîï", "oóôö", "uúùûü", "nñ", "cç")
_VOWELS = "aeiouyáéíóúàèùâêîôûäöü"
_SOUND_ALIKE = ("cs", "sz", "ck", "kq", "bv", "dt", "gj", "mn", "vw", "fv", "xs", "ij")
_KEYBOARD = ("qwertyuiop", "asdfghjkl", "zxcvbnm")


def _taken_for() -> dict[str, dict[str, float]]:
    """Return the letters that are taken for each letter, with what that costs."""
    found: dict[str, dict[str, float]] = {}
    beside = ((one + other) for row in _KEYBOARD for one, other in pairwise(row))
    groups = ((beside, _BESIDE), (_SOUND_ALIKE, _ALIKE), ((_VOWELS,), VOWEL), (_ACCENTED, _ACCENT))
    for letters, cost in groups:
        for group in letters:
            for one in group:
                found.setdefault(one, {}).update(dict.fromkeys(group.replace(one, ""), cost))
    for group in _ACCENTED:  # nobody writes an accent by mistake
        plain = group[0]
        for one in found[plain]:
            if not one.isascii():
                found[one][plain] = _DELIBERATE
    return found


_TAKEN_FOR = _taken_for()


def slips(word: str, language: str) -> Iterator[tuple[str, float]]:
    """Yield what may have been meant by a word in small letters, with what the slip costs.

    >>> min(slips("lehce", "es"), key=lambda slip: slip[0] != "leche")
    ('leche', 0.4)
    """
    letters = _ALPHABET + _OWN_LETTERS[language]
    for place in range(len(word) + 1):
        first = _FIRST if place == 0 else 0.0
        for one, cost in _at(word, place, letters):
            silent = first and one[1:] == word and one[0] in _SILENT_FIRST.get(language, "")
            yield one, cost + (0.0 if silent else first)


def accented(word: str, language: str) -> Iterator[str]:
    """Yield the spellings of a word with one accent more.

    >>> list(accented("dias", "es"))
    ['días', 'diás']
    """
    for place, letter in enumerate(word):
        for other in _TAKEN_FOR.get(letter, {}) if letter.isascii() else ():
            if _TAKEN_FOR[letter][other] == _ACCENT and other in _OWN_LETTERS[language]:
                yield word[:place] + other + word[place + 1 :]


def slips_of_sound(sound: str, language: str) -> Iterator[tuple[str, float]]:
    """Yield the sounds that are one slip from a sound, with what both slips cost."""
    yield from ((one, cost + _IN_SOUND) for one, cost in slips(sound, language))


def _at(word: str, place: int, letters: str) -> Iterator[tuple[str, float]]:
    """Slips at one place: a letter too many, another, the next one before it, one too few."""
    head, letter, rest = word[:place], word[place : place + 1], word[place + 1 :]
    before, behind = head[-1:], rest[:1]
    if letter:
        yield head + rest, _DOUBLE if letter in {before, behind} else _EXTRA
        for other, cost in _TAKEN_FOR.get(letter, {}).items():
            yield head + other + rest, cost
    if letter and behind and letter != behind:
        yield head + behind + letter + rest[1:], SWAP
    for other in letters:
        yield head + other + letter + rest, _DOUBLE if other in {before, letter} else _MISSING
