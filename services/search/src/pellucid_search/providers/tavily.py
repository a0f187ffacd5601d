"""Tavily Search: POST https://api.tavily.com/search.

It knows parameters for domains and time, returns page text when asked, and charges by credits.
"""

from functools import cache
from importlib.resources import files

import yaml

from pellucid_search.errors import (
    BadKeyError,
    BadRequestError,
    ProviderError,
    ProviderServerError,
    QuotaError,
    RateError,
)
from pellucid_search.hits import ProviderReply
from pellucid_search.providers import wire
from pellucid_search.query import ProviderQuery, SafeSearch, permitted, window

MAX_COUNT = 20
_MAX_CHARACTERS = 399
_MAX_INCLUDED = 300
_MAX_EXCLUDED = 150
_FIELDS = wire.ResultFields(snippet=("content",), age=("published_date",), page_text="raw_content")


def wording(query: ProviderQuery) -> str:
    """Return the words as they are sent; sites have parameters of their own."""
    return query.text[:_MAX_CHARACTERS]


def build(query: ProviderQuery, endpoint: wire.Endpoint) -> wire.HttpCall:
    """Return the request for one query."""
    body = {
        "query": wording(query),
        "search_depth": "basic",
        "topic": "news" if query.news else "general",
        "max_results": min(query.count, MAX_COUNT),
        "include_raw_content": "text",
        "include_answer": False,
        "include_images": False,
        "include_usage": True,
        "time_range": window(query),
        "include_domains": list(permitted(query)[:_MAX_INCLUDED]),
        "exclude_domains": list(query.exclude_domains[:_MAX_EXCLUDED]),
        # Only the topic `general` takes a country.
        "country": None if query.news else _countries().get(query.country),
        "safe_search": True if query.safe_search is SafeSearch.STRICT else None,
    }
    return wire.post(endpoint, "/search", body, wire.bearer(endpoint))


@cache
def _countries() -> dict[str, str]:
    table = (files("pellucid_search") / "policy/countries.yaml").read_text("utf-8")
    return dict(yaml.safe_load(table))


def parse(reply: wire.HttpReply) -> ProviderReply:
    """Return the results.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    answer = wire.good_answer(reply, _error)
    spent = wire.child(answer, "usage").get("credits")
    return ProviderReply(_FIELDS.hits(answer.get("results")), credits=wire.used(spent))


def _error(reply: wire.HttpReply) -> ProviderError:
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
            return wire.status_error(reply)


def _wait_s(reply: wire.HttpReply) -> float | None:
    """Keyless answers say it in the body, others perhaps in a header."""
    waiting = wire.retry_after_s(reply)
    said = wire.child(wire.refusal(reply), "error").get("retry_after_seconds")
    return float(said) if waiting is None and isinstance(said, int | float) else waiting
