"""What the model is shown of the sources: as many of the best as fit, whole, within a hard bound.

A knapsack filled greedily by worth for size: relevance, and less for a second source of one
domain. What does not fit is left out whole, so the bound holds by construction.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pellucid_gateway.domain.fencing import fenced
from pellucid_gateway.domain.findings import Source
from pellucid_gateway.question.tokens import GAP, cut_middle, tokens_of

_MAX_URL_CHARS = 100
_MAX_TITLE_CHARS = 100
# Stands between a page's title and the name of its site.
_PARTING = " |-–—·_:"
_BETWEEN = "\n\n"
_INTRODUCED = "Sources: all that stands between the two lines with {marker}."
# Of a page that the person named at least so much is shown, or nothing.
_LEAST_NAMED_TOKENS = 100
# What a further source of a domain that is already there is worth beside one of a new domain.
_SAME_DOMAIN = 0.6
# Of sources without a score; the middle of the range.
_UNSCORED = 0.5
# Longer blocks must be worth more, but not in proportion: the best source is seldom the shortest.
_SIZE_POWER = 0.25


@dataclass(frozen=True, slots=True)
class Room:
    """How much may be added, in tokens as `tokens_of` estimates them.

    Attributes:
        window: What the model's window has left.
        cap: What the depth allows.
    """

    window: int
    cap: int

    def holds(self, text: str) -> bool:
        """Whether the text is within both bounds."""
        return tokens_of(text) <= min(self.window, self.cap)


@dataclass(frozen=True, slots=True)
class Context:
    """Fenced blocks; all fields are empty when nothing fits.

    Attributes:
        text: As it goes into the prompt.
        numbers: Sources in it, ascending.
        left_out: How many more the depth allows than the window has room for.
    """

    text: str = ""
    numbers: tuple[int, ...] = ()
    left_out: int = 0


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
    blocks = _chosen(sources, marker, room)
    wanted = blocks
    if room.window < room.cap:
        wanted = _chosen(sources, marker, replace(room, window=room.cap))
    left_out = max(0, len(wanted) - len(blocks))
    if not blocks:
        return Context(left_out=left_out)
    text = _joined(blocks, marker)
    for kept in range(len(notes), 0, -1):
        noted = _joined(blocks, marker, notes[:kept])
        if room.holds(noted):
            text = noted
            break
    return Context(text, tuple(sorted(blocks)), left_out)


def _chosen(sources: Sequence[Source], marker: str, room: Room) -> dict[int, str]:
    """Blocks that fit together, by number: the best for their size first."""
    blocks: dict[int, str] = {}
    for source in _by_worth(sources):
        for shown in _versions(source):
            longer = {**blocks, source.n: block_of(shown)}
            if room.holds(_joined(longer, marker)):
                blocks = longer
                break
    return blocks


def _versions(source: Source) -> Iterator[Source]:
    """The source whole; one that the person named also with less and less of its middle."""
    yield source
    left = tokens_of(source.facts)
    while source.user_supplied and left > _LEAST_NAMED_TOKENS:
        left = left * 3 // 4
        yield replace(source, facts=_without_middle(source.facts, left))


def _without_middle(facts: str, most_tokens: int) -> str:
    """Beginning and end, cut between lines where there are several."""
    lines = facts.split("\n")
    room = most_tokens - tokens_of(f"\n{GAP}\n")
    head, tail = _first_lines(lines, room * 2 // 3), _first_lines(lines[::-1], room // 3)
    if not head:
        return cut_middle(facts, most_tokens)
    return "\n".join((*head, GAP, *tail[::-1]))


def _first_lines(lines: Sequence[str], most_tokens: int) -> list[str]:
    kept: list[str] = []
    for line in lines:
        most_tokens -= tokens_of(line) + 1
        if most_tokens < 0:
            break
        kept.append(line)
    return kept


def block_of(source: Source) -> str:
    """Number, publisher, date, title, address and facts of one source."""
    when = f", {source.published.time:%Y-%m-%d}" if source.published else ""
    title = source.title.removesuffix(source.publisher).rstrip(_PARTING) or source.title
    head = f"[{source.n}] {source.publisher}{when}: {title[:_MAX_TITLE_CHARS]}"
    return f"{head}\n{source.url[:_MAX_URL_CHARS]}\n{source.facts}"


def _joined(blocks: dict[int, str], marker: str, notes: Sequence[str] = ()) -> str:
    ordered = [blocks[n] for n in sorted(blocks)]
    inside = fenced(_BETWEEN.join((*ordered, *("\n".join(notes),) * bool(notes))), marker)
    return f"{_INTRODUCED.format(marker=marker)}\n{inside}"


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
