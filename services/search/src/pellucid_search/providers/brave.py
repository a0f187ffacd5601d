"""Brave Web Search: https://api.search.brave.com/res/v1/web/search.

Its errors are told apart by `error.code`, not by status: a wrong key is 422, and 429 is either a
short window (a retry helps) or the month's quota (it does not).
"""

from typing import Any

from pellucid_search.errors import (
    BadKeyError,
    BadRequestError,
    ProviderError,
    QuotaError,
    RateError,
)
from pellucid_search.hits import ProviderReply, RateWindow
from pellucid_search.providers import wire
from pellucid_search.query import ProviderQuery, window, with_operators

MAX_COUNT = 20
# Documented limits of `q`; longer queries are refused, so they are cut here.
_MAX_CHARACTERS = 400
_MAX_WORDS = 50
# Any other country or language is refused as invalid (Brave's lists of codes, 2026-11).
_COUNTRY_CODES = (
    "AR AU AT BE BR CA CL DK FI FR DE GR HK IN ID IT JP KR MY MX NL NZ NO CN PL PT PH RU SA ZA ES "
    "SE CH TW TR GB US"
)
_LANGUAGE_CODES = (
    "ar eu bn bg ca hr cs da nl et fi fr gl de el gu he hi hu is it jp kn ko lv lt ms ml mr nb pl "
    "pa ro ru sr sk sl es sv ta te th tr uk vi"
)
COUNTRIES = frozenset(_COUNTRY_CODES.split())
_LANGUAGES = frozenset(_LANGUAGE_CODES.split())
_OTHER_CODES = {"ja": "jp", "no": "nb", "nn": "nb"}
_TRADITIONAL_CHINESE = frozenset({"TW", "HK", "MO"})
_FIELDS = wire.ResultFields(
    snippet=("description",),
    age=("page_age", "age"),
    language="language",
    page_text="extra_snippets",
)


def wording(query: ProviderQuery) -> str:
    """Return the words as they are sent."""
    return " ".join(with_operators(query).split()[:_MAX_WORDS])[:_MAX_CHARACTERS]


def build(query: ProviderQuery, endpoint: wire.Endpoint) -> wire.HttpCall:
    """Return the request for one query."""
    past = window(query)
    params = {
        "q": wording(query),
        "count": str(min(query.count, MAX_COUNT)),
        "safesearch": query.safe_search.value,
        "text_decorations": "false",
        "result_filter": "web,news" if query.news else "web",
        "extra_snippets": "true",
        "country": query.country if query.country in COUNTRIES else "ALL",
        "search_lang": search_language(query),
        "freshness": f"p{past[0]}" if past else "",
    }
    headers = {"X-Subscription-Token": endpoint.key}
    return wire.get(endpoint, "/res/v1/web/search", params, headers)


def search_language(query: ProviderQuery) -> str:
    """Return Brave's own code; empty for a language that it would refuse."""
    match query.language:
        case "zh":
            return "zh-hant" if query.country in _TRADITIONAL_CHINESE else "zh-hans"
        case "pt":
            return "pt-pt" if query.country == "PT" else "pt-br"
        case "en":
            return "en-gb" if query.country == "GB" else "en"
        case language:
            code = _OTHER_CODES.get(language, language)
            return code if code in _LANGUAGES else ""


def parse(reply: wire.HttpReply) -> ProviderReply:
    """Return the results.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    answer = wire.good_answer(reply, _error)
    if answer.get("type") == "ErrorResponse":
        raise _error(reply)
    web, news = wire.child(answer, "web"), wire.child(answer, "news")
    hits = _FIELDS.hits(web.get("results"), news.get("results"))
    return ProviderReply(hits, windows=_windows(reply))


def _error(reply: wire.HttpReply) -> ProviderError:
    match _error_code(wire.refusal(reply)):
        case "SUBSCRIPTION_TOKEN_INVALID" | "SUBSCRIPTION_NOT_FOUND" | "OPTION_NOT_IN_PLAN":
            return BadKeyError("the key is not valid or its plan does not allow this")
        case "QUOTA_LIMITED":
            return QuotaError(
                "the month's quota is used up",
                retry_after_s=_month_reset_s(reply),
                windows=_windows(reply),
            )
        case "RATE_LIMITED":
            return RateError(
                "the limit per second was reached",
                retry_after_s=_short_reset_s(reply),
                windows=_windows(reply),
            )
        case "VALIDATION":
            return BadRequestError("the provider rejected a parameter")
        case _:
            return wire.status_error(reply)


def _error_code(answer: dict[str, Any]) -> str:
    """The documentation shows a list `errors`, real answers hold one `error`; both are read."""
    listed = wire.items(answer.get("errors"))
    error = wire.child(answer, "error") or (listed[0] if listed else {})
    return wire.text(error.get("code"))


def _short_reset_s(reply: wire.HttpReply) -> float | None:
    windows = _windows(reply)
    return windows[0].reset_s if windows else wire.retry_after_s(reply)


def _month_reset_s(reply: wire.HttpReply) -> float | None:
    windows = _windows(reply)
    return windows[-1].reset_s if windows else None


def _windows(reply: wire.HttpReply) -> tuple[RateWindow, ...]:
    """Read the comma lists of the rate headers, shortest window first."""
    columns = [
        _numbers(reply.headers.get(f"x-ratelimit-{name}", ""))
        for name in ("limit", "remaining", "reset")
    ]
    periods = [_period(part) for part in reply.headers.get("x-ratelimit-policy", "").split(",")]
    return tuple(
        RateWindow(limit=limit, remaining=remaining, reset_s=float(reset), period_s=period)
        for limit, remaining, reset, period in zip(*columns, periods, strict=False)
        if limit > 0
    )


def _numbers(header: str) -> list[int]:
    parts = [part.strip() for part in header.split(",")]
    return [int(part) if part.isascii() and part.isdigit() else 0 for part in parts if part]


def _period(policy: str) -> float:
    """Return the seconds of one policy such as `1;w=1`; a second when it is not understood."""
    _, _, seconds = policy.partition("w=")
    return float(seconds) if seconds.strip().isdigit() else 1.0
