"""Queries from tagged words: what is kept, what stays together, in which order.

Pure: knows no clock, no privacy and no language. Every constant is a field of `Constants`.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pellucid_decision.understanding.limits import MAX_QUERY_CHARACTERS, MAX_WORDS, word_count
from pellucid_decision.understanding.words import MESSAGE, QUERIES, Word

# Letters of a unit or a model's suffix behind a number ("20 km", "17 Pro").
_UNIT_CHARACTERS = 5
# A small word that lost its vowel means nothing away from the word before it ("d'Oslo").
_ELISION = re.compile(r"^(?:[cdjlmnst]|qu)['’](?=\w)")
# Words of a query that say what a further one is about.
ANCHOR_WORDS = 3


@dataclass(frozen=True, slots=True)
class Constants:
    """Probabilities that decide which words are kept; swept on the development rows.

    Attributes:
        keep: A word above it is kept.
        name_floor: A word of a name is kept above it once another word of the name is kept.
        gap_floor: A word between two kept ones is kept above it.
        unit_floor: A unit is kept above it with its number, a number with its unit.
        fill_floor: A word may fill up a query that is too short above it.
        first_floor: Highest probability without which there is no first query.
        further_floor: The same for the second and third.
        least_words: Words that a first query is filled up to.
        most_words: Counted words of the longest query.
    """

    keep: float = 0.25
    name_floor: float = 0.08
    gap_floor: float = 0.04
    unit_floor: float = 0.12
    fill_floor: float = 0.1
    first_floor: float = 0.2
    further_floor: float = 0.5
    least_words: int = 2
    most_words: int = MAX_WORDS


DEFAULTS = Constants()


def decode(words: Sequence[Word], constants: Constants = DEFAULTS) -> list[list[Word]]:
    """Return the words of each query, best query first.

    Args:
        words: Of the conversation, in the order of a query: history first.
        constants: What decides.

    >>> pair = [Word(0, 0, 4, "Oslo", (0.9, 0, 0)), Word(0, 5, 9, "toll", (0.8, 0, 0))]
    >>> written(decode(pair)[0])
    'Oslo toll'
    """
    queries: list[list[Word]] = []
    beyond: list[list[Word]] = []
    for number in range(QUERIES):
        line = _chosen(words, number, constants)
        chosen, over = _trimmed(line, number, constants)
        if _adds(chosen, queries):
            queries.append(chosen)
            beyond += [_anchored(chosen, over, constants)]
    queries += [query for query in beyond if _adds(query, queries)]
    return queries[:QUERIES]


def written(words: Sequence[Word]) -> str:
    """Return a query's words as text; what was joined in the conversation is joined again."""
    text, number, end = "", -1, 0
    for word in words:
        joined = word.text == number and 0 <= word.start - end <= len(word.glue)
        surface = word.surface if joined else _ELISION.sub("", word.surface)
        text += (word.glue if joined else " ") + surface
        number, end = word.text, word.end
    return text.strip()


def in_order(words: Iterable[Word]) -> list[Word]:
    """Return words in the order of a query: those of the history first, as they were said."""
    return sorted(words, key=lambda word: (word.text == MESSAGE, word.text, word.start))


def _chosen(words: Sequence[Word], number: int, constants: Constants) -> list[Word]:
    """Return the words of one query in order; none when the model speaks for none."""
    shares = [word.queries[number] for word in words]
    floor = constants.further_floor if number else constants.first_floor
    if max(shares, default=0.0) < floor:
        return []
    kept = [share > constants.keep for share in shares]
    _keep_names(words, shares, kept, constants)
    _keep_units(words, shares, kept, constants)
    _close_gaps(words, shares, kept, constants)
    if number == 0:
        _fill_up(words, shares, kept, constants)
    return _unrepeated(word for word, keeps in zip(words, kept, strict=True) if keeps)


def _keep_names(
    words: Sequence[Word], shares: Sequence[float], kept: list[bool], constants: Constants
) -> None:
    """Keep a name whole or leave it: a run of capitalised words, numbers or katakana."""
    for start, end in _names(words):
        run = range(start, end)
        if not any(kept[place] for place in run):
            continue
        for place in run:
            kept[place] = kept[place] or shares[place] > constants.name_floor


def _names(words: Sequence[Word]) -> list[tuple[int, int]]:
    """Return the runs of at least two words that may be one name, as ranges."""
    runs, start = [], 0
    while start < len(words):
        end = start + 1
        while end < len(words) and one_name(words[end - 1], words[end]):
            end += 1
        if end - start > 1:
            runs.append((start, end))
        start = end
    return runs


def one_name(left: Word, right: Word) -> bool:
    """Whether two neighbours may belong to one name."""
    together = left.nameable and right.nameable and _neighbours(left, right)
    return together and left.spaceless == right.spaceless


def _neighbours(left: Word, right: Word) -> bool:
    return left.text == right.text and not left.closes and right.start - left.end <= 1


def _keep_units(
    words: Sequence[Word], shares: Sequence[float], kept: list[bool], constants: Constants
) -> None:
    """Keep a number with the short word behind it, which is its unit."""
    for place in range(len(words) - 1):
        left, right = words[place], words[place + 1]
        unit = len(right.surface) <= _UNIT_CHARACTERS and not right.numeric
        if not (left.numeric and unit and _neighbours(left, right)):
            continue
        for here, other in ((place, place + 1), (place + 1, place)):
            if kept[other] and shares[here] > constants.unit_floor:
                kept[here] = True


def _close_gaps(
    words: Sequence[Word], shares: Sequence[float], kept: list[bool], constants: Constants
) -> None:
    """Keep a single word between two kept ones when it is not far below."""
    for place in range(1, len(words) - 1):
        between = kept[place - 1] and kept[place + 1] and not kept[place]
        same = words[place - 1].text == words[place].text == words[place + 1].text
        if between and same and shares[place] > constants.gap_floor:
            kept[place] = True


def _fill_up(
    words: Sequence[Word], shares: Sequence[float], kept: list[bool], constants: Constants
) -> None:
    """Add the most probable words to a query that is too short to find anything."""
    for place in sorted(range(len(words)), key=lambda place: -shares[place]):
        enough = _size(word for word, keeps in zip(words, kept, strict=True) if keeps)
        if enough >= constants.least_words or shares[place] <= constants.fill_floor:
            return
        kept[place] = True


def _size(words: Iterable[Word]) -> float:
    """Return about how many words a query has; two letters without blanks count as one."""
    return sum(len(word.surface) / 2 if word.spaceless else 1 for word in words)


def _unrepeated(words: Iterable[Word]) -> list[Word]:
    """Return words without those that an earlier text has; one text may say a word twice."""
    said_in: dict[str, int] = {}
    return [
        word
        for word in words
        if word.spaceless or said_in.setdefault(word.key, word.text) == word.text
    ]


def _trimmed(
    line: Sequence[Word], number: int, constants: Constants
) -> tuple[list[Word], list[Word]]:
    """Return the words that a query has room for, and those that it has not.

    The least probable go first, names last.
    """
    kept, over = list(line), set()
    while _too_long(kept, constants):
        place = min(range(len(kept)), key=lambda n: (kept[n].nameable, kept[n].queries[number], -n))
        over.add(kept.pop(place))
    return kept, [word for word in line if word in over]


def _anchored(query: Sequence[Word], over: Sequence[Word], constants: Constants) -> list[Word]:
    """Return a further query for what had no room: its words, and what the query is about.

    A single plain word is not worth one.
    """
    if len(over) < constants.least_words and not any(word.nameable for word in over):
        return []
    names = [word for word in query if word.nameable] or list(query)
    line = [*names[:ANCHOR_WORDS], *over]
    while _too_long(line, constants):
        line.pop()
    return line


def _adds(query: Sequence[Word], known: Sequence[Sequence[Word]]) -> bool:
    """Whether a query has a word that the others lack."""
    return not {word.key for word in query} <= {word.key for line in known for word in line}


def _too_long(words: Sequence[Word], constants: Constants) -> bool:
    text = written(words)
    return word_count(text) > constants.most_words or len(text) > MAX_QUERY_CHARACTERS
