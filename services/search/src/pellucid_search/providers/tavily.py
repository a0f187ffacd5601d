"""Tavily Search: POST https://api.tavily.com/search.

It knows parameters for domains and time, returns page text when asked, and charges by credits.
"""

from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from pellucid_search.errors import (
    BadKeyError,
    BadRequestError,
    ProviderError,
    ProviderServerError,
    QuotaError,
    RateError,
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
    page_text,
    retry_after_s,
    status_error,
    text,
)
from pellucid_search.query import WINDOW_DAYS, ProviderQuery, SafeSearch, permitted

MAX_COUNT = 20
_MAX_CHARACTERS = 399
_MAX_INCLUDED = 300
_MAX_EXCLUDED = 150
_OK = 200


def wording(query: ProviderQuery) -> str:
    """Return the words as they are sent; sites have parameters of their own."""
    return query.text[:_MAX_CHARACTERS]


def build(query: ProviderQuery, endpoint: Endpoint) -> HttpCall:
    """Return the request for one query."""
    body: dict[str, Any] = {
        "query": wording(query),
        "search_depth": "basic",
        "topic": "news" if query.news else "general",
        "max_results": min(query.count, MAX_COUNT),
        "include_raw_content": "text",
        "include_answer": False,
        "include_images": False,
        "include_usage": True,
    }
    if query.freshness in WINDOW_DAYS:
        body["time_range"] = query.freshness.value
    included = permitted(query)
    if included:
        body["include_domains"] = list(included[:_MAX_INCLUDED])
    if query.exclude_domains:
        body["exclude_domains"] = list(query.exclude_domains[:_MAX_EXCLUDED])
    country = _countries().get(query.country, "")
    if country and not query.news:  # only the topic `general` takes a country
        body["country"] = country
    if query.safe_search is SafeSearch.STRICT:
        body["safe_search"] = True
    headers = {"Authorization": f"Bearer {endpoint.key}", "Accept": "application/json"}
    return HttpCall("POST", f"{endpoint.base_url}/search", headers=headers, json=body)


@cache
def _countries() -> dict[str, str]:
    table = (files("pellucid_search") / "policy/countries.yaml").read_text("utf-8")
    return dict(yaml.safe_load(table))


def parse(reply: HttpReply) -> ProviderReply:
    """Return the results.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    if reply.status != _OK:
        raise _error(reply)
    answer = json_object(reply)
    used = child(answer, "usage").get("credits")
    hits = tuple(_hit(item) for item in items(answer.get("results")) if address(item.get("url")))
    return ProviderReply(hits, credits=float(used) if isinstance(used, int | float) else 1.0)


def _hit(item: dict[str, Any]) -> RawHit:
    return RawHit(
        url=address(item.get("url")),
        title=text(item.get("title")),
        snippet=text(item.get("content")),
        age=text(item.get("published_date")),
        page_text=page_text(item.get("raw_content")),
    )


def _error(reply: HttpReply) -> ProviderError:
    match reply.status:
        case 401 | 403:
            return BadKeyError("the key is not valid or not entitled")
        case 400 | 422:
            return BadRequestError("the provider rejected a parameter")
        case 429:
            return RateError("the rate limit was reached", retry_after_s=_wait_s(reply))
        case 432 | 433:
            return QuotaError("the plan's credits are used up")
        case status if status >= 500:  # noqa: PLR2004 - server errors
            return ProviderServerError("the provider reports an error of its own")
        case _:
            return status_error(reply)


def _wait_s(reply: HttpReply) -> float | None:
    """Keyless answers say it in the body, others perhaps in a header."""
    waiting = retry_after_s(reply)
    if waiting is not None:
        return waiting
    try:
        said = child(json_object(reply), "error").get("retry_after_seconds")
    except ProviderError:
        return None
    return float(said) if isinstance(said, int | float) else None
