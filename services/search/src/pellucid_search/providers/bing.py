"""Bing Web Search v7. The service itself was retired on 2025-08-11; resellers still speak it.

A suspected attack is answered with 200 and an empty body.
"""

from datetime import timedelta
from typing import Any

from pellucid_search.errors import (
    BadRequestError,
    ProviderError,
    ProviderServerError,
    QuotaError,
    RateError,
    RetiredError,
)
from pellucid_search.hits import ProviderReply, RawHit
from pellucid_search.providers.wire import (
    Endpoint,
    HttpCall,
    HttpReply,
    address,
    child,
    items,
    json_object,
    retry_after_s,
    status_error,
    text,
)
from pellucid_search.query import Freshness, ProviderQuery, SafeSearch, with_operators

MAX_COUNT = 50
_OK = 200
_GONE = 410
_FRESHNESS = {Freshness.DAY: "Day", Freshness.WEEK: "Week", Freshness.MONTH: "Month"}
_SAFE_SEARCH = {
    SafeSearch.OFF: "Off",
    SafeSearch.MODERATE: "Moderate",
    SafeSearch.STRICT: "Strict",
}
_YEAR_DAYS = 365
_ERRORS: dict[str, tuple[type[ProviderError], str]] = {
    "InvalidAuthorization": (RetiredError, "the key is not valid"),
    "InsufficientAuthorization": (RetiredError, "the key is not entitled"),
    "InvalidRequest": (BadRequestError, "the provider rejected a parameter"),
    "ServerError": (ProviderServerError, "the provider reports an error of its own"),
}


def wording(query: ProviderQuery) -> str:
    """Return the words as they are sent."""
    return with_operators(query)


def build(query: ProviderQuery, endpoint: Endpoint) -> HttpCall:
    """Return the request for one query."""
    params = {
        "q": wording(query),
        "count": str(min(query.count, MAX_COUNT)),
        "safeSearch": _SAFE_SEARCH[query.safe_search],
        "responseFilter": "Webpages,News" if query.news else "Webpages",
        "textDecorations": "false",
        "textFormat": "Raw",
    }
    if query.freshness in _FRESHNESS:
        params["freshness"] = _FRESHNESS[query.freshness]
    elif query.freshness is Freshness.YEAR:
        params["freshness"] = _last_year(query)
    if query.language and query.country:
        params["mkt"] = f"{query.language}-{query.country}"
    elif query.language:
        params["setLang"] = query.language
    elif query.country:
        params["cc"] = query.country
    headers = {"Ocp-Apim-Subscription-Key": endpoint.key, "Accept": "application/json"}
    url = f"{endpoint.base_url}/v7.0/search"
    return HttpCall("GET", url, params=tuple(params.items()), headers=headers)


def _last_year(query: ProviderQuery) -> str:
    end = query.now.date()
    return f"{end - timedelta(days=_YEAR_DAYS)}..{end}"


def parse(reply: HttpReply) -> ProviderReply:
    """Return the results.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    if reply.status != _OK:
        raise _error(reply)
    answer = json_object(reply)
    if answer.get("_type") == "ErrorResponse":
        raise _error(reply)
    found = [*items(child(answer, "webPages").get("value"))]
    found.extend(items(child(answer, "news").get("value")))
    return ProviderReply(tuple(_hit(item) for item in found if address(item.get("url"))))


def _hit(item: dict[str, Any]) -> RawHit:
    return RawHit(
        url=address(item.get("url")),
        title=text(item.get("name")),
        snippet=text(item.get("snippet")) or text(item.get("description")),
        age=text(item.get("datePublished")) or text(item.get("datePublishedDisplayText")),
        language=text(item.get("language"), 16),
    )


def _error(reply: HttpReply) -> ProviderError:
    try:
        listed = items(json_object(reply).get("errors"))
    except ProviderError:
        return _by_status(reply)
    code = text(listed[0].get("code")) if listed else ""
    if reply.status == _GONE:
        return _by_status(reply)
    if code == "RateLimitExceeded":
        return _limited(reply)
    said = _ERRORS.get(code)
    return said[0](said[1]) if said else _by_status(reply)


def _limited(reply: HttpReply) -> ProviderError:
    """403 is the day's or month's quota, 429 the limit per second."""
    if reply.status == 403:  # noqa: PLR2004 - HTTP status
        return QuotaError("the quota is used up", retry_after_s=retry_after_s(reply))
    return RateError("the limit per second was reached", retry_after_s=retry_after_s(reply))


def _by_status(reply: HttpReply) -> ProviderError:
    """What a retired address answers must not be asked again soon."""
    if reply.status in {401, 403, 404, 410}:
        return RetiredError("the address does not serve this key any more")
    return status_error(reply)
