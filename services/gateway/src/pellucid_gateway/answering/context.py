"""What the model is shown of the sources: as many of the best as fit, whole, within a hard bound.

A knapsack filled greedily by worth for size: relevance, and less for a second source of one
domain. What does not fit is left out whole, so the bound holds by construction.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pellucid_gateway.question.key_facts import tokens_of
from pellucid_gateway.vocabulary.fencing import fenced
from pellucid_gateway.vocabulary.findings import Source

_MAX_URL_CHARS = 100
_MAX_TITLE_CHARS = 100
_BETWEEN = "\n\n"
# Of a page that the person named at least so much is shown, or nothing.
_LEAST_NAMED_CHARS = 400
# What a further source of a domain that is already there is worth beside one of a new domain.
_SAME_DOMAIN = 0.6
# Of sources without a score; the middle of the range.
_UNSCORED = 0.5
# Longer blocks must be worth more, but not in proportion: the best source is seldom the shortest.
_SIZE_POWER = 0.25


@dataclass(frozen=True, slots=True)
class Room:
    """How much may be added.

    Attributes:
        most_bytes: UTF-8 bytes, the safe bound of tokens.
        most_tokens: Tokens as `tokens_of` estimates them, the depth's own cap.
    """

    most_bytes: int
    most_tokens: int

    def holds(self, text: str) -> bool:
        """Whether the text is within both bounds."""
        return len(text.encode("utf-8", "replace")) <= self.most_bytes and (
            tokens_of(text) <= self.most_tokens
        )


@dataclass(frozen=True, slots=True)
class Context:
    """Fenced blocks; both fields are empty when nothing fits.

    Attributes:
        text: As it goes into the prompt.
        numbers: Sources in it, ascending.
    """

    text: str = ""
    numbers: tuple[int, ...] = ()


def fitted(
    sources: Sequence[Source], *, marker: str, room: Room, notes: Sequence[str] = ()
) -> Context:
    """Choose and fence what fits.

    Args:
        sources: Numbered sources, best first.
        marker: Random word of this request.
        room: What may be added, fences included.
        notes: Lines about the sources, for example where they disagree; the last to be added.
    """
    blocks: dict[int, str] = {}
    for source in _by_worth(sources):
        for shown in _versions(source):
            longer = {**blocks, source.n: block_of(shown)}
            if room.holds(_joined(longer, marker)):
                blocks = longer
                break
    if not blocks:
        return Context()
    text = _joined(blocks, marker)
    for kept in range(len(notes), 0, -1):
        noted = _joined(blocks, marker, notes[:kept])
        if room.holds(noted):
            text = noted
            break
    return Context(text, tuple(sorted(blocks)))


def _versions(source: Source) -> Iterator[Source]:
    """The source whole; one that the person named also shorter, at the end of a line."""
    yield source
    facts = source.facts
    while source.user_supplied and len(facts) > _LEAST_NAMED_CHARS:
        half = facts[: len(facts) * 3 // 4]
        facts = half[: half.rfind("\n")] if "\n" in half[len(half) // 2 :] else half
        yield replace(source, facts=f"{facts}\n[…]")


def block_of(source: Source) -> str:
    """Number, publisher, date, title, address and facts of one source."""
    when = f", {source.published.time:%Y-%m-%d}" if source.published else ""
    head = f"[{source.n}] {source.publisher}{when}: {source.title[:_MAX_TITLE_CHARS]}"
    return f"{head}\n{source.url[:_MAX_URL_CHARS]}\n{source.facts}"


def _joined(blocks: dict[int, str], marker: str, notes: Sequence[str] = ()) -> str:
    ordered = [blocks[n] for n in sorted(blocks)]
    return fenced(_BETWEEN.join((*ordered, *("\n".join(notes),) * bool(notes))), marker)


def _by_worth(sources: Sequence[Source]) -> list[Source]:
    """All sources, most worth for their size first, a domain's further ones later."""
    worth = {source.n: _worth(source) for source in sources}
    left = list(sources)
    ordered: list[Source] = []
    seen: set[str] = set()

    def now(source: Source) -> tuple[float, int]:
        return worth[source.n] * (_SAME_DOMAIN if source.domain in seen else 1.0), -source.n

    while left:
        best = max(left, key=now)
        left.remove(best)
        seen.add(best.domain)
        ordered.append(best)
    return ordered


def _worth(source: Source) -> float:
    relevance = source.relevance if source.relevance is not None else _UNSCORED
    value = 1.0 if source.user_supplied else relevance
    size = max(1, tokens_of(source.facts) + tokens_of(source.title[:_MAX_TITLE_CHARS]))
    return value / math.pow(size, _SIZE_POWER)
