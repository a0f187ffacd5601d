"""Which pieces of the pages speak to the question, within a budget.

Chosen by words (stems, names, numbers), by the kind of thing asked for, and by meaning where the
scorer's likeness is at hand. Each part of a question gets its passages; whole pieces are taken,
with what they need to be understood. Everything here is pure: who asks the scorer is elsewhere, and
so is what is shown of a page that the person named.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pellucid_gateway.question.asked_for import asked_for
from pellucid_gateway.question.asked_things import share_told, things_of
from pellucid_gateway.question.key_facts import matches, tells
from pellucid_gateway.question.page_pieces import Kind, Piece, pieces_of
from pellucid_gateway.question.parts import parts_of
from pellucid_gateway.question.plain_text import without_urls
from pellucid_language.detection import UNDETERMINED, detect_language
from pellucid_language.terms import coverage, function_terms, rarity, terms

# Passages of a turn that are compared by meaning; what comes after the best of these by words
# seldom holds the fact, and each costs a millisecond.
MOST_COMPARED = 40
# A passage as it is compared: its headings tell what it is about.
_COMPARED_CHARS = 320
_LEXICAL, _MEANING, _KIND, _THINGS, _PLACE = 1.0, 1.2, 0.7, 0.3, 0.02
# What words of the headings and of the introducing line count beside words of the piece itself.
_ABOUT = 0.6
_PLACE_DECAY = 0.05
# How many of the pieces behind one share in its worth, and what is left of it at each step. Of the
# facts on 114 pages, .963 were shown at standard depth without it and .973 with it (.892 and .888
# at quick depth); sharing with the pieces before as well showed .969 and .878.
_GOES_ON, _GOING_ON = 2, 0.6
_LEAST_WINDOW_CHARS, _MOST_WINDOW_CHARS = 120, 400
# Enough of a page to tell its language.
_SAMPLE_CHARS = 1_000


@dataclass(frozen=True, slots=True)
class Page:
    """A page to choose from.

    Attributes:
        text: Light Markdown.
        title: Its title, which its pieces need not say again.
    """

    text: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Window:
    """Neighbouring pieces of one block that are compared by meaning together."""

    page: int
    first: int
    end: int


@dataclass(frozen=True, slots=True)
class Reading:
    """Pages cut into pieces, with what words alone tell of each.

    Attributes:
        parts: The questions asked.
        pages: Pieces of each page.
        worth: What each piece of each page is worth to each part, by words.
        windows: What deserves to be compared by meaning; at most `MOST_COMPARED`.
    """

    parts: tuple[str, ...]
    pages: tuple[tuple[Piece, ...], ...]
    worth: tuple[tuple[tuple[float, ...], ...], ...]
    windows: tuple[Window, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """The windows as texts to compare, in order."""
        return tuple(_compared_text(self.pages[w.page][w.first : w.end]) for w in self.windows)


def read(pages: Sequence[Page], question: str, *, further: Sequence[str] = ()) -> Reading:
    """Cut the pages and choose by words what is worth comparing by meaning.

    Args:
        pages: What to choose from.
        question: Its parts are asked.
        further: Asked besides: queries that followed from what was found.
    """
    parts = (*parts_of(question), *further)
    cut = tuple(_with_title(pieces_of(page.text), page.title) for page in pages)
    worth = tuple(
        tuple(_by_words(pieces, part, page.title) for part in parts)
        for pieces, page in zip(cut, pages, strict=True)
    )
    foreign = is_foreign(question, " ".join(page.text[:_SAMPLE_CHARS] for page in pages))
    return Reading(parts, cut, worth, _to_compare(cut, worth, whole=foreign))


def _with_title(pieces: tuple[Piece, ...], title: str) -> tuple[Piece, ...]:
    """The pieces; a first heading that only repeats the title, as titles begin, is marked."""
    first = next(iter(pieces), None)
    if first is None or first.kind is not Kind.HEADING or not title.startswith(first.text):
        return pieces
    return (replace(first, kind=Kind.TITLE), *pieces[1:])


def is_foreign(question: str, text: str) -> bool:
    """Whether a question is in another language than a text, as far as that can be told.

    >>> is_foreign("Was kostet die Karte?", "The ticket is 4 crowns, and a pass is 30.")
    True
    """
    told = {detect_language(question), detect_language(text)}
    return len(told - {UNDETERMINED}) > 1


def _by_words(pieces: Sequence[Piece], question: str, title: str) -> tuple[float, ...]:
    """What each piece is worth to a question by its words and by the kind of thing it carries."""
    texts = [piece.text for piece in pieces]
    own = matches(texts, question, [title] * len(texts))
    about = _about(pieces, question)
    told = tells(texts, question, own)
    things = things_of(question)
    of_things = [
        share_told(things, f"{' '.join(piece.about[-2:])} {piece.text}") if things else 0.0
        for piece in pieces
    ]
    each = enumerate(zip(own, about, told, of_things, strict=True))
    values = [
        _LEXICAL * max(o, min(1.0, o + _ABOUT * a))
        + _KIND * t
        + _THINGS * share
        + _PLACE / (1 + _PLACE_DECAY * place)
        for place, (o, a, t, share) in each
    ]
    return tuple(values if asked_for(question) else _going_on(values, pieces))


def _going_on(values: Sequence[float], pieces: Sequence[Piece]) -> list[float]:
    """Let what follows in the same paragraph or list share in the worth of a piece.

    "Why was it late?" is answered by what stands behind the sentence with the words of the
    question; a date or a price stands in one sentence.
    """
    found = list(values)
    for place, piece in enumerate(pieces):
        if piece.kind not in {Kind.PROSE, Kind.ITEM}:
            continue
        for far in range(1, _GOES_ON + 1):
            later = place + far
            if later < len(pieces) and pieces[later].block == piece.block:
                gain = (values[place] - values[later]) * _GOING_ON**far
                found[later] = max(found[later], values[later] + gain)
    return found


def _about(pieces: Sequence[Piece], question: str) -> list[float]:
    """Share of the question's words that the headings and introducing line of each piece have."""
    wanted = terms(without_urls(question)) - function_terms()
    each = [terms(" ".join(piece.about[-2:])) for piece in pieces]
    weights = rarity(each)
    return [coverage(wanted, words, weights) for words in each]


def _to_compare(
    cut: Sequence[Sequence[Piece]], worth: Sequence[Sequence[Sequence[float]]], *, whole: bool
) -> tuple[Window, ...]:
    """All windows where they are few; else the best by words of each page, in turns.

    Words of another language choose nothing: then the windows are so long that they cover the
    whole, and the beginning of each is compared.
    """
    chars = sum(len(piece.text) for pieces in cut for piece in pieces)
    size = max(_LEAST_WINDOW_CHARS, chars // MOST_COMPARED)
    size = size if whole else min(_MOST_WINDOW_CHARS, size)
    of_pages = _windows_of(cut, size)
    while whole and sum(map(len, of_pages)) > MOST_COMPARED:
        size += size // 2
        of_pages = _windows_of(cut, size)
    for page, windows in enumerate(of_pages):
        best = [max(values) for values in zip(*worth[page], strict=True)]
        windows.sort(key=lambda w: (-max(best[w.first : w.end]), w.first))
    taken: list[Window] = []
    for turn in range(MOST_COMPARED):
        taken.extend(windows[turn] for windows in of_pages if turn < len(windows))
    return tuple(taken[:MOST_COMPARED])


def _windows_of(cut: Sequence[Sequence[Piece]], size: int) -> list[list[Window]]:
    least = size // 2 if size > _MOST_WINDOW_CHARS else 0
    return [list(_windows(page, pieces, size, least=least)) for page, pieces in enumerate(cut)]


def _windows(page: int, pieces: Sequence[Piece], size: int, *, least: int) -> Iterator[Window]:
    """Windows of about a size; one ends where its section does, if it has so many characters."""
    first, chars = 0, 0
    for place, piece in enumerate(pieces):
        breaks = piece.kind is Kind.HEADING or piece.about != pieces[first].about
        breaks = breaks and chars >= least
        if place > first and (breaks or chars + len(piece.text) > size):
            yield Window(page, first, place)
            first, chars = place, 0
        chars += len(piece.text)
    if pieces:
        yield Window(page, first, len(pieces))


def _compared_text(pieces: Sequence[Piece]) -> str:
    about = ". ".join(pieces[0].about[-2:])
    text = " ".join(piece.text for piece in pieces)
    return f"{about}: {text}"[:_COMPARED_CHARS] if about else text[:_COMPARED_CHARS]


def ranked(
    reading: Reading, likeness: Sequence[Sequence[float]] | None
) -> tuple[tuple[tuple[float, ...], ...], ...]:
    """What each piece is worth by words and meaning: by page, part and piece.

    Args:
        reading: The pages.
        likeness: For each part the likeness of each window, as of `Reading.texts`; None without.
    """
    if likeness is None:
        return reading.worth
    found = [[list(values) for values in page] for page in reading.worth]
    for part, of_windows in enumerate(likeness):
        for window, near in zip(reading.windows, of_windows, strict=True):
            for place in range(window.first, window.end):
                found[window.page][part][place] += _MEANING * max(0.0, near)
    return tuple(tuple(tuple(values) for values in page) for page in found)
