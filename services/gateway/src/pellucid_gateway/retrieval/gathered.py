"""What a search has gathered, round by round, and why it stopped."""

from dataclasses import dataclass, field
from enum import StrEnum

from pellucid_gateway.domain.findings import Hit, Method, PageContent, ProviderStatus, ScoredHit
from pellucid_gateway.domain.ports import ScoreCall, SearchAnswer

# The code of a provider whose limit per second or minute is reached.
_LIMITED = "rate"


class Stop(StrEnum):
    """Why the gathering ended."""

    ROUNDS = "rounds"
    SUFFICIENT = "sufficient"
    NO_PROGRESS = "no_progress"
    NOTHING_FOUND = "nothing_found"
    BUDGET = "budget"
    DEADLINE = "deadline"
    SEARCH_LOST = "search_lost"
    NO_REFLECTION = "no_reflection"


@dataclass(slots=True)
class Gathered:
    """What was gathered so far; grows round by round.

    Attributes:
        hits: By address, in the order found.
        avoided: Hits of sources that the person avoids, by address; they are in nothing else.
        scored: All hits rated, included ones first.
        rated_by: What the scorer was asked at last; None when it was not asked or was lost.
        pages: Pages read, by the hit's address.
        queries: Queries used, in order.
        refined: Those of them that followed from what was found.
        strangers: Addresses of hits that mention nothing of what the question names.
        search_lost: No provider could be asked in any round.
        missing: What the last reflection found missing, in the person's language; at most 3.
        stop: Why no further round was made.
        why: Why the next round is made: "decision" for the first, "nothing_found", "few_results" or
            "reflection".
        found_nothing_new: The last round brought no address that was not there before.
    """

    hits: dict[str, Hit] = field(default_factory=dict)
    avoided: dict[str, ScoredHit] = field(default_factory=dict)
    scored: tuple[ScoredHit, ...] = ()
    rated_by: ScoreCall | None = None
    pages: dict[str, PageContent] = field(default_factory=dict)
    queries: list[str] = field(default_factory=list)
    refined: list[str] = field(default_factory=list)
    rounds: int = 0
    strangers: frozenset[str] = frozenset()
    search_lost: bool = False
    missing: tuple[str, ...] = ()
    stop: Stop = Stop.ROUNDS
    why: str = "decision"
    found_nothing_new: bool = False

    @property
    def reads(self) -> tuple[tuple[str, bool], ...]:
        """Domain of each hit whose page was asked for, and whether it could be read."""
        asked = ((self.hits[url].domain, page) for url, page in self.pages.items())
        return tuple((name, page.success) for name, page in asked if page.method != Method.PROVIDER)

    @property
    def included(self) -> tuple[ScoredHit, ...]:
        """Hits that passed every filter and are about what is asked, best first."""
        return tuple(s for s in self.scored if s.included and s.hit.url not in self.strangers)


def nobody_answered(answer: SearchAnswer) -> bool:
    """Whether no provider could be asked."""
    answered = (ProviderStatus.OK, ProviderStatus.CACHED)
    return not answer.hits and not any(r.status in answered for r in answer.providers)


def limit_s(answer: SearchAnswer) -> float:
    """Seconds until the first limit that was in the way is over; 0 when none was."""
    waits = [r.retry_after_s for r in answer.providers if r.error_code == _LIMITED]
    return min(waits, default=0.0) if nobody_answered(answer) else 0.0
