"""How rare a word is: what tells most of a story, and what is a name where capitals do not say so.

English, French and Spanish words are counted in dictionaries of everyday speech, which leave out
most names; others, and those that the dictionaries lack, as their glosses in English. A word that
nobody knows is most likely a name.
"""

from functools import lru_cache

import numpy as np
from spellchecker import SpellChecker

from pellucid_decision.question.frequency import LANGUAGES, Counts
from pellucid_decision.text.gloss import LANGUAGES as GLOSSED
from pellucid_decision.text.gloss import glossary_of
from pellucid_decision.text.lexicon import DENSE_LANGUAGES

# Dictionaries that count well; the German one has been thinned until all counts look alike.
WELL_COUNTED = frozenset(LANGUAGES) - {"de"}
# Occurrences of a word up to which it is a name where capitals do not say so ("Seoul", "Wien"), and
# a German noun with a capital is a place ("Ulm", not "Wohnung").
NAME_COUNT = 400


def occurrences(word: str, language: str) -> int:
    """Return how often a word is met in the dictionary of a language, 0 when it is unknown."""
    return int(_dictionary(language).of(word))


def load_dictionaries() -> None:
    """Read all dictionaries: nobody's request should wait for it."""
    for language in LANGUAGES:
        _dictionary(language)


@lru_cache(maxsize=len(LANGUAGES))
def _dictionary(language: str) -> Counts:
    counts = SpellChecker(language=language).word_frequency.dictionary
    values = np.fromiter(counts.values(), dtype=np.float32, count=len(counts))
    return Counts(list(counts), values)


@lru_cache(maxsize=4096)
def commonness(text: str, language: str) -> int:
    """Return how often the rarest word of a text is met, 0 when one is unknown.

    Args:
        text: A word, or several.
        language: ISO 639-1 code; 0 for all words of one that has neither dictionary nor gloss.

    >>> commonness("dog", "en") > commonness("beagle", "en") > commonness("Ondry", "en")
    True
    """
    low = text.casefold()
    if language in DENSE_LANGUAGES:
        return min((_said_as(piece) for piece in _pieces(low, language)), default=0)
    return min((_of_word(word, language) for word in low.split()), default=0)


def _of_word(word: str, language: str) -> int:
    own = occurrences(word, language) if language in WELL_COUNTED else 0
    if own or language not in GLOSSED:
        return own
    return _said_as(glossary_of(language).of_word(word) or "")


def _pieces(text: str, language: str) -> list[str]:
    """Return what the words say that a text without blanks is made of; "" for what is none.

    Single characters spell any name, so that only longer words count.
    """
    known, said, place = glossary_of(language).whole, [], 0
    while place < len(text):
        longest = range(len(text), place + 1, -1)
        end = next((end for end in longest if text[place:end] in known), 0)
        said.append(known.get(text[place:end], ""))
        place = end or len(text)
    return said


def _said_as(gloss: str) -> int:
    """Return how often the rarest word of an English gloss is met, 0 for none."""
    return min((occurrences(word, "en") for word in gloss.replace("-", " ").split()), default=0)
