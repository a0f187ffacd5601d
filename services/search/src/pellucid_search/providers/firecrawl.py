"""Firecrawl Search: POST https://api.firecrawl.dev/v2/search.

Source: https://docs.firecrawl.dev/api-reference/endpoint/search. Without `scrapeOptions` it gives
the result page, for two credits per ten results. It knows no language and no adult filter. An
installation of one's own is reached by its address.
"""

from typing import Any

from pellucid_search.errors import ProviderServerError
from pellucid_search.hits import ProviderReply, RawHit
from pellucid_search.providers import google_codes
from pellucid_search.providers.wire import (
    Endpoint,
    HttpCall,
    HttpReply,
    address,
    child,
    good_answer,
    items,
    text,
)
from pellucid_search.query import ProviderQuery, with_operators

MAX_COUNT = 100
_CREDITS_PER_CALL = 2


def wording(query: ProviderQuery) -> str:
    """Return the words as they are sent."""
    return with_operators(query)


def build(query: ProviderQuery, endpoint: Endpoint) -> HttpCall:
    """Return the request for one query."""
    sources = ("web", "news") if query.news else ("web",)
    body: dict[str, Any] = {
        "query": wording(query),
        "limit": min(query.count, MAX_COUNT),
        "sources": [{"type": source} for source in sources],
    }
    if query.country:
        body["country"] = query.country
    window = google_codes.past(query)
    if window:
        body["tbs"] = window
    headers = {"Authorization": f"Bearer {endpoint.key}", "Accept": "application/json"}
    return HttpCall("POST", f"{endpoint.base_url}/v2/search", headers=headers, json=body)


def parse(reply: HttpReply) -> ProviderReply:
    """Return the results.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    answer = good_answer(reply)
    if answer.get("success") is False:
        raise ProviderServerError("the provider says that it did not succeed")
    data, used = child(answer, "data"), answer.get("creditsUsed")
    found = [*items(data.get("web")), *items(data.get("news"))]
    return ProviderReply(
        tuple(_hit(item) for item in found if address(item.get("url"))),
        credits=used / _CREDITS_PER_CALL if isinstance(used, int | float) else 1.0,
    )


def _hit(item: dict[str, Any]) -> RawHit:
    return RawHit(
        url=address(item.get("url")),
        title=text(item.get("title")),
        snippet=text(item.get("description")) or text(item.get("snippet")),
        age=text(item.get("date")),
    )
