"""What the web gave: hits, scores, pages, and the sources that an answer may cite.

All text in here that came from outside is untrusted data. How it is found, scored and read is the
business of the other services.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum


class SafeSearch(StrEnum):
    """Adult filter."""

    OFF = "off"
    MODERATE = "moderate"
    STRICT = "strict"


class Routing(StrEnum):
    """How providers are chosen when none is named."""

    PRIMARY_THEN_FALLBACK = "primary_then_fallback"
    ALL = "all"


class DateSource(StrEnum):
    """Where a publication date was read."""

    UNKNOWN = "unknown"
    PROVIDER = "provider"
    JSON_LD = "json-ld"
    META = "meta"
    URL = "url"
    HTTP = "http"
    TEXT = "text"


class Method(StrEnum):
    """How a text was obtained; SNIPPET means that no page was read."""

    SNIPPET = "snippet"
    HTTP = "http"
    BROWSER = "browser"
    READER = "reader"
    ARCHIVE = "archive"
    CACHE = "cache"
    PROVIDER = "provider"


class ProviderStatus(StrEnum):
    """How one provider did."""

    OK = "ok"
    CACHED = "cached"
    FAILED = "failed"
    RATE_LIMITED = "rate_limited"
    SKIPPED = "skipped"
    BUDGET = "budget"


class Purpose(StrEnum):
    """Why a page is read: a person named it, or a search found it."""

    USER_URL = "user_url"
    SEARCH_RESULT = "search_result"


FETCH_FAILED = "FETCH_FAILED"
EXTRACTION_FAILED = "EXTRACTION_FAILED"
# Outcomes of pages that came and hold no text that can be taken from them.
_TEXTLESS = frozenset(
    {
        "unsupported_type",
        "no_text",
        "too_large",
        "parse_limit",
        "decompression_bomb",
        "decode_error",
        "unsupported_encoding",
    }
)


@dataclass(frozen=True, slots=True)
class PublishedDate:
    """A publication date (aware, UTC) with its provenance; confidence 0 to 1."""

    time: datetime
    source: DateSource = DateSource.UNKNOWN
    confidence: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreBreakdown:
    """Parts of a score, each 0 to 1; higher is better."""

    semantic: float
    trust: float
    freshness: float
    quality: float
    lexical_lift: float = 0.0
    subject_lift: float = 0.0
    semantic_method: str = "embedding"
    trust_rule: str = "unknown"
    trust_shift: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One search result after fusion.

    Attributes:
        providers: Names of those that found it, best rank first.
        page_text: Page text that came with the result; may stand in for a fetch.
        internal: The operator named its host as internal.
        trust_shift: What the person's preferences and use add to the trust of its domain.
    """

    url: str
    title: str
    snippet: str = ""
    domain: str = ""
    alternate_urls: tuple[str, ...] = ()
    published: PublishedDate | None = None
    language: str = ""
    providers: tuple[str, ...] = ()
    page_text: str = ""
    warnings: tuple[str, ...] = ()
    internal: bool = False
    trust_shift: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredHit:
    """A hit with its rating.

    Attributes:
        relevance: Final score, 0 to 1; None when no scorer could be asked.
        included: It passed every filter.
        exclusion: Why it did not, as a stable word; empty when it did.
        corroborated_by: Addresses of near-duplicates that it stands for.
        without: Configured parts of the scorer that came too late for the rating.
        rated_with: The models, and how much of the texts they read where time was short.
        sent: What left for the rating of all hits: receiver and text of each.
    """

    hit: Hit
    relevance: float | None = None
    breakdown: ScoreBreakdown | None = None
    included: bool = True
    exclusion: str = ""
    corroborated_by: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    rated_with: str = ""
    sent: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageContent:
    """The outcome of reading one address; a bad page is an outcome, never an exception.

    Attributes:
        status: Typed outcome as a stable lower-case word, "ok" exactly on success.
        text: Light Markdown, untrusted.
        error: One sentence for people; empty on success.
        reason: Stable word that says more about a failure, for example "encrypted".
        retryable: Asking again later may help.
        next_offset: Where the text goes on, in characters, when a part of it was asked for; 0 at
            its end.
    """

    url: str
    success: bool
    status: str
    final_url: str = ""
    http_status: int = 0
    method: Method | None = None
    title: str = ""
    author: str = ""
    site_name: str = ""
    language: str = ""
    published: PublishedDate | None = None
    text: str = ""
    excerpt: str = ""
    truncated: bool = False
    content_type: str = ""
    charset: str = ""
    redirects: tuple[str, ...] = ()
    retryable: bool = False
    error: str = ""
    reason: str = ""
    retry_after_s: int = 0
    warnings: tuple[str, ...] = ()
    total_ms: int = 0
    next_offset: int = 0

    @property
    def error_code(self) -> str:
        """Public code: the page did not come, or no text could be taken from it; else empty."""
        if self.success:
            return ""
        return EXTRACTION_FAILED if self.status in _TEXTLESS else FETCH_FAILED


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One page or result that the answer may cite, numbered from 1.

    Attributes:
        snippet: Plain text shown to people.
        text: What was read of it, whole: the page, else the snippet. The model never sees it; the
            answer without a model chooses its excerpts from it. Never stored, never sent.
        facts: The text that the model was shown; claims are checked against it. Not part of the
            public response.
        relevance: Final score, 0 to 1; None when unscored (no scorer, or a person's own page).
        user_supplied: A person named this page: its content is never stored.
        publisher: Name by which prose may attribute to it, for example "Reuters".
        attribution: Whose it is in the person's language, and that it is in another language.
        recent: It is of the last seven days.
        summary: One sentence in the person's language on a result in another one.
    """

    n: int
    url: str
    title: str
    domain: str
    snippet: str = ""
    text: str = ""
    facts: str = ""
    published: PublishedDate | None = None
    language: str = ""
    relevance: float | None = None
    breakdown: ScoreBreakdown | None = None
    providers: tuple[str, ...] = ()
    method: Method = Method.SNIPPET
    cited: bool = False
    warnings: tuple[str, ...] = ()
    user_supplied: bool = False
    publisher: str = ""
    attribution: str = ""
    recent: bool = False
    summary: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """An item of Wikidata that a name of a query stands for; its text is untrusted.

    Attributes:
        name: As it was sent.
        sources: Numbers of the sources whose title or shown text has the name.
    """

    name: str
    id: str
    label: str = ""
    description: str = ""
    sources: tuple[int, ...] = ()

    def found_in(self, sources: Sequence[Source]) -> "Entity":
        """Return the entity with the sources that name it, a person's own pages left out."""
        name = self.name.casefold()
        numbers = (
            source.n
            for source in sources
            if not source.user_supplied
            and name in f"{source.title} {source.snippet} {source.facts}".casefold()
        )
        return replace(self, sources=tuple(numbers))


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderReport:
    """What one provider did for a turn.

    Attributes:
        error_code: Stable lower-case word; empty when it did well.
        detail: One sentence for people, without keys or queries.
        cost_micro_usd: List price of its calls in millionths of a US dollar.
        retry_after_s: Seconds after which its limit lets a call through; 0 when it is not limited.
    """

    name: str
    status: ProviderStatus
    latency_ms: int = 0
    results: int = 0
    error_code: str = ""
    detail: str = ""
    calls: int = 0
    cost_micro_usd: int = 0
    retry_after_s: float = 0.0
