"""What is found: a provider's raw results, and the fused hit that a caller gets."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

# Longest title and snippet in characters, and longest page text that a provider may hand over.
TEXT_LIMIT = 1_000
PAGE_TEXT_LIMIT = 200_000


class DateSource(StrEnum):
    """Where a publication date was read."""

    PROVIDER = "provider"
    JSON_LD = "json_ld"
    META = "meta"
    URL = "url"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class RawHit:
    """One result as a provider gave it; all text is untrusted.

    Attributes:
        url: Address in the provider's spelling.
        title: May hold markup.
        snippet: May hold markup.
        age: The provider's date in its own spelling; empty when it gives none.
        date_source: Where the provider has the date from.
        language: ISO 639-1 or a longer tag; empty when unknown.
        page_text: Text of the page, when the provider returns it.
    """

    url: str
    title: str
    snippet: str
    age: str = ""
    date_source: DateSource = DateSource.PROVIDER
    language: str = ""
    page_text: str = ""


@dataclass(frozen=True, slots=True)
class RateWindow:
    """What a provider's headers say about one of its limits.

    Attributes:
        limit: Requests per window.
        remaining: Requests left in the present window.
        reset_s: Seconds until the present window ends.
        period_s: Length of the window in seconds.
    """

    limit: int
    remaining: int
    reset_s: float
    period_s: float


@dataclass(frozen=True, slots=True)
class ProviderReply:
    """A provider's answer to one query, best result first.

    Attributes:
        hits: Results.
        windows: Limits read from the headers.
        credits: Multiple of the price per call that was used.
    """

    hits: tuple[RawHit, ...]
    windows: tuple[RateWindow, ...] = ()
    credits: float = 1.0


@dataclass(frozen=True, slots=True)
class Published:
    """A publication date with its provenance; `confidence` 0 to 1, higher is surer."""

    time: datetime
    source: DateSource
    confidence: float


@dataclass(frozen=True, slots=True)
class Finding:
    """One place in one provider's list; `rank` counts from 1."""

    provider: str
    rank: int
    query_index: int


@dataclass(frozen=True, slots=True)
class Entity:
    """What a name of a query stands for: an item of Wikidata."""

    name: str
    id: str
    label: str
    description: str


@dataclass(frozen=True, slots=True)
class Hit:
    """One fused result with plain text and a canonical address."""

    url: str
    title: str
    snippet: str
    domain: str
    alternate_urls: tuple[str, ...] = ()
    published: Published | None = None
    language: str = ""
    fused_score: float = 0.0
    findings: tuple[Finding, ...] = ()
    page_text: str = ""
    warnings: tuple[str, ...] = ()
    internal: bool = False
