"""Parts of a request that several APIs share: options of a search, and the subject context."""

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    model_validator,
)
from pydantic_core import PydanticCustomError

from pellucid_gateway.api.http.fields import (
    Country,
    Host,
    LanguageTag,
    MemoryText,
    ProviderName,
    ShortText,
    TimeZone,
    at_most_bytes,
    instant,
    parse_instant,
)
from pellucid_gateway.domain.decision import WebMode
from pellucid_gateway.domain.findings import Routing, SafeSearch
from pellucid_gateway.domain.request import (
    ChatMessage,
    CitationStyle,
    Depth,
    ScoringOptions,
    SearchCommand,
    SearchOptions,
    SubjectContext,
    TurnRequest,
)
from pellucid_language.text import clean

WEIGHTS_TOLERANCE = 0.01


class Strict(BaseModel):
    """Base of every request part: unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class WeightsBody(Strict):
    """Weights of the four parts of a score; each 0 to 1, together 1."""

    semantic: float = Field(ge=0, le=1, description="Weight of the meaning, 0 to 1.")
    trust: float = Field(ge=0, le=1, description="Weight of the domain's trust, 0 to 1.")
    freshness: float = Field(ge=0, le=1, description="Weight of the age, 0 to 1.")
    quality: float = Field(ge=0, le=1, description="Weight of the text's form, 0 to 1.")

    def parts(self) -> tuple[float, float, float, float]:
        """In the order of the formula."""
        return (self.semantic, self.trust, self.freshness, self.quality)

    @model_validator(mode="after")
    def _together_one(self) -> "WeightsBody":
        if abs(sum(self.parts()) - 1) > WEIGHTS_TOLERANCE:
            raise PydanticCustomError("limit", "must sum to 1", {"limit": "sum of 1"})
        return self


class ScoringBody(Strict):
    """Overrides of the scorer for this request."""

    profile: ShortText = Field("", description="Named profile; absent means the default.")
    weights: WeightsBody | None = Field(None, description="Weights that replace the profile's.")
    threshold: float | None = Field(
        None, ge=0, le=1, description="Minimum score of a result, 0 to 1."
    )

    def to_domain(self) -> ScoringOptions:
        """As the engine sees it."""
        weights = self.weights.parts() if self.weights else None
        return ScoringOptions(profile=self.profile, weights=weights, threshold=self.threshold)


class SubjectBody(Strict):
    """The subject of the conversation, for example a video; its text is data."""

    kind: Annotated[str, AfterValidator(at_most_bytes(64))] = Field(
        "", description='"video", "document", "product" or another word.'
    )
    title: Annotated[str, AfterValidator(at_most_bytes(1024))] = Field("", description="Title.")
    speakers: list[ShortText] = Field(
        default_factory=list, max_length=32, description="People, most important first."
    )
    organizations: list[ShortText] = Field(
        default_factory=list, max_length=32, description="Organisations, most important first."
    )
    event: Annotated[str, AfterValidator(at_most_bytes(512))] = Field("", description="Event.")
    description: Annotated[str, AfterValidator(at_most_bytes(8192))] = Field(
        "", description="What it is about; at most 8 KiB."
    )
    published_at: Annotated[str, AfterValidator(instant)] | None = Field(
        None, description="ISO 8601 date or date-time."
    )

    def to_domain(self) -> SubjectContext:
        """As the engine sees it."""
        return SubjectContext(
            kind=self.kind,
            title=self.title,
            speakers=tuple(self.speakers),
            organizations=tuple(self.organizations),
            event=self.event,
            description=self.description,
            published_at=parse_instant(self.published_at or ""),
        )


class SearchFields(Strict):
    """Options of every API that searches."""

    user_id: ShortText = Field("", description="Your identifier of the user; stored hashed.")
    language: LanguageTag = "auto"
    time_zone: TimeZone = ""
    country: Country | None = Field(
        None, description="ISO 3166-1 alpha-2 country of the user; absent: none."
    )
    depth: Literal["quick", "standard", "deep", "lean"] = Field(
        "standard", description="How much work a turn may do."
    )
    recency_days: int = Field(
        0, ge=0, le=3650, description="Only results of the last days; 0: the decision chooses."
    )
    site: Host = Field("", description="Host to restrict the search to.")
    include_domains: list[Host] = Field(
        default_factory=list, max_length=100, description="Only these registrable domains."
    )
    exclude_domains: list[Host] = Field(
        default_factory=list, max_length=100, description="None of these registrable domains."
    )
    max_results: int = Field(5, ge=1, le=50, description="Maximum number of results.")
    safe_search: Literal["off", "moderate", "strict"] = Field(
        "moderate", description="Adult filter."
    )
    routing: Literal["primary_then_fallback", "all"] = Field(
        "primary_then_fallback", description="How providers are chosen when none is named."
    )
    providers: list[ProviderName] = Field(
        default_factory=list, max_length=16, description="Providers to use, by name."
    )
    scoring: ScoringBody | None = Field(None, description="Scorer overrides.")
    deadline_ms: int | None = Field(
        None,
        ge=100,
        le=120_000,
        description="Time limit of the request in milliseconds; absent: that of the depth.",
    )
    no_external: bool = Field(default=False, description="Send nothing out of the installation.")

    def options(self) -> SearchOptions:
        """As the engine sees them. Only a number that was asked for bounds the results."""
        asked = "max_results" in self.model_fields_set
        return SearchOptions(
            recency_days=self.recency_days,
            site=self.site,
            country=(self.country or "").upper(),
            include_domains=tuple(self.include_domains),
            exclude_domains=tuple(self.exclude_domains),
            max_results=self.max_results if asked else 0,
            safe_search=SafeSearch(self.safe_search),
            routing=Routing(self.routing),
            providers=tuple(self.providers),
            scoring=self.scoring.to_domain() if self.scoring else ScoringOptions(),
            no_external=self.no_external,
        )

    def command(self, query: str, caller: str, **given: Any) -> SearchCommand:
        """A search with these options; `given` are further fields of it."""
        return SearchCommand(
            query=query,
            caller=caller,
            language=self.answer_language,
            time_zone=self.time_zone,
            depth=Depth(self.depth),
            options=self.options(),
            deadline_ms=self.deadline_ms,
            **given,
        )

    @property
    def answer_language(self) -> str:
        """ISO 639-1 code; empty follows the person."""
        return "" if self.language == "auto" else self.language


class TurnFields(SearchFields):
    """Options of every API that answers."""

    conversation_id: Annotated[str, AfterValidator(at_most_bytes(128))] = Field(
        "", description="Conversation to go on with; absent starts a new one."
    )
    web_mode: Literal["auto", "on", "off"] = Field("auto", description="The person's switch.")
    force_search: bool = Field(default=False, description="Results without an answer.")
    citation_style: Literal["natural", "numeric", "markdown", "none"] = Field(
        "natural", description="How citations show in the text; spans are always sent."
    )
    context: SubjectBody | None = Field(None, description="What the conversation is about.")
    memories: list[MemoryText] = Field(
        default_factory=list, max_length=20, description="What you remember of the person."
    )

    def turn(self, messages: tuple[ChatMessage, ...], **given: Any) -> TurnRequest:
        """A turn with these options; `given` are further fields of it."""
        return TurnRequest(
            messages=messages,
            conversation_id=self.conversation_id,
            web_mode=WebMode(self.web_mode),
            force_search=self.force_search,
            depth=Depth(self.depth),
            citation_style=CitationStyle(self.citation_style),
            language=self.answer_language,
            time_zone=self.time_zone,
            options=self.options(),
            deadline_ms=self.deadline_ms,
            subject=self.context.to_domain() if self.context else None,
            memories=tuple(map(clean, self.memories)),
            **given,
        )
