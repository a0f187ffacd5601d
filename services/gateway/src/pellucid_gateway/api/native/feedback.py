"""POST /v1/feedback: what a person thinks of one answer of theirs."""

from collections.abc import Mapping
from typing import Literal

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from pellucid_gateway.api.http.bodies import read_model
from pellucid_gateway.api.http.fields import FilledName, MemoryText, ShortText
from pellucid_gateway.api.http.identity import Identity
from pellucid_gateway.api.http.options import Strict
from pellucid_gateway.api.http.responses import JsonResponse
from pellucid_gateway.api.native.documentation import described
from pellucid_gateway.api.native.replies import Reply
from pellucid_gateway.conversation.feedback import StoredFeedback
from pellucid_gateway.domain.ports import EvidenceStore

# Scores that a thumb stands for.
THUMBS: Mapping[str, int] = {"up": 5, "down": 1}


class FeedbackBody(Strict):
    """POST /v1/feedback."""

    id: FilledName = Field(
        description="The answer's `id`; it must be yours and its evidence still stored."
    )
    rating: Literal["up", "down"] = Field(description="Thumb.")
    score: int | None = Field(
        None, ge=1, le=5, description="1 (useless) to 5 (right); absent: up is 5, down is 1."
    )
    comment: MemoryText = Field("", description="In words; at most 2 KiB of UTF-8.")
    user_id: ShortText = Field("", description="The person, as you named them when asking.")

    @property
    def value(self) -> int:
        """Score from 1 to 5."""
        return self.score or THUMBS[self.rating]


class FeedbackReply(Reply):
    """The recorded feedback."""

    id: str
    rating: Literal["up", "down"]
    score: int = Field(description="1 to 5.")


def feedback_routes(
    keeper: StoredFeedback, evidence: EvidenceStore, identity: Identity, max_body_bytes: int
) -> APIRouter:
    """Route of the feedback API. Feedback on an answer of somebody else is a 404."""
    router = APIRouter()

    @router.post("/v1/feedback", tags=["feedback"], **described(FeedbackBody, FeedbackReply))
    async def give(request: Request) -> Response:
        """Record a thumb; a second one replaces the first."""
        body = await read_model(request, FeedbackBody, max_body_bytes)
        owner = identity.caller(request, body.user_id)
        record = await evidence.load(body.id, owner)
        kept = {"rating": body.rating, "score": body.value, "comment": body.comment}
        await keeper.keep(body.id, owner, kept, record)
        return JsonResponse({"id": body.id, "rating": body.rating, "score": body.value})

    return router
