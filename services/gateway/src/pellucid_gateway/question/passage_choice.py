"""Which pieces of the pages are shown: the best for each part of the question, within a budget.

Whole pieces are taken, with what they need to be understood; what they are worth is told elsewhere.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pellucid_gateway.question.key_facts import cut
from pellucid_gateway.question.page_pieces import Kind, Piece, joined, with_needs
from pellucid_gateway.question.passages import Page, Reading, read
from pellucid_gateway.question.tokens import tokens_of
from pellucid_language.terms import terms

# Of two pieces that share so much the second tells nothing new.
_SAME_SAYING = 0.8
# A shorter one may be a command or a title, which the sentence about it is not.
_LEAST_SAYING = 8
# A page that says much of what is asked may have so many shares of the common room.
_MOST_SHARES = 4
# The page's own score decides between passages that fit alike, not against one that fits better.
_PAGE_POWER = 0.5
# A table of at most so many rows and tokens is shown whole.
_MOST_ROWS, _SMALL_TABLE = 12, 150


@dataclass(frozen=True, slots=True)
class Share:
    """Tokens of the pages.

    Attributes:
        each: Share of a page, of which it may have up to `_MOST_SHARES`.
        in_all: For all of them.
    """

    each: int
    in_all: int


@dataclass(slots=True)
class _Room:
    """Tokens left for a page and for all of them."""

    of_page: list[int]
    of_all: int

    def grow(self, of_page: int, of_all: int) -> None:
        self.of_page = [left + of_page for left in self.of_page]
        self.of_all += of_all

    def takes(self, page: int, tokens: int) -> bool:
        return tokens <= self.of_page[page] and tokens <= self.of_all

    def take(self, page: int, tokens: int) -> None:
        self.of_page[page] -= tokens
        self.of_all -= tokens


def chosen(
    reading: Reading,
    worth: Sequence[Sequence[Sequence[float]]],
    *,
    weights: Sequence[float],
    shares: Sequence[Share],
) -> tuple[str, ...]:
    """The text of each page that is shown; empty where a page has nothing to say.

    Each page first gives its best piece for each part of the question, then the best of all are
    taken until the room is used up: what a page does not need of its share goes to the others.

    Args:
        reading: The pages.
        worth: As of `ranked`.
        weights: What each page itself is worth, 0 to 1.
        shares: Growing; a greater one only adds to what the one before it shows.
    """
    taken: list[set[int]] = [set() for _ in reading.pages]
    room = _Room([0] * len(reading.pages), 0)
    order = tuple(_order(reading, worth, weights))
    for share, before in zip(shares, (Share(0, 0), *shares), strict=False):
        room.grow(_MOST_SHARES * (share.each - before.each), share.in_all - before.in_all)
        for page, place in order:
            _take(reading.pages[page], place, taken[page], room, page)
    return tuple(
        joined(places, reading.pages[page]) or _cut_best(reading, worth, page, room)
        for page, places in enumerate(taken)
    )


def _take(pieces: Sequence[Piece], place: int, taken: set[int], room: _Room, page: int) -> None:
    """Take a piece of a page with what it needs, if it is new and fits: a small table whole."""
    if place in taken or _says_nothing_new(pieces, place, taken):
        return
    for wanted in (_table_of(pieces, place), [place]):
        more = with_needs(wanted, pieces) - taken
        cost = sum(_cost(pieces[i]) for i in more)
        if more and room.takes(page, cost):
            room.take(page, cost)
            taken |= more
            return


def _table_of(pieces: Sequence[Piece], place: int) -> list[int]:
    """Places of all rows of the small table that a row stands in; none for other pieces.

    A single row of several tells less than it seems to: what was asked for is in another one.
    """
    if pieces[place].kind is not Kind.ROW:
        return []
    first = last = place
    while first > 0 and pieces[first - 1].block == pieces[place].block:
        first -= 1
    while last + 1 < len(pieces) and pieces[last + 1].block == pieces[place].block:
        last += 1
    rows = list(range(first, last + 1))
    is_small = len(rows) <= _MOST_ROWS and sum(_cost(pieces[i]) for i in rows) <= _SMALL_TABLE
    return rows if is_small else []


def _cost(piece: Piece) -> int:
    return 0 if piece.kind is Kind.TITLE else tokens_of(piece.text) + 1


def _cut_best(
    reading: Reading, worth: Sequence[Sequence[Sequence[float]]], page: int, room: _Room
) -> str:
    """The best piece of a page, cut to what room there is, where no whole piece fitted."""
    if not reading.pages[page] or room.of_all <= 0:
        return ""
    values = [max(each) for each in zip(*worth[page], strict=True)]
    best = max(range(len(values)), key=lambda i: (values[i], -i))
    text = cut(reading.pages[page][best].text, max_tokens=min(room.of_all, room.of_page[page]))
    room.take(page, tokens_of(text))
    return text


def best_of(
    text: str, question: str, *, title: str, most_tokens: int, further: Sequence[str] = ()
) -> str:
    """The passages of one text that speak to the question, by words alone; "" for empty text."""
    reading = read([Page(text, title)], question, further=further)
    (best,) = chosen(
        reading,
        reading.worth,
        weights=[1.0],
        shares=(Share(most_tokens // _MOST_SHARES + 1, most_tokens),),
    )
    return best


def _order(
    reading: Reading, worth: Sequence[Sequence[Sequence[float]]], weights: Sequence[float]
) -> Iterator[tuple[int, int]]:
    """(page, piece): the best of each page for each part, then all by worth."""
    for page, by_part in enumerate(worth):
        telling = _telling(reading.pages[page])
        for values in by_part:
            if telling:
                yield page, max(telling, key=lambda i: (values[i], -i))
    every = []
    for part in range(len(reading.parts)):
        best = max((max(by_part[part], default=0.0) for by_part in worth), default=0.0)
        every += [
            (by_part[part][place] / best * weights[page] ** _PAGE_POWER, page, place)
            for page, by_part in enumerate(worth)
            for place in _telling(reading.pages[page])
            if best
        ]
    every.sort(key=lambda item: (-item[0], item[1], item[2]))
    yield from ((page, place) for _, page, place in every)


def _telling(pieces: Sequence[Piece]) -> list[int]:
    """Places of the pieces that tell something: heads of columns only come with a row."""
    return [place for place, piece in enumerate(pieces) if piece.kind is not Kind.HEAD_ROW]


def _says_nothing_new(pieces: Sequence[Piece], place: int, taken: set[int]) -> bool:
    own = terms(pieces[place].text)
    if pieces[place].kind is not Kind.PROSE or len(own) < _LEAST_SAYING:
        return False
    return any(len(own & terms(pieces[i].text)) > _SAME_SAYING * len(own) for i in taken)
