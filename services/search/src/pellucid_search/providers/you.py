"""You.com Search: POST https://ydc-index.io/v1/search.

Source: https://you.com/docs/api-reference/search/v1-search. Countries and languages are those of
Brave's lists, in capitals; news come by themselves when the query asks for them.
"""

from typing import Any

from pellucid_search.hits import ProviderReply, RawHit
from pellucid_search.providers import brave
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
from pellucid_search.query import WINDOW_DAYS, ProviderQuery, permitted

MAX_COUNT = 100
_MAX_DOMAINS = 500


def wording(query: ProviderQuery) -> str:
    """Return the words as they are sent; sites have parameters of their own."""
    return query.text


def build(query: ProviderQuery, endpoint: Endpoint) -> HttpCall:
    """Return the request for one query."""
    body: dict[str, Any] = {
        "query": wording(query),
        "count": min(query.count, MAX_COUNT),
        "safesearch": query.safe_search.value,
    }
    if query.freshness in WINDOW_DAYS:
        body["freshness"] = query.freshness.value
    if query.country in brave.COUNTRIES:
        body["country"] = query.country
    language = brave.search_language(query)
    if language:
        body["language"] = language.upper()
    included = permitted(query)
    if included:
        body["include_domains"] = list(included[:_MAX_DOMAINS])
    elif query.exclude_domains:
        body["exclude_domains"] = list(query.exclude_domains[:_MAX_DOMAINS])
    headers = {"X-API-Key": endpoint.key, "Accept": "application/json"}
    return HttpCall("POST", f"{endpoint.base_url}/v1/search", headers=headers, json=body)


def parse(reply: HttpReply) -> ProviderReply:
    """Return the results.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    results = child(good_answer(reply), "results")
    found = [*items(results.get("web")), *items(results.get("news"))]
    return ProviderReply(tuple(_hit(item) for item in found if address(item.get("url"))))


def _hit(item: dict[str, Any]) -> RawHit:
    return RawHit(
        url=address(item.get("url")),
        title=text(item.get("title")),
        snippet=text(item.get("description")) or joined(item.get("snippets")),
        age=text(item.get("page_age")),
        page_text=joined(item.get("snippets")),
    )
