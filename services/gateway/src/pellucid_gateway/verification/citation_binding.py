"""Which sources the citations of a sentence lead to, and whether the publishers it names are right.

A citation stays with the source that it names where that supports its claim; else it goes to the
best other one that does, else it is dropped. A statement without one gets the best that is close.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pellucid_gateway.domain.citation import CitationCheck, CitationReport
from pellucid_gateway.domain.findings import Source
from pellucid_gateway.verification import attributions
from pellucid_gateway.verification.judgement import Bound, ClaimJudge, Judgement
from pellucid_gateway.verification.pieces import Claim, Marker, Piece, Text


def bind(
    claim: Claim, row: Sequence[Judgement], judge: ClaimJudge
) -> tuple[tuple[Bound, ...], CitationReport]:
    """Bind a claim by its judgements.

    Returns:
        What it is bound to, and the counts that this adds to the report.
    """
    decided = judge.decided(claim.text, row)
    if claim.is_added:
        return _found(decided, judge)
    by_source = {one.source: one for one in decided if one.supported}
    if not by_source.keys() & set(claim.numbers):
        together = judge.decided_together(claim.text, claim.numbers, decided)
        by_source |= {one.source: one for one in together}
    return _as_cited(claim, by_source)


def _as_cited(
    claim: Claim, by_source: Mapping[int, Judgement]
) -> tuple[tuple[Bound, ...], CitationReport]:
    bound: dict[int, Bound] = {}
    report = CitationReport()
    for n in claim.numbers:
        own = by_source.get(n)
        taken = {*bound, *claim.numbers}
        best = own or max(
            (one for one in by_source.values() if one.takes_over and one.source not in taken),
            key=lambda one: (one.verdict is True, one.score, -one.source),
            default=None,
        )
        report = replace(
            report,
            checked=report.checked + 1,
            kept=report.kept + bool(own),
            rebound=report.rebound + bool(best and not own),
            dropped=report.dropped + (best is None),
        )
        if best:
            bound[best.source] = Bound.by(best)
    return tuple(bound.values()), _counted(report, tuple(bound.values()))


def _found(
    decided: Sequence[Judgement], judge: ClaimJudge
) -> tuple[tuple[Bound, ...], CitationReport]:
    """The source of a statement that cites nothing."""
    best = max(
        (one for one in decided if judge.is_close(one)),
        key=lambda one: (one.verdict is True, one.score, -one.source),
        default=None,
    )
    bound = (Bound.by(best),) if best else ()
    return bound, _counted(CitationReport(added=len(bound)), bound)


def _counted(report: CitationReport, bound: Sequence[Bound]) -> CitationReport:
    counts = {check.value: sum(b.check is check for b in bound) for check in CitationCheck}
    return replace(report, **counts)


def with_right_names(
    pieces: tuple[Piece, ...],
    cited: Sequence[Source],
    everybody: Sequence[Source],
    known: Sequence[str],
) -> tuple[Piece, ...]:
    """Pieces, as many as before, that name right publishers only.

    Args:
        pieces: Of one sentence.
        cited: Sources that it is bound to.
        everybody: All sources.
        known: Texts whose words are no invented publishers.
    """
    changed: list[Piece] = []
    ended = False
    for piece in pieces:
        if isinstance(piece, Marker) or (piece.literal and not ended):
            changed.append(piece)
        elif ended:
            changed.append(Text(""))
        else:
            fixed, ended = _renamed(piece.text, cited, everybody, known)
            changed.append(Text(fixed))
    return tuple(changed)


def _renamed(
    text: str, cited: Sequence[Source], everybody: Sequence[Source], known: Sequence[str]
) -> tuple[str, bool]:
    """Text with right names only; True when the sentence had to end there."""
    for attribution in reversed(attributions.find_attributions(text)):
        if _is_right(attribution, cited, everybody, known):
            continue
        if cited:
            text = attributions.renamed(text, attribution, cited[0].publisher)
        else:
            text = attributions.without(text, attribution)
            if not attribution.removable:
                return text, True
    return text, False


def _is_right(
    attribution: attributions.Attribution,
    cited: Sequence[Source],
    everybody: Sequence[Source],
    known: Sequence[str],
) -> bool:
    if attribution.vague:
        return False
    if any(attributions.names_publisher(attribution.name, s) for s in cited):
        return True
    if any(attributions.names_publisher(attribution.name, s) for s in everybody):
        return False
    return attributions.is_content(attribution.name, known)
