"""Reciprocal-rank fusion: one order out of many providers' lists.

Source of formula and constant: Cormack, Clarke, Buettcher, "Reciprocal Rank Fusion outperforms
Condorcet", SIGIR 2009 (k = 60).
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pellucid_search.hits import Finding, Hit

RANK_CONSTANT = 60


@dataclass(frozen=True, slots=True)
class FoundHit:
    """A hit at one place in one list. `key` is equal for spellings of one page."""

    hit: Hit
    finding: Finding
    key: str


def fuse(found: Iterable[FoundHit]) -> list[Hit]:
    """Return one hit per page, best fused score first.

    The order of the input does not matter.
    """
    pages: dict[str, list[FoundHit]] = defaultdict(list)
    for item in found:
        pages[item.key].append(item)
    return ordered(_merge_page(items) for items in pages.values())


def ordered(hits: Iterable[Hit]) -> list[Hit]:
    """Sort by fused score, ties by address."""
    return sorted(hits, key=lambda hit: (-hit.fused_score, hit.url))


def _merge_page(items: Sequence[FoundHit]) -> Hit:
    by_rank = sorted(items, key=lambda item: (_place(item.finding), item.hit.url))
    findings = best_findings(item.finding for item in by_rank)
    return _folded([item.hit for item in by_rank], findings)


def _place(finding: Finding) -> tuple[int, str, int]:
    return finding.rank, finding.provider, finding.query_index


def merge_hits(hits: Sequence[Hit]) -> Hit:
    """Fold fused hits into the first, which gives address, title and snippet where it has them.

    Args:
        hits: At least one; the first is the best.
    """
    if len(hits) == 1:
        return hits[0]
    return _folded(hits, best_findings(finding for hit in hits for finding in hit.findings))


def _folded(hits: Sequence[Hit], findings: tuple[Finding, ...]) -> Hit:
    best, score = hits[0], reciprocal_rank_score(findings)
    if len(hits) == 1:
        return replace(best, findings=findings, fused_score=score)
    dates = [hit.published for hit in hits if hit.published]
    urls = dict.fromkeys(url for hit in hits for url in (hit.url, *hit.alternate_urls))
    return replace(
        best,
        alternate_urls=tuple(url for url in urls if url != best.url),
        snippet=next((hit.snippet for hit in hits if hit.snippet), ""),
        published=max(dates, key=lambda date: date.confidence) if dates else None,
        language=next((hit.language for hit in hits if hit.language), ""),
        page_text=max((hit.page_text for hit in hits), key=len),
        warnings=tuple(sorted({warning for hit in hits for warning in hit.warnings})),
        findings=findings,
        fused_score=score,
    )


def best_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the best place in each list, best rank first."""
    best: dict[tuple[str, int], Finding] = {}
    for finding in sorted(findings, key=_place):
        best.setdefault((finding.provider, finding.query_index), finding)
    return tuple(best.values())


def reciprocal_rank_score(findings: Iterable[Finding]) -> float:
    """Return the sum of 1 / (60 + rank); higher is better."""
    return sum(1.0 / (RANK_CONSTANT + finding.rank) for finding in findings)
