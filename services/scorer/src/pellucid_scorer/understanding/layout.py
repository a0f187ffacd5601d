"""Lays a message and its history out as the tokens that the model of understanding reads.

Training and serving both call `arranged`, so a model is served what it was trained on. The message
comes first, then the turns before it from the newest on, and the conversation's first question last
where the newer turns would have left it out. Texts are cut word by word, because pieces must be
found again in the text as it was sent: NFKC makes one character of several, and several of one.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

MOST_TOKENS = 256
"""Of message and history together, special ones included."""
MESSAGE_HEAD, MESSAGE_TAIL = 100, 60
"""Pieces kept of a message that is longer than both: what is asked stands at one of its ends."""
TURN_PIECES = 60
"""Pieces kept of each earlier turn."""

MESSAGE, USER, ASSISTANT = 0, 1, 2
"""Segments: whose words a token is of."""
SEGMENTS = {"user": USER, "assistant": ASSISTANT}
"""By role; turns of any other are not read."""

Place = tuple[int, int, int]
"""Text (0: the message, n: the n-th entry of the history), start and end in its code points."""

_WORD = re.compile(r"[^\s\x00-\x1f\x7f-\x9f\u200b-\u200f\u2581\ufeff\ufffd]+")
"""Besides white space, what the encoder's own normaliser makes a space or drops ends a word."""
_TYPED = str.maketrans({"\u2019": "'"})


class Cutter(Protocol):
    """A tokenizer.

    Attributes:
        first: Id of the token that begins an input.
        last: Id of the token that ends each text.
    """

    first: int
    last: int

    def cut(self, words: Sequence[str]) -> Sequence[Sequence[tuple[int, int, int]]]:
        """Return each word's pieces: their ids, starts and ends in its code points."""


@dataclass(frozen=True, slots=True)
class Arranged:
    """The input of the model.

    Attributes:
        ids: Token ids, at most `MOST_TOKENS`.
        segments: `MESSAGE`, `USER` or `ASSISTANT` for each token; of a separator, as before it.
        places: Where each token stands; None for the special ones.
    """

    ids: tuple[int, ...]
    segments: tuple[int, ...]
    places: tuple[Place | None, ...]


@dataclass(frozen=True, slots=True)
class _Word:
    """A word as it is cut, and where each of its characters stands in the text as it was sent."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]


@dataclass(frozen=True, slots=True)
class _Text:
    """The pieces of a text: ids and places."""

    segment: int
    pieces: Sequence[tuple[int, Place]]


def arranged(message: str, history: Sequence[tuple[str, str]], pieces: Cutter) -> Arranged:
    """Return what the model reads.

    Args:
        message: The person's own words.
        history: Role and text of the turns before it, oldest first; see `SEGMENTS`.
        pieces: The encoder's tokenizer.
    """
    asked = _Text(MESSAGE, _message(message, pieces))
    turns = _turns(history, pieces, MOST_TOKENS - len(asked.pieces) - 2)
    ids, segments, places = [pieces.first], [MESSAGE], list[Place | None]([None])
    for text in (asked, *turns):
        ids += [piece for piece, _ in text.pieces] + [pieces.last]
        places += [place for _, place in text.pieces] + [None]
        segments += [text.segment] * (len(text.pieces) + 1)
    return Arranged(tuple(ids), tuple(segments), tuple(places))


def _message(text: str, pieces: Cutter) -> Sequence[tuple[int, Place]]:
    words = list(_words(text))
    if len(words) > MESSAGE_HEAD + MESSAGE_TAIL:  # each has a piece at least
        words = words[:MESSAGE_HEAD] + words[-MESSAGE_TAIL:]
    found = _cut(0, words, pieces)
    if len(found) > MESSAGE_HEAD + MESSAGE_TAIL:
        found = found[:MESSAGE_HEAD] + found[-MESSAGE_TAIL:]
    return found


def _turns(history: Sequence[tuple[str, str]], pieces: Cutter, room: int) -> Iterator[_Text]:
    """Yield the newest turns and the person's first one, as far as there is room."""
    opening = next((place for place, (role, _) in enumerate(history) if role == "user"), None)
    first = None if opening is None else _turn(history, opening, pieces, room)
    kept = len(first.pieces) + 1 if first else 0
    for place in range(len(history) - 1, -1, -1):
        if place == opening:
            break
        turn = _turn(history, place, pieces, room - kept)
        if turn:
            room -= len(turn.pieces) + 1
            yield turn
    if first:
        yield first


def _turn(
    history: Sequence[tuple[str, str]], place: int, pieces: Cutter, room: int
) -> _Text | None:
    """Return the beginning of a turn, or None where nothing of it has room."""
    role, text = history[place]
    most = min(TURN_PIECES, room - 1)
    if most < 1 or role not in SEGMENTS:
        return None
    words = list(_words(text))[:most]
    found = _cut(place + 1, words, pieces)[:most]
    return _Text(SEGMENTS[role], found) if found else None


def _cut(text: int, words: Sequence[_Word], pieces: Cutter) -> list[tuple[int, Place]]:
    """Return the pieces of words; one without a character of its own stands at the next one."""
    return [
        (piece, (text, word.starts[start], word.ends[max(start, end - 1)]))
        for word, cut in zip(words, pieces.cut([word.text for word in words]), strict=True)
        for piece, start, end in cut
    ]


def _words(text: str) -> Iterator[_Word]:
    """Yield the words of a text in NFKC."""
    # Half of a surrogate pair has no place in UTF-8.
    whole = text.encode("utf-8", "replace").decode()
    for found in _WORD.finditer(whole.translate(_TYPED)):
        word, start = found.group(), found.start()
        if unicodedata.is_normalized("NFKC", word):
            yield _Word(word, range(start, found.end()), range(start + 1, found.end() + 1))
        else:
            normal = _normal(word, start)
            if normal.text:
                yield normal


def _normal(word: str, start: int) -> _Word:
    """Return a word in NFKC; each of its characters stands where all that it came from does."""
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for cluster in _clusters(word):
        # A mark that stands alone is written with a space before it.
        plain = unicodedata.normalize("NFKC", cluster).replace(" ", "")
        parts.append(plain)
        starts += [start] * len(plain)
        start += len(cluster)
        ends += [start] * len(plain)
    return _Word("".join(parts), starts, ends)


def _clusters(word: str) -> Iterator[str]:
    """Yield the runs of characters that NFKC changes together."""
    cluster = ""
    for char in word:
        if cluster and not _joins(cluster, char):
            yield cluster
            cluster = ""
        cluster += char
    yield cluster


def _joins(cluster: str, char: str) -> bool:
    if unicodedata.combining(char):
        return True
    apart = [unicodedata.normalize("NFKC", part) for part in (cluster, char)]
    return unicodedata.normalize("NFKC", cluster + char) != "".join(apart)
