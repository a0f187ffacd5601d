"""Words written as they sound ("kel", "plalla"), and Korean ones with a part of a syllable wrong.

Two spellings of one sound have the same key; the frequent word with the key of an unknown one is
what was meant. The keys are rough: they join what sounds alike, not what an accent makes alike.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from babel import Locale

from pellucid_decision.text.gloss import glossary_of

# Letters that sound alike, replaced from left to right; "x" and "C" stand for the sound of "ch".
_ALIKE = {
    "en": "ce:se ci:si wh:w ph:f ck:k tch:ch gh: kn:n wr:r ie:i ei:i ee:i ea:i y:i ou:u ow:o",
    "de": "chs:x ä:e ph:f v:f ck:k tz:z th:t dt:t ß:s ie:i ih:i eh:e ah:a oh:o uh:u y:i ai:ei",
    "fr": "nb:mb np:mp eau:o au:o qu:k gu:g ph:f ch:x ce:se ci:si ç:s c:k h: ai:e ei:e é:e è:e "
    "ê:e â:a à:a î:i ï:i ô:o û:u ù:u oo:ou z:s w:v y:i",
    "es": "nb:mb np:mp ll:y v:b qu:k ce:se ci:si z:s ch:C c:k h: x:s ge:je gi:ji gu:g á:a "
    "é:e í:i ó:o ú:u ñ:n",
}
# What nobody hears at the end of a word of more letters than the shortest key; behind a consonant a
# French "e" makes that one heard.
_SILENT = {
    "en": re.compile(r"(?<=[^\n]{3})e$", re.MULTILINE),
    "fr": re.compile(r"(?<=[^\n]{3})(?:es?|[st]+)$", re.MULTILINE),
}
_DOUBLED = re.compile(r"([^\n])\1+")
# A name's word of fewer letters is one of too many words.
_SHORTEST = 3


@lru_cache(maxsize=4)
def _pairs(language: str) -> tuple[tuple[str, str], ...]:
    found = (pair.partition(":") for pair in _ALIKE[language].split())
    return tuple((letters, sound) for letters, _, sound in found)


def sounds_of(words: Sequence[str], language: str) -> list[str]:
    """Return the keys that words in small letters share with those that sound like them.

    All at once, since a dictionary has hundreds of thousands.

    Args:
        words: Words without line breaks, at least one.
        language: ISO 639-1 code, one of those with a table of sounds.

    >>> first, second = sounds_of(["salere", "salaire"], "fr")
    >>> first == second
    True
    """
    keys = "\n".join(words)
    for letters, sound in _pairs(language):
        keys = keys.replace(letters, sound)
    keys = _DOUBLED.sub(r"\1", keys)
    silent = _SILENT.get(language)
    return (silent.sub("", keys) if silent else keys).split("\n")


@lru_cache(maxsize=4)
def countries(language: str) -> frozenset[str]:
    """Return the words of countries' names in small letters ("zealand"): dictionaries lack them."""
    names = Locale(language).territories.values()
    words = (word for name in names for word in name.casefold().split())
    return frozenset(word for word in words if word.isalpha() and len(word) > _SHORTEST)


# Parts of Korean syllables that are taken for each other, in the order of Unicode: what begins
# them, their vowels, and what ends them.
_PARTS = (
    ("ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ", "ㄴㄹ ㄱㄲ ㄷㄸ ㅂㅃ ㅅㅆ ㅈㅉ ㅈㅊ ㄱㅋ ㄷㅌ ㅂㅍ"),
    (
        "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ",
        "ㅐㅔ ㅒㅖ ㅙㅚ ㅙㅞ ㅚㅞ ㅡㅜ ㅢㅣ ㅓㅡ ㅟㅣ ㅕㅓ",
    ),
    (
        " ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ",
        "ㄴㅇ ㅅㅆ ㄷㅅ ㅅㅈ ㅅㅊ ㄱㄲ ㄱㅋ ㅂㅍ ㄴㄶ ㄹㅀ ㅁㅂ",
    ),
)
_FIRST, _LAST = 0xAC00, 0xD7A3


def nearby_korean(word: str) -> frozenset[str]:
    """Return the known words that differ from an unknown one in one part of a syllable.

    >>> sorted(nearby_korean("서을")), sorted(nearby_korean("서울"))
    (['서울'], [])
    """
    known = glossary_of("ko").whole
    return frozenset() if word in known else frozenset(filter(known.get, _nearby(word)))


def _nearby(word: str) -> Iterator[str]:
    starts, vowels, ends = (len(letters) for letters, _ in _PARTS)
    for place, letter in enumerate(word):
        code = ord(letter) - _FIRST
        if not 0 <= code <= _LAST - _FIRST:
            continue
        parts = (code // (vowels * ends) % starts, code // ends % vowels, code % ends)
        for number, (letters, swaps) in enumerate(_PARTS):
            for other in _swapped(letters[parts[number]], swaps):
                one = [*parts[:number], letters.index(other), *parts[number + 1 :]]
                changed = _FIRST + (one[0] * vowels + one[1]) * ends + one[2]
                yield f"{word[:place]}{chr(changed)}{word[place + 1 :]}"


def _swapped(letter: str, swaps: str) -> Iterator[str]:
    yield from (pair.replace(letter, "") for pair in swaps.split() if letter in pair)
