"""How often words of four languages are met, and which frequent word sounds like an unknown one.

Names and technical terms are among them. The words are kept as sorted hashes: 1.6 million of them
take a tenth of the memory of a mapping.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from wordfreq import available_languages, read_cBpack

from pellucid_decision.question.sounds import sounds_of

LANGUAGES = ("en", "de", "fr", "es")
# A list is grouped by hundredths of a decade below all that is written; Zipf's scale ends here.
_TOP, _STEPS = 9.0, 100
# Words this rare are what unknown ones may sound like.
_LEAST_HEARD = 1.5
_LEAST_HEARD_LETTERS = 3


class Counts:
    """Numbers by word, 0 for a word without one.

    Args:
        words: The words, each once.
        values: Their numbers, in order, `float32[n]`.
    """

    def __init__(self, words: Sequence[str], values: npt.NDArray[np.float32]) -> None:
        hashes = _hashes(words)
        order = np.argsort(hashes)
        self._hashes, self._values = hashes[order], values[order]

    def of(self, word: str) -> float:
        """Return the number of one word."""
        return float(self.each([word])[0])

    def each(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return the numbers of words, `float32[n]`."""
        wanted = _hashes(words)
        places = np.minimum(np.searchsorted(self._hashes, wanted), len(self._hashes) - 1)
        found: npt.NDArray[np.float32] = np.where(
            self._hashes[places] == wanted, self._values[places], np.float32(0)
        )
        return found


class Heard:
    """The most frequent word of each sound.

    Args:
        by_sound: The words, at least one.
    """

    def __init__(self, by_sound: Mapping[str, str]) -> None:
        # One string and the places in it: as many strings of their own would take five times that.
        self._text = "\n".join(by_sound.values())
        lengths = np.fromiter(map(len, by_sound.values()), dtype=np.int32, count=len(by_sound))
        self._ends = np.cumsum(lengths + 1, dtype=np.int32) - 1
        self._lengths = lengths
        numbers = np.arange(1, len(by_sound) + 1, dtype=np.float32)
        self._numbers = Counts(list(by_sound), numbers)

    def each(self, sounds: Sequence[str]) -> list[str]:
        """Return the word of each sound, "" where there is none."""
        return [self._word(int(n) - 1) if n else "" for n in self._numbers.each(sounds)]

    def _word(self, place: int) -> str:
        end = int(self._ends[place])
        return self._text[end - int(self._lengths[place]) : end]


@dataclass(frozen=True, slots=True)
class Frequencies:
    """Words of one language.

    Attributes:
        zipf: Decades above one in a billion words, 1 to about 7.7 ("the"); 0 for an unknown word.
        heard: What unknown words may sound like.
    """

    zipf: Counts
    heard: Heard


def zipf(word: str, language: str) -> float:
    """Return how often a word in small letters is met, on Zipf's scale; 0 when it is unknown.

    >>> zipf("the", "en") > 7, zipf("amoxicillin", "en") > 2, zipf("amoxicilin", "en")
    (True, True, 0.0)
    """
    return frequencies(language).zipf.of(word)


@lru_cache(maxsize=len(LANGUAGES))
def frequencies(language: str) -> Frequencies:
    """Return the words of one of `LANGUAGES`; the first call reads them."""
    words, values = _listed(read_cBpack(available_languages("large")[language]))
    heard = _heard(words, values, language)
    return Frequencies(Counts(words, values), heard)


def load_frequencies() -> None:
    """Read all: nobody's request should wait for it."""
    for language in LANGUAGES:
        frequencies(language)


def _listed(groups: Iterable[Sequence[str]]) -> tuple[list[str], npt.NDArray[np.float32]]:
    words: list[str] = []
    sizes: list[int] = []
    for group in groups:
        words.extend(group)
        sizes.append(len(group))
    steps = np.repeat(np.arange(len(sizes), dtype=np.float32), sizes)
    return words, np.float32(_TOP) - steps / np.float32(_STEPS)


def _heard(words: Sequence[str], values: npt.NDArray[np.float32], language: str) -> Heard:
    often = words[: int(np.searchsorted(-values, -_LEAST_HEARD))]
    plain = [word for word in often if len(word) >= _LEAST_HEARD_LETTERS and word.isalpha()]
    best: dict[str, str] = {}
    for word, sound in zip(plain, sounds_of(plain, language), strict=True):
        best.setdefault(sound, word)
    return Heard(best)


def _hashes(words: Sequence[str]) -> npt.NDArray[np.int64]:
    return np.fromiter(map(hash, words), dtype=np.int64, count=len(words))
