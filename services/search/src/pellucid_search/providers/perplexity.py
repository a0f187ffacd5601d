"""Perplexity Search: POST https://api.perplexity.ai/search.

Source: https://docs.perplexity.ai/api-reference/search-post and
https://docs.perplexity.ai/docs/admin/rate-limits-usage-tiers. Its snippets are long excerpts, which
may stand in for the page. Domains are either all permitted or all denied.
"""

from pellucid_search.errors import ProviderError, QuotaError
from pellucid_search.hits import ProviderReply
from pellucid_search.providers import wire
from pellucid_search.query import ProviderQuery, permitted, window, words

MAX_COUNT = 20
_MAX_DOMAINS = 20
_TOKENS_PER_PAGE = 1024
_FIELDS = wire.ResultFields(age=("date", "last_updated"), page_text="snippet")
_ERRORS: wire.Meanings = {"insufficient_quota": (QuotaError, "the account's credit is used up")}

wording = words


def build(query: ProviderQuery, endpoint: wire.Endpoint) -> wire.HttpCall:
    """Return the request for one query."""
    body = {
        "query": wording(query),
        "max_results": min(query.count, MAX_COUNT),
        "max_tokens_per_page": _TOKENS_PER_PAGE,
        "country": query.country,
        "search_language_filter": [query.language] if query.language else [],
        "search_recency_filter": window(query),
        "search_domain_filter": _domains(query),
    }
    return wire.post(endpoint, "/search", body, wire.bearer(endpoint))


def _domains(query: ProviderQuery) -> list[str]:
    """What is permitted, else what is denied: a mixed list is refused."""
    denied = tuple(f"-{domain}" for domain in query.exclude_domains)
    return list((permitted(query) or denied)[:_MAX_DOMAINS])


def parse(reply: wire.HttpReply) -> ProviderReply:
    """Return the results.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    return ProviderReply(_FIELDS.hits(wire.good_answer(reply, _error).get("results")))


def _error(reply: wire.HttpReply) -> ProviderError:
    said = wire.text(wire.child(wire.refusal(reply), "error").get("type"))
    return wire.named_error(reply, said, _ERRORS)
