"""Picks the part of a document that shows best why it was found."""

import re
from collections.abc import Sequence

SNIPPET_LENGTH = 300
# Room before the first match, so that it does not stand without its beginning.
_LEAD = 40
# A term matches words that begin like it; this many letters at the end may differ (plural, tense).
_STEM_CUT = 2
_SHORTEST_STEM = 4
_SPACES = re.compile(r"\s+")
# Borders of table cells: a snippet is one line.
_CELLS = re.compile(r"\s*(?:\|\s*)+")
# Longer documents are looked at only so far.
_SCANNED = 60_000


def snippet(body: str, wanted: Sequence[str]) -> str:
    """Return at most 300 characters around the place with most different terms.

    Args:
        body: Plain text.
        wanted: Index terms of the query.
    """
    text = _SPACES.sub(" ", _CELLS.sub(" · ", body[:_SCANNED])).strip(" ·")
    if len(text) <= SNIPPET_LENGTH:
        return text
    start = _word_start(text, max(0, _best_place(text, wanted) - _LEAD))
    return _cut(text, start)


def _best_place(text: str, wanted: Sequence[str]) -> int:
    places = _places(text, wanted)
    best, best_score = 0, 0
    for index, (place, _) in enumerate(places):
        within = {term for at, term in places[index:] if at < place + SNIPPET_LENGTH - 2 * _LEAD}
        if len(within) > best_score:
            best, best_score = place, len(within)
    return best


def _places(text: str, wanted: Sequence[str]) -> list[tuple[int, str]]:
    folded = text.casefold()
    if len(folded) != len(text):
        folded = text.lower() if len(text.lower()) == len(text) else text
    found = []
    for term in dict.fromkeys(wanted):
        pattern = re.compile(_pattern(term))
        found += [(match.start(), term) for match in pattern.finditer(folded)][:50]
    return sorted(found)


def _pattern(term: str) -> str:
    if not term.isascii():
        return re.escape(term)
    stem = term[:-_STEM_CUT] if len(term) - _STEM_CUT >= _SHORTEST_STEM else term
    return rf"\b{re.escape(stem)}"


def _word_start(text: str, place: int) -> int:
    if place == 0:
        return 0
    space = text.find(" ", place, place + _LEAD)
    return place if space < 0 else space + 1


def _cut(text: str, start: int) -> str:
    room = SNIPPET_LENGTH - 2
    part = text[start : start + room]
    if start + room < len(text):
        head, _, _ = part.rpartition(" ")
        part = (head if len(head) > room // 2 else part).rstrip() + "…"
    return ("…" if start else "") + part
