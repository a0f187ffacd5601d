"""The faces of other products: their routes and how each tells an error."""

from fastapi import APIRouter

from pellucid_gateway.faces import (
    anthropic_reply,
    openai_reply,
    openwebui,
    perplexity_search,
    searxng,
    tavily,
)
from pellucid_gateway.faces.anthropic_messages import anthropic_routes
from pellucid_gateway.faces.error_shapes import ErrorShape
from pellucid_gateway.faces.openai_chat import openai_routes
from pellucid_gateway.faces.openai_responses import responses_routes
from pellucid_gateway.faces.perplexity_chat import perplexity_chat_routes
from pellucid_gateway.faces.told import ChatDoor

COMPATIBLE_SHAPES = (
    ErrorShape(path="/v1/chat/completions", body=openai_reply.error_json),
    ErrorShape(path="/v1/models", body=openai_reply.error_json),
    ErrorShape(path="/v1/responses", body=openai_reply.error_json),
    ErrorShape(
        path="/v1/messages",
        body=anthropic_reply.error_json,
        statuses=anthropic_reply.STATUSES,
    ),
    ErrorShape(path="/compat/perplexity/", body=openai_reply.error_json),
    ErrorShape(path="/compat/tavily/", body=tavily.error_json),
    ErrorShape(path="/compat/searxng/", body=searxng.error_json),
    ErrorShape(path="/compat/openwebui/", body=openwebui.error_json),
)


def compatible_routes(door: ChatDoor) -> APIRouter:
    """Routes of every compatible face."""
    router = APIRouter()
    for chat in (openai_routes, responses_routes, anthropic_routes, perplexity_chat_routes):
        router.include_router(chat(door))
    for search in (
        perplexity_search.perplexity_search_routes,
        tavily.tavily_routes,
        searxng.searxng_routes,
        openwebui.openwebui_routes,
    ):
        router.include_router(search(door.engine, door.identity))
    return router
