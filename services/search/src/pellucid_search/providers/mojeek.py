"""Mojeek, an index of its own: GET https://api.mojeek.com/search?fmt=json.

Source: https://www.mojeek.com/support/api/search/request_parameters.html and
https://www.mojeek.com/support/api/search/json_response.html. Errors are a sentence in the field
`status` of an answer with HTTP 200; country and language are preferred and do not restrict.
"""

from datetime import UTC, datetime
from typing import Any

from pellucid_search.errors import BadKeyError, BadRequestError, QuotaError, RateError
from pellucid_search.hits import ProviderReply
from pellucid_search.providers import wire
from pellucid_search.query import ProviderQuery, SafeSearch, since, with_operators_but_one_site

MAX_COUNT = 50
# How much a preferred country or language counts, 1 to 100, as the documentation recommends.
_BOOST = "10"
_FIELDS = wire.ResultFields(snippet=("desc",), age=("date", "day"))
_SPENT = (QuotaError, "the day's or month's quota is used up")
_ERRORS: wire.Meanings = {
    "daily limit": _SPENT,
    "monthly limit": _SPENT,
    "limit": (RateError, "the limit per second was reached"),
    "key": (BadKeyError, "the key is not valid or not entitled"),
    "error": (BadRequestError, "the provider rejected the request"),
}

wording = with_operators_but_one_site


def build(query: ProviderQuery, endpoint: wire.Endpoint) -> wire.HttpCall:
    """Return the request for one query."""
    params = {
        "api_key": endpoint.key,
        "q": wording(query),
        "fmt": "json",
        "t": str(min(query.count, MAX_COUNT)),
        "safe": "0" if query.safe_search is SafeSearch.OFF else "1",
        "date": "1",
        "since": since(query, "%Y%m%d"),
        "rb": query.country,
        "rbb": _BOOST if query.country else "",
        "lb": query.language.upper(),
        "lbb": _BOOST if query.language else "",
        "site": query.site,
    }
    return wire.get(endpoint, "/search", params)


def parse(reply: wire.HttpReply) -> ProviderReply:
    """Return the results.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    response = wire.child(wire.good_answer(reply), "response")
    status = wire.text(response.get("status")).lower()
    if status.startswith("error"):
        raise wire.named_error(reply, status, _ERRORS)
    found = wire.items(response.get("results"))
    return ProviderReply(_FIELDS.hits([{**item, "day": _day(item)} for item in found]))


def _day(item: dict[str, Any]) -> str:
    """Return the day of seconds since 1970, ISO; empty for anything else."""
    timestamp = item.get("timestamp")
    if not isinstance(timestamp, int) or not 0 < timestamp < 1 << 33:
        return ""
    return datetime.fromtimestamp(timestamp, UTC).date().isoformat()
