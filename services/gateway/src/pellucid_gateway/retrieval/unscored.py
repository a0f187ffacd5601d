"""Order of hits when the scorer is lost, and whether a scorer's answer can be trusted."""

import math
from collections import Counter
from collections.abc import Sequence

from pellucid_gateway.domain.findings import Hit, ScoredHit


def is_sound(scored: Sequence[ScoredHit], hits: Sequence[Hit]) -> bool:
    """Whether every hit was rated exactly once, with a number from 0 to 1."""
    rated = sorted(item.hit.url for item in scored)
    return rated == sorted(hit.url for hit in hits) and all(_is_share(s.relevance) for s in scored)


def are_numbers(said: Sequence[float], count: int) -> bool:
    """Whether there are so many, each a finite number."""
    return len(said) == count and all(math.isfinite(one) for one in said)


def _is_share(relevance: float | None) -> bool:
    return relevance is not None and math.isfinite(relevance) and 0.0 <= relevance <= 1.0


def in_provider_order(
    hits: Sequence[Hit], *, max_results: int, max_per_domain: int
) -> tuple[ScoredHit, ...]:
    """Unscored hits as the providers ranked them, with the usual cap per domain."""
    kept: list[ScoredHit] = []
    left_out: list[ScoredHit] = []
    seen: Counter[str] = Counter()
    for hit in hits:
        exclusion = ""
        if len(kept) >= max_results:
            exclusion = "beyond_limit"
        elif seen[hit.domain] >= max_per_domain:
            exclusion = "domain_cap"
        scored = ScoredHit(hit=hit, included=not exclusion, exclusion=exclusion)
        (left_out if exclusion else kept).append(scored)
        seen[hit.domain] += not exclusion
    return (*kept, *left_out)
