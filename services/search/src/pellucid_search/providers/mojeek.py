"""Mojeek, an index of its own: GET https://api.mojeek.com/search?fmt=json.

Source: https://www.mojeek.com/support/api/search/request_parameters.html and
https://www.mojeek.com/support/api/search/json_response.html. Errors are a sentence in the field
`status` of an answer with HTTP 200; country and language are preferred and do not restrict.
"""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from pellucid_search.errors import (
    BadKeyError,
    BadRequestError,
    ProviderError,
    QuotaError,
    RateError,
)
from pellucid_search.hits import ProviderReply, RawHit
from pellucid_search.providers.wire import (
    Endpoint,
    HttpCall,
    HttpReply,
    address,
    child,
    good_answer,
    items,
    text,
)
from pellucid_search.query import WINDOW_DAYS, ProviderQuery, SafeSearch, with_operators

MAX_COUNT = 50
# How much a preferred country or language counts, 1 to 100, as the documentation recommends.
_BOOST = "10"


def wording(query: ProviderQuery) -> str:
    """Return the words as they are sent; one site has a parameter of its own."""
    if query.site:
        query = replace(query, site="", include_domains=())
    return with_operators(query)


def build(query: ProviderQuery, endpoint: Endpoint) -> HttpCall:
    """Return the request for one query."""
    params = {
        "api_key": endpoint.key,
        "q": wording(query),
        "fmt": "json",
        "t": str(min(query.count, MAX_COUNT)),
        "safe": "0" if query.safe_search is SafeSearch.OFF else "1",
        "date": "1",
    }
    if query.freshness in WINDOW_DAYS:
        since = query.now - timedelta(days=WINDOW_DAYS[query.freshness])
        params["since"] = since.strftime("%Y%m%d")
    if query.country:
        params |= {"rb": query.country, "rbb": _BOOST}
    if query.language:
        params |= {"lb": query.language.upper(), "lbb": _BOOST}
    if query.site:
        params["site"] = query.site
    return HttpCall("GET", f"{endpoint.base_url}/search", params=tuple(params.items()))


def parse(reply: HttpReply) -> ProviderReply:
    """Return the results.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    response = child(good_answer(reply), "response")
    status = text(response.get("status"))
    if status.upper().startswith("ERROR"):
        raise _error(status.lower())
    found = items(response.get("results"))
    return ProviderReply(tuple(_hit(item) for item in found if address(item.get("url"))))


def _hit(item: dict[str, Any]) -> RawHit:
    return RawHit(
        url=address(item.get("url")),
        title=text(item.get("title")),
        snippet=text(item.get("desc")),
        age=text(item.get("date")) or _day(item.get("timestamp")),
    )


def _day(timestamp: object) -> str:
    """Return the day of seconds since 1970, ISO; empty for anything else."""
    if not isinstance(timestamp, int) or not 0 < timestamp < 1 << 33:
        return ""
    return datetime.fromtimestamp(timestamp, UTC).date().isoformat()


def _error(status: str) -> ProviderError:
    if "daily limit" in status or "monthly limit" in status:
        return QuotaError("the day's or month's quota is used up")
    if "limit" in status:
        return RateError("the limit per second was reached")
    if "key" in status:
        return BadKeyError("the key is not valid or not entitled")
    return BadRequestError("the provider rejected the request")
