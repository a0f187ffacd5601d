"""What each citation of a sentence claims: the words that it stands for."""

import re
from collections.abc import Callable, Sequence

from pellucid_gateway.domain.findings import Source
from pellucid_gateway.verification import attributions
from pellucid_gateway.verification.pieces import Claim, Marker, Piece, Text
from pellucid_language.terms import has_unspaced_script

_MIN_CLAIM_WORDS = 3
_MIN_CLAIM_CHARS = 4
_LEAD = re.compile(r"^\s*(?:[-*+•]\s+|\d{1,3}[.)]\s+|>\s+|#+\s+|\|\s*)*")
_WORD = re.compile(r"\w+")
_NO_PROSE = ("#", "```", "~~~")
_ENDS_WITHOUT_STATEMENT = re.compile(r"[?？:：][\"'”’»)）」』*_\s]*$")
_ENDING = re.compile(r"[\s|.!?…。！？\"'”’»)）」』*_]*$")


def claims_of(pieces: Sequence[Piece], sources: Sequence[Source] = ()) -> tuple[Claim, ...]:
    """One claim per marker: the words since the marker before; the last one takes the tail.

    Args:
        pieces: Of one sentence.
        sources: Whoever these themselves speak of is part of a claim ("the mayor said that ...").
    """
    texts = [f"{source.title} {source.facts}" for source in sources]
    markers = [i for i, piece in enumerate(pieces) if isinstance(piece, Marker)]
    found = []
    for k, i in enumerate(markers):
        first = markers[k - 1] + 1 if k else 0
        last = i - 1
        if k == len(markers) - 1 and _says_something(_text(pieces, i + 1, len(pieces) - 1)):
            last = len(pieces) - 1
        if not _is_enough(_text(pieces, first, last)):
            first = 0
        text = _claim_text(pieces, first, last, lambda name: _is_told_of(name, texts, sources))
        marker = pieces[i]
        if isinstance(marker, Marker):
            kind = (marker.written, marker.is_added)
            found.append(Claim(text, marker.numbers, first, last, i, *kind))
    return tuple(found)


def _text(pieces: Sequence[Piece], first: int, last: int) -> str:
    return "".join(p.text for p in pieces[first : last + 1] if isinstance(p, Text))


def _is_told_of(name: str, texts: Sequence[str], sources: Sequence[Source]) -> bool:
    is_publisher = any(attributions.names_publisher(name, source) for source in sources)
    return not is_publisher and attributions.is_content(name, texts)


def _claim_text(
    pieces: Sequence[Piece], first: int, last: int, is_told_of: Callable[[str], bool]
) -> str:
    """Text of the pieces without list marks and without named publishers."""
    text = _LEAD.sub("", _text(pieces, first, last))
    for attribution in reversed(attributions.find_attributions(text)):
        if not attribution.vague and is_told_of(attribution.name):
            continue
        if attribution.removable:
            text = attributions.without(text, attribution)
        else:
            end = attribution.name_start + len(attribution.name)
            text = text[: attribution.name_start] + text[end:]
    return text.strip().strip("*_").strip(" ,;:")


def _says_something(text: str) -> bool:
    return bool(_WORD.search(text))


def _is_enough(text: str) -> bool:
    words = _WORD.findall(text)
    if has_unspaced_script(text):
        return sum(len(word) for word in words) >= _MIN_CLAIM_CHARS
    return len(words) >= _MIN_CLAIM_WORDS


def _has_cells(text: str) -> bool:
    """Whether it is a table row with something in two cells: their heads make it a statement."""
    return text.startswith("|") and sum(map(_says_something, text.split("|"))) > 1


def with_implied_markers(pieces: tuple[Piece, ...], sources: Sequence[Source]) -> tuple[Piece, ...]:
    """Naming a source's publisher without a number cites that source too."""
    if any(isinstance(piece, Marker) for piece in pieces):
        return pieces
    named = (
        source.n
        for piece in pieces
        if isinstance(piece, Text) and not piece.literal
        for attribution in attributions.find_attributions(piece.text)
        for source in sources
        if attributions.names_publisher(attribution.name, source)
    )
    # One publisher with several sources: the first that supports it is enough.
    first = next(named, None)
    return pieces if first is None else _with_marker(pieces, Marker((first,)))


def with_added_marker(pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """A sentence that states something and cites nothing, with a marker for what we find.

    Headings, questions and what only announces ("The details:") state nothing.
    """
    text = _text(pieces, 0, len(pieces) - 1).strip()
    is_prose = not text.startswith(_NO_PROSE) and not _ENDS_WITHOUT_STATEMENT.search(text)
    is_marked = any(isinstance(piece, Marker) for piece in pieces)
    if is_marked or not is_prose or not (_is_enough(text) or _has_cells(text)):
        return pieces
    return _with_marker(pieces, Marker((), is_added=True))


def _with_marker(pieces: tuple[Piece, ...], marker: Marker) -> tuple[Piece, ...]:
    """The pieces with a marker before what ends the sentence."""
    last = pieces[-1] if pieces else None
    if not isinstance(last, Text) or last.literal:
        return pieces
    cut = statement_end(last.text)
    return (*pieces[:-1], Text(last.text[:cut]), marker, Text(last.text[cut:]))


def statement_end(text: str) -> int:
    """Offset of what ends a sentence, before which a marker for all of it stands."""
    ending = _ENDING.search(text)
    return ending.start() if ending else len(text)


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without list marks at its start and blanks or commas at its end."""
    lead = _LEAD.match(text[start:end])
    start += lead.end() if lead else 0
    return start, start + len(text[start:end].rstrip(" \t\r\n,;:|"))
