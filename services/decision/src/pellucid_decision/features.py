"""What the classifier looks at: hashed n-grams and meanings, signals, concepts, form, embedding.

The embedding model reads English: other languages are put into it word by word (`gloss.py`).
Glossed words, signals, meanings and form are the same in every language, so what is learnt from one
helps the others; n-grams carry what is particular to each. Material that a message brings along
(`material.py`) is not looked at but by the embedding.
"""

import re
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from pellucid_decision.conversation import Ask
from pellucid_decision.gloss import LANGUAGES as GLOSSED_LANGUAGES
from pellucid_decision.gloss import UNKNOWN, gloss_of
from pellucid_decision.lexicon import DENSE_LANGUAGES, concept_names, meanings_of
from pellucid_decision.material import without_material
from pellucid_decision.normal import folded
from pellucid_decision.resolution import Resolved
from pellucid_decision.signals import Reading
from pellucid_decision.structure import named_thing

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
    whole = folded(ask.message[:MATERIAL_CHARACTERS])
    order = without_material(whole)
    question = folded(resolved.question) if resolved.leans else order
    named = meanings_of(question[:TEXT_CHARACTERS].casefold(), language)
    gloss = gloss_of(order[:TEXT_CHARACTERS], language)
    if language in GLOSSED_MEANINGS:
        named |= meanings_of(gloss, "en")
    form = *_form(whole[:TEXT_CHARACTERS], language), bool(ask.history), resolved.leans
    return Seen(order[:TEXT_CHARACTERS], gloss, named, (*form, order != whole))


def embedded_text(ask: Ask, resolved: Resolved, language: str) -> str:
    """Return what the embedding model reads of a message: English as it is, others glossed."""
    text = resolved.question if resolved.leans else ask.message
    if language not in GLOSSED_LANGUAGES:
        return text
    return gloss_of(folded(text[:MATERIAL_CHARACTERS]), language) or UNKNOWN


def ngrams(text: str) -> Iterator[bytes]:
    """Yield character n-grams of words with their borders, or of runs in dense scripts, in UTF-8.

    Then the words, each two neighbours, the first and the last: how a question opens and ends says
    much about it.
    """
    words = text.casefold().split()
    for word in set(words):
        yield from _character_grams(word)
        yield _encoded(f"\x00{word}")
    for word, after in pairwise(words):
        yield _encoded(f"\x01{word} {after}")
    if words:
        yield _encoded(f"\x02{words[0]}")
        yield _encoded(f"\x03{words[-1]}")


def _character_grams(word: str) -> Iterator[bytes]:
    if word.isascii():  # encoded once, because each character is one byte
        padded = f" {word} ".encode()
        for length in _WORD_LENGTHS:
            yield from (padded[at : at + length] for at in range(len(padded) - length + 1))
        return
    dense = any("\u3040" <= letter <= "\ud7af" for letter in word)
    run = word if dense else f" {word} "
    for length in _DENSE_LENGTHS if dense else _WORD_LENGTHS:
        yield from (_encoded(run[at : at + length]) for at in range(len(run) - length + 1))


def buckets_of(seen: Seen) -> Buckets:
    """Return the entries of the hashed block: n-grams of unit length together, and meanings."""
    worded = _places(ngrams(seen.order))
    meant, glossed = _meant(seen), _places(_gloss_grams(seen.gloss))
    values = np.full(len(worded) + len(meant) + len(glossed), MEANING_VALUE, dtype=np.float32)
    values[: len(worded)] = max(1, len(worded)) ** -0.5
    values[len(worded) + len(meant) :] = GLOSS_VALUE
    return Buckets(np.concatenate((worded, meant, glossed)), values)


def _gloss_grams(gloss: str) -> Iterator[bytes]:
    """Yield the words of a gloss, each two neighbours, the first and the last, in UTF-8."""
    words = [word.encode() for word in _GLOSS_WORD.findall(gloss)[:GLOSS_WORDS]]
    yield from (b"\x05" + word for word in words)
    yield from (b"\x06" + word + b" " + after for word, after in pairwise(words))
    if words:
        yield b"\x07" + words[0]
        yield b"\x08" + words[-1]


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
    return vector_of({signal.name for signal in reading.signals}, names, reading.score)


def vector_of(fired: Collection[str], names: Sequence[str], score: float) -> Vector:
    """Return which of `names` are among `fired`, then the score, `float32[len(names) + 1]`."""
    return np.array([*(name in fired for name in names), score], dtype=np.float32)


def context_vector(seen: Seen) -> Vector:
    """Return the concepts that a question names, then its form, `float32[concepts + FORM_SIZE]`."""
    concepts = (name in seen.meanings for name in concept_names())
    return np.array([*concepts, *(FORM_SCALE * trait for trait in seen.form)], dtype=np.float32)


def _form(view: str, language: str) -> Iterator[bool]:
    """Yield the traits of a folded text that need no words: language, length, marks, names."""
    yield from (language == code for code in _LANGUAGES)
    letters = len(view) * (_DENSE_LETTER if language in DENSE_LANGUAGES else 1)
    yield from (letters < bound for bound in _LENGTHS)
    yield "?" in view[-3:]
    yield "?" in view
    yield any(letter.isdigit() for letter in view)
    yield language in DENSE_LANGUAGES and bool(_LATIN_RUN.search(view))
    yield bool(_FULL_NAME.search(view))
    yield bool(_SECOND_SENTENCE.search(view))
    yield bool(named_thing(view, language))
    yield view[:1].isupper()


def embedding_vector(embedding: Sequence[float]) -> Vector:
    """Return the sentence embedding scaled to weigh beside the other blocks, `float32[384]`."""
    return EMBEDDING_SCALE * np.asarray(embedding, dtype=np.float32)
