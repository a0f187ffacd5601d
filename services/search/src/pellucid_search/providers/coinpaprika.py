"""CoinPaprika, prices of coins: GET https://api.coinpaprika.com/v1/tickers/{id}.

A real-time source: it is asked for the first coin that a query names, in US dollars and in the
currency that the query names, and nothing else of the query leaves.
"""

from typing import Any

from pellucid_search.errors import BadRequestError, ProviderError
from pellucid_search.hits import ProviderReply, RawHit
from pellucid_search.providers import wire
from pellucid_search.providers.named_things import change, coins, currencies, figure
from pellucid_search.query import ProviderQuery

_PAGE = "https://coinpaprika.com/coin"
_DOLLAR = "USD"
# Of the currencies that it quotes in, those that people ask for most.
_QUOTES = frozenset({"EUR", "GBP", "JPY", "KRW", "CNY", "CHF", "CAD", "AUD", "BRL", "MXN", "INR"})
_NOT_FOUND = 404


def wording(query: ProviderQuery) -> str:
    """Return what leaves: the coin and the currencies; empty when the query names no coin."""
    coin = coins().named_in(query.text)[:1]
    named = [code for code in currencies().named_in(query.text) if code in _QUOTES][:1]
    return " ".join((*coin, _DOLLAR, *named)) if coin else ""


def build(query: ProviderQuery, endpoint: wire.Endpoint) -> wire.HttpCall:
    """Return the request for one price."""
    coin, *quotes = wording(query).split()
    params = (("quotes", ",".join(quotes)),)
    return wire.HttpCall("GET", f"{endpoint.base_url}/v1/tickers/{coin}", params=params)


def parse(reply: wire.HttpReply) -> ProviderReply:
    """Return the price as one result.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    answer = wire.good_answer(reply, _error)
    name, coin = wire.text(answer.get("name")), wire.text(answer.get("id"))
    quotes = wire.child(answer, "quotes")
    prices = [said for code in quotes if (said := _price(code, wire.child(quotes, code)))]
    if not (name and coin and prices):
        return ProviderReply(())
    when = wire.text(answer.get("last_updated"))
    title = f"{name} ({wire.text(answer.get('symbol'))}) price: {prices[0]}"
    read = f" as of {when[:16].replace('T', ' ')} UTC" if when else ""
    said = f"Price by CoinPaprika{read}: 1 {name} costs {' and '.join(prices)}."
    hit = RawHit(f"{_PAGE}/{coin}/", title, said, age=when, language="en", page_text=said)
    return ProviderReply((hit,))


def _price(code: str, quote: dict[str, Any]) -> str:
    price, moved = quote.get("price"), quote.get("percent_change_24h")
    if not isinstance(price, int | float):
        return ""
    value = f"{figure(price)} {code}"
    return f"{value} ({change(moved)} in 24 hours)" if isinstance(moved, int | float) else value


def _error(reply: wire.HttpReply) -> ProviderError:
    if reply.status == _NOT_FOUND:
        return BadRequestError("the provider does not know this coin")
    return wire.status_error(reply)
