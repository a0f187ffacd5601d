"""Kagi Search: POST https://kagi.com/api/v1/search.

Source: https://kagi.com/api/docs (OpenAPI, v1) and https://help.kagi.com/kagi/api/. An error is a
list beside empty data; the codes 100 and 101 mean that the account has no funds.
"""

from datetime import timedelta
from typing import Any

from pellucid_search.errors import ProviderError, QuotaError
from pellucid_search.hits import ProviderReply, RawHit
from pellucid_search.providers.wire import (
    Endpoint,
    HttpCall,
    HttpReply,
    address,
    child,
    good_answer,
    items,
    refusal,
    status_error,
    text,
)
from pellucid_search.query import WINDOW_DAYS, ProviderQuery, SafeSearch, with_operators

MAX_COUNT = 50
_NO_FUNDS = frozenset({"100", "101"})


def wording(query: ProviderQuery) -> str:
    """Return the words as they are sent."""
    return with_operators(query)


def build(query: ProviderQuery, endpoint: Endpoint) -> HttpCall:
    """Return the request for one query."""
    body: dict[str, Any] = {
        "query": wording(query),
        "workflow": "news" if query.news else "search",
        "limit": min(query.count, MAX_COUNT),
        "safe_search": query.safe_search is not SafeSearch.OFF,
    }
    filters: dict[str, str] = {}
    if query.country:
        filters["region"] = query.country
    if query.freshness in WINDOW_DAYS:
        since = query.now - timedelta(days=WINDOW_DAYS[query.freshness])
        filters["after"] = since.date().isoformat()
    if filters:
        body["filters"] = filters
    headers = {"Authorization": f"Bearer {endpoint.key}", "Accept": "application/json"}
    return HttpCall("POST", f"{endpoint.base_url}/api/v1/search", headers=headers, json=body)


def parse(reply: HttpReply) -> ProviderReply:
    """Return the results.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    answer = good_answer(reply, _error)
    if answer.get("error"):
        raise _error(reply)
    data = child(answer, "data")
    found = [*items(data.get("search")), *items(data.get("news"))]
    return ProviderReply(tuple(_hit(item) for item in found if address(item.get("url"))))


def _hit(item: dict[str, Any]) -> RawHit:
    return RawHit(
        url=address(item.get("url")),
        title=text(item.get("title")),
        snippet=text(item.get("snippet")),
        age=text(item.get("time")),
    )


def _error(reply: HttpReply) -> ProviderError:
    codes = {str(error.get("code")) for error in items(refusal(reply).get("error"))}
    if codes & _NO_FUNDS:
        return QuotaError("the account has no funds left")
    return status_error(reply)
