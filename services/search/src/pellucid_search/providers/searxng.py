"""SearXNG: GET <instance>/search?format=json.

An answer without results whose engines are all suspended is a failure, although it is HTTP 200.
"""

from pellucid_search.errors import (
    BadKeyError,
    BadRequestError,
    BlockedError,
    EmptyError,
    ProviderError,
    ProviderServerError,
    RateError,
)
from pellucid_search.hits import ProviderReply
from pellucid_search.providers import wire
from pellucid_search.query import ProviderQuery, SafeSearch, window, with_operators

_SAFE_SEARCH = {SafeSearch.OFF: "0", SafeSearch.MODERATE: "1", SafeSearch.STRICT: "2"}
# The limiter allows a few requests an hour when it is on; there is no header that says so.
_LIMITER_PAUSE_S = 600.0
_FIELDS = wire.ResultFields(snippet=("content",), age=("publishedDate", "pubdate"))

wording = with_operators


def build(query: ProviderQuery, endpoint: wire.Endpoint) -> wire.HttpCall:
    """Return the request for one query."""
    params = {
        "q": wording(query),
        "format": "json",
        "categories": "news" if query.news else "general",
        "language": _language(query),
        "safesearch": _SAFE_SEARCH[query.safe_search],
        "pageno": "1",
        "time_range": window(query),
    }
    return wire.get(endpoint, "/search", params)


def _language(query: ProviderQuery) -> str:
    if not query.language:
        return "all"
    return f"{query.language}-{query.country}" if query.country else query.language


def parse(reply: wire.HttpReply) -> ProviderReply:
    """Return the results.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    answer = wire.good_answer(reply, _error)
    hits = _FIELDS.hits(answer.get("results"))
    if not hits and answer.get("unresponsive_engines"):
        raise _engines_failed(answer["unresponsive_engines"])
    return ProviderReply(hits)


def _engines_failed(engines: object) -> ProviderError:
    said = str(engines)[:2_000].lower()
    if "captcha" in said or "access denied" in said:
        return BlockedError("its search engines refuse it")
    if "too many requests" in said:
        return RateError("its search engines limit its rate", retry_after_s=180.0)
    return EmptyError("none of its search engines answered")


def _error(reply: wire.HttpReply) -> ProviderError:
    match reply.status:
        case 403:
            return BadKeyError("the instance does not offer JSON (search.formats) or denies access")
        case 429:
            waiting = wire.retry_after_s(reply) or _LIMITER_PAUSE_S
            return RateError("the instance's limiter refused the request", retry_after_s=waiting)
        case 400:
            return BadRequestError("the instance rejected a parameter")
        case 500:
            return ProviderServerError("the instance reports a search error")
        case _:
            return wire.status_error(reply)
