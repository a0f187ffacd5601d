"""Answers of every HTTP provider as its documentation describes them, in our own words.

One table: name of the case -> what the provider sends and what it must be understood as.
"""

from dataclasses import dataclass, field
from typing import Any

PAGE_ONE = "https://docs.example.com/guide"
PAGE_TWO = "https://news.example.org/story"


@dataclass(frozen=True)
class Case:
    """One answer; `error` is the typed code it means, empty for results."""

    name: str
    status: int = 200
    body: Any = b""
    headers: dict[str, str] = field(default_factory=dict)
    error: str = ""
    retry_after_s: float | None = None


def brave_error(code: str, **meta: Any) -> dict[str, Any]:
    return {"type": "ErrorResponse", "error": {"code": code, "detail": "no", "meta": meta}}


BRAVE_HEADERS = {
    "X-RateLimit-Limit": "1, 2000",
    "X-RateLimit-Policy": "1;w=1, 2000;w=2592000",
    "X-RateLimit-Remaining": "0, 1500",
    "X-RateLimit-Reset": "1, 86400",
}

GOOD: dict[str, Any] = {
    "brave": {
        "type": "search",
        "web": {"results": [
            {"title": "The <strong>guide</strong>", "url": PAGE_ONE, "description": "All about it",
             "page_age": "2026-01-02T03:04:05", "language": "en", "extra_snippets": ["More"]},
            {"title": "A story", "url": PAGE_TWO, "description": "Happened", "age": "2 days ago"},
        ]},
    },
    "tavily": {
        "query": "guide", "response_time": 0.4, "request_id": "r1", "images": [],
        "results": [
            {"title": "The guide", "url": PAGE_ONE, "content": "All about it", "score": 0.9,
             "raw_content": "The whole page."},
            {"title": "A story", "url": PAGE_TWO, "content": "Happened", "score": 0.5,
             "raw_content": None, "published_date": "Thu, 01 Jan 2026 10:00:00 GMT"},
        ],
        "usage": {"credits": 1},
    },
    "searxng": {
        "query": "guide", "answers": [], "unresponsive_engines": [["x", "timeout"]],
        "results": [
            {"title": "The guide", "url": PAGE_ONE, "content": "All about it", "engine": "a",
             "publishedDate": None},
            {"title": "A story", "url": PAGE_TWO, "content": "Happened", "engine": "b",
             "publishedDate": "2026-01-01T10:00:00"},
        ],
    },
    "google": {
        "kind": "customsearch#search", "searchInformation": {"totalResults": "2"},
        "items": [
            {"title": "The guide", "link": PAGE_ONE, "snippet": "All about it",
             "pagemap": {"metatags": [{"article:published_time": "2026-01-02T03:04:05Z"}]}},
            {"title": "A story", "link": PAGE_TWO, "snippet": "Happened"},
        ],
    },
    "bing": {
        "_type": "SearchResponse",
        "webPages": {"value": [
            {"name": "The guide", "url": PAGE_ONE, "snippet": "All about it", "language": "en",
             "datePublished": "2026-01-02T03:04:05.0000000"},
            {"name": "A story", "url": PAGE_TWO, "snippet": "Happened"},
        ]},
    },
}  # fmt: skip

NOTHING_FOUND: dict[str, Any] = {
    "brave": {"type": "search", "query": {"original": "guide"}},
    "tavily": {"query": "guide", "results": []},
    "searxng": {"query": "guide", "results": [], "unresponsive_engines": []},
    "google": {"kind": "customsearch#search", "searchInformation": {"totalResults": "0"}},
    "bing": {"_type": "SearchResponse"},
}

_NO_JSON = (
    Case("html_instead_of_json", body=b"<!doctype html><title>Hello</title>", error="malformed"),
    Case("captcha_page", body=b"<html>Please solve the CAPTCHA</html>", error="blocked"),
    Case("truncated_json", body=b'{"web": {"results": [{"title": "a', error="malformed"),
    Case("a_list_instead_of_an_object", body=b"[]", error="malformed"),
    Case("not_utf_8", body=b'{"title": "\xff\xfe"}', error="malformed"),
    Case("deeply_nested", body=b'{"a":' * 20_000 + b"1" + b"}" * 20_000, error="malformed"),
    Case("empty_body", body=b"", error="empty"),
    Case("server_error", status=500, body=b"oops", error="server"),
    Case("bad_gateway", status=502, body=b"<html>bad gateway</html>", error="server"),
    Case(
        "redirect",
        status=302,
        headers={"Location": "https://elsewhere.example/"},
        error="unreachable",
    ),
)


def _google(status: int, reason: str, message: str = "no") -> dict[str, Any]:
    listed = [{"domain": "usageLimits", "reason": reason, "message": message}]
    return {"error": {"code": status, "message": message, "errors": listed}}


def _bing(code: str) -> dict[str, Any]:
    return {"_type": "ErrorResponse", "errors": [{"code": code, "message": "no"}]}


_SUSPENDED = [["a", "Suspended: access denied"], ["b", "Suspended: too many requests"]]

CASES: dict[str, tuple[Case, ...]] = {
    "brave": (
        *_NO_JSON,
        Case("wrong_key", 422, brave_error("SUBSCRIPTION_TOKEN_INVALID"), error="bad_key"),
        Case("unknown_subscription", 404, brave_error("SUBSCRIPTION_NOT_FOUND"), error="bad_key"),
        Case("bad_parameter", 422, brave_error("VALIDATION"), error="bad_request"),
        Case("second_limit", 429, brave_error("RATE_LIMITED"), BRAVE_HEADERS, "rate", 1.0),
        Case("month_quota", 429, brave_error("QUOTA_LIMITED"), BRAVE_HEADERS, "quota", 86_400.0),
        Case("errors_as_a_list", 429,
             {"type": "ErrorResponse", "errors": [{"code": "QUOTA_LIMITED"}]}, error="quota"),
    ),
    "tavily": (
        *_NO_JSON,
        Case("wrong_key", 401, {"detail": {"error": "Unauthorized"}}, error="bad_key"),
        Case("forbidden", 403, {"detail": {"error": "Forbidden"}}, error="bad_key"),
        Case("bad_parameter", 400, {"detail": {"error": "Invalid"}}, error="bad_request"),
        Case("rate", 429, {"detail": {"error": "slow"}}, {"Retry-After": "7"}, "rate", 7.0),
        Case("rate_in_the_body", 429, {"error": {"code": "x", "retry_after_seconds": 9}},
             error="rate", retry_after_s=9.0),
        Case("plan_limit", 432, {"detail": {"error": "plan"}}, error="quota"),
        Case("pay_as_you_go_limit", 433, {"detail": {"error": "paygo"}}, error="quota"),
    ),
    "searxng": (
        *_NO_JSON,
        Case("json_not_offered", 403, b"<html>Forbidden</html>", error="bad_key"),
        Case("limiter", 429, b"Too Many Requests", error="rate", retry_after_s=600.0),
        Case("no_query", 400, {"error": "No query"}, error="bad_request"),
        Case("search_error", 500, {"error": "search error"}, error="server"),
        Case("all_engines_suspended", body={"results": [], "unresponsive_engines": _SUSPENDED},
             error="blocked"),
        Case("all_engines_timed_out",
             body={"results": [], "unresponsive_engines": [["a", "timeout"]]}, error="empty"),
        Case("all_engines_limited", error="rate", retry_after_s=180.0,
             body={"results": [], "unresponsive_engines": [["a", "Suspended: too many requests"]]}),
    ),
    "google": (
        *_NO_JSON,
        Case("day_quota", 403, _google(403, "dailyLimitExceeded"), error="quota"),
        Case("rate", 429, _google(429, "rateLimitExceeded"), error="rate"),
        Case("rate_by_status", 429, {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED"}},
             error="rate"),
        Case("wrong_key", 400, _google(400, "badRequest", "API key not valid."), error="bad_key"),
        Case("not_configured", 403, _google(403, "accessNotConfigured"), error="bad_key"),
        Case("bad_parameter", 400, _google(400, "invalid"), error="bad_request"),
    ),
    "bing": (
        *_NO_JSON,
        Case("suspected_attack", 200, b"", error="empty"),
        Case("wrong_key", 401, _bing("InvalidAuthorization"), error="bad_key"),
        Case("not_entitled", 403, _bing("InsufficientAuthorization"), error="bad_key"),
        Case("month_quota", 403, _bing("RateLimitExceeded"), error="quota"),
        Case("second_limit", 429, _bing("RateLimitExceeded"), {"Retry-After": "3"}, "rate", 3.0),
        Case("bad_parameter", 400, _bing("InvalidRequest"), error="bad_request"),
        Case("server", 500, _bing("ServerError"), error="server"),
        Case("retired", 410, b"", error="bad_key"),
        Case("retired_with_a_body", 410, _bing("InvalidRequest"), error="bad_key"),
        Case("no_such_address", 404, b"<html>Not found</html>", error="bad_key"),
    ),
}  # fmt: skip

# The path, and exactly what is sent for a plain query and for one with every common parameter.
WITH_SITES = "island ferry site:docs.example.com -site:bad.example"
SENT: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "brave": (
        "/res/v1/web/search",
        {"q": "island ferry", "count": "10", "safesearch": "moderate", "country": "ALL",
         "text_decorations": "false", "result_filter": "web", "extra_snippets": "true"},
        {"q": WITH_SITES, "count": "7", "safesearch": "strict", "country": "KR",
         "text_decorations": "false", "result_filter": "web,news", "extra_snippets": "true",
         "search_lang": "ko", "freshness": "pw"},
    ),
    "tavily": (
        "/search",
        {"query": "island ferry", "search_depth": "basic", "topic": "general", "max_results": 10,
         "include_raw_content": "text", "include_answer": False, "include_images": False,
         "include_usage": True},
        {"query": "island ferry", "search_depth": "basic", "topic": "news", "max_results": 7,
         "include_raw_content": "text", "include_answer": False, "include_images": False,
         "include_usage": True, "time_range": "week", "include_domains": ["docs.example.com"],
         "exclude_domains": ["bad.example"], "safe_search": True},
    ),
    "searxng": (
        "/search",
        {"q": "island ferry", "format": "json", "categories": "general", "language": "all",
         "safesearch": "1", "pageno": "1"},
        {"q": WITH_SITES, "format": "json", "categories": "news", "language": "ko-KR",
         "safesearch": "2", "pageno": "1", "time_range": "week"},
    ),
    "google": (
        "/customsearch/v1",
        {"key": "k", "cx": "engine", "q": "island ferry", "num": "10", "safe": "active"},
        {"key": "k", "cx": "engine", "q": "island ferry -site:bad.example", "num": "7",
         "safe": "active", "dateRestrict": "w1", "lr": "lang_ko", "hl": "ko", "gl": "kr",
         "siteSearch": "docs.example.com", "siteSearchFilter": "i"},
    ),
    "bing": (
        "/v7.0/search",
        {"q": "island ferry", "count": "10", "safeSearch": "Moderate",
         "responseFilter": "Webpages", "textDecorations": "false", "textFormat": "Raw"},
        {"q": WITH_SITES, "count": "7", "safeSearch": "Strict",
         "responseFilter": "Webpages,News", "textDecorations": "false", "textFormat": "Raw",
         "freshness": "Week", "mkt": "ko-KR"},
    ),
}  # fmt: skip
# Where a provider that has a key expects it: a header or the request target, its name, what stands
# before the key.
KEY_PLACES = {
    "brave": ("header", "x-subscription-token", ""),
    "tavily": ("header", "authorization", "Bearer "),
    "google": ("target", "key", ""),
    "bing": ("header", "ocp-apim-subscription-key", ""),
}

# What the ddgs library raises: name of the exception, its text, the typed code.
LIBRARY_FAILURES: tuple[tuple[str, str, str], ...] = (
    ("RatelimitException", "202 Ratelimit", "rate"),
    ("TimeoutException", "request timed out", "timeout"),
    ("DDGSException", "captcha page", "blocked"),
    ("DDGSException", "error trying to connect: dns error", "unreachable"),
    ("DDGSException", "something else", "server"),
    ("OSError", "connection lost", "server"),
    ("ValueError", "a page of another form", "server"),
)
