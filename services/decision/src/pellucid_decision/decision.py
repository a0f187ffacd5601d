"""What a decision says: the action, why it was taken, and the queries."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Action(StrEnum):
    """What the turn does next."""

    SEARCH = "search"
    FETCH = "fetch"
    ANSWER = "answer"


class Stage(StrEnum):
    """Part of the cascade that settled the decision."""

    MODE = "mode"
    URL = "url"
    RULE = "rule"
    MATRIX = "matrix"
    CLASSIFIER = "classifier"
    LLM = "llm"
    FALLBACK = "fallback"


class Intent(StrEnum):
    """What sort of sources fit."""

    NEWS = "news"
    BACKGROUND = "background"
    GENERAL = "general"


class Freshness(StrEnum):
    """A window that ends now."""

    NONE = "none"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"


RECENCY_DAYS = {
    Freshness.NONE: 0,
    Freshness.DAY: 1,
    Freshness.WEEK: 7,
    Freshness.MONTH: 31,
    Freshness.YEAR: 365,
}


@dataclass(frozen=True, slots=True)
class Signal:
    """One reason for or against searching.

    Attributes:
        name: Stable snake-case name.
        weight: Contribution to the score; negative speaks against a search.
        evidence: The matched words, at most 64 characters.
    """

    name: str
    weight: float
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Query:
    """One search string with its restrictions.

    Attributes:
        text: 2 to 6 words, at most 200 characters.
        freshness: Window for this query.
        site: Host to restrict it to; empty means everywhere.
    """

    text: str
    freshness: Freshness = Freshness.NONE
    site: str = ""


@dataclass(frozen=True, slots=True)
class Outbound:
    """One string that left the installation.

    Attributes:
        to: Receiver.
        text: The text exactly as sent.
        redacted: Kinds of personal data that were taken out.
    """

    to: str
    text: str
    redacted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """Outcome of the cascade before queries are written.

    Attributes:
        search: The web is needed.
        stage: Which stage settled it.
        confidence: Probability that it is right, 0 to 1.
        reason_code: Stable word for metrics.
        reason: One English sentence.
    """

    search: bool
    stage: Stage
    confidence: float
    reason_code: str
    reason: str


@dataclass(frozen=True, slots=True)
class Facets:
    """What sort of answer and sources the question wants.

    Attributes:
        intent: Sort of sources.
        category: Matrix category; empty when none fits.
        freshness: Window that fits.
        real_time: The value changes within the day.
        time_sensitive: The answer depends on when it is asked.
        target_info: What an answer must contain; at most 5.
        priority: Urgency under load, 0 to 1.
        deep_research: Thorough research is asked for.
        site: Host that the person named as the place to look.
        topicless: Small talk or no topic.
    """

    intent: Intent = Intent.GENERAL
    category: str = ""
    freshness: Freshness = Freshness.NONE
    real_time: bool = False
    time_sensitive: bool = False
    target_info: tuple[str, ...] = ()
    priority: float = 0.5
    deep_research: bool = False
    site: str = ""
    topicless: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """The whole decision.

    Attributes:
        action: What the turn does next.
        verdict: Stage, confidence and reason.
        signals: Every signal that fired, strongest first.
        standalone_question: The question resolved from the history; never empty.
        queries: 1 to 3 when searching, else empty.
        fallback_queries: Broader ones for when nothing is found.
        requires_context: Cannot be understood without history or subject.
        language: ISO 639-1 code or "und".
        urls: Addresses to process; at most 3.
        ignored_urls: Addresses beyond the third.
        facets: Intent, freshness and the rest.
        about_answer: About the answer before ("source?"): its sources answer it.
        degraded: Parts of the cascade that were unavailable, with one sentence each.
        outbound: Every string that was sent to an external model.
        writing: What leaves when a model writes a further query; None when none is to.
    """

    action: Action
    verdict: Verdict
    signals: tuple[Signal, ...]
    standalone_question: str
    queries: tuple[Query, ...] = ()
    fallback_queries: tuple[str, ...] = ()
    requires_context: bool = False
    language: str = "und"
    urls: tuple[str, ...] = ()
    ignored_urls: tuple[str, ...] = ()
    facets: Facets = Facets()
    about_answer: bool = False
    degraded: tuple[tuple[str, str], ...] = ()
    outbound: tuple[Outbound, ...] = ()
    writing: tuple[Outbound, ...] | None = None

    @property
    def needs_search(self) -> bool:
        """True exactly when the action is a search."""
        return self.action is Action.SEARCH


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote for a search that is under way.

    Attributes:
        queries: At most one.
        degraded: The model, with one sentence, when it was unavailable.
        outbound: Every string that was sent to an external model.
    """

    queries: tuple[Query, ...] = ()
    degraded: tuple[tuple[str, str], ...] = ()
    outbound: tuple[Outbound, ...] = ()


def strongest_first(signals: Sequence[Signal]) -> tuple[Signal, ...]:
    """Order signals by absolute weight, then by name."""
    return tuple(sorted(signals, key=lambda signal: (-abs(signal.weight), signal.name)))
