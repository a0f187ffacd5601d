"""What is shown of a page that the person named: all of it where it fits, else a choice of it.

Of a longer page the beginning, the end and what is nearest to the question; of one that is asked
about as a whole some of each section.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from pellucid_gateway.question.page_pieces import Kind, Piece, joined, with_needs
from pellucid_gateway.question.passages import Reading
from pellucid_gateway.question.tokens import GAP

# Shares of the room of a long page that its beginning and its end have; the rest is the question's.
_BEGINNING, _ENDING = 0.2, 0.08
# A longer paragraph is cut into its pieces.
_PARAGRAPH_CHARS = 900
_OPENING_CHARS = 900
_CLOSING_PIECES = 2
# Where no headings stand, so many pieces count as a section.
_SECTION_PIECES = 12
_NUMBERED = re.compile(r"(?:\d{1,2}[.)]|[a-h]\)|#\d)\s*\S")


def named_page(
    reading: Reading, worth: Sequence[Sequence[Sequence[float]]], page: int, *, most_chars: int
) -> str:
    """What is shown of a page that the person named: all of it where it fits.

    Of a longer one the beginning, the end and the paragraphs nearest to the question, in its order,
    with a mark where something is left out.

    Args:
        reading: The pages.
        worth: As of `ranked`.
        page: Which of them.
        most_chars: Most characters.
    """
    pieces = reading.pages[page]
    if whole := _whole(pieces, most_chars):
        return whole
    blocks = _paragraphs(pieces)
    nearest = _nearest(blocks, worth[page])
    # Of a paragraph that is too long as a whole the nearest sentences.
    first = nearest[0] if nearest else ()
    alone = [tuple(sorted(with_needs([place], pieces))) for place in first]
    sentences = _nearest(alone, worth[page])
    left = most_chars
    taken: set[int] = set()
    for share, order in (
        (_BEGINNING, blocks),
        (_BEGINNING + _ENDING, blocks[::-1]),
        (1.0, [*nearest, *sentences]),
    ):
        reserve = most_chars - int(share * most_chars)
        for block in order:
            cost = sum(len(pieces[i].text) + 1 for i in block if i not in taken) + len(GAP) + 1
            if left - cost >= reserve:
                left -= cost if not taken.issuperset(block) else 0
                taken |= set(block)
            elif share == _BEGINNING:
                # The first paragraphs say what the page is about: as much of the next as fits.
                part = _as_fits(block, pieces, most_chars=left - reserve - len(GAP) - 1)
                left -= sum(len(pieces[i].text) + 1 for i in part if i not in taken)
                taken |= set(part)
                break
            elif share < 1:
                break
    return _with_gaps(taken, pieces)


def _whole(pieces: Sequence[Piece], most_chars: int) -> str:
    """All of a page, "" where it is longer."""
    text = joined(range(len(pieces)), pieces)
    # Sentences are written with a blank between them, which Japanese and Chinese have not.
    return text if len(text) - len(pieces) < most_chars else ""


def _as_fits(block: Sequence[int], pieces: Sequence[Piece], *, most_chars: int) -> Sequence[int]:
    """The first pieces of a paragraph that fit together."""
    chars = 0
    for n, place in enumerate(block):
        chars += len(pieces[place].text) + 1
        if chars > most_chars:
            return block[:n]
    return block


def outline(reading: Reading, page: int, *, most_chars: int) -> str:
    """What is shown of a page that is asked about as a whole: all of it, else some of each section.

    The beginning, then in turns the heading and the next sentences of each section, and the end.
    """
    pieces = reading.pages[page]
    if whole := _whole(pieces, most_chars):
        return whole
    sections = _sections(pieces)
    taken: set[int] = set()
    left = most_chars
    for place in _in_turns(sections, pieces):
        more = with_needs([place], pieces) - taken
        cost = sum(len(pieces[i].text) + 1 for i in more) + len(GAP) + 1
        if cost <= left:
            left -= cost
            taken |= more
    return _with_gaps(taken, pieces)


def _in_turns(sections: Sequence[Sequence[int]], pieces: Sequence[Piece]) -> Iterator[int]:
    """The opening of the page, its last lines, then the first sentences of its paragraphs.

    Each round goes through the sections; what stands later in its paragraph comes in later rounds.
    """
    chars = 0
    for place, piece in enumerate(pieces):
        chars += len(piece.text)
        if chars > _OPENING_CHARS:
            break
        yield place
    yield from sections[-1][-_CLOSING_PIECES:]
    ranks = _ranks(pieces)
    for rank in range(max(ranks, default=0) + 1):
        of_rank = [[place for place in section if ranks[place] == rank] for section in sections]
        for turn in range(max(map(len, of_rank))):
            yield from (places[turn] for places in of_rank if turn < len(places))


def _ranks(pieces: Sequence[Piece]) -> list[int]:
    """How late each piece stands in its paragraph, from 0; a numbered point begins a new one."""
    ranks: list[int] = []
    for place, piece in enumerate(pieces):
        runs_on = place > 0 and piece.kind is Kind.PROSE and piece.block == pieces[place - 1].block
        begins = not runs_on or bool(_NUMBERED.match(piece.text))
        ranks.append(0 if begins else ranks[-1] + 1)
    return ranks


def _sections(pieces: Sequence[Piece]) -> list[list[int]]:
    """Places under each heading, the heading first; without headings by runs of paragraphs."""
    sections: list[list[int]] = []
    for place, piece in enumerate(pieces):
        long = bool(sections) and len(sections[-1]) >= _SECTION_PIECES
        new = piece.block != pieces[place - 1].block if place else True
        if not sections or piece.kind is Kind.HEADING or (long and new):
            sections.append([])
        sections[-1].append(place)
    return sections or [[]]


def _paragraphs(pieces: Sequence[Piece]) -> list[tuple[int, ...]]:
    """Places of each paragraph with what it needs; a long list, table or code piece by piece."""
    found: list[tuple[int, ...]] = []
    for _, run in groupby(range(len(pieces)), key=lambda i: pieces[i].block):
        places = tuple(run)
        chars = sum(len(pieces[i].text) for i in places)
        units = [places] if chars <= _PARAGRAPH_CHARS else [(place,) for place in places]
        found += [tuple(sorted(with_needs(unit, pieces))) for unit in units]
    return found


def _nearest(
    blocks: Sequence[tuple[int, ...]], by_part: Sequence[Sequence[float]]
) -> list[tuple[int, ...]]:
    """Paragraphs by their best piece, for each part of the question in turns."""
    orders = [sorted(blocks, key=lambda b: -max(values[i] for i in b)) for values in by_part]
    return [block for turn in zip(*orders, strict=True) for block in turn]


def _with_gaps(taken: set[int], pieces: Sequence[Piece]) -> str:
    runs: list[list[int]] = []
    for place in sorted(taken):
        if runs and place == runs[-1][-1] + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    text = f"\n{GAP}\n".join(joined(run, pieces) for run in runs)
    return text if not runs or runs[-1][-1] == len(pieces) - 1 else f"{text}\n{GAP}"
