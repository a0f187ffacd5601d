"""POST /compat/perplexity/chat/completions: Perplexity's chat API over the same engine."""

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from fastapi import APIRouter, Request
from starlette.responses import Response

from pellucid_gateway.api.compatible.client_turn import depth_of, place_of, translated
from pellucid_gateway.api.compatible.shapes import CHAT_BODY_BYTES, Lenient
from pellucid_gateway.api.compatible.translation import ChatApi, reply
from pellucid_gateway.api.compatible.wire import Json, given
from pellucid_gateway.api.http.bodies import check, parse_object, read_body
from pellucid_gateway.api.perplexity.reply import PerplexityEncoder
from pellucid_gateway.api.perplexity.search import Recency, domains, window_days


class PerplexityOptions(Lenient):
    """Fields of this API that are about the search."""

    disable_search: bool = False
    enable_search_classifier: bool = False
    search_recency_filter: Recency | None = None
    search_domain_filter: list[str] | None = None
    web_search_options: dict[str, Any] | None = None

    def implied(self) -> Json:
        """As options of ours; this API searches unless it is told not to."""
        mode = "auto" if self.enable_search_classifier else "on"
        own = self.web_search_options or {}
        included, excluded = domains(self.search_domain_filter or ())
        return given(
            {
                "web_mode": "off" if self.disable_search else mode,
                "citation_style": "numeric",
                "recency_days": window_days(self.search_recency_filter),
                "include_domains": list(included),
                "exclude_domains": list(excluded),
                **place_of(own.get("user_location")),
                **depth_of(own.get("search_context_size")),
            }
        )


# What this API has and no model server knows.
_PERPLEXITY_FIELDS = frozenset(
    {
        "disable_search",
        "enable_search_classifier",
        "last_updated_after_filter",
        "last_updated_before_filter",
        "return_images",
        "return_related_questions",
        "search_after_date_filter",
        "search_before_date_filter",
        "search_domain_filter",
        "search_language_filter",
        "search_mode",
        "search_recency_filter",
        "stream_mode",
    }
)


def perplexity_chat_routes(api: ChatApi) -> APIRouter:
    """Route of the Perplexity chat API."""
    router = APIRouter(include_in_schema=False)

    @router.post("/compat/perplexity/chat/completions")
    async def complete(request: Request) -> Response:
        body = parse_object(await read_body(request, CHAT_BODY_BYTES))
        header = request.headers.get("x-pellucid-options", "")
        options = check(PerplexityOptions, body)
        asked = translated(_chat(body), header, api.own_model, options.implied())
        size = (options.web_search_options or {}).get("search_context_size")
        encoder = PerplexityEncoder(
            uuid4().hex, model=asked.model, created=api.now, context_size=size or "medium"
        )
        return await reply(api, request, asked, encoder)

    return router


def _chat(body: Mapping[str, Any]) -> Json:
    return {name: value for name, value in body.items() if name not in _PERPLEXITY_FIELDS}
