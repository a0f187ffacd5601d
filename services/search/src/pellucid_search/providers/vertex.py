"""Vertex AI Search over public sites: POST https://discoveryengine.googleapis.com/v1/...:searchLite.

Source: https://docs.cloud.google.com/generative-ai-app-builder/docs/reference/rest/v1/
projects.locations.collections.engines.servingConfigs/searchLite. `searchLite` takes a key instead
of OAuth and searches only the sites that the operator's engine lists, so the account is the name of
its serving config: projects/…/engines/…/servingConfigs/default_search.
"""

from typing import Any

from pellucid_search.errors import (
    BadKeyError,
    BadRequestError,
    ProviderError,
    ProviderServerError,
    RateError,
)
from pellucid_search.hits import DateSource, ProviderReply, RawHit
from pellucid_search.providers import google_codes
from pellucid_search.providers.google import page_date
from pellucid_search.providers.wire import (
    Endpoint,
    HttpCall,
    HttpReply,
    address,
    child,
    good_answer,
    items,
    refusal,
    retry_after_s,
    status_error,
    text,
)
from pellucid_search.query import ProviderQuery, SafeSearch, with_operators

MAX_COUNT = 25


def wording(query: ProviderQuery) -> str:
    """Return the words as they are sent; one site is a filter of its own."""
    return query.text if query.site else with_operators(query)


def build(query: ProviderQuery, endpoint: Endpoint) -> HttpCall:
    """Return the request for one query."""
    body: dict[str, Any] = {
        "query": wording(query),
        "pageSize": min(query.count, MAX_COUNT),
        "safeSearch": query.safe_search is not SafeSearch.OFF,
        "contentSearchSpec": {"snippetSpec": {"returnSnippet": True}},
    }
    filters = _filters(query)
    if filters:
        body["filter"] = " AND ".join(filters)
    headers = {"X-Goog-Api-Key": endpoint.key, "Accept": "application/json"}
    url = f"{endpoint.base_url}/v1/{endpoint.account}:searchLite"
    return HttpCall("POST", url, headers=headers, json=body)


def _filters(query: ProviderQuery) -> list[str]:
    """Return filters of basic website search; a window of time is none of them."""
    filters = []
    if query.language:
        filters.append(f'lr:"lang_{google_codes.language_code(query)}"')
    if query.site:
        filters.append(f'siteSearch:"https://{query.site}"')
    return filters


def parse(reply: HttpReply) -> ProviderReply:
    """Return the results; an answer without `results` found nothing.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    found = items(good_answer(reply, _error).get("results"))
    pages = [child(child(item, "document"), "derivedStructData") for item in found]
    return ProviderReply(tuple(_hit(page) for page in pages if address(page.get("link"))))


def _hit(page: dict[str, Any]) -> RawHit:
    snippets = [text(part.get("snippet")) for part in items(page.get("snippets"))]
    return RawHit(
        url=address(page.get("link")),
        title=text(page.get("title")),
        snippet=next(filter(None, snippets), ""),
        age=page_date(page),
        date_source=DateSource.META,
    )


def _error(reply: HttpReply) -> ProviderError:
    error = child(refusal(reply), "error")
    match text(error.get("status")):
        case "RESOURCE_EXHAUSTED":
            waiting = retry_after_s(reply)
            return RateError("the limit per minute was reached", retry_after_s=waiting)
        case "UNAUTHENTICATED" | "PERMISSION_DENIED" | "NOT_FOUND" | "FAILED_PRECONDITION":
            return BadKeyError("the key is not valid for this engine")
        case "INVALID_ARGUMENT" if "api key" in text(error.get("message")).lower():
            return BadKeyError("the key is not valid")
        case "INVALID_ARGUMENT":
            return BadRequestError("the provider rejected a parameter")
        case "UNAVAILABLE" | "INTERNAL" | "DEADLINE_EXCEEDED":
            return ProviderServerError("the provider reports an error of its own")
        case _:
            return status_error(reply)
