"""SerpApi, Google's results: GET https://serpapi.com/search.json?engine=google.

Source: https://serpapi.com/search-api and https://serpapi.com/api-status-and-error-codes. 429 is
the limit per hour or the month's searches, told apart by its message; "no results" is an `error`
beside the status `Success`.
"""

from pellucid_search.errors import ProviderError, ProviderServerError, QuotaError
from pellucid_search.hits import ProviderReply
from pellucid_search.providers import google_codes, wire
from pellucid_search.query import ProviderQuery, SafeSearch, with_operators

_FIELDS = wire.ResultFields(url="link")
_ERRORS: wire.Meanings = {"run out of searches": (QuotaError, "the month's searches are used up")}

wording = with_operators


def build(query: ProviderQuery, endpoint: wire.Endpoint) -> wire.HttpCall:
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
    return wire.get(endpoint, "/search.json", params)


def parse(reply: wire.HttpReply) -> ProviderReply:
    """Return the results.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    answer = wire.good_answer(reply, _error)
    if wire.text(wire.child(answer, "search_metadata").get("status")) == "Error":
        raise ProviderServerError("the provider could not read the search engine")
    return ProviderReply(_FIELDS.hits(answer.get("organic_results"), answer.get("news_results")))


def _error(reply: wire.HttpReply) -> ProviderError:
    said = wire.text(wire.refusal(reply).get("error")).lower()
    return wire.named_error(reply, said, _ERRORS)
