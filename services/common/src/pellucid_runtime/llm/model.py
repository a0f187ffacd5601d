"""What a service asks of a language model, whoever serves it.

Pure Python: domain code speaks to an `LlmClient` and never to an SDK. The adapter for
OpenAI-compatible endpoints is `pellucid_runtime.llm.openai`.

    LlmError                 nothing could be had from any endpoint; reason LLM_FAILED
    ├── LlmTimeoutError      the first token, or the next one, did not come in time
    ├── LlmUnavailableError  cannot be reached, refuses for now, or broke off
    ├── LlmRejectedError     refuses this request or its credential
    └── LlmOutputError       answered something that cannot be used
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pellucid_runtime.errors import ErrorKind, ServiceError


class LlmError(ServiceError):
    """The language model failed.

    Args:
        message: One sentence without prompt or answer text.
        model: The model that was asked.
    """

    reason = "LLM_FAILED"
    kind = ErrorKind.UNAVAILABLE

    def __init__(self, message: str, *, model: str = "") -> None:
        super().__init__(message, metadata={"model": model} if model else None)


class LlmTimeoutError(LlmError):
    """The first token, or the next one, did not come in time."""


class LlmUnavailableError(LlmError):
    """The endpoint cannot be reached, refuses for now, or broke off."""


class LlmRejectedError(LlmError):
    """The endpoint refuses this request (too long, unknown model) or its credential."""


class LlmOutputError(LlmError):
    """The endpoint answered something that cannot be used."""


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of the prompt.

    Attributes:
        role: `system`, `user`, `assistant` or `tool`.
        content: Text, or parts in the form of the OpenAI API (images pass through as they are).
    """

    role: str
    content: str | Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A prompt and how to answer it. None leaves the choice to the endpoint.

    Attributes:
        messages: The prompt, oldest first; at least one.
        model: Model; None means the endpoint's configured one.
        temperature: 0 to 2, higher is more varied.
        max_tokens: Most tokens of the answer.
        json_schema: JSON schema that the answer must follow.
        extra: Further fields of the API, passed as they are (`tools`, `stop`, `seed` ...).
    """

    messages: Sequence[ChatMessage]
    model: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    json_schema: Mapping[str, Any] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that were counted by the endpoint.

    Attributes:
        prompt_tokens: Tokens of the prompt.
        completion_tokens: Tokens of the answer.
        cost_usd: What they cost by the price list of the settings; 0 without a price.
    """

    prompt_tokens: int
    completion_tokens: int
    cost_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a streamed answer.

    Attributes:
        text: What was added; may be empty.
        finish_reason: `stop`, `length`, `tool_calls` ...; set once, near the end.
        usage: Set at most once, at the very end.
        tool_calls: Pieces of tool calls in the form of the OpenAI API.
        model: Model that answers.
        host: Host that the prompt was sent to.
    """

    text: str = ""
    finish_reason: str | None = None
    usage: Usage | None = None
    tool_calls: tuple[Mapping[str, Any], ...] = ()
    model: str = ""
    host: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """A whole answer; fields as in `Chunk`."""

    text: str
    finish_reason: str
    usage: Usage | None = None
    tool_calls: tuple[Mapping[str, Any], ...] = ()
    model: str = ""
    host: str = ""


class LlmClient(Protocol):
    """A language model."""

    def stream(self, request: ChatRequest) -> AsyncIterator[Chunk]:
        """Answer piece by piece; close the iterator to stop early.

        Raises:
            LlmError: See the module. After the first text nothing is tried again.
            DeadlineExceededError: The deadline passed.
        """
        ...

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer as a whole.

        Raises:
            LlmError: See the module.
            DeadlineExceededError: The deadline passed.
        """
        ...
