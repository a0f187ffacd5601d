"""What was decided about a message, as the orchestrator sees it.

Mirrors `pellucid.decision.v1`; the words are those of the public JSON. Deciding itself is the
decision service's business, or `fallback_decision` when that service is lost.
"""

from dataclasses import dataclass
from enum import StrEnum

SEARCH_DECLINED = "search_declined"
"""Reason code: a search was offered and is not wanted."""


class WebMode(StrEnum):
    """The person's switch."""

    AUTO = "auto"
    ON = "on"
    OFF = "off"


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
    """Sort of sources that fit."""

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


@dataclass(frozen=True, slots=True)
class Signal:
    """One reason for (positive weight) or against (negative) searching."""

    name: str
    weight: float
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class PlannedQuery:
    """One search string with its own restrictions; an empty site means everywhere."""

    text: str
    freshness: Freshness = Freshness.NONE
    site: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A decision that explains itself by stage, signals and reason.

    Attributes:
        confidence: Probability that the action is right, 0 to 1.
        reason: One sentence for people, in English.
        reason_code: Stable word for metrics, snake case.
        standalone_question: The question resolved from the history; never empty.
        queries: Best first; 1 to 3 exactly when the action is SEARCH.
        fallback_queries: Broader ones for when nothing is found; 0 to 3.
        recency_days: Window in days; 0 means any age.
        target_info: What an answer must contain; at most 5.
        language: ISO 639-1 code, "und" when unclear.
        urls: Addresses of the message that will be read; at most 3.
        priority: Urgency, 0 to 1, higher is more urgent.
        about_answer: About the answer before ("source?"): its sources answer it.
        topicless: Small talk or no topic: a forced search falls back to chat.
    """

    action: Action
    confidence: float
    stage: Stage
    reason: str
    standalone_question: str
    reason_code: str = ""
    signals: tuple[Signal, ...] = ()
    queries: tuple[PlannedQuery, ...] = ()
    fallback_queries: tuple[str, ...] = ()
    intent: Intent = Intent.GENERAL
    requires_context: bool = False
    category: str = ""
    freshness: Freshness = Freshness.NONE
    recency_days: int = 0
    real_time: bool = False
    time_sensitive: bool = False
    target_info: tuple[str, ...] = ()
    language: str = "und"
    urls: tuple[str, ...] = ()
    ignored_urls: tuple[str, ...] = ()
    priority: float = 0.5
    deep_research: bool = False
    site: str = ""
    topicless: bool = False
    about_answer: bool = False

    @property
    def needs_search(self) -> bool:
        """True exactly when the action is SEARCH."""
        return self.action is Action.SEARCH

    @property
    def is_small_talk(self) -> bool:
        """The message asks for nothing, of the web or of a page."""
        return self.topicless and not self.urls
