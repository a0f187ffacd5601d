"""What of the sources can be quoted: sentences, items and rows that are understood on their own."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pellucid_gateway.domain.findings import Method, Source
from pellucid_gateway.question.page_pieces import Kind, Piece, pieces_of
from pellucid_gateway.question.tokens import GAP
from pellucid_language import sentences
from pellucid_language.terms import has_unspaced_script
from pellucid_language.written_dates import days_of

# Pieces of a page that are looked at; later ones seldom matter and cost time.
_MOST_PIECES = 2000
_MOST_OF_SOURCE = 1000
_LEAST_WORDS, _LEAST_ROW_WORDS = 3, 2
_LEAST_UNSPACED_CHARS = 8
_ENDS = tuple(".!?…。！？")
_CLOSERS = "\"'”’»)）」』"
_CUT = "…"
_DIGIT = re.compile(r"\d")
# A label and its value, each on a line of its own, are quoted like a row of a table.
_LABEL = re.compile(r"[^\W\d][^\d\n]*[^\W\d]\)?")
_LABEL_WORDS, _VALUE_WORDS = 5, 8
# Bylines and breadcrumbs put these between their parts; sentences do not.
_PART_MARKS = (" · ", " » ", " › ")
# What a news agency puts before its first sentence: PORT VELLMARK, Nov 16 (Solvane Wire) -
_DATELINE = re.compile(
    r"^[A-Z][A-Z .'’-]{2,40}(?:, \w{3,9}\.? \d{1,2})?(?: \([^)]{2,40}\))? [-–—] "
)
# What a result shows of a page may begin with its menu, where the name of the site stands twice.
_MENU = re.compile(
    r"(?:.{0,60}?\s)?(?:([^\Wa-zß-ÿ].{2,60}?)\s\1|([^\W\u0000-\u2fff].{1,20}?)\s.{1,4}\s\2)\s+(?=\S)"
)
# Between the cells of a row as it is quoted.
BAR = " | "
_ABOUT_CHARS = 160
# Items or lines of code that are quoted behind the line that introduces them.
_MOST_LISTED = 8
# A shorter title may be a name that sentences have.
_LEAST_TITLE_CHARS = 20


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence, an item or a row of a source.

    Attributes:
        text: As written.
        position: Its place among what can be quoted of the source, from 0.
        about: Headings and the line that introduces it; "" where there are none.
        heads: Heads of the columns where it is a row that has them.
        listed: Items or lines of code that the sentence introduces, at most eight.
    """

    source: Source
    text: str
    position: int
    about: str = ""
    heads: str = ""
    listed: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """All that is quoted of it: the sentence and what it introduces."""
        return "\n".join((self.text, *self.listed))

    @property
    def is_cut(self) -> bool:
        """Whether something is left out at its beginning or its end."""
        return _CUT in {self.text[:1], self.text[-1:]}

    @property
    def is_torn(self) -> bool:
        """Whether something is left out at its beginning and at its end."""
        return self.text[:1] == _CUT and self.text[-1:] == _CUT

    @property
    def is_row(self) -> bool:
        """Whether it is a row of a table."""
        return BAR in self.text


def candidates_of(sources: Sequence[Source]) -> tuple[Candidate, ...]:
    """What can be quoted of all sources, in their order."""
    return tuple(candidate for source in sources for candidate in _of_source(source))


def _of_source(source: Source) -> Iterator[Candidate]:
    facts = source.facts.replace(GAP, "\n\n")
    found = list(_of_text(source, source.text)) or list(_of_text(source, facts))
    if not found:
        texts = [s for s in sentences.split(facts) if not _is_of_parts(s)]
        found = [Candidate(source, text, i) for i, text in enumerate(texts)]
    whole = [c for c in found if c.is_row or c.listed or c.text.rstrip(_CLOSERS)[-1:] in _ENDS]
    has_sentences = any(not c.is_row for c in whole)
    kept = [c for c in found if c in whole or c.about] if has_sentences else found
    # What a search engine cut at both ends is more often a piece of a menu than a sentence.
    kept = [c for c in kept if not c.is_torn] or kept
    yield from kept[:_MOST_OF_SOURCE]


def _of_text(source: Source, text: str) -> Iterator[Candidate]:
    pieces = pieces_of(text)[:_MOST_PIECES]
    introduced = _introduced(pieces)
    seen: set[str] = set()
    value = ""
    for place, piece in enumerate(pieces):
        written = _written(piece, source)
        if value and written == value:
            value = ""
            continue
        if value := _value_below(place, pieces):
            written += f"{BAR}{value}"
        if written in seen or not _stands_alone(written, piece.kind):
            continue
        seen.add(written)
        about = ". ".join(piece.about[-2:])[:_ABOUT_CHARS]
        heads, listed = _heads_of(piece, pieces), tuple(introduced.get(place, ()))
        yield Candidate(source, written, len(seen) - 1, about, heads, listed)


def _value_below(label: int, pieces: Sequence[Piece]) -> str:
    """The value on the line below a label such as "Charging time"; "" where it is none."""
    piece, below = pieces[label], pieces[label + 1 : label + 2]
    if piece.kind is not Kind.PROSE or not below or below[0].kind is not Kind.PROSE:
        return ""
    value = below[0].text
    is_label = _LABEL.fullmatch(piece.text) is not None and _words(piece.text) <= _LABEL_WORDS
    # A day there is more often that of the page than what the line above it names.
    is_value = bool(_DIGIT.search(value)) and value[-1:] not in _ENDS and not days_of(value)
    is_pair = label in below[0].needs and is_label and is_value
    return value if is_pair and _words(value) <= _VALUE_WORDS else ""


def _words(text: str) -> int:
    return len(text.split())


def _introduced(pieces: Sequence[Piece]) -> Mapping[int, Sequence[str]]:
    """What stands in the list or the code behind each introducing line, by its place.

    Code belongs to the sentence right before it, whether or not that announces it.
    """
    found: dict[int, list[str]] = {}
    last = None
    for place, piece in enumerate(pieces):
        last = place if piece.kind is Kind.PROSE else None if piece.kind is Kind.HEADING else last
        lead = last if piece.kind is Kind.CODE else piece.needs[-1] if piece.needs else None
        if lead is None or pieces[lead].kind not in {Kind.PROSE, Kind.ITEM}:
            continue
        own = found.setdefault(lead, [])
        if piece.kind is Kind.ITEM:
            own.append(piece.text.removeprefix("- "))
        elif piece.kind is Kind.CODE:
            own += piece.text.split("\n")
    return {lead: own[:_MOST_LISTED] for lead, own in found.items() if own}


def _written(piece: Piece, source: Source) -> str:
    """The piece without the marks of an item or a row, a result's without the title before it."""
    if piece.kind is Kind.ROW:
        return _cells(piece.text)
    if piece.kind is Kind.ITEM:
        return piece.text.removeprefix("- ")
    text = _DATELINE.sub("", piece.text)
    if source.method is Method.SNIPPET and (menu := _MENU.match(text)):
        text = text[menu.end() :]
    if source.method is not Method.SNIPPET or len(source.title) < _LEAST_TITLE_CHARS:
        return text
    _, title, rest = text.partition(source.title)
    begins = rest.strip()[:1].isupper() or rest.strip()[:1].isdigit()
    return rest.strip() if title and begins else text


def _cells(row: str) -> str:
    return BAR.join(cell.strip() for cell in row.strip("| ").split("|") if cell.strip())


def _heads_of(piece: Piece, pieces: Sequence[Piece]) -> str:
    """Column heads of a row with several values; of two columns the first names the second."""
    heads = [pieces[n].text for n in piece.needs if pieces[n].kind is Kind.HEAD_ROW]
    return _cells(heads[0]) if heads and _cells(piece.text).count(BAR) > 1 else ""


def _stands_alone(text: str, kind: Kind) -> bool:
    if kind in {Kind.HEADING, Kind.HEAD_ROW, Kind.CODE}:
        return False
    if kind is Kind.ROW and BAR not in text:
        return False
    if _is_of_parts(text):
        return False
    if has_unspaced_script(text):
        return kind is not Kind.PROSE or len(text) >= _LEAST_UNSPACED_CHARS
    is_prose = kind is Kind.PROSE and _DIGIT.search(text) is None
    return len(text.split()) >= (_LEAST_WORDS if is_prose else _LEAST_ROW_WORDS)


def _is_of_parts(text: str) -> bool:
    return any(mark in text for mark in _PART_MARKS)
