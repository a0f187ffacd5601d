"""What is kept of a person, and its deletion; what was used."""

from typing import Any, Literal

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from pellucid_gateway.api.http.bodies import read_model
from pellucid_gateway.api.http.fields import Domain, FilledMemory, FilledName, ShortText
from pellucid_gateway.api.http.identity import Identity
from pellucid_gateway.api.http.options import Strict
from pellucid_gateway.api.http.responses import JsonResponse
from pellucid_gateway.api.native.documentation import described, failures
from pellucid_gateway.api.native.kept_schema import (
    ConversationHead,
    ConversationReply,
    ConversationsReply,
    DailyUsageReply,
    MemoriesReply,
    MemoryReply,
    PreferenceReply,
    PreferencesReply,
)
from pellucid_gateway.conversation.afterwards import Kept
from pellucid_gateway.conversation.conversations import MOST_CONVERSATIONS, Conversations
from pellucid_gateway.conversation.memories import Memories
from pellucid_gateway.conversation.source_preferences import SourcePreferences, Stance

_GONE: dict[str, Any] = {"status_code": 204, "response_class": Response}


class MemoryBody(Strict):
    """POST /v1/memories."""

    text: FilledMemory = Field(description="The fact to remember; at most 2 KiB of UTF-8.")
    user_id: ShortText = Field("", description="Your identifier of the user.")


class TitleBody(Strict):
    """POST /v1/conversations/{id}."""

    title: FilledName = Field(description="Its new title.")
    user_id: ShortText = Field("", description="Your identifier of the user.")


class PreferenceBody(Strict):
    """POST /v1/source-preferences."""

    domain: Domain = Field(description="Host name; includes its subdomains.")
    stance: Literal["prefer", "avoid"] = Field(
        description="`prefer` ranks it above equal sources; `avoid` excludes it."
    )
    user_id: ShortText = Field("", description="Your identifier of the user.")


def kept_routes(kept: Kept, identity: Identity, max_body_bytes: int) -> APIRouter:
    """Routes of what is kept. `user_id` must be the one that asked, if one was given."""
    router = APIRouter()
    if kept.conversations is not None:
        router.include_router(_conversation_routes(kept.conversations, identity, max_body_bytes))
    router.include_router(_memory_routes(kept.memories, identity, max_body_bytes))
    router.include_router(_preference_routes(kept.preferences, identity, max_body_bytes))
    router.include_router(_person_routes(kept, identity))
    return router


def _conversation_routes(
    conversations: Conversations, identity: Identity, max_body_bytes: int
) -> APIRouter:
    router = APIRouter(tags=["conversations"])

    @router.get("/v1/conversations", **described(None, ConversationsReply))
    async def listed(request: Request, user_id: str = "") -> Response:
        """Conversations of the person, last used first."""
        owner = identity.caller(request, user_id)
        found = await conversations.listed(owner, MOST_CONVERSATIONS)
        return JsonResponse({"conversations": found})

    @router.get("/v1/conversations/{conversation}", **described(None, ConversationReply))
    async def read(conversation: str, request: Request, user_id: str = "") -> Response:
        """One conversation with its messages."""
        owner = identity.caller(request, user_id)
        return JsonResponse(await conversations.read(owner, conversation))

    @router.delete(
        "/v1/conversations/{conversation}",
        **_GONE,
        responses={204: {"description": "Forgotten."}, **failures()},
    )
    async def delete(conversation: str, request: Request, user_id: str = "") -> Response:
        """Forget one conversation at once."""
        await conversations.delete(identity.caller(request, user_id), conversation)
        return Response(status_code=204)

    @router.post("/v1/conversations/{conversation}", **described(TitleBody, ConversationHead))
    async def rename(conversation: str, request: Request) -> Response:
        """Give one conversation another title."""
        body = await read_model(request, TitleBody, max_body_bytes)
        owner = identity.caller(request, body.user_id)
        return JsonResponse(await conversations.rename(owner, conversation, body.title))

    @router.delete(
        "/v1/conversations/{conversation}/turns/{turn}",
        **_GONE,
        responses={204: {"description": "Forgotten."}, **failures()},
    )
    async def delete_turn(
        conversation: str, turn: str, request: Request, user_id: str = ""
    ) -> Response:
        """Forget one turn, as when it is asked again in other words."""
        await conversations.delete_turn(identity.caller(request, user_id), conversation, turn)
        return Response(status_code=204)

    return router


def _memory_routes(memories: Memories, identity: Identity, max_body_bytes: int) -> APIRouter:
    router = APIRouter(tags=["memories"])

    @router.get("/v1/memories", **described(None, MemoriesReply))
    async def listed(request: Request, user_id: str = "") -> Response:
        """What is remembered of the person, newest first."""
        found = await memories.listed(identity.caller(request, user_id))
        return JsonResponse({"memories": found})

    @router.post("/v1/memories", **described(MemoryBody, MemoryReply))
    async def add(request: Request) -> Response:
        """Remember something; the same text is remembered once."""
        body = await read_model(request, MemoryBody, max_body_bytes)
        owner = identity.caller(request, body.user_id)
        return JsonResponse(await memories.add(owner, body.text))

    @router.delete(
        "/v1/memories/{memory}",
        **_GONE,
        responses={204: {"description": "Forgotten."}, **failures()},
    )
    async def delete(memory: str, request: Request, user_id: str = "") -> Response:
        """Forget one memory at once."""
        await memories.delete(identity.caller(request, user_id), memory)
        return Response(status_code=204)

    return router


def _preference_routes(
    preferences: SourcePreferences, identity: Identity, max_body_bytes: int
) -> APIRouter:
    router = APIRouter(tags=["source preferences"])

    @router.get("/v1/source-preferences", **described(None, PreferencesReply))
    async def listed(request: Request, user_id: str = "") -> Response:
        """Sources that the person prefers or avoids, newest first."""
        found = await preferences.listed(identity.caller(request, user_id))
        return JsonResponse({"sources": found})

    @router.post("/v1/source-preferences", **described(PreferenceBody, PreferenceReply))
    async def put(request: Request) -> Response:
        """Prefer or avoid a source; replaces what was said of it before."""
        body = await read_model(request, PreferenceBody, max_body_bytes)
        owner = identity.caller(request, body.user_id)
        return JsonResponse(await preferences.put(owner, body.domain, Stance(body.stance)))

    @router.delete(
        "/v1/source-preferences/{domain}",
        **_GONE,
        responses={204: {"description": "Forgotten."}, **failures()},
    )
    async def delete(domain: str, request: Request, user_id: str = "") -> Response:
        """Forget what the person said of a source."""
        await preferences.delete(identity.caller(request, user_id), domain.lower())
        return Response(status_code=204)

    return router


def _person_routes(kept: Kept, identity: Identity) -> APIRouter:
    router = APIRouter(tags=["person"])

    @router.delete(
        "/v1/users/me/data",
        **_GONE,
        responses={204: {"description": "Forgotten."}, **failures()},
    )
    async def forget(request: Request, user_id: str = "") -> Response:
        """Forget everything that is kept of the person."""
        owner = identity.caller(request, user_id)
        if kept.query_log is not None:
            await kept.query_log.forget(owner)
        for records in (kept.state.records, kept.state.evidence):
            await records.delete_owner(owner)
        await kept.stats.forget(owner)
        return Response(status_code=204)

    @router.get("/v1/usage", **described(None, DailyUsageReply))
    async def usage(request: Request, user_id: str = "") -> Response:
        """What the person used, by day, newest first."""
        return JsonResponse({"days": await kept.stats.usage(identity.caller(request, user_id))})

    return router
