"""The `ddgs` library: keyless metasearch by scraping, best effort.

It is a library and not an HTTP interface, so this module builds the arguments of its call and
reads the rows and exceptions that it gives.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pellucid_search.errors import (
    BlockedError,
    ProviderError,
    ProviderServerError,
    ProviderTimeoutError,
    RateError,
    UnreachableError,
)
from pellucid_search.hits import ProviderReply, RawHit
from pellucid_search.providers.wire import MAX_ITEMS, address, text
from pellucid_search.query import Freshness, ProviderQuery, SafeSearch, with_operators

MAX_COUNT = 20
_TIME_LIMIT = {
    Freshness.DAY: "d",
    Freshness.WEEK: "w",
    Freshness.MONTH: "m",
    Freshness.YEAR: "y",
}
_SAFE_SEARCH = {
    SafeSearch.OFF: "off",
    SafeSearch.MODERATE: "moderate",
    SafeSearch.STRICT: "on",
}
# The library says so in the text of a general exception when nothing was found.
_NOTHING_FOUND = "no results found"
_CONNECTION_WORDS = ("dns", "connect", "resolve", "network", "tcp")


def wording(query: ProviderQuery) -> str:
    """Return the words as they are sent."""
    return with_operators(query)


def arguments(query: ProviderQuery) -> dict[str, Any]:
    """Return the keyword arguments of `DDGS.text` (or `.news`) for one query."""
    return {
        "query": wording(query),
        "region": _region(query),
        "safesearch": _SAFE_SEARCH[query.safe_search],
        "timelimit": _TIME_LIMIT.get(query.freshness),
        "max_results": min(query.count, MAX_COUNT),
    }


def _region(query: ProviderQuery) -> str:
    """Return country and language; the library calls the United Kingdom `uk`."""
    country = "uk" if query.country == "GB" else query.country.lower()
    return f"{country or 'us'}-{query.language or 'en'}"


def parse(rows: Sequence[Mapping[str, Any]]) -> ProviderReply:
    """Return the results of the library's rows, of its text or its news search."""
    hits = (
        RawHit(
            url=address(row.get("href")) or address(row.get("url")),
            title=text(row.get("title")),
            snippet=text(row.get("body")),
            age=text(row.get("date")),
        )
        for row in rows[:MAX_ITEMS]
        if isinstance(row, Mapping)
    )
    return ProviderReply(hits=tuple(hit for hit in hits if hit.url))


def failure(kind: str, message: str) -> ProviderError | None:
    """Return what an exception of the library means; None when it means "no results".

    Args:
        kind: Name of the exception's class.
        message: Its text; never shown, for it may hold the query.
    """
    said = message.lower()
    if kind == "RatelimitException" or "ratelimit" in said or "429" in said:
        return RateError("the search engines limit this client's rate")
    if kind == "TimeoutException" or "timed out" in said or "timeout" in said:
        return ProviderTimeoutError("the search engines did not answer in time")
    if _NOTHING_FOUND in said:
        return None
    if "captcha" in said or "403" in said:
        return BlockedError("the search engines refuse this client")
    if any(word in said for word in _CONNECTION_WORDS):
        return UnreachableError("the search engines could not be reached")
    return ProviderServerError("the search engines failed")
