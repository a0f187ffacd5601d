"""Serper, Google's results: POST https://google.serper.dev/search.

Source: https://serper.dev/playground. A wrong key is 403, used-up credits are 400 with a message.
It documents no adult filter; Google's own default holds.
"""

from pellucid_search.errors import ProviderError, QuotaError
from pellucid_search.hits import ProviderReply
from pellucid_search.providers import google_codes, wire
from pellucid_search.query import ProviderQuery, with_operators

# More than ten results cost a second credit.
MAX_COUNT = 10
_FIELDS = wire.ResultFields(url="link")
_ERRORS: wire.Meanings = {"not enough credits": (QuotaError, "the account's credits are used up")}

wording = with_operators


def build(query: ProviderQuery, endpoint: wire.Endpoint) -> wire.HttpCall:
    """Return the request for one query."""
    body = {
        "q": wording(query),
        "num": min(query.count, MAX_COUNT),
        "gl": google_codes.country_code(query),
        "hl": google_codes.language_code(query),
        "tbs": google_codes.past(query),
    }
    return wire.post(endpoint, "/search", body, {"X-API-KEY": endpoint.key})


def parse(reply: wire.HttpReply) -> ProviderReply:
    """Return the results.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    answer = wire.good_answer(reply, _error)
    hits = _FIELDS.hits(answer.get("organic"))
    return ProviderReply(hits, credits=wire.used(answer.get("credits")))


def _error(reply: wire.HttpReply) -> ProviderError:
    said = wire.text(wire.refusal(reply).get("message")).lower()
    return wire.named_error(reply, said, _ERRORS)
