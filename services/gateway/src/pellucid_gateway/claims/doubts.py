"""Which of a sentence's judgements are worth a second opinion, and what becomes of them by it."""

from collections.abc import Sequence
from dataclasses import replace

from pellucid_gateway.claims.judgement import MIN_SUPPORT, Judgement
from pellucid_gateway.vocabulary.findings import Source

# Sources that a claim does not cite but may be bound to, and that a second opinion is asked on.
_MOST_OTHERS = 2
# Of a source, shown to the second opinion on either side of the passage.
_AROUND_CHARS = 400


def doubtful(judged: Sequence[Judgement], cited: Sequence[int]) -> list[Judgement]:
    """What of a claim's judgements is worth a question: open ones of the sources it cites.

    Where none of these stands by words alone, also the best others that it may be bound to instead.
    """
    own = [one for one in judged if one.source in cited]
    doubted = [one for one in own if one.is_open]
    if any(one.supported and not one.is_open for one in own):
        return doubted
    others = (one for one in judged if one.source not in cited and one.is_open and one.supported)
    return [*doubted, *sorted(others, key=lambda one: -one.score)[:_MOST_OTHERS]]


def decided(judgement: Judgement, verdict: bool | None) -> Judgement:  # noqa: FBT001 - a value
    """A judgement after the second opinion; None: it was not asked."""
    if verdict is None or not judgement.is_open:
        return judgement
    score = max(judgement.score, MIN_SUPPORT) if verdict else judgement.score
    return replace(judgement, supported=verdict, score=score)


def surroundings(passage: str, source: Source) -> str:
    """A passage with what stands around it, below the source's title."""
    found = max(0, source.facts.find(passage))
    start = max(0, found - _AROUND_CHARS)
    around = source.facts[start : found + len(passage) + _AROUND_CHARS]
    return f"{source.title}. {around}"
