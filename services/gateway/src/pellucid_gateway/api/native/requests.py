"""Requests of the native APIs and their translation into what the engine is asked.

Strict: an unknown field, a wrong type or an unknown word is an error, never ignored.
"""

from base64 import b64decode
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError

from pellucid_gateway.api.http.fields import (
    Address,
    FilledMessage,
    MessageText,
    ShortText,
    at_most_bytes,
    at_most_messages,
    not_blank,
)
from pellucid_gateway.api.http.options import SearchFields, Strict, SubjectBody, TurnFields
from pellucid_gateway.domain.attachment import MOST_ATTACHMENTS, MOST_BYTES, Attachment, naming
from pellucid_gateway.domain.request import (
    ChatMessage,
    Role,
    SearchCommand,
    TurnRequest,
)


def _unfit(field: str, limit: str, message: str) -> PydanticCustomError:
    """An error of the whole request that still names its field."""
    return PydanticCustomError("limit", message, {"limit": limit, "field": field})


class MessageBody(Strict):
    """One message of the conversation."""

    role: Literal["user", "assistant", "system", "tool"] = Field(description="Who wrote it.")
    content: MessageText = Field(description="Plain text; at most 32 KiB of UTF-8.")

    def to_domain(self) -> ChatMessage:
        """As the engine sees it."""
        return ChatMessage(Role(self.role), self.content)


def _decoded(data: object) -> bytes:
    try:
        return b64decode(str(data), validate=True)
    except ValueError:
        raise PydanticCustomError("limit", "must be base64", {"limit": "base64"}) from None


def _within_limit(attachments: list["AttachmentBody"]) -> list["AttachmentBody"]:
    if sum(len(one.data) for one in attachments) > MOST_BYTES:
        words = f"at most {MOST_BYTES // 2**20} MiB together"
        raise PydanticCustomError("payload_too_large", f"must be {words}", {"limit": words})
    return attachments


class AttachmentBody(Strict):
    """A text or PDF that the person hands over; it is read for this answer and never kept."""

    name: Annotated[str, AfterValidator(at_most_bytes(255)), AfterValidator(not_blank)] = Field(
        description="File name, for example `minutes.pdf`."
    )
    data: Annotated[
        bytes, BeforeValidator(_decoded), WithJsonSchema({"type": "string", "format": "byte"})
    ] = Field(description="The file in base64.")


class ChatBody(TurnFields):
    """POST /v1/chat: one message with its options; only the message is required."""

    message: FilledMessage | None = Field(
        None, description="The person's message; comes after `messages` when both are given."
    )
    messages: Annotated[list[MessageBody], AfterValidator(at_most_messages)] = Field(
        default_factory=list, description="The conversation, oldest first; at most 50 messages."
    )
    model: ShortText = Field("", description="Model to answer with; absent: the server's.")
    stream: bool = Field(default=False, description="Answer with server-sent events.")
    attachments: Annotated[
        list[AttachmentBody], Field(max_length=MOST_ATTACHMENTS), AfterValidator(_within_limit)
    ] = Field(
        default_factory=list,
        description="Texts and PDFs of the conversation, sent with each request; at most 3.",
    )

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"required": ["message"], "properties": {"message": {"type": "string"}}},
                {"required": ["messages"], "properties": {"messages": {"minItems": 1}}},
            ]
        }
    )

    @model_validator(mode="after")
    def _ends_with_the_person(self) -> "ChatBody":
        if self.message is not None:
            return self
        if not self.messages:
            raise _unfit("message", "message or messages", "is required")
        if self.messages[-1].role != "user":
            raise _unfit("messages", "last role user", "must end with a user message")
        if not self.messages[-1].content.strip():
            raise _unfit("messages", "not empty", "must not end with an empty message")
        return self

    def conversation(self, attachments: Sequence[Attachment]) -> tuple[ChatMessage, ...]:
        """Messages, oldest first, ending with the person's, which names what is attached."""
        messages = tuple(message.to_domain() for message in self.messages)
        own = (ChatMessage(Role.USER, self.message),) if self.message is not None else ()
        *earlier, last = messages + own
        named = naming(last.content, (one.content for one in earlier), attachments)
        return (*earlier, replace(last, content=named))

    def to_turn(self, caller: str) -> TurnRequest:
        """As the engine sees it."""
        attachments = tuple(Attachment(one.name, one.data) for one in self.attachments)
        return self.turn(
            self.conversation(attachments),
            keeps_conversation=True,
            caller=caller,
            model=self.model,
            attachments=attachments,
        )


class SearchBody(SearchFields):
    """POST /v1/search: results without an answer."""

    query: FilledMessage = Field(description="What the person looks for; at most 32 KiB of UTF-8.")
    messages: Annotated[list[MessageBody], AfterValidator(at_most_messages)] = Field(
        default_factory=list,
        description="What was said before, by which the query is understood; without: as given.",
    )
    context: SubjectBody | None = Field(
        None, description="What it is about; with it the query is made specific."
    )

    def to_command(self, caller: str) -> SearchCommand:
        """As the engine sees it: the query as given, unless there is something to read it by."""
        return self.command(
            self.query,
            caller,
            messages=tuple(message.to_domain() for message in self.messages),
            subject=self.context.to_domain() if self.context else None,
            verbatim=not self.messages and self.context is None,
        )


class CheckBody(SearchFields):
    """POST /v1/check: what sources say of a statement."""

    statement: FilledMessage = Field(
        description="One statement, for example `The Ondry Bridge cost 48 million euros.`"
    )

    def to_command(self, caller: str) -> SearchCommand:
        """As the engine sees it."""
        return self.command(self.statement, caller, checks=True)


class FetchBody(Strict):
    """POST /v1/fetch: pages that a person named."""

    urls: list[Address] = Field(
        min_length=1, max_length=20, description="Addresses, 1 to 20, http or https."
    )
    max_chars: int = Field(
        10_000, ge=1, le=200_000, description="Longest text of each page in characters."
    )
    no_external: bool = Field(
        default=False, description="Only hosts that the operator named as internal."
    )
    offset: int = Field(
        0, ge=0, le=10_000_000, description="Where each text begins; next_offset of the last part."
    )
    links: bool = Field(default=False, description="Write links as Markdown links.")

    def reading(self) -> dict[str, Any]:
        """How the pages are to be read, as the engine takes it."""
        return self.model_dump(exclude={"urls"})
