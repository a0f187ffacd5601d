"""Kagi Search: POST https://kagi.com/api/v1/search.

Source: https://kagi.com/api/docs (OpenAPI, v1) and https://help.kagi.com/kagi/api/. An error is a
list beside empty data; the codes 100 and 101 mean that the account has no funds.
"""

from pellucid_search.errors import ProviderError, QuotaError
from pellucid_search.hits import ProviderReply
from pellucid_search.providers import wire
from pellucid_search.query import ProviderQuery, SafeSearch, since, with_operators

MAX_COUNT = 50
_FIELDS = wire.ResultFields(age=("time",))
_NO_FUNDS = frozenset({"100", "101"})

wording = with_operators


def build(query: ProviderQuery, endpoint: wire.Endpoint) -> wire.HttpCall:
    """Return the request for one query."""
    filters = {"region": query.country, "after": since(query, "%Y-%m-%d")}
    body = {
        "query": wording(query),
        "workflow": "news" if query.news else "search",
        "limit": min(query.count, MAX_COUNT),
        "safe_search": query.safe_search is not SafeSearch.OFF,
        "filters": {name: value for name, value in filters.items() if value},
    }
    return wire.post(endpoint, "/api/v1/search", body, wire.bearer(endpoint))


def parse(reply: wire.HttpReply) -> ProviderReply:
    """Return the results.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    answer = wire.good_answer(reply, _error)
    if answer.get("error"):
        raise _error(reply)
    data = wire.child(answer, "data")
    return ProviderReply(_FIELDS.hits(data.get("search"), data.get("news")))


def _error(reply: wire.HttpReply) -> ProviderError:
    codes = {str(error.get("code")) for error in wire.items(wire.refusal(reply).get("error"))}
    if codes & _NO_FUNDS:
        return QuotaError("the account has no funds left")
    return wire.status_error(reply)
