"""SerpApi, Google's results: GET https://serpapi.com/search.json?engine=google.

Source: https://serpapi.com/search-api and https://serpapi.com/api-status-and-error-codes. 429 is
the limit per hour or the month's searches, told apart by its message; "no results" is an `error`
beside the status `Success`.
"""

from typing import Any

from pellucid_search.errors import ProviderError, ProviderServerError, QuotaError
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
    status_error,
    text,
)
from pellucid_search.query import ProviderQuery, SafeSearch, with_operators

_SPENT = "run out of searches"


def wording(query: ProviderQuery) -> str:
    """Return the words as they are sent."""
    return with_operators(query)


def build(query: ProviderQuery, endpoint: Endpoint) -> HttpCall:
    """Return the request for one query; Google gives ten results a page."""
    language = google_codes.language_code(query)
    params = {
        "engine": "google",
        "api_key": endpoint.key,
        "q": wording(query),
        "safe": "off" if query.safe_search is SafeSearch.OFF else "active",
        "gl": google_codes.country_code(query),
        "hl": language.lower(),
        "lr": f"lang_{language}" if language else "",
        "tbs": google_codes.past(query),
        "tbm": "nws" if query.news else "",
    }
    given = tuple((name, value) for name, value in params.items() if value)
    return HttpCall("GET", f"{endpoint.base_url}/search.json", params=given)


def parse(reply: HttpReply) -> ProviderReply:
    """Return the results.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    answer = good_answer(reply, _error)
    if text(child(answer, "search_metadata").get("status")) == "Error":
        raise ProviderServerError("the provider could not read the search engine")
    found = [*items(answer.get("organic_results")), *items(answer.get("news_results"))]
    return ProviderReply(tuple(_hit(item) for item in found if address(item.get("link"))))


def _hit(item: dict[str, Any]) -> RawHit:
    return RawHit(
        url=address(item.get("link")),
        title=text(item.get("title")),
        snippet=text(item.get("snippet")),
        age=text(item.get("date")),
    )


def _error(reply: HttpReply) -> ProviderError:
    if _SPENT in text(refusal(reply).get("error")).lower():
        return QuotaError("the month's searches are used up")
    return status_error(reply)
