"""One HTTP exchange as plain data, and what all parsers of JSON answers share."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import orjson

from pellucid_search import errors
from pellucid_search.hits import PAGE_TEXT_LIMIT, TEXT_LIMIT, DateSource, RawHit

# No list of any provider is longer; more is cut before any work is done on it.
MAX_ITEMS = 100
# Room for markup around a title or snippet that is cut to TEXT_LIMIT once it is plain text.
_RAW_TEXT_LIMIT = 4 * TEXT_LIMIT
_MAX_URL = 2_048
_MAX_LANGUAGE = 16
_JSON = {"Accept": "application/json"}
_NOTHING: tuple[Any, ...] = (None, "", [], {})
_MAX_EXCERPTS = 10
_OK = 200
_REDIRECTS, _CALLER_ERRORS = 3, 4
_REQUEST_TIMEOUT = 408


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where and as whom a provider is asked.

    Attributes:
        base_url: Scheme and host, without a slash at the end.
        key: API key; empty when none is needed. Kept out of `repr`.
        account: Second identifier beside the key, as Google needs; empty when none is needed.
    """

    base_url: str
    key: str = field(default="", repr=False)
    account: str = ""


@dataclass(frozen=True, slots=True)
class HttpCall:
    """A request to send."""

    method: str
    url: str
    params: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    json: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class HttpReply:
    """A received answer; header names are in lower case, the body is whole."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class ResultFields:
    """Which fields of a result say what; of several the first that says something counts.

    Attributes:
        url: Its address.
        title: Its title.
        snippet: Its text.
        age: Its date.
        language: Its language.
        page_text: Text of the page.
        date_source: Where the provider has the date from.
    """

    url: str = "url"
    title: str = "title"
    snippet: tuple[str, ...] = ("snippet",)
    age: tuple[str, ...] = ("date",)
    language: str = ""
    page_text: str = ""
    date_source: DateSource = DateSource.PROVIDER

    def hits(self, *lists: object) -> tuple[RawHit, ...]:
        """Return the results of lists that have an address."""
        return tuple(
            RawHit(
                url=address(item[self.url]),
                title=text(item.get(self.title)),
                snippet=_first(item, self.snippet),
                age=_first(item, self.age),
                date_source=self.date_source,
                language=text(item.get(self.language), _MAX_LANGUAGE),
                page_text=_first(item, (self.page_text,), PAGE_TEXT_LIMIT),
            )
            for found in lists
            for item in items(found)
            if address(item.get(self.url))
        )


def _first(item: Mapping[str, Any], names: Sequence[str], limit: int = _RAW_TEXT_LIMIT) -> str:
    said = (text(item.get(name), limit) or joined(item.get(name)) for name in names)
    return next(filter(None, said), "")


def get(
    endpoint: Endpoint,
    path: str,
    params: Mapping[str, str],
    headers: Mapping[str, str] = MappingProxyType({}),
) -> HttpCall:
    """Return a request whose parameters are in its address; those that are empty are left out."""
    given = tuple((name, value) for name, value in params.items() if value)
    return HttpCall("GET", endpoint.base_url + path, params=given, headers={**_JSON, **headers})


def post(
    endpoint: Endpoint, path: str, body: Mapping[str, Any], headers: Mapping[str, str]
) -> HttpCall:
    """Return a request with a body; fields without a value are left out."""
    given = {name: value for name, value in body.items() if value not in _NOTHING}
    return HttpCall("POST", endpoint.base_url + path, headers={**_JSON, **headers}, json=given)


def bearer(endpoint: Endpoint) -> Mapping[str, str]:
    """Return the header with the key."""
    return {"Authorization": f"Bearer {endpoint.key}"}


def json_object(reply: HttpReply) -> dict[str, Any]:
    """Return the body as a JSON object.

    Raises:
        EmptyError: The body is empty.
        BlockedError: It is a page that asks for a captcha.
        MalformedError: It is anything else.
    """
    body = reply.body.removeprefix(b"\xef\xbb\xbf").strip()
    if not body:
        raise errors.EmptyError("the answer was empty")
    if body.startswith(b"<"):
        raise _html_error(body)
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise errors.MalformedError("the answer was not valid JSON") from error
    if not isinstance(value, dict):
        raise errors.MalformedError("the answer was not a JSON object")
    return value


def refusal(reply: HttpReply) -> dict[str, Any]:
    """Return the body of a refusal; empty when it is no JSON object."""
    try:
        return json_object(reply)
    except errors.ProviderError:
        return {}


def _html_error(body: bytes) -> errors.ProviderError:
    if b"captcha" in body[:20_000].lower():
        return errors.BlockedError("the provider asked for a captcha")
    return errors.MalformedError("the answer was a web page instead of JSON")


def status_error(reply: HttpReply, *, detail: str = "") -> errors.ProviderError:
    """Return the error that an HTTP status means when the body says nothing better."""
    said = detail or f"the provider answered with HTTP {reply.status}"
    match reply.status:
        case 401 | 403:
            return errors.BadKeyError(said)
        case 402:
            return errors.QuotaError(said, retry_after_s=retry_after_s(reply))
        case 429:
            return errors.RateError(said, retry_after_s=retry_after_s(reply))
        case status if status // 100 == _REDIRECTS:
            return errors.UnreachableError("the provider answered with a redirect")
        case status if status // 100 == _CALLER_ERRORS and status != _REQUEST_TIMEOUT:
            return errors.BadRequestError(said)
        case _:
            return errors.ProviderServerError(said, retry_after_s=retry_after_s(reply))


Meanings = Mapping[str, tuple[type[errors.ProviderError], str]]
"""Errors and what people are told of them, by the provider's words."""


def named_error(reply: HttpReply, said: str, meanings: Meanings) -> errors.ProviderError:
    """Return the error of the first words that are said; without any that of the status."""
    for words, (error, detail) in meanings.items():
        if words in said:
            return error(detail, retry_after_s=retry_after_s(reply))
    return status_error(reply)


def good_answer(
    reply: HttpReply, error: Callable[[HttpReply], errors.ProviderError] = status_error
) -> dict[str, Any]:
    """Return the JSON object of an answer with HTTP 200.

    Args:
        reply: As received.
        error: Tells what any other status means.

    Raises:
        ProviderError: The status is another, or the body is no JSON object.
    """
    if reply.status != _OK:
        raise error(reply)
    return json_object(reply)


def retry_after_s(reply: HttpReply) -> float | None:
    """Return `Retry-After` in seconds; None without one in seconds."""
    value = reply.headers.get("retry-after", "").strip()
    return float(value) if value.isascii() and value.isdigit() and len(value) < 9 else None  # noqa: PLR2004 - more digits is nonsense


def items(value: object) -> Sequence[dict[str, Any]]:
    """Return the objects of a list, at most 100; nothing when it is not a list."""
    if not isinstance(value, list):
        return ()
    return [item for item in value[:MAX_ITEMS] if isinstance(item, dict)]


def text(value: object, limit: int = _RAW_TEXT_LIMIT) -> str:
    """Return a string cut to `limit` characters; empty for any other type."""
    return value[:limit] if isinstance(value, str) else ""


def joined(value: object) -> str:
    """Return the first ten strings of a list as lines; empty when it is not a list."""
    parts = value[:_MAX_EXCERPTS] if isinstance(value, list) else ()
    return "\n".join(filter(None, (text(part) for part in parts)))


def address(value: object) -> str:
    """Return an http(s) address; empty for anything else or a longer one than 2,048 characters."""
    if not isinstance(value, str) or len(value) > _MAX_URL:
        return ""
    return value if value[:8].lower().startswith(("http://", "https://")) else ""


def child(value: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return an object inside an object; empty when it is absent or something else."""
    inner = value.get(name)
    return inner if isinstance(inner, dict) else {}


def used(value: object, per_call: float = 1.0) -> float:
    """Return as how many calls a call is charged; one when the answer does not say."""
    return value / per_call if isinstance(value, int | float) else 1.0
