"""Serper, Google's results: POST https://google.serper.dev/search.

Source: https://serper.dev/playground. A wrong key is 403, used-up credits are 400 with a message.
It documents no adult filter; Google's own default holds.
"""

from typing import Any

from pellucid_search.errors import ProviderError, QuotaError
from pellucid_search.hits import ProviderReply, RawHit
from pellucid_search.providers import google_codes
from pellucid_search.providers.wire import (
    Endpoint,
    HttpCall,
    HttpReply,
    address,
    good_answer,
    items,
    refusal,
    status_error,
    text,
)
from pellucid_search.query import ProviderQuery, with_operators

# More than ten results cost a second credit.
MAX_COUNT = 10
_NO_CREDITS = "not enough credits"


def wording(query: ProviderQuery) -> str:
    """Return the words as they are sent."""
    return with_operators(query)


def build(query: ProviderQuery, endpoint: Endpoint) -> HttpCall:
    """Return the request for one query."""
    body: dict[str, Any] = {"q": wording(query), "num": min(query.count, MAX_COUNT)}
    optional = {
        "gl": google_codes.country_code(query),
        "hl": google_codes.language_code(query),
        "tbs": google_codes.past(query),
    }
    body |= {name: value for name, value in optional.items() if value}
    headers = {"X-API-KEY": endpoint.key, "Accept": "application/json"}
    return HttpCall("POST", f"{endpoint.base_url}/search", headers=headers, json=body)


def parse(reply: HttpReply) -> ProviderReply:
    """Return the results.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    answer = good_answer(reply, _error)
    used = answer.get("credits")
    hits = tuple(_hit(item) for item in items(answer.get("organic")) if address(item.get("link")))
    return ProviderReply(hits, credits=float(used) if isinstance(used, int | float) else 1.0)


def _hit(item: dict[str, Any]) -> RawHit:
    return RawHit(
        url=address(item.get("link")),
        title=text(item.get("title")),
        snippet=text(item.get("snippet")),
        age=text(item.get("date")),
    )


def _error(reply: HttpReply) -> ProviderError:
    if _NO_CREDITS in text(refusal(reply).get("message")).lower():
        return QuotaError("the account's credits are used up")
    return status_error(reply)
