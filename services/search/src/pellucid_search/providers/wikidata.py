"""Wikidata: GET https://www.wikidata.org/w/api.php?action=wbsearchentities.

It links a name to an item and searches no web: its answers are no results. It is asked for one name
of a query, and nothing else of the query leaves.
"""

import re

from pellucid_search.errors import BadRequestError, ProviderError, RateError
from pellucid_search.hits import ProviderReply, RawHit
from pellucid_search.providers.names import longest_name
from pellucid_search.providers.wire import (
    Endpoint,
    HttpCall,
    HttpReply,
    child,
    good_answer,
    items,
    retry_after_s,
    text,
)
from pellucid_search.query import ProviderQuery

PAGE = "https://www.wikidata.org/wiki/"
# Its operators ask clients to say what they are.
_AGENT = "Pellucid (self-hosted web search)"
_ITEM = re.compile(r"Q[1-9]\d{0,11}")
_BUSY = frozenset({"ratelimited", "maxlag"})


def wording(query: ProviderQuery) -> str:
    """Return what leaves: the longest name of the query by its capitals; empty without one."""
    return longest_name(query.text)


def build(query: ProviderQuery, endpoint: Endpoint) -> HttpCall:
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
    return HttpCall("GET", url, params=params, headers={"User-Agent": _AGENT})


def parse(reply: HttpReply) -> ProviderReply:
    """Return the item as the only hit.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    answer = good_answer(reply)
    if refused := child(answer, "error"):
        raise _error(text(refused.get("code")), reply)
    found = [item for item in items(answer.get("search")) if _ITEM.fullmatch(text(item.get("id")))]
    hits = (
        RawHit(PAGE + item["id"], text(item.get("label")), text(item.get("description")))
        for item in found[:1]
    )
    return ProviderReply(tuple(hits))


def _error(code: str, reply: HttpReply) -> ProviderError:
    if code in _BUSY:
        return RateError("the rate limit was reached", retry_after_s=retry_after_s(reply))
    return BadRequestError("the provider rejected a parameter")
