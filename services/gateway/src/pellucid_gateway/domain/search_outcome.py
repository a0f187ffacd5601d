"""What a search without an answer returns, and what its results say of a statement."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from pellucid_gateway.domain.account import Degradation, Notice, OutboundText, Usage
from pellucid_gateway.domain.findings import Entity, ProviderReport, ScoredHit, Source


class FactVerdict(StrEnum):
    """What sources say of a statement."""

    SUPPORTED = "supported"
    REFUTED = "refuted"
    MIXED = "mixed"
    NOT_ENOUGH = "not_enough"


@dataclass(frozen=True, slots=True)
class FactEvidence:
    """A result that speaks for or against a statement, with the words that do, verbatim."""

    source: int
    passage: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FactCheck:
    """What results say of a statement.

    Attributes:
        verdict: None where nobody judged.
        supporting: Where nobody judged, those whose form and likeness state it.
        judged: A language model read the statement beside each of them.
    """

    verdict: FactVerdict | None = None
    supporting: tuple[FactEvidence, ...] = ()
    refuting: tuple[FactEvidence, ...] = ()
    judged: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOutcome:
    """Ranked results without an answer.

    Attributes:
        results: Included results, best first, numbered from 1.
        excluded: Everything else that was found, for evidence and explanation.
        queries: What was searched for.
        searched: The same, redacted.
        check: What the results say of the statement that was searched for; None: nobody asked.
        entities: What names of the queries stand for, where names are linked.
    """

    id: str
    results: tuple[Source, ...]
    excluded: tuple[ScoredHit, ...] = ()
    queries: tuple[str, ...] = ()
    providers: tuple[ProviderReport, ...] = ()
    degraded: tuple[Degradation, ...] = ()
    notices: tuple[Notice, ...] = ()
    timings_ms: Mapping[str, int] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    outbound: tuple[OutboundText, ...] = ()
    searched: tuple[str, ...] = ()
    check: FactCheck | None = None
    entities: tuple[Entity, ...] = ()
