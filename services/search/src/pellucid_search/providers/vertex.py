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
from pellucid_search.hits import ProviderReply
from pellucid_search.providers import google_codes, wire
from pellucid_search.providers.google import FIELDS, page_date
from pellucid_search.query import ProviderQuery, SafeSearch, with_operators

MAX_COUNT = 25
_WRONG_KEY = (BadKeyError, "the key is not valid for this engine")
_OWN_ERROR = (ProviderServerError, "the provider reports an error of its own")
_ERRORS: wire.Meanings = {
    "RESOURCE_EXHAUSTED": (RateError, "the limit per minute was reached"),
    "UNAUTHENTICATED": _WRONG_KEY,
    "PERMISSION_DENIED": _WRONG_KEY,
    "NOT_FOUND": _WRONG_KEY,
    "FAILED_PRECONDITION": _WRONG_KEY,
    "api key": (BadKeyError, "the key is not valid"),
    "INVALID_ARGUMENT": (BadRequestError, "the provider rejected a parameter"),
    "UNAVAILABLE": _OWN_ERROR,
    "INTERNAL": _OWN_ERROR,
    "DEADLINE_EXCEEDED": _OWN_ERROR,
}


def wording(query: ProviderQuery) -> str:
    """Return the words as they are sent; one site is a filter of its own."""
    return query.text if query.site else with_operators(query)


def build(query: ProviderQuery, endpoint: wire.Endpoint) -> wire.HttpCall:
    """Return the request for one query."""
    body = {
        "query": wording(query),
        "pageSize": min(query.count, MAX_COUNT),
        "safeSearch": query.safe_search is not SafeSearch.OFF,
        "contentSearchSpec": {"snippetSpec": {"returnSnippet": True}},
        "filter": " AND ".join(_filters(query)),
    }
    path = f"/v1/{endpoint.account}:searchLite"
    return wire.post(endpoint, path, body, {"X-Goog-Api-Key": endpoint.key})


def _filters(query: ProviderQuery) -> list[str]:
    """Return filters of basic website search; a window of time is none of them."""
    language = f'lr:"lang_{google_codes.language_code(query)}"' if query.language else ""
    site = f'siteSearch:"https://{query.site}"' if query.site else ""
    return [each for each in (language, site) if each]


def parse(reply: wire.HttpReply) -> ProviderReply:
    """Return the results; an answer without `results` found nothing.

    Raises:
        ProviderError: The typed failure that the answer means.
    """
    found = wire.items(wire.good_answer(reply, _error).get("results"))
    pages = [wire.child(wire.child(item, "document"), "derivedStructData") for item in found]
    return ProviderReply(FIELDS.hits([_flat(page) for page in pages]))


def _flat(page: dict[str, Any]) -> dict[str, Any]:
    snippets = [part.get("snippet") for part in wire.items(page.get("snippets"))]
    return {**page, "snippet": next(filter(None, snippets), ""), "date": page_date(page)}


def _error(reply: wire.HttpReply) -> ProviderError:
    error = wire.child(wire.refusal(reply), "error")
    said = f"{wire.text(error.get('status'))} {wire.text(error.get('message')).lower()}"
    return wire.named_error(reply, said, _ERRORS)
