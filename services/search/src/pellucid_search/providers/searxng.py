"""SearXNG: GET <instance>/search?format=json.

An answer without results whose engines are all suspended is a failure, although it is HTTP 200.
"""

from typing import Any

from pellucid_search.errors import (
    BadKeyError,
    BadRequestError,
    BlockedError,
    EmptyError,
    ProviderError,
    ProviderServerError,
    RateError,
)
from pellucid_search.hits import ProviderReply, RawHit
from pellucid_search.providers.wire import (
    Endpoint,
    HttpCall,
    HttpReply,
    address,
    items,
    json_object,
    retry_after_s,
    status_error,
    text,
)
from pellucid_search.query import WINDOW_DAYS, ProviderQuery, SafeSearch, with_operators

_OK = 200
_SAFE_SEARCH = {SafeSearch.OFF: "0", SafeSearch.MODERATE: "1", SafeSearch.STRICT: "2"}
# The limiter allows a few requests an hour when it is on; there is no header that says so.
_LIMITER_PAUSE_S = 600.0


def wording(query: ProviderQuery) -> str:
    """Return the words as they are sent."""
    return with_operators(query)


def build(query: ProviderQuery, endpoint: Endpoint) -> HttpCall:
    """Return the request for one query."""
    params = {
        "q": wording(query),
        "format": "json",
        "categories": "news" if query.news else "general",
        "language": _language(query),
        "safesearch": _SAFE_SEARCH[query.safe_search],
        "pageno": "1",
    }
    if query.freshness in WINDOW_DAYS:
        params["time_range"] = query.freshness.value
    return HttpCall(
        "GET",
        f"{endpoint.base_url}/search",
        params=tuple(params.items()),
        headers={"Accept": "application/json"},
    )


def _language(query: ProviderQuery) -> str:
    if not query.language:
        return "all"
    return f"{query.language}-{query.country}" if query.country else query.language


def parse(reply: HttpReply) -> ProviderReply:
    """Return the results.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    if reply.status != _OK:
        raise _error(reply)
    answer = json_object(reply)
    hits = tuple(_hit(item) for item in items(answer.get("results")) if address(item.get("url")))
    if not hits and answer.get("unresponsive_engines"):
        raise _engines_failed(answer["unresponsive_engines"])
    return ProviderReply(hits)


def _hit(item: dict[str, Any]) -> RawHit:
    return RawHit(
        url=address(item.get("url")),
        title=text(item.get("title")),
        snippet=text(item.get("content")),
        age=text(item.get("publishedDate")) or text(item.get("pubdate")),
    )


def _engines_failed(engines: object) -> ProviderError:
    said = str(engines)[:2_000].lower()
    if "captcha" in said or "access denied" in said:
        return BlockedError("its search engines refuse it")
    if "too many requests" in said:
        return RateError("its search engines limit its rate", retry_after_s=180.0)
    return EmptyError("none of its search engines answered")


def _error(reply: HttpReply) -> ProviderError:
    match reply.status:
        case 403:
            return BadKeyError("the instance does not offer JSON (search.formats) or denies access")
        case 429:
            waiting = retry_after_s(reply) or _LIMITER_PAUSE_S
            return RateError("the instance's limiter refused the request", retry_after_s=waiting)
        case 400:
            return BadRequestError("the instance rejected a parameter")
        case 500:
            return ProviderServerError("the instance reports a search error")
        case _:
            return status_error(reply)
