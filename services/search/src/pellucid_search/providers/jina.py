"""Jina Search: POST https://s.jina.ai/.

Source: https://jina.ai/reader and its source, https://github.com/jina-ai/reader. `no-content` asks
for the result page alone, which costs 10,000 tokens; nothing found is a refusal of its own (422).
It knows no window of time and no adult filter.
"""

from typing import Any

from pellucid_search.errors import ProviderError, QuotaError, RateError
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
    refusal,
    retry_after_s,
    status_error,
    text,
)
from pellucid_search.query import ProviderQuery, with_operators

MAX_COUNT = 20
# What ten results cost; the price in the registry is for so many.
_TOKENS_PER_CALL = 10_000
_UNPROCESSABLE = 422
_NOTHING_FOUND = "no search results"


def wording(query: ProviderQuery) -> str:
    """Return the words as they are sent."""
    return with_operators(query)


def build(query: ProviderQuery, endpoint: Endpoint) -> HttpCall:
    """Return the request for one query."""
    body: dict[str, Any] = {"q": wording(query), "num": min(query.count, MAX_COUNT)}
    if query.country:
        body["gl"] = query.country.lower()
    if query.language:
        body["hl"] = google_codes.language_code(query).lower()
    headers = {
        "Authorization": f"Bearer {endpoint.key}",
        "Accept": "application/json",
        "X-Respond-With": "no-content",
    }
    return HttpCall("POST", f"{endpoint.base_url}/", headers=headers, json=body)


def parse(reply: HttpReply) -> ProviderReply:
    """Return the results.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    if reply.status == _UNPROCESSABLE and _NOTHING_FOUND in _message(reply):
        return ProviderReply(())
    answer = good_answer(reply, _error)
    used = child(child(answer, "meta"), "usage").get("tokens")
    hits = tuple(_hit(item) for item in items(answer.get("data")) if address(item.get("url")))
    share = used / _TOKENS_PER_CALL if isinstance(used, int | float) else 1.0
    return ProviderReply(hits, credits=share)


def _hit(item: dict[str, Any]) -> RawHit:
    return RawHit(
        url=address(item.get("url")),
        title=text(item.get("title")),
        snippet=text(item.get("description")) or text(item.get("content")),
        age=text(item.get("date")),
    )


def _message(reply: HttpReply) -> str:
    return text(refusal(reply).get("message")).lower()


def _error(reply: HttpReply) -> ProviderError:
    said = refusal(reply)
    match text(said.get("name")):
        case "InsufficientBalanceError":
            return QuotaError("the account's tokens are used up")
        case "RateLimitTriggeredError":
            told = said.get("retryAfter")
            waiting = float(told) if isinstance(told, int | float) else retry_after_s(reply)
            return RateError("the limit per minute was reached", retry_after_s=waiting)
        case _:
            return status_error(reply)
