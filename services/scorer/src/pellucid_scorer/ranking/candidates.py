"""The values that scoring speaks of: candidates, weights, breakdowns, verdicts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Candidate:
    """One search result to rate; all its text is untrusted.

    Attributes:
        id: Caller's name, unique within the request.
        url: Absolute address, possibly empty or malformed.
        title: Plain text.
        snippet: Plain text.
        published_at: Aware instant of publication, None when unknown.
        rank: Place in the order of those who found it, from 1; 0 when unknown.
        trust_shift: Added to the trust of its domain.
        internal: The operator's own; no embedding service outside is sent its text.
    """

    id: str
    url: str = ""
    title: str = ""
    snippet: str = ""
    published_at: datetime | None = None
    rank: int = 0
    trust_shift: float = 0.0
    internal: bool = False

    @property
    def text(self) -> str:
        """Title and snippet as the model reads them."""
        return f"{self.title} {self.snippet}".strip()


@dataclass(frozen=True, slots=True)
class Subject:
    """What the conversation is about, as far as ranking needs it.

    Attributes:
        entities: Speakers, organisations and the event, most important first.
    """

    entities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Weights:
    """Shares of the four parts, each in [0, 1], together 1."""

    semantic: float
    trust: float
    freshness: float
    quality: float

    @property
    def total(self) -> float:
        """Sum of the four."""
        return self.semantic + self.trust + self.freshness + self.quality


class SemanticMethod(StrEnum):
    """How the semantic part was found."""

    EMBEDDING = "embedding"
    NGRAM = "ngram"


@dataclass(frozen=True, slots=True)
class Semantic:
    """The semantic part of one candidate.

    Attributes:
        score: In [0, 1], what words and the rank add included.
        lift: Part of ``score`` that exact tokens earned.
        method: Embedding, or n-grams where the model was not trained on the script.
    """

    score: float
    lift: float = 0.0
    method: SemanticMethod = SemanticMethod.EMBEDDING


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The parts of a final score, each in [0, 1]."""

    semantic: Semantic
    trust: float
    trust_rule: str
    freshness: float
    quality: float
    subject_lift: float
    trust_shift: float = 0.0


class Exclusion(StrEnum):
    """Why a candidate is not included."""

    BLOCKED = "blocked"
    OFF_TOPIC = "off_topic"
    LOW_QUALITY = "low_quality"
    BELOW_THRESHOLD = "below_threshold"
    NEAR_DUPLICATE = "near_duplicate"
    DOMAIN_CAP = "domain_cap"
    BEYOND_LIMIT = "beyond_limit"


@dataclass(frozen=True, slots=True)
class Rated:
    """A candidate with its score, before any filter; `harmful`: it may do harm to who opens it."""

    candidate: Candidate
    domain: str
    final: float
    breakdown: Breakdown
    harmful: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """A rated candidate with the filters' judgement.

    Attributes:
        rated: The candidate and its score.
        exclusion: Why it is left out; None when it is included.
        corroborated_by: Ids of near-duplicates on other domains that it stands for, sorted.
    """

    rated: Rated
    exclusion: Exclusion | None = None
    corroborated_by: Sequence[str] = ()
