"""Writes checked pieces of a sentence in the chosen citation style, with spans of the claims."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pellucid_gateway.domain.citation import Citation
from pellucid_gateway.domain.findings import Source
from pellucid_gateway.domain.request import CitationStyle
from pellucid_gateway.markdown import escaping
from pellucid_gateway.verification import pointing
from pellucid_gateway.verification.claim_extraction import trimmed
from pellucid_gateway.verification.judgement import Bound
from pellucid_gateway.verification.pieces import Claim, Piece, Text

_NO_SPACE_BEFORE = tuple(".,;:!?…)]}\"'”’»。，、！？")


@dataclass(frozen=True, slots=True)
class Rendered:
    """A sentence as sent; citation offsets count from its start."""

    text: str
    citations: tuple[Citation, ...] = ()


def render(
    pieces: Sequence[Piece],
    claims: Sequence[Claim],
    bound: Sequence[Sequence[Bound]],
    sources: Mapping[int, Source],
    style: CitationStyle,
) -> Rendered:
    """Join the pieces; each marker shows the sources that its claim was bound to."""
    by_marker = {claim.marker: each for claim, each in zip(claims, bound, strict=True) if each}
    text, closing = "", False
    starts: list[int] = []
    ends: list[int] = []
    for i, piece in enumerate(pieces):
        starts.append(len(text))
        if isinstance(piece, Text):
            text += pointing.without_closing(piece.text) if closing else piece.text
            closing = False
        else:
            shown = marker((b.source for b in by_marker.get(i, ())), sources, style)
            if shown and piece.is_added:
                shown = f" {shown}"
            following = _following(pieces, i)
            opened = pointing.opened_bracket(text, following) if not shown else len(text)
            closing = closing or opened < len(text)
            bare = _before_marker(text[:opened], shown, following)
            starts = [min(start, len(bare)) for start in starts]
            ends = [min(end, len(bare)) for end in ends]
            text = bare + shown
        ends.append(len(text))
    citations = _citations(text, claims, bound, sources, (starts, ends))
    return Rendered(text, citations)


def _following(pieces: Sequence[Piece], i: int) -> str:
    rest = (piece.text for piece in pieces[i + 1 :] if isinstance(piece, Text) and piece.text)
    return next(rest, "")


def _before_marker(text: str, shown: str, following: str) -> str:
    """The text that a marker follows: blanks before an invisible one go where they would gape."""
    bare = text.rstrip(" \t")
    closes = not following or following[0].isspace() or following.startswith(_NO_SPACE_BEFORE)
    return bare if not shown and closes and bare else text


def marker(numbers: Iterable[int], sources: Mapping[int, Source], style: CitationStyle) -> str:
    """How a style shows that some sources are cited; empty where it does not show it."""
    cited = sorted(numbers)
    if style is CitationStyle.NUMERIC:
        return "".join(f"[{n}]" for n in cited)
    if style is CitationStyle.MARKDOWN and cited:
        return f"({', '.join(_link(sources[n]) for n in cited)})"
    return ""


def marker_of(source: Source, style: CitationStyle) -> str:
    """A citation of one source, with the space before it that the style wants."""
    shown = marker((source.n,), {source.n: source}, style)
    return f" {shown}" if shown else ""


def _link(source: Source) -> str:
    return escaping.link(source.publisher, source.url)


def _citations(
    text: str,
    claims: Sequence[Claim],
    bound: Sequence[Sequence[Bound]],
    sources: Mapping[int, Source],
    spans: tuple[Sequence[int], Sequence[int]],
) -> tuple[Citation, ...]:
    starts, ends = spans
    found: dict[tuple[int, int, int], Citation] = {}
    for claim, each in zip(claims, bound, strict=True):
        if claim.last < claim.first:
            continue
        last = min(claim.last, len(ends) - 1)
        start, end = trimmed(text, starts[claim.first], min(ends[last], len(text)))
        for b in each:
            if end > start:
                source = sources[b.source]
                found[start, end, b.source] = b.citation(source, (start, end), added=claim.is_added)
    return tuple(sorted(found.values(), key=lambda c: (c.start, c.source)))


def source_list(sources: Sequence[Source], heading: str, date_of: Callable[[Source], str]) -> str:
    """The list that goes with numeric markers: number, title, publisher, date, address."""
    lines = [heading]
    for source in sources:
        parts = [
            escaping.escaped(source.title),
            escaping.publisher(source.publisher, source.domain),
            date_of(source),
            escaping.bare(source.url),
        ]
        lines.append(f"[{source.n}] " + " · ".join(part for part in parts if part))
    return "\n".join(lines)
