"""Frankfurter, reference rates of the European Central Bank: GET https://api.frankfurter.dev/v1/….

A real-time source: it is asked for two currencies that a query names, and nothing else of the query
leaves. Rates are of working days, so a week is asked for and its last two days are compared.
"""

from datetime import timedelta

from pellucid_search.hits import ProviderReply, RawHit
from pellucid_search.providers import wire
from pellucid_search.providers.named_things import change, currencies, figure
from pellucid_search.query import ProviderQuery

PUBLIC = "https://api.frankfurter.dev"
_PAIR = 2
# Over Easter and Christmas there are four days without a rate.
_DAYS = 7


def wording(query: ProviderQuery) -> str:
    """Return what leaves: the two currencies; empty when the query does not name two."""
    named = currencies().named_in(query.text)
    return " ".join(named[:_PAIR]) if len(named) >= _PAIR else ""


def build(query: ProviderQuery, endpoint: wire.Endpoint) -> wire.HttpCall:
    """Return the request for the rates of the last days."""
    base, quote = wording(query).split()
    since = (query.now - timedelta(days=_DAYS)).date().isoformat()
    params = (("base", base), ("symbols", quote))
    return wire.HttpCall("GET", f"{endpoint.base_url}/v1/{since}..", params=params)


def parse(reply: wire.HttpReply) -> ProviderReply:
    """Return the rate as one result.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    answer = wire.good_answer(reply)
    base, rates = wire.text(answer.get("base")), wire.child(answer, "rates")
    days = [(day, code, rate) for day in sorted(rates) for code, rate in _rates(rates[day])]
    if not base or not days:
        return ProviderReply(())
    return ProviderReply((_hit(base, wire.text(answer.get("start_date")), days[-_PAIR:]),))


def _rates(day: object) -> list[tuple[str, float]]:
    """Return the rates of a day by currency."""
    found = day.items() if isinstance(day, dict) else ()
    return [(code, float(rate)) for code, rate in found if isinstance(rate, int | float) and rate]


def _hit(base: str, since: str, last: list[tuple[str, str, float]]) -> RawHit:
    day, quote, rate = last[-1]
    value = f"1 {base} = {figure(rate)} {quote}"
    said = f"Reference rate of the European Central Bank on {day}: {value}"
    if len(last) == _PAIR:
        before, _, earlier = last[0]
        moved = change(100 * (rate - earlier) / earlier)
        said += f", {moved} from {figure(earlier)} {quote} on {before}"
    said += "."
    return RawHit(
        url=f"{PUBLIC}/v1/{since}..?base={base}&symbols={quote}",
        title=f"Exchange rate {base} to {quote}: {value} ({day})",
        snippet=said,
        age=day,
        language="en",
        page_text=said,
    )
