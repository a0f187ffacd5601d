"""What the classifier looks at: hashed n-grams and meanings, signals, concepts, form, embedding.

The embedding model reads English: other languages are put into it word by word (`gloss.py`).
Glossed words, signals, meanings and form are the same in every language, so what is learnt from one
helps the others; n-grams carry what is particular to each. Material that a message brings along
(`material.py`) is not looked at but by the embedding.
"""

import re
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from pellucid_decision.question.resolution import Resolved
from pellucid_decision.rules.signals import Reading
from pellucid_decision.text.conversation import Ask
from pellucid_decision.text.gloss import LANGUAGES as GLOSSED_LANGUAGES
from pellucid_decision.text.gloss import UNKNOWN, gloss_of
from pellucid_decision.text.lexicon import DENSE_LANGUAGES, concept_names, meanings_of
from pellucid_decision.text.material import without_material
from pellucid_decision.text.structure import named_thing
from pellucid_language.folding import straight
from pellucid_language.scripts import EAST_ASIAN

Vector = npt.NDArray[np.float32]

# With half of them the log loss on messages of other authors was 2 % worse.
BUCKETS = 131072
EMBEDDING_SIZE = 384
# Chosen by hand: whole questions fit, and the work stays bounded.
TEXT_CHARACTERS = 300
MATERIAL_CHARACTERS = 600
EMBEDDING_SCALE = 2.0
# Traits of the form weigh half a concept, swept 0.5 and 1.
FORM_SCALE = 0.5
# English senses named by the gloss count as well where blanks divide words; elsewhere the gloss of
# a character too often names what the text does not mean.
GLOSSED_MEANINGS = frozenset(GLOSSED_LANGUAGES) - DENSE_LANGUAGES
_LANGUAGES = ("en", "ko", "zh", "ja", "es", "de", "fr")
_LENGTHS = (12, 25, 50, 90, 160)
# A Chinese, Japanese or Korean character says about as much as this many Latin letters.
_DENSE_LETTER = 2.2
FORM_SIZE = len(_LANGUAGES) + len(_LENGTHS) + 11
# What a meaning, or two together, counts where all n-grams together have length 1. Swept 0.07 to
# 0.13 on messages of authors whose others were not trained on.
MEANING_VALUE = 0.11
# The same of a word of the gloss, or two neighbours.
GLOSS_VALUE = 0.1
GLOSS_WORDS = 60
# Spreads pairs of 32-bit hashes; the sum stays within 64 bits.
_PAIR_FACTOR = 0x1E3779B1
_PAIR_SHIFT = 7
# Most messages name fewer meanings than this, and the places of their pairs take 2 MB in all.
_PAIRS_KEPT = 64
_NAMES_KEPT = 4096
_LISTS_KEPT = 4
_DENSE = re.compile(f"[{EAST_ASIAN}]")
_LATIN_RUN = re.compile(r"[A-Za-z]{2}")
_FULL_NAME = re.compile(r"(?<=\w )[A-ZÄÖÜÉ]\w+ [A-ZÄÖÜÉ]\w+")
_GLOSS_WORD = re.compile(r"[\w']+|\?")
_SECOND_SENTENCE = re.compile(r"[.!?\u3002] ?\S")
_WORD_LENGTHS = (2, 3, 4, 5)
_DENSE_LENGTHS = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class Buckets:
    """Where a message's entries stand in the hashed block, and what each counts.

    Attributes:
        places: `int64[entries]`, buckets.
        values: `float32[entries]`.
    """

    places: npt.NDArray[np.int64]
    values: Vector


@dataclass(frozen=True, slots=True)
class Seen:
    """What is read from a message once, for all blocks.

    Attributes:
        order: Folded text without material.
        gloss: The same word by word in English.
        meanings: Concepts and senses that the question names (`lexicon.py`).
        form: Traits that need no words.
    """

    order: str
    gloss: str
    meanings: frozenset[str]
    form: tuple[bool, ...]


def seen_in(ask: Ask, resolved: Resolved, language: str) -> Seen:
    """Read a message.

    A message that leans on earlier turns is judged by its own words and form, and by the meanings
    of the question that was resolved: "and in Leeds" is short and asks, and is about the weather.

    Args:
        ask: The request.
        resolved: Its question.
        language: ISO 639-1 code.
    """
    whole = straight(ask.message[:MATERIAL_CHARACTERS])
    order = without_material(whole)
    question = straight(resolved.question) if resolved.leans else order
    named = meanings_of(question[:TEXT_CHARACTERS].casefold(), language)
    gloss = gloss_of(order[:TEXT_CHARACTERS], language)
    if language in GLOSSED_MEANINGS:
        named |= meanings_of(gloss, "en")
    traits = _form(whole[:TEXT_CHARACTERS], language)
    form = (*traits, bool(ask.history), resolved.leans, order != whole)
    return Seen(order[:TEXT_CHARACTERS], gloss, named, form)


def embedded_text(ask: Ask, resolved: Resolved, language: str) -> str:
    """Return what the embedding model reads of a message: English as it is, others glossed."""
    text = resolved.question if resolved.leans else ask.message
    if language not in GLOSSED_LANGUAGES:
        return text
    return gloss_of(straight(text[:MATERIAL_CHARACTERS]), language) or UNKNOWN


def ngrams(text: str) -> list[bytes]:
    """Return character n-grams of words with their borders, or of runs in dense scripts, in UTF-8.

    Then the words, each two neighbours, the first and the last: how a question opens and ends says
    much about it. A list, because a generator costs more than what it yields here.
    """
    words = text.casefold().split()
    grams: list[bytes] = []
    for word in set(words):
        grams += _character_grams(word)
    said = [_encoded(word) for word in words]
    grams += [b"\x00" + word for word in said]
    grams += [b"\x01" + word + b" " + after for word, after in pairwise(said)]
    return [*grams, b"\x02" + said[0], b"\x03" + said[-1]] if said else grams


def _character_grams(word: str) -> list[bytes]:
    if word.isascii():  # encoded once, because each character is one byte
        padded = f" {word} ".encode()
        ends = len(padded) + 1
        return [padded[at : at + long] for long in _WORD_LENGTHS for at in range(ends - long)]
    dense = _DENSE.search(word) is not None
    run, lengths = (word, _DENSE_LENGTHS) if dense else (f" {word} ", _WORD_LENGTHS)
    ends = len(run) + 1
    return [_encoded(run[at : at + long]) for long in lengths for at in range(ends - long)]


def buckets_of(seen: Seen) -> Buckets:
    """Return the entries of the hashed block: n-grams of unit length together, and meanings."""
    worded = _places(ngrams(seen.order))
    meant, glossed = _meant(seen), _places(_gloss_grams(seen.gloss))
    values = np.full(len(worded) + len(meant) + len(glossed), MEANING_VALUE, dtype=np.float32)
    values[: len(worded)] = max(1, len(worded)) ** -0.5
    values[len(worded) + len(meant) :] = GLOSS_VALUE
    return Buckets(np.concatenate((worded, meant, glossed)), values)


def _gloss_grams(gloss: str) -> list[bytes]:
    """Return the words of a gloss, each two neighbours, the first and the last, in UTF-8."""
    words = [word.encode() for word in _GLOSS_WORD.findall(gloss)[:GLOSS_WORDS]]
    grams = [b"\x05" + word for word in words]
    grams += [b"\x06" + word + b" " + after for word, after in pairwise(words)]
    return [*grams, b"\x07" + words[0], b"\x08" + words[-1]] if words else grams


def _places(grams: Iterable[bytes]) -> npt.NDArray[np.int64]:
    """Return the buckets of the grams, each once, in order."""
    hashed = {code % BUCKETS for code in map(zlib.crc32, grams)}
    return np.array(sorted(hashed), dtype=np.int64)


def _meant(seen: Seen) -> npt.NDArray[np.int64]:
    """Return the buckets of each meaning and trait of the form, and of each two of them.

    "Weather" says little beside "poem": what counts is what is said together.
    """
    traits = (f"\x04{number}" for number, there in enumerate(seen.form) if there)
    single = np.array(sorted(map(_known_hash, (*seen.meanings, *traits))), dtype=np.int64)
    first, second = _pairs(len(single))
    both = (single[first] * _PAIR_FACTOR + single[second]) >> _PAIR_SHIFT
    places = np.sort(np.concatenate((single, both)) % BUCKETS)
    first_of_its_kind = np.ones(len(places), dtype=np.bool_)
    np.not_equal(places[1:], places[:-1], out=first_of_its_kind[1:])
    return places[first_of_its_kind]


@lru_cache(maxsize=_PAIRS_KEPT)
def _pairs(count: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the places of the first and second of each two of `count`."""
    return np.triu_indices(count, 1)


@lru_cache(maxsize=_NAMES_KEPT)
def _known_hash(name: str) -> int:
    """Return the hash of a meaning or trait; they are few, and no words of people."""
    return zlib.crc32(_encoded(name))


def _encoded(gram: str) -> bytes:
    return gram.encode("utf-8", "surrogatepass")


def signal_vector(reading: Reading, names: Sequence[str]) -> Vector:
    """Return which of the named signals fired and the score, `float32[len(names) + 1]`."""
    return vector_of([signal.name for signal in reading.signals], names, reading.score)


def vector_of(fired: Collection[str], names: Sequence[str], score: float) -> Vector:
    """Return which of `names` are among `fired`, then the score, `float32[len(names) + 1]`."""
    vector = np.zeros(len(names) + 1, dtype=np.float32)
    places = _places_of(names if isinstance(names, tuple) else tuple(names))
    vector[[places[name] for name in fired if name in places]] = 1
    vector[-1] = score
    return vector


def context_vector(seen: Seen) -> Vector:
    """Return the concepts that a question names, then its form, `float32[concepts + FORM_SIZE]`."""
    names = concept_names()
    vector = np.zeros(len(names) + FORM_SIZE, dtype=np.float32)
    places = _places_of(names)
    vector[[places[name] for name in seen.meanings if name in places]] = 1
    vector[len(names) :] = seen.form
    vector[len(names) :] *= FORM_SCALE
    return vector


@lru_cache(maxsize=_LISTS_KEPT)
def _places_of(names: tuple[str, ...]) -> Mapping[str, int]:
    """Return where the names of a list stand in it; there is one of concepts and one of signals."""
    return {name: place for place, name in enumerate(names)}


def _form(view: str, language: str) -> tuple[bool, ...]:
    """Return the traits of a folded text that need no words: language, length, marks, names."""
    dense = language in DENSE_LANGUAGES
    letters = len(view) * (_DENSE_LETTER if dense else 1)
    return (
        *[language == code for code in _LANGUAGES],
        *[letters < bound for bound in _LENGTHS],
        "?" in view[-3:],
        "?" in view,
        any(map(str.isdigit, view)),
        dense and bool(_LATIN_RUN.search(view)),
        bool(_FULL_NAME.search(view)),
        bool(_SECOND_SENTENCE.search(view)),
        bool(named_thing(view, language)),
        view[:1].isupper(),
    )


def embedding_vector(embedding: Sequence[float]) -> Vector:
    """Return the sentence embedding scaled to weigh beside the other blocks, `float32[384]`."""
    return EMBEDDING_SCALE * np.asarray(embedding, dtype=np.float32)
