"""Bing Web Search v7. The service itself was retired on 2025-08-11; resellers still speak it.

A suspected attack is answered with 200 and an empty body.
"""

from pellucid_search.errors import (
    BadRequestError,
    ProviderError,
    ProviderServerError,
    QuotaError,
    RateError,
    RetiredError,
)
from pellucid_search.hits import ProviderReply
from pellucid_search.providers import wire
from pellucid_search.query import Freshness, ProviderQuery, since, window, with_operators

MAX_COUNT = 50
_FORBIDDEN, _GONE = 403, 410
_FIELDS = wire.ResultFields(
    title="name",
    snippet=("snippet", "description"),
    age=("datePublished", "datePublishedDisplayText"),
    language="language",
)
_ERRORS: wire.Meanings = {
    "RateLimitExceeded": (RateError, "the limit per second was reached"),
    "InvalidAuthorization": (RetiredError, "the key is not valid"),
    "InsufficientAuthorization": (RetiredError, "the key is not entitled"),
    "InvalidRequest": (BadRequestError, "the provider rejected a parameter"),
    "ServerError": (ProviderServerError, "the provider reports an error of its own"),
}

wording = with_operators


def build(query: ProviderQuery, endpoint: wire.Endpoint) -> wire.HttpCall:
    """Return the request for one query."""
    market = bool(query.language and query.country)
    params = {
        "q": wording(query),
        "count": str(min(query.count, MAX_COUNT)),
        "safeSearch": query.safe_search.value.capitalize(),
        "responseFilter": "Webpages,News" if query.news else "Webpages",
        "textDecorations": "false",
        "textFormat": "Raw",
        "freshness": _freshness(query),
        "mkt": f"{query.language}-{query.country}" if market else "",
        "setLang": "" if market else query.language,
        "cc": "" if market else query.country,
    }
    headers = {"Ocp-Apim-Subscription-Key": endpoint.key}
    return wire.get(endpoint, "/v7.0/search", params, headers)


def _freshness(query: ProviderQuery) -> str:
    """A year is told by its days."""
    if query.freshness is Freshness.YEAR:
        return f"{since(query, '%Y-%m-%d')}..{query.now.date()}"
    return window(query).capitalize()


def parse(reply: wire.HttpReply) -> ProviderReply:
    """Return the results.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    answer = wire.good_answer(reply, _error)
    if answer.get("_type") == "ErrorResponse":
        raise _error(reply)
    pages, news = wire.child(answer, "webPages"), wire.child(answer, "news")
    return ProviderReply(_FIELDS.hits(pages.get("value"), news.get("value")))


def _error(reply: wire.HttpReply) -> ProviderError:
    """403 with a limit is the day's or month's quota; a retired address is not asked again soon."""
    listed = wire.items(wire.refusal(reply).get("errors"))
    code = wire.text(listed[0].get("code")) if listed else ""
    if code == "RateLimitExceeded" and reply.status == _FORBIDDEN:
        return QuotaError("the quota is used up", retry_after_s=wire.retry_after_s(reply))
    if reply.status == _GONE or (code not in _ERRORS and reply.status in {401, 403, 404}):
        return RetiredError("the address does not serve this key any more")
    return wire.named_error(reply, code, _ERRORS)
