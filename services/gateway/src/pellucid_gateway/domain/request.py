"""What an API asks of the engine: a validated turn or a validated search.

APIs translate their wire shape into these records, already cleaned and within their limits;
nothing in here knows HTTP or gRPC.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from pellucid_gateway.domain.attachment import Attachment
from pellucid_gateway.domain.decision import WebMode
from pellucid_gateway.domain.findings import Routing, SafeSearch, Source


class Role(StrEnum):
    """Who wrote a message."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


class Depth(StrEnum):
    """How much work goes into an answer."""

    QUICK = "quick"
    STANDARD = "standard"
    DEEP = "deep"
    LEAN = "lean"


class CitationStyle(StrEnum):
    """How citations show in the text; spans are always sent."""

    NATURAL = "natural"
    NUMERIC = "numeric"
    MARKDOWN = "markdown"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of the conversation as plain text.

    Attributes:
        about_named_page: Said by the assistant after the person had named a page.
    """

    role: Role
    content: str
    about_named_page: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectContext:
    """What the conversation is about; every field is optional, its text is data."""

    kind: str = ""
    title: str = ""
    speakers: tuple[str, ...] = ()
    organizations: tuple[str, ...] = ()
    event: str = ""
    description: str = ""
    published_at: datetime | None = None


WEIGHTS = ("semantic", "trust", "freshness", "quality")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringOptions:
    """Overrides of the scorer; weights are those of `WEIGHTS`, sum 1."""

    profile: str = ""
    weights: tuple[float, float, float, float] | None = None
    threshold: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """Restrictions of a search.

    Attributes:
        recency_days: 1 to 3,650; 0 lets the decision choose.
        max_results: 1 to 50; 0 lets the depth choose.
        providers: Asked for by name; when empty, `routing` chooses.
        no_external: Nothing may leave the installation.
    """

    recency_days: int = 0
    site: str = ""
    country: str = ""
    include_domains: tuple[str, ...] = ()
    exclude_domains: tuple[str, ...] = ()
    max_results: int = 0
    safe_search: SafeSearch = SafeSearch.MODERATE
    routing: Routing = Routing.PRIMARY_THEN_FALLBACK
    providers: tuple[str, ...] = ()
    scoring: ScoringOptions = field(default_factory=ScoringOptions)
    no_external: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientMessages:
    """What a compatible API's client wants the model to be asked, in the chat completions form.

    It reaches the model as it is; the engine only adds one message of sources before the last one.
    APIs of another form (Responses, Anthropic Messages) translate into this one.

    Attributes:
        messages: The whole conversation, oldest first: system prompts, parts with images, tool
            calls and their results, each as the API's JSON object; at least one.
        fields: The other fields of the API (tools, tool_choice, temperature, stop, unknown ones),
            without `model`, `messages`, `stream`, `stream_options` and `n`, which are the engine's.
    """

    messages: tuple[Mapping[str, Any], ...]
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierTurn:
    """The newest turn of this conversation that found sources; a follow-up may use them.

    Attributes:
        question: Its standalone question.
        queries: What was searched for, redacted.
        sources: What the model was shown, numbered as then; pages that the person named are not
            among them, their content is never kept.
        user_urls: Addresses of pages that the person named; read again when they are needed.
        at: When it ended, aware.
    """

    question: str
    at: datetime
    queries: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    user_urls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRequest:
    """One message with every option of POST /v1/chat, validated.

    Attributes:
        messages: Oldest first, the last one is the person's and not blank; 1 to 50.
        conversation_id: Empty starts a new conversation.
        keeps_conversation: A new conversation may be kept, so that it can be gone on with.
        caller: HMAC of the identity, for ledger and evidence; empty when nobody is known.
        language: ISO 639-1 of the answer; empty follows the person.
        time_zone: IANA name; empty means UTC.
        model: Model to answer with; empty means the configured one.
        recall: Gives all memories that fit, the request's own included; None: there are only
            those.
        let_in: Called when the caller may go on and nothing is remembered of them that fits, if
            that is known before the decision is made.
        has_changed: Whether a page, by its address and sketch, is another than when it was read
            last in this conversation.
        walled: By address the id of the evidence of the turn in which a page of this conversation
            was behind a wall; None where it was not.
        search_offered: The answer before offered to search for the subject.
        deadline_ms: Whole time of the turn; None means the depth's own.
        verbatim: Search for the message as it is; nothing is decided.
        quota_spent: The person's searches are used up: answer without search and say so.
        attachments: Files of the person; those that the messages name are read.
        passthrough: On compatible APIs what the model gets instead of our own prompt; `messages`
            is then the text of the same conversation, by which is decided and searched. Calls of
            the client's tools come out as ToolCallPieces and stand in the result.
    """

    messages: tuple[ChatMessage, ...]
    conversation_id: str = ""
    keeps_conversation: bool = False
    caller: str = ""
    web_mode: WebMode = WebMode.AUTO
    force_search: bool = False
    verbatim: bool = False
    depth: Depth = Depth.STANDARD
    citation_style: CitationStyle = CitationStyle.NATURAL
    language: str = ""
    time_zone: str = ""
    options: SearchOptions = field(default_factory=SearchOptions)
    model: str = ""
    deadline_ms: int | None = None
    subject: SubjectContext | None = None
    memories: tuple[str, ...] = ()
    recall: Callable[[], Awaitable[tuple[str, ...]]] | None = None
    let_in: Callable[[], None] | None = None
    earlier: EarlierTurn | None = None
    has_changed: Callable[[str, str], bool] | None = None
    walled: Callable[[str], str | None] = lambda _url: None
    search_offered: bool = False
    quota_spent: bool = False
    attachments: tuple[Attachment, ...] = ()
    passthrough: ClientMessages | None = None

    @property
    def message(self) -> str:
        """The person's message."""
        return self.messages[-1].content

    @property
    def no_external(self) -> bool:
        """Nothing may leave the installation."""
        return self.options.no_external


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchCommand:
    """A forced search through a search API.

    Attributes:
        query: What the person looks for; not blank.
        messages: What was said before, oldest first.
        ranked: Apply threshold and domain cap; compatible APIs switch it off.
        verbatim: Search for the query as given instead of letting the decision write queries.
        checks: The query is a statement that the results are held against.
    """

    query: str
    messages: tuple[ChatMessage, ...] = ()
    subject: SubjectContext | None = None
    caller: str = ""
    language: str = ""
    time_zone: str = ""
    depth: Depth = Depth.STANDARD
    options: SearchOptions = field(default_factory=SearchOptions)
    ranked: bool = True
    verbatim: bool = False
    checks: bool = False
    deadline_ms: int | None = None
