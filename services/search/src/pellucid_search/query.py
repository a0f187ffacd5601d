"""What is asked: a caller's request, and one query as a provider sees it."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from enum import StrEnum


class Freshness(StrEnum):
    """A window that ends now. UNSET: nobody chose; NONE: any age is fine, said on purpose."""

    UNSET = "unset"
    NONE = "none"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"


WINDOW_DAYS = {
    Freshness.DAY: 1,
    Freshness.WEEK: 7,
    Freshness.MONTH: 31,
    Freshness.YEAR: 365,
}


class SafeSearch(StrEnum):
    """How strictly adult results are filtered."""

    OFF = "off"
    MODERATE = "moderate"
    STRICT = "strict"


class Routing(StrEnum):
    """How providers are chosen when none is named."""

    PRIMARY_THEN_FALLBACK = "primary_then_fallback"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Query:
    """One query of a request.

    Attributes:
        text: Words; 1 to 200 characters.
        freshness: Window.
        site: Host to restrict to; empty means none.
    """

    text: str
    freshness: Freshness = Freshness.UNSET
    site: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which results are wanted, of every query of a request.

    Attributes:
        count: Results per query and provider, 1 to 50; a provider with a lower limit cuts it.
        language: ISO 639-1; empty means any.
        country: ISO 3166-1 alpha-2, upper case; empty means none.
        safe_search: Adult filter.
        include_domains: Only these registrable domains; empty means all.
        exclude_domains: None of these.
        news: News are asked for.
    """

    count: int = 10
    language: str = ""
    country: str = ""
    safe_search: SafeSearch = SafeSearch.MODERATE
    include_domains: tuple[str, ...] = ()
    exclude_domains: tuple[str, ...] = ()
    news: bool = False


@dataclass(frozen=True, slots=True)
class SearchRequest(Wanted):
    """A caller's request, checked and with defaults filled in.

    Attributes:
        queries: 1 to 10, best first.
        now: Instant that relative dates refer to; aware.
        routing: Used when `providers` is empty.
        providers: Asked for by name, in order.
        no_external: Nothing may leave the installation.
        caller_hash: HMAC of the user, for the ledger.
        question: What the queries serve; never sent.
        real_time: Values change within the day.
        topic: Kind of question, as the decision calls it; empty when unknown.
        bypass_cache: Ignore cached answers.
    """

    queries: Sequence[Query]
    now: datetime
    routing: Routing = Routing.PRIMARY_THEN_FALLBACK
    providers: tuple[str, ...] = ()
    no_external: bool = False
    caller_hash: str = ""
    question: str = ""
    real_time: bool = False
    topic: str = ""
    bypass_cache: bool = False


@dataclass(frozen=True, slots=True)
class ProviderQuery(Wanted):
    """One query as a provider sees it, already redacted.

    Attributes:
        text: Words.
        now: Instant that windows end at; aware.
        freshness: Window.
        site: Host to restrict to; empty means none.
    """

    text: str
    now: datetime
    freshness: Freshness = Freshness.UNSET
    site: str = ""


def provider_query(request: SearchRequest, query: Query, text: str) -> ProviderQuery:
    """Return one query as the providers see it; its own restrictions beat the request's.

    Args:
        request: Restrictions for all queries.
        query: Restrictions of this one.
        text: Its words after redaction.
    """
    wanted = {field.name: getattr(request, field.name) for field in fields(Wanted)}
    return ProviderQuery(text, request.now, freshness=query.freshness, site=query.site, **wanted)


def permitted(query: ProviderQuery) -> tuple[str, ...]:
    """Return the only hosts that results may have; empty means any.

    >>> permitted(ProviderQuery("rust async", datetime(2026, 1, 1), site="docs.rs"))
    ('docs.rs',)
    """
    return (query.site,) if query.site else query.include_domains


def with_operators(query: ProviderQuery) -> str:
    """Return the words with `site:` operators, for providers that know no parameter for it.

    >>> with_operators(ProviderQuery("rust async", datetime(2026, 1, 1), site="docs.rs"))
    'rust async site:docs.rs'
    """
    parts = [query.text]
    if query.site:
        parts.append(f"site:{query.site}")
    elif query.include_domains:
        parts.append(" OR ".join(f"site:{domain}" for domain in query.include_domains[:5]))
    parts.extend(f"-site:{domain}" for domain in query.exclude_domains[:5])
    return " ".join(parts)


def with_operators_but_one_site(query: ProviderQuery) -> str:
    """Return the words with operators, for providers that know a parameter for one site."""
    return with_operators(replace(query, site="", include_domains=()) if query.site else query)


def words(query: ProviderQuery) -> str:
    """Return the words alone, for providers whose sites have parameters of their own."""
    return query.text


def window(query: ProviderQuery) -> str:
    """Return `day`, `week`, `month` or `year`; empty for any age."""
    return query.freshness.value if query.freshness in WINDOW_DAYS else ""


def since(query: ProviderQuery, form: str) -> str:
    """Return the beginning of the window in a form of `strftime`; empty for any age."""
    days = WINDOW_DAYS.get(query.freshness)
    return (query.now - timedelta(days=days)).strftime(form) if days else ""
