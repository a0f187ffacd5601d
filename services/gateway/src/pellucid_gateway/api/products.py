"""The APIs of other products: their routes and how each tells an error."""

from fastapi import APIRouter

from pellucid_gateway.api.anthropic import reply as anthropic_reply
from pellucid_gateway.api.anthropic.messages import anthropic_routes
from pellucid_gateway.api.compatible.sharing import error_json as openai_error
from pellucid_gateway.api.compatible.translation import ChatApi
from pellucid_gateway.api.http.error_shapes import ErrorShape
from pellucid_gateway.api.openai.models import models_routes
from pellucid_gateway.api.openai.responses import responses_routes
from pellucid_gateway.api.perplexity import search as perplexity_search
from pellucid_gateway.api.perplexity.chat import perplexity_chat_routes
from pellucid_gateway.api.search_apis import openwebui, searxng, tavily

COMPATIBLE_SHAPES = (
    ErrorShape(path="/v1/chat/completions", body=openai_error),
    ErrorShape(path="/v1/models", body=openai_error),
    ErrorShape(path="/v1/responses", body=openai_error),
    ErrorShape(
        path="/v1/messages",
        body=anthropic_reply.error_json,
        statuses=anthropic_reply.STATUSES,
    ),
    ErrorShape(path="/compat/perplexity/", body=openai_error),
    ErrorShape(path="/compat/tavily/", body=tavily.error_json),
    ErrorShape(path="/compat/searxng", body=searxng.error_json),
    ErrorShape(path="/compat/openwebui/", body=openwebui.error_json),
)


def compatible_routes(api: ChatApi) -> APIRouter:
    """Routes of every compatible API."""
    router = APIRouter()
    for chat in (models_routes, responses_routes, anthropic_routes, perplexity_chat_routes):
        router.include_router(chat(api))
    for search in (
        perplexity_search.perplexity_search_routes,
        tavily.tavily_routes,
        searxng.searxng_routes,
        openwebui.openwebui_routes,
    ):
        router.include_router(search(api.engine, api.identity))
    return router
