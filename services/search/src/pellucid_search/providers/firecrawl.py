"""Firecrawl Search: POST https://api.firecrawl.dev/v2/search.

Source: https://docs.firecrawl.dev/api-reference/endpoint/search. Without `scrapeOptions` it gives
the result page, for two credits per ten results. It knows no language and no adult filter. An
installation of one's own is reached by its address.
"""

from pellucid_search.errors import ProviderServerError
from pellucid_search.hits import ProviderReply
from pellucid_search.providers import google_codes, wire
from pellucid_search.query import ProviderQuery, with_operators

MAX_COUNT = 100
_CREDITS_PER_CALL = 2
_FIELDS = wire.ResultFields(snippet=("description", "snippet"))

wording = with_operators


def build(query: ProviderQuery, endpoint: wire.Endpoint) -> wire.HttpCall:
    """Return the request for one query."""
    sources = ("web", "news") if query.news else ("web",)
    body = {
        "query": wording(query),
        "limit": min(query.count, MAX_COUNT),
        "sources": [{"type": source} for source in sources],
        "country": query.country,
        "tbs": google_codes.past(query),
    }
    return wire.post(endpoint, "/v2/search", body, wire.bearer(endpoint))


def parse(reply: wire.HttpReply) -> ProviderReply:
    """Return the results.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    answer = wire.good_answer(reply)
    if answer.get("success") is False:
        raise ProviderServerError("the provider says that it did not succeed")
    data, spent = wire.child(answer, "data"), answer.get("creditsUsed")
    hits = _FIELDS.hits(data.get("web"), data.get("news"))
    return ProviderReply(hits, credits=wire.used(spent, _CREDITS_PER_CALL))
