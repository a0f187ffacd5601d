"""Exa: POST https://api.exa.ai/search.

Source: https://exa.ai/docs/reference/search and https://exa.ai/docs/reference/error-codes. Its
excerpts (`highlights`) are the snippet. It knows no language, and one level of moderation.
"""

from datetime import timedelta
from typing import Any

from pellucid_search.hits import ProviderReply, RawHit
from pellucid_search.providers.wire import (
    Endpoint,
    HttpCall,
    HttpReply,
    address,
    child,
    good_answer,
    items,
    joined,
    text,
)
from pellucid_search.query import WINDOW_DAYS, ProviderQuery, SafeSearch, permitted

MAX_COUNT = 100
# Price of one call as in the registry; the answer tells what this one cost.
USD_PER_CALL = 0.007


def wording(query: ProviderQuery) -> str:
    """Return the words as they are sent; sites have parameters of their own."""
    return query.text


def build(query: ProviderQuery, endpoint: Endpoint) -> HttpCall:
    """Return the request for one query."""
    body: dict[str, Any] = {
        "query": wording(query),
        "type": "auto",
        "numResults": min(query.count, MAX_COUNT),
        "moderation": query.safe_search is not SafeSearch.OFF,
        "contents": {"highlights": True},
    }
    if query.news:
        body["category"] = "news"
    if query.country:
        body["userLocation"] = query.country
    if query.freshness in WINDOW_DAYS:
        since = query.now - timedelta(days=WINDOW_DAYS[query.freshness])
        body["startPublishedDate"] = since.strftime("%Y-%m-%dT%H:%M:%SZ")
    included = permitted(query)
    if included:
        body["includeDomains"] = list(included)
    elif query.exclude_domains:
        body["excludeDomains"] = list(query.exclude_domains)
    headers = {"x-api-key": endpoint.key, "Accept": "application/json"}
    return HttpCall("POST", f"{endpoint.base_url}/search", headers=headers, json=body)


def parse(reply: HttpReply) -> ProviderReply:
    """Return the results.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    answer = good_answer(reply)
    cost = child(answer, "costDollars").get("total")
    hits = tuple(_hit(item) for item in items(answer.get("results")) if address(item.get("url")))
    used = cost / USD_PER_CALL if isinstance(cost, int | float) else 1.0
    return ProviderReply(hits, credits=used)


def _hit(item: dict[str, Any]) -> RawHit:
    return RawHit(
        url=address(item.get("url")),
        title=text(item.get("title")),
        snippet=joined(item.get("highlights")) or text(item.get("text")),
        age=text(item.get("publishedDate")),
    )
