"""You.com Search: POST https://ydc-index.io/v1/search.

Source: https://you.com/docs/api-reference/search/v1-search. Countries and languages are those of
Brave's lists, in capitals; news come by themselves when the query asks for them.
"""

from pellucid_search.hits import ProviderReply
from pellucid_search.providers import brave, wire
from pellucid_search.query import ProviderQuery, permitted, window, words

MAX_COUNT = 100
_MAX_DOMAINS = 500
_FIELDS = wire.ResultFields(
    snippet=("description", "snippets"), age=("page_age",), page_text="snippets"
)

wording = words


def build(query: ProviderQuery, endpoint: wire.Endpoint) -> wire.HttpCall:
    """Return the request for one query."""
    included = list(permitted(query)[:_MAX_DOMAINS])
    body = {
        "query": wording(query),
        "count": min(query.count, MAX_COUNT),
        "safesearch": query.safe_search.value,
        "freshness": window(query),
        "country": query.country if query.country in brave.COUNTRIES else "",
        "language": brave.search_language(query).upper(),
        "include_domains": included,
        "exclude_domains": [] if included else list(query.exclude_domains[:_MAX_DOMAINS]),
    }
    return wire.post(endpoint, "/v1/search", body, {"X-API-Key": endpoint.key})


def parse(reply: wire.HttpReply) -> ProviderReply:
    """Return the results.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    results = wire.child(wire.good_answer(reply), "results")
    return ProviderReply(_FIELDS.hits(results.get("web"), results.get("news")))
