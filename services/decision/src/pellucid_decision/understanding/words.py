"""Words of a conversation with the probability that each stands in a query.

The model speaks of pieces of words. A word between blanks has the mean of its pieces; where blanks
do not bound words, each piece is a word of its own.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pellucid_language.scripts import KATAKANA, RUN_ON, is_spaceless

MESSAGE = 0
"""Number of the text that is the message; those of the history count from 1."""

QUERIES = 3
"""Queries that the model tags words for."""

# A slash parts words ("and/or") but joins what is kept of them again ("km/h").
_PARTING = r"\s/、。，！？；：「」『』（）"
_WORD = re.compile(rf"(?:(?!{RUN_ON.pattern})[^{_PARTING}])+|[^{_PARTING}]")
_SIGN = re.compile(r"[€$£¥₩%]+")
_OPENING = "`([{<\"'“”„‘’«»「『《¿¡*_…,;:!?。、，！？；：-–—"
_CLOSING = "([{<`)]}>\"'“”„‘’«»」』》*_….,;:!?。、，！？；：-–—"
_BREAKS = re.compile(r"[,;:.!?。、，！？；：)\]]\W*\Z")
_NAME = re.compile(r"[^\W\d_a-zß-öø-ÿ][\w.'’&+-]*|[\w.]*\d[\w.,:%+-]*|[$€£#@]\w+")
_CASED = re.compile(r"[A-ZÀ-ÖØ-ÞĀ-ŽΑ-ΩА-Я]")
_KATAKANA = re.compile(rf"[{KATAKANA}]+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a word, as the model's tokenizer cuts it.

    Attributes:
        text: Number of its text.
        start: Where it begins, in code points.
        end: Where it ends, exclusive.
        queries: Probability that it stands in the first, second and third query, 0 to 1.
    """

    text: int
    start: int
    end: int
    queries: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a conversation.

    Attributes:
        text: Number of its text.
        start: Where it begins, in code points.
        end: Where it ends, exclusive.
        surface: As it is written, without punctuation at its edges.
        queries: Probability that it stands in each query, 0 to 1.
        glue: What stands before it and the word before: nothing, a slash or a blank.
        spaceless: No blanks stand between words in its script.
        closes: Punctuation behind it parts it from the next word.
    """

    text: int
    start: int
    end: int
    surface: str
    queries: tuple[float, ...]
    glue: str = " "
    spaceless: bool = False
    closes: bool = False

    @property
    def key(self) -> str:
        """Its form for comparisons."""
        return self.surface.casefold()

    @property
    def numeric(self) -> bool:
        """It has a digit."""
        return any(map(str.isdigit, self.surface))

    @property
    def nameable(self) -> bool:
        """It may be part of a name: capitalised, with a digit, or in katakana."""
        if self.spaceless:
            return _KATAKANA.fullmatch(self.surface) is not None
        cased = _CASED.match(self.surface) or self.numeric
        return bool(cased and _NAME.fullmatch(self.surface))


def words_of(texts: Sequence[str], pieces: Iterable[Piece]) -> tuple[Word, ...]:
    """Return the words that pieces cover: those of the history first, oldest first.

    Args:
        texts: The message, then the history, oldest first.
        pieces: Of these texts; one beyond a text's end is left out.

    >>> pieces = (Piece(0, 4, 7, (0.9, 0, 0)), Piece(0, 7, 8, (0.5, 0, 0)))
    >>> [(word.surface, word.queries[0]) for word in words_of(["See Oslo."], pieces)]
    [('Oslo', 0.7)]
    """
    by_text: dict[int, list[Piece]] = {}
    for piece in pieces:
        by_text.setdefault(piece.text, []).append(piece)
    order = [*range(1, len(texts)), MESSAGE]
    return tuple(
        word for number in order for word in _words(number, texts[number], by_text.get(number, ()))
    )


def _words(number: int, text: str, pieces: Iterable[Piece]) -> Iterator[Word]:
    """Yield the words of one text in its order."""
    parts: dict[tuple[int, int], list[tuple[float, ...]]] = {}
    spans = _spans(text)
    last = (0, 0)
    # A piece without a character of its own stands at the first one of the next.
    for piece in sorted(pieces, key=lambda piece: (piece.start, -piece.end)):
        for start, end in _covering(piece, text, spans):
            last = last if start < last[1] else (start, end)
            parts.setdefault(last, []).append(piece.queries)
    before = 0
    for (start, end), shares in parts.items():
        spaceless = RUN_ON.match(text, start) is not None
        raw = text[start:end]
        surface = _bare(raw)
        if not surface:
            continue
        combined = _highest(shares) if spaceless else _mean(shares)
        closes = bool(_BREAKS.search(raw)) or text[end : end + 1] in tuple(",;:。、，！？；：")
        glue = _glue(text[before:start])
        # A bracket or a quotation mark before it parts it from the word before.
        begin = start + raw.index(surface)
        yield Word(number, begin, end, surface, combined, glue, spaceless, closes)
        before = end


def _spans(text: str) -> list[tuple[int, int]]:
    """Return where the words between blanks stand, code point by code point."""
    covering = [(0, 0)] * len(text)
    for match in _WORD.finditer(text):
        covering[match.start() : match.end()] = [match.span()] * (match.end() - match.start())
    return covering


def _covering(
    piece: Piece, text: str, spans: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Yield the word or words that a piece is part of."""
    start, end = max(0, piece.start), min(piece.end, len(text))
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    if start >= end:
        return
    if all(map(RUN_ON.match, text[start:end])):
        yield start, end
        return
    yield from dict.fromkeys(span for span in spans[start:end] if span[1])


def _mean(shares: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
    return tuple(sum(column) / len(shares) for column in zip(*shares, strict=True))


def _highest(shares: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
    return tuple(map(max, zip(*shares, strict=True)))


def _bare(raw: str) -> str:
    """Return a word without the punctuation at its edges; "C#" keeps its sign."""
    inner = raw.lstrip(_OPENING).rstrip(_CLOSING)
    tells = any(map(str.isalnum, inner)) or is_spaceless(inner) or _SIGN.fullmatch(inner)
    return inner if tells else ""


def _glue(between: str) -> str:
    if not between:
        return ""
    return "/" if between == "/" else " "
