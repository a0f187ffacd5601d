"""Jina Search: POST https://s.jina.ai/.

Source: https://jina.ai/reader and its source, https://github.com/jina-ai/reader. `no-content` asks
for the result page alone, which costs 10,000 tokens; nothing found is a refusal of its own (422).
It knows no window of time and no adult filter.
"""

from pellucid_search.errors import ProviderError, QuotaError, RateError
from pellucid_search.hits import ProviderReply
from pellucid_search.providers import google_codes, wire
from pellucid_search.query import ProviderQuery, with_operators

MAX_COUNT = 20
# What ten results cost; the price in the registry is for so many.
_TOKENS_PER_CALL = 10_000
_UNPROCESSABLE = 422
_NOTHING_FOUND = "no search results"
_FIELDS = wire.ResultFields(snippet=("description", "content"))

wording = with_operators


def build(query: ProviderQuery, endpoint: wire.Endpoint) -> wire.HttpCall:
    """Return the request for one query."""
    body = {
        "q": wording(query),
        "num": min(query.count, MAX_COUNT),
        "gl": query.country.lower(),
        "hl": google_codes.language_code(query).lower(),
    }
    return wire.post(endpoint, "/", body, {**wire.bearer(endpoint), "X-Respond-With": "no-content"})


def parse(reply: wire.HttpReply) -> ProviderReply:
    """Return the results.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    said = wire.text(wire.refusal(reply).get("message")).lower()
    if reply.status == _UNPROCESSABLE and _NOTHING_FOUND in said:
        return ProviderReply(())
    answer = wire.good_answer(reply, _error)
    tokens = wire.child(wire.child(answer, "meta"), "usage").get("tokens")
    hits = _FIELDS.hits(answer.get("data"))
    return ProviderReply(hits, credits=wire.used(tokens, _TOKENS_PER_CALL))


def _error(reply: wire.HttpReply) -> ProviderError:
    said = wire.refusal(reply)
    match wire.text(said.get("name")):
        case "InsufficientBalanceError":
            return QuotaError("the account's tokens are used up")
        case "RateLimitTriggeredError":
            told = said.get("retryAfter")
            waiting = float(told) if isinstance(told, int | float) else wire.retry_after_s(reply)
            return RateError("the limit per minute was reached", retry_after_s=waiting)
        case _:
            return wire.status_error(reply)
