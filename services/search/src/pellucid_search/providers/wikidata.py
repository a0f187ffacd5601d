"""Wikidata: GET https://www.wikidata.org/w/api.php?action=wbsearchentities.

It links a name to an item and searches no web: its answers are no results. It is asked for one name
of a query, and nothing else of the query leaves.
"""

import re

from pellucid_search.errors import BadRequestError, ProviderError, RateError
from pellucid_search.hits import ProviderReply, RawHit
from pellucid_search.providers import wire
from pellucid_search.providers.names import longest_name
from pellucid_search.query import ProviderQuery

PAGE = "https://www.wikidata.org/wiki/"
# Its operators ask clients to say what they are.
_AGENT = "Pellucid (self-hosted web search)"
_ITEM = re.compile(r"Q[1-9]\d{0,11}")
_BUSY = frozenset({"ratelimited", "maxlag"})


def wording(query: ProviderQuery) -> str:
    """Return what leaves: the longest name of the query by its capitals; empty without one."""
    return longest_name(query.text)


def build(query: ProviderQuery, endpoint: wire.Endpoint) -> wire.HttpCall:
    """Return the request for the item of one name."""
    language = query.language or "en"
    params = (
        ("action", "wbsearchentities"),
        ("search", wording(query)),
        ("language", language),
        ("uselang", language),
        ("type", "item"),
        ("limit", "1"),
        ("format", "json"),
    )
    url = f"{endpoint.base_url}/w/api.php"
    return wire.HttpCall("GET", url, params=params, headers={"User-Agent": _AGENT})


def parse(reply: wire.HttpReply) -> ProviderReply:
    """Return the item as the only hit.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    answer = wire.good_answer(reply)
    if refused := wire.child(answer, "error"):
        raise _error(wire.text(refused.get("code")), reply)
    hits = (
        RawHit(PAGE + name, wire.text(item.get("label")), wire.text(item.get("description")))
        for item in wire.items(answer.get("search"))
        if _ITEM.fullmatch(name := wire.text(item.get("id")))
    )
    return ProviderReply(tuple(hits)[:1])


def _error(code: str, reply: wire.HttpReply) -> ProviderError:
    if code in _BUSY:
        return RateError("the rate limit was reached", retry_after_s=wire.retry_after_s(reply))
    return BadRequestError("the provider rejected a parameter")
