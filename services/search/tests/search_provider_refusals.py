"""Refusals of every HTTP provider as its documentation describes them, in our own words.

One table: name of the case -> what the provider sends and what it must be understood as.
"""

from dataclasses import dataclass, field
from typing import Any


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

NO_JSON = (
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


def _jina(status: int, name: str, message: str = "no", **more: Any) -> dict[str, Any]:
    return {"data": None, "code": status, "name": name, "message": message, **more}


def _kagi(code: int | str) -> dict[str, Any]:
    return {"meta": {"trace": "t1"}, "data": None, "error": [{"code": code, "message": "no"}]}


def _mojeek(status: str) -> dict[str, Any]:
    return {"response": {"status": f"ERROR: {status}"}}


def _perplexity(kind: str, status: int) -> dict[str, Any]:
    return {"error": {"message": "no", "type": kind, "code": status}}


def _vertex(status: int, name: str, message: str = "no") -> dict[str, Any]:
    return {"error": {"code": status, "message": message, "status": name}}


_SUSPENDED = [["a", "Suspended: access denied"], ["b", "Suspended: too many requests"]]

CASES: dict[str, tuple[Case, ...]] = {
    "brave": (
        *NO_JSON,
        Case("wrong_key", 422, brave_error("SUBSCRIPTION_TOKEN_INVALID"), error="bad_key"),
        Case("unknown_subscription", 404, brave_error("SUBSCRIPTION_NOT_FOUND"), error="bad_key"),
        Case("bad_parameter", 422, brave_error("VALIDATION"), error="bad_request"),
        Case("second_limit", 429, brave_error("RATE_LIMITED"), BRAVE_HEADERS, "rate", 1.0),
        Case("month_quota", 429, brave_error("QUOTA_LIMITED"), BRAVE_HEADERS, "quota", 86_400.0),
        Case("errors_as_a_list", 429,
             {"type": "ErrorResponse", "errors": [{"code": "QUOTA_LIMITED"}]}, error="quota"),
    ),
    "tavily": (
        *NO_JSON,
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
        *NO_JSON,
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
        *NO_JSON,
        Case("day_quota", 403, _google(403, "dailyLimitExceeded"), error="quota"),
        Case("rate", 429, _google(429, "rateLimitExceeded"), error="rate"),
        Case("rate_by_status", 429, {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED"}},
             error="rate"),
        Case("wrong_key", 400, _google(400, "badRequest", "API key not valid."), error="bad_key"),
        Case("not_configured", 403, _google(403, "accessNotConfigured"), error="bad_key"),
        Case("bad_parameter", 400, _google(400, "invalid"), error="bad_request"),
    ),
    "bing": (
        *NO_JSON,
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
    "serper": (
        *NO_JSON,
        Case("wrong_key", 403, {"message": "Unauthorized.", "statusCode": 403}, error="bad_key"),
        Case("no_credits", 400, {"message": "Not enough credits", "statusCode": 400},
             error="quota"),
        Case("bad_parameter", 400, {"message": "Missing query parameter", "statusCode": 400},
             error="bad_request"),
        Case("rate", 429, {"message": "Too many requests"}, {"Retry-After": "2"}, "rate", 2.0),
    ),
    "serpapi": (
        *NO_JSON,
        Case("wrong_key", 401, {"error": "Invalid API key."}, error="bad_key"),
        Case("deleted_account", 403, {"error": "Forbidden"}, error="bad_key"),
        Case("month_used_up", 429, {"error": "Your account has run out of searches."},
             error="quota"),
        Case("hour_limit", 429, {"error": "You have exceeded the hourly throughput limit."},
             error="rate"),
        Case("bad_parameter", 400, {"error": "Missing query `q` parameter."}, error="bad_request"),
        Case("failed_search", 200, {"search_metadata": {"status": "Error"}, "error": "no"},
             error="server"),
        Case("unavailable", 503, {"error": "no"}, error="server"),
    ),
    "jina": (
        *NO_JSON,
        Case("wrong_key", 401, _jina(401, "AuthenticationFailedError"), error="bad_key"),
        Case("no_tokens", 402, _jina(402, "InsufficientBalanceError"), error="quota"),
        Case("rate", 429, _jina(429, "RateLimitTriggeredError", retryAfter=8), error="rate",
             retry_after_s=8.0),
        Case("rate_by_header", 429, _jina(429, "RateLimitTriggeredError"), {"Retry-After": "9"},
             "rate", 9.0),
        Case("bad_parameter", 400, _jina(400, "ParamValidationError"), error="bad_request"),
        Case("unprocessable", 422, _jina(422, "AssertionFailureError"), error="bad_request"),
    ),
    "you": (
        *NO_JSON,
        Case("no_key", 401, {"detail": "API key is required"}, error="bad_key"),
        Case("no_scope", 403, {"detail": "Missing required scopes"}, error="bad_key"),
        Case("no_credit", 402, {"detail": "Payment required"}, error="quota"),
        Case("bad_parameter", 422, {"detail": [{"loc": ["country"]}]}, error="bad_request"),
        Case("rate", 429, {"detail": "slow"}, {"Retry-After": "3"}, "rate", 3.0),
    ),
    "perplexity": (
        *NO_JSON,
        Case("wrong_key", 401, _perplexity("invalid_api_key", 401), error="bad_key"),
        Case("no_credit", 401, _perplexity("insufficient_quota", 401), error="quota"),
        Case("bad_parameter", 400, _perplexity("invalid_request", 400), error="bad_request"),
        Case("rate", 429, _perplexity("rate_limited", 429), {"Retry-After": "1"}, "rate", 1.0),
    ),
    "mojeek": (
        *NO_JSON,
        Case("day_limit", 200, _mojeek("Daily Limit Reached"), error="quota"),
        Case("second_limit", 200, _mojeek("Rate Limit Reached"), error="rate"),
        Case("wrong_key", 200, _mojeek("Invalid API Key"), error="bad_key"),
        Case("no_query", 200, _mojeek("No Query"), error="bad_request"),
        Case("rate_by_status", 429, b"", {"Retry-After": "2"}, "rate", 2.0),
    ),
    "exa": (
        *NO_JSON,
        Case("wrong_key", 401, {"requestId": "r", "tag": "INVALID_API_KEY"}, error="bad_key"),
        Case("no_credits", 402, {"requestId": "r", "tag": "NO_MORE_CREDITS"}, error="quota"),
        Case("not_in_plan", 403, {"requestId": "r", "tag": "FEATURE_DISABLED"}, error="bad_key"),
        Case("bad_parameter", 400, {"tag": "INVALID_REQUEST_BODY"}, error="bad_request"),
        Case("rate", 429, {"error": "rate limit exceeded"}, {"Retry-After": "1"}, "rate", 1.0),
    ),
    "firecrawl": (
        *NO_JSON,
        Case("wrong_key", 401, {"success": False, "error": "Unauthorized"}, error="bad_key"),
        Case("no_credits", 402, {"success": False, "error": "Insufficient credits"},
             error="quota"),
        Case("slow", 408, {"success": False, "error": "timed out"}, error="server"),
        Case("rate", 429, {"success": False, "error": "Rate limit exceeded"},
             {"Retry-After": "14"}, "rate", 14.0),
        Case("bad_parameter", 400, {"success": False, "error": "Bad Request"},
             error="bad_request"),
        Case("unsuccessful", 200, {"success": False, "error": "no"}, error="server"),
    ),
    "kagi": (
        *NO_JSON,
        Case("wrong_key", 401, _kagi("auth.invalid_token"), error="bad_key"),
        Case("foreign_address", 403, _kagi("auth.ip_not_authorized"), error="bad_key"),
        Case("no_funds", 400, _kagi(101), error="quota"),
        Case("no_billing", 401, _kagi(100), error="quota"),
        Case("bad_parameter", 400, _kagi("search.invalid_query"), error="bad_request"),
        Case("rate", 429, _kagi("rate_limited"), {"Retry-After": "5"}, "rate", 5.0),
        Case("error_with_ok", 200, _kagi(0), error="server"),
    ),
    "vertex": (
        *NO_JSON,
        Case("wrong_key", 400, _vertex(400, "INVALID_ARGUMENT", "API key not valid."),
             error="bad_key"),
        Case("not_enabled", 403, _vertex(403, "PERMISSION_DENIED"), error="bad_key"),
        Case("no_such_engine", 404, _vertex(404, "NOT_FOUND"), error="bad_key"),
        Case("no_website_engine", 400, _vertex(400, "FAILED_PRECONDITION"), error="bad_key"),
        Case("bad_parameter", 400, _vertex(400, "INVALID_ARGUMENT"), error="bad_request"),
        Case("rate", 429, _vertex(429, "RESOURCE_EXHAUSTED"), {"Retry-After": "6"}, "rate", 6.0),
        Case("unavailable", 503, _vertex(503, "UNAVAILABLE"), error="server"),
        Case("teapot", 418, _vertex(418, "UNKNOWN"), error="bad_request"),
    ),
}  # fmt: skip
