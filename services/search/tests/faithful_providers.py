"""Providers on loopback that demand what the real ones demand, and answer as documented."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from search_provider_fixtures import GOOD, KEY_PLACES, SENT
from search_provider_refusals import CASES, Case

from pellucid_search.providers.registry import REGISTRY

KEY = "example-key-0123456789"
ACCOUNT = "engine"


@dataclass(frozen=True)
class Demand:
    """What a provider takes: a method, the fields without which it refuses, and further ones."""

    method: str
    required: str
    optional: str


DEMANDS = {
    "brave": Demand(
        "GET",
        "q",
        "count country search_lang safesearch freshness text_decorations result_filter "
        "extra_snippets",
    ),
    "tavily": Demand(
        "POST",
        "query",
        "search_depth topic max_results include_raw_content include_answer include_images "
        "include_usage time_range include_domains exclude_domains country safe_search",
    ),
    "searxng": Demand("GET", "q format", "categories language safesearch pageno time_range"),
    "google": Demand("GET", "key cx q", "num safe dateRestrict lr hl gl siteSearch"),
    "bing": Demand(
        "GET",
        "q",
        "count safeSearch responseFilter textDecorations textFormat freshness mkt setLang cc",
    ),
    "serper": Demand("POST", "q", "num gl hl tbs location autocorrect page type"),
    "serpapi": Demand("GET", "engine api_key q", "safe gl hl lr tbs tbm"),
    "jina": Demand("POST", "q", "num gl hl type page location"),
    "you": Demand(
        "POST",
        "query",
        "count safesearch freshness country language include_domains exclude_domains",
    ),
    "perplexity": Demand(
        "POST",
        "query",
        "max_results max_tokens_per_page country search_language_filter search_domain_filter "
        "search_recency_filter",
    ),
    "mojeek": Demand("GET", "api_key q fmt", "t safe date since rb rbb lb lbb site"),
    "exa": Demand(
        "POST",
        "query",
        "type numResults moderation contents category userLocation startPublishedDate "
        "includeDomains excludeDomains",
    ),
    "firecrawl": Demand("POST", "query", "limit sources country tbs location"),
    "kagi": Demand("POST", "query", "workflow limit safe_search filters"),
    "vertex": Demand("POST", "query", "pageSize safeSearch contentSearchSpec filter"),
}


def settings_of(name: str, url: str, key: str = KEY) -> dict[str, Any]:
    """Return the settings of a provider at an address, as its line in the registry names them."""
    spec = REGISTRY[name]
    named = {spec.key: key, spec.account: ACCOUNT, spec.address: url}
    return {variable.lower(): value for variable, value in named.items() if variable}


def faithful(name: str, answer: type[Any], body: Any = None) -> Callable[[Any], Any]:
    """Return what a provider says to a request: its answer, or its documented refusal.

    Args:
        name: Name of the provider.
        answer: Makes an answer of body, status and headers.
        body: Instead of the good answer of the fixtures.
    """

    def respond(request: Any) -> Any:
        refused = _refusal(name, request)
        if refused is None:
            return answer(GOOD[name] if body is None else body)
        return answer(refused.body, refused.status, refused.headers)

    return respond


def _refusal(name: str, request: Any) -> Case | None:
    demand, target = DEMANDS[name], urlsplit(request.target)
    if (request.method, target.path) != (demand.method, SENT[name][0]):
        return Case("nothing_there", 404)
    fields = dict(parse_qsl(target.query))
    if not _has_key(name, request, fields):
        return _documented(name, "bad_key")
    if demand.method == "POST":
        if request.headers.get("content-type") != "application/json":
            return _documented(name, "bad_request")
        fields |= json.loads(request.body)
    known = {*demand.required.split(), *demand.optional.split(), "siteSearchFilter"}
    if not set(demand.required.split()) <= set(fields) <= known:
        return _documented(name, "bad_request")
    return None


def _has_key(name: str, request: Any, fields: dict[str, str]) -> bool:
    if name not in KEY_PLACES:
        return True
    place, field, before = KEY_PLACES[name]
    given = request.headers.get(field, "") if place == "header" else fields.get(field, "")
    return bool(given == f"{before}{KEY}")


def _documented(name: str, error: str) -> Case:
    return next(case for case in CASES[name] if case.error == error)
