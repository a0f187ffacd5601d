"""Perplexity Search: POST https://api.perplexity.ai/search.

Source: https://docs.perplexity.ai/api-reference/search-post and
https://docs.perplexity.ai/docs/admin/rate-limits-usage-tiers. Its snippets are long excerpts, which
may stand in for the page. Domains are either all permitted or all denied.
"""

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
    page_text,
    refusal,
    status_error,
    text,
)
from pellucid_search.query import WINDOW_DAYS, ProviderQuery, permitted

MAX_COUNT = 20
_MAX_DOMAINS = 20
_TOKENS_PER_PAGE = 1024
_NO_FUNDS = "insufficient_quota"


def wording(query: ProviderQuery) -> str:
    """Return the words as they are sent; sites have parameters of their own."""
    return query.text


def build(query: ProviderQuery, endpoint: Endpoint) -> HttpCall:
    """Return the request for one query."""
    body: dict[str, Any] = {
        "query": wording(query),
        "max_results": min(query.count, MAX_COUNT),
        "max_tokens_per_page": _TOKENS_PER_PAGE,
    }
    if query.country:
        body["country"] = query.country
    if query.language:
        body["search_language_filter"] = [query.language]
    if query.freshness in WINDOW_DAYS:
        body["search_recency_filter"] = query.freshness.value
    domains = _domains(query)
    if domains:
        body["search_domain_filter"] = domains
    headers = {"Authorization": f"Bearer {endpoint.key}", "Accept": "application/json"}
    return HttpCall("POST", f"{endpoint.base_url}/search", headers=headers, json=body)


def _domains(query: ProviderQuery) -> list[str]:
    """What is permitted, else what is denied: a mixed list is refused."""
    denied = tuple(f"-{domain}" for domain in query.exclude_domains)
    return list((permitted(query) or denied)[:_MAX_DOMAINS])


def parse(reply: HttpReply) -> ProviderReply:
    """Return the results.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    found = items(good_answer(reply, _error).get("results"))
    return ProviderReply(tuple(_hit(item) for item in found if address(item.get("url"))))


def _hit(item: dict[str, Any]) -> RawHit:
    return RawHit(
        url=address(item.get("url")),
        title=text(item.get("title")),
        snippet=text(item.get("snippet")),
        age=text(item.get("date")) or text(item.get("last_updated")),
        page_text=page_text(item.get("snippet")),
    )


def _error(reply: HttpReply) -> ProviderError:
    if text(child(refusal(reply), "error").get("type")) == _NO_FUNDS:
        return QuotaError("the account's credit is used up")
    return status_error(reply)
