"""Google Custom Search JSON API: GET https://www.googleapis.com/customsearch/v1.

Closed to new customers and announced to end on 2027-01-01; kept for existing ones.
"""

from dataclasses import replace
from typing import Any

from pellucid_search.errors import (
    BadKeyError,
    BadRequestError,
    ProviderError,
    QuotaError,
    RateError,
)
from pellucid_search.hits import DateSource, ProviderReply, RawHit
from pellucid_search.providers import google_codes
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

MAX_COUNT = 10
_OK = 200
_RESTRICT = {
    Freshness.DAY: "d1",
    Freshness.WEEK: "w1",
    Freshness.MONTH: "m1",
    Freshness.YEAR: "y1",
}
_DATE_TAGS = ("article:published_time", "og:published_time", "datepublished", "date", "pubdate")
_KEY_REASONS = frozenset({"keyInvalid", "accessNotConfigured", "forbidden", "ipRefererBlocked"})
_QUOTA_REASONS = frozenset({"dailyLimitExceeded", "quotaExceeded", "dailyLimitExceededUnreg"})
_RATE_REASONS = frozenset({"rateLimitExceeded", "userRateLimitExceeded", "RESOURCE_EXHAUSTED"})


def wording(query: ProviderQuery) -> str:
    """Return the words as they are sent; one site has a parameter of its own."""
    if query.site:
        query = replace(query, site="", include_domains=())
    return with_operators(query)


def build(query: ProviderQuery, endpoint: Endpoint) -> HttpCall:
    """Return the request for one query."""
    params = {
        "key": endpoint.key,
        "cx": endpoint.account,
        "q": wording(query),
        "num": str(min(query.count, MAX_COUNT)),
        "safe": "off" if query.safe_search is SafeSearch.OFF else "active",
    }
    if query.freshness in _RESTRICT:
        params["dateRestrict"] = _RESTRICT[query.freshness]
    if query.language:
        language = google_codes.language_code(query)
        params |= {"lr": f"lang_{language}", "hl": language}
    if query.country:
        params["gl"] = google_codes.country_code(query)
    if query.site:
        params |= {"siteSearch": query.site, "siteSearchFilter": "i"}
    return HttpCall("GET", f"{endpoint.base_url}/customsearch/v1", params=tuple(params.items()))


def parse(reply: HttpReply) -> ProviderReply:
    """Return the results; an answer without `items` found nothing.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    if reply.status != _OK:
        raise _error(reply)
    answer = json_object(reply)
    found = items(answer.get("items"))
    return ProviderReply(tuple(_hit(item) for item in found if address(item.get("link"))))


def _hit(item: dict[str, Any]) -> RawHit:
    return RawHit(
        url=address(item.get("link")),
        title=text(item.get("title")),
        snippet=text(item.get("snippet")),
        age=page_date(item),
        date_source=DateSource.META,
    )


def page_date(item: dict[str, Any]) -> str:
    """Return the date that a result's page declares; empty when it declares none."""
    tags = items(child(item, "pagemap").get("metatags"))
    named = {key.lower(): text(value) for tag in tags for key, value in tag.items()}
    return next((named[name] for name in _DATE_TAGS if named.get(name)), "")


def _error(reply: HttpReply) -> ProviderError:
    try:
        error = child(json_object(reply), "error")
    except ProviderError:
        return status_error(reply)
    listed = items(error.get("errors"))
    reason = text(listed[0].get("reason")) if listed else text(error.get("status"))
    if reason in _QUOTA_REASONS:
        return QuotaError("the day's quota is used up")
    if reason in _RATE_REASONS:
        return RateError("the rate limit was reached", retry_after_s=retry_after_s(reply))
    if reason in _KEY_REASONS or "api key" in text(error.get("message")).lower():
        return BadKeyError("the key is not valid or not entitled")
    if reason in {"badRequest", "invalid", "INVALID_ARGUMENT", "parseError"}:
        return BadRequestError("the provider rejected a parameter")
    return status_error(reply)
