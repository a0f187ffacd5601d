"""Exa: POST https://api.exa.ai/search.

Source: https://exa.ai/docs/reference/search and https://exa.ai/docs/reference/error-codes. Its
excerpts (`highlights`) are the snippet. It knows no language, and one level of moderation.
"""

from pellucid_search.hits import ProviderReply
from pellucid_search.providers import wire
from pellucid_search.query import ProviderQuery, SafeSearch, permitted, since, words

MAX_COUNT = 100
# Price of one call as in the registry; the answer tells what this one cost.
USD_PER_CALL = 0.007
_FIELDS = wire.ResultFields(snippet=("highlights", "text"), age=("publishedDate",))

wording = words


def build(query: ProviderQuery, endpoint: wire.Endpoint) -> wire.HttpCall:
    """Return the request for one query."""
    included = list(permitted(query))
    body = {
        "query": wording(query),
        "type": "auto",
        "numResults": min(query.count, MAX_COUNT),
        "moderation": query.safe_search is not SafeSearch.OFF,
        "contents": {"highlights": True},
        "category": "news" if query.news else "",
        "userLocation": query.country,
        "startPublishedDate": since(query, "%Y-%m-%dT%H:%M:%SZ"),
        "includeDomains": included,
        "excludeDomains": [] if included else list(query.exclude_domains),
    }
    return wire.post(endpoint, "/search", body, {"x-api-key": endpoint.key})


def parse(reply: wire.HttpReply) -> ProviderReply:
    """Return the results.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    answer = wire.good_answer(reply)
    cost = wire.child(answer, "costDollars").get("total")
    hits = _FIELDS.hits(answer.get("results"))
    return ProviderReply(hits, credits=wire.used(cost, USD_PER_CALL))
