"""What a turn tells while it runs and what it returns: the seam towards the APIs.

APIs give the engine a `request.TurnRequest`, iterate the `TurnEvent`s and translate them.

Event order, those that happen: Decided, UrlFetched, Progress (search_start, iteration, fetching,
extracting, reflecting, complete), ResultsReady (forced search), SourcesReady, Noticed, then Delta,
Cited and (pass-through only) Thought and ToolCallPieces interleaved, then exactly one of Done or
Failed; nothing follows it. A notice about the text itself (a partial answer) comes after the text,
one about a slow turn as soon as it is slow.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from pellucid_gateway.domain.account import Degradation, Notice, OutboundText, Usage
from pellucid_gateway.domain.citation import Citation, CitationReport, Span
from pellucid_gateway.domain.decision import Decision
from pellucid_gateway.domain.findings import Entity, Method, ProviderReport, Source
from pellucid_runtime.llm.model import LlmCause, Said


class AnswerKind(StrEnum):
    """Who wrote the answer."""

    MODEL = "model"
    EXTRACTIVE = "extractive"
    RESULTS = "results"
    NONE = "none"


class ProgressKind(StrEnum):
    """A step of the search; the values are the public event names."""

    WAITING = "web_search_waiting"
    SEARCH_START = "web_search_start"
    ITERATION = "web_search_iteration"
    FETCHING = "web_search_fetching"
    EXTRACTING = "web_search_extracting"
    REFLECTING = "web_search_reflecting"
    COMPLETE = "web_search_complete"


@dataclass(frozen=True, slots=True)
class Decided:
    """The decision was made.

    Attributes:
        remembers: Memories of the person go into the prompt.
    """

    decision: Decision
    remembers: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlFetched:
    """A page that the person named was read, or was not (error says why, for people)."""

    url: str
    success: bool
    method: Method | None = None
    error: str = ""
    error_code: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """One step of the search, with a localised sentence; 0 and "" mean not applicable."""

    kind: ProgressKind
    message: str
    query: str = ""
    iteration: int = 0
    count: int = 0


@dataclass(frozen=True, slots=True)
class ResultsReady:
    """Results of a forced search; the same list stands in the result's sources."""

    query: str
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class SourcesReady:
    """Sources that the answer will use, in the order of their numbers."""

    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Noticed:
    """Something that the person should know."""

    notice: Notice


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of the answer, never empty; pieces join to exactly the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCallPieces:
    """Pieces of the model's calls of the client's own tools, as the API streams them.

    Only turns with `TurnRequest.passthrough` have them; the client, not the engine, runs its tools.
    """

    pieces: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Thought:
    """A piece of the model's thinking, never empty; no part of the answer.

    Only turns with `TurnRequest.passthrough` have them: their APIs have a place for it.
    """

    text: str


@dataclass(frozen=True, slots=True)
class Cited:
    """A checked citation of text already sent."""

    citation: Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnResult:
    """The whole turn.

    Attributes:
        sources: Those shown to the model, or all results of a forced search.
        citations: By start, then source.
        unsupported: Statements of a model that no source was found to say, by start.
        iterations: Rounds of search; 0 without one.
        partial: The answer was cut short.
        timings_ms: By stage: decision, search, score, fetch, first_token, generate, total.
        evidence_id: Empty when none is kept.
        finish_reason: Why the model stopped, in the chat completions API's words.
        tool_calls: The model's calls of the client's own tools, whole, in the API's form.
        speculation: What became of a search begun before the decision: used, cancelled or "".
        searched: What was searched for, redacted, whoever answered.
        sketches: Of the pages that the person named and that could be read, by address; empty of
            one behind a wall.
        reads: Domain of each result whose page was asked for, and whether it could be read.
        entities: What names of the queries stand for, where names are linked.
    """

    id: str
    conversation_id: str
    answer: str
    answer_kind: AnswerKind
    model_label: str
    decision: Decision
    finished_at: datetime
    sources: tuple[Source, ...] = ()
    citations: tuple[Citation, ...] = ()
    citation_report: CitationReport = field(default_factory=CitationReport)
    unsupported: tuple[Span, ...] = ()
    url_contents: tuple[UrlFetched, ...] = ()
    providers: tuple[ProviderReport, ...] = ()
    iterations: int = 0
    partial: bool = False
    degraded: tuple[Degradation, ...] = ()
    notices: tuple[Notice, ...] = ()
    timings_ms: Mapping[str, int] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    outbound: tuple[OutboundText, ...] = ()
    evidence_id: str = ""
    finish_reason: str = "stop"
    tool_calls: tuple[Mapping[str, Any], ...] = ()
    speculation: str = ""
    searched: tuple[str, ...] = ()
    sketches: Mapping[str, str] = field(default_factory=dict)
    reads: tuple[tuple[str, bool], ...] = ()
    entities: tuple[Entity, ...] = ()


@dataclass(frozen=True, slots=True)
class Done:
    """The end: everything, complete."""

    result: TurnResult


@dataclass(frozen=True, slots=True)
class Challenge:
    """What a page needs to show a challenge; nothing of it is secret.

    Attributes:
        site_key: Names this installation to the vendor.
        script: Address of the vendor's script; empty: the chat page shows none.
    """

    site_key: str
    script: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """The end: it failed.

    Attributes:
        reason: An ErrorReason without prefix.
        message: For people.
        cause: Why the model did not answer; None where something else failed.
        said: What the model server itself said, for those who speak its API.
        retry_after_s: When a retry may succeed, in seconds; None where that is unknown.
        challenge: What must be solved first; None: nothing.
    """

    reason: str
    message: str
    retryable: bool
    cause: LlmCause | None = None
    said: Said | None = None
    retry_after_s: float | None = None
    challenge: Challenge | None = None


TurnEvent = (
    Decided
    | UrlFetched
    | Progress
    | ResultsReady
    | SourcesReady
    | Noticed
    | Delta
    | ToolCallPieces
    | Thought
    | Cited
    | Done
    | Failed
)

Send = Callable[[TurnEvent], Awaitable[None]]
"""Hands an event to the API; waits while the API is far behind."""
