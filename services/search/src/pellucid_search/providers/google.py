"""Google Custom Search JSON API: GET https://www.googleapis.com/customsearch/v1.

Closed to new customers and announced to end on 2027-01-01; kept for existing ones.
"""

from typing import Any

from pellucid_search.errors import (
    BadKeyError,
    BadRequestError,
    ProviderError,
    QuotaError,
    RateError,
)
from pellucid_search.hits import DateSource, ProviderReply
from pellucid_search.providers import google_codes, wire
from pellucid_search.query import (
    ProviderQuery,
    SafeSearch,
    window,
    with_operators_but_one_site,
)

MAX_COUNT = 10
FIELDS = wire.ResultFields(url="link", date_source=DateSource.META)
_DATE_TAGS = ("article:published_time", "og:published_time", "datepublished", "date", "pubdate")
_SPENT = (QuotaError, "the day's quota is used up")
_TOO_FAST = (RateError, "the rate limit was reached")
_WRONG_KEY = (BadKeyError, "the key is not valid or not entitled")
_REJECTED = (BadRequestError, "the provider rejected a parameter")
_ERRORS: wire.Meanings = {
    "dailyLimitExceeded": _SPENT,
    "quotaExceeded": _SPENT,
    "rateLimitExceeded": _TOO_FAST,
    "userRateLimitExceeded": _TOO_FAST,
    "RESOURCE_EXHAUSTED": _TOO_FAST,
    "keyInvalid": _WRONG_KEY,
    "accessNotConfigured": _WRONG_KEY,
    "forbidden": _WRONG_KEY,
    "ipRefererBlocked": _WRONG_KEY,
    "api key": _WRONG_KEY,
    "badRequest": _REJECTED,
    "INVALID_ARGUMENT": _REJECTED,
    "parseError": _REJECTED,
    "invalid": _REJECTED,
}

wording = with_operators_but_one_site


def build(query: ProviderQuery, endpoint: wire.Endpoint) -> wire.HttpCall:
    """Return the request for one query."""
    language, past = google_codes.language_code(query), window(query)
    params = {
        "key": endpoint.key,
        "cx": endpoint.account,
        "q": wording(query),
        "num": str(min(query.count, MAX_COUNT)),
        "safe": "off" if query.safe_search is SafeSearch.OFF else "active",
        "dateRestrict": f"{past[0]}1" if past else "",
        "lr": f"lang_{language}" if language else "",
        "hl": language,
        "gl": google_codes.country_code(query),
        "siteSearch": query.site,
        "siteSearchFilter": "i" if query.site else "",
    }
    return wire.get(endpoint, "/customsearch/v1", params)


def parse(reply: wire.HttpReply) -> ProviderReply:
    """Return the results; an answer without `items` found nothing.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    found = wire.items(wire.good_answer(reply, _error).get("items"))
    return ProviderReply(FIELDS.hits([{**item, "date": page_date(item)} for item in found]))


def page_date(item: dict[str, Any]) -> str:
    """Return the date that a result's page declares; empty when it declares none."""
    tags = wire.items(wire.child(item, "pagemap").get("metatags"))
    named = {key.lower(): wire.text(value) for tag in tags for key, value in tag.items()}
    return next((named[name] for name in _DATE_TAGS if named.get(name)), "")


def _error(reply: wire.HttpReply) -> ProviderError:
    error = wire.child(wire.refusal(reply), "error")
    listed = wire.items(error.get("errors"))
    reason = wire.text(listed[0].get("reason")) if listed else wire.text(error.get("status"))
    asked = " api key" if "api key" in wire.text(error.get("message")).lower() else ""
    return wire.named_error(reply, reason + asked, _ERRORS)
