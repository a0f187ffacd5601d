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
from enum import StrEnum
from typing import Any, ClassVar, Protocol

from pellucid_runtime.errors import ErrorKind, ServiceError


class LlmCause(StrEnum):
    """Why a model did not answer; names of metric labels and, with `model_`, of notices."""

    WRONG_KEY = "wrong_key"
    UNKNOWN_MODEL = "unknown_model"
    RESPONSES_ONLY = "responses_only"
    QUOTA_SPENT = "quota_spent"
    RATE_LIMITED = "rate_limited"
    CONTEXT_TOO_LONG = "context_too_long"
    CONTENT_FILTER = "content_filter"
    REFUSED = "refused"
    UNREACHABLE = "unreachable"
    SERVER_ERROR = "server_error"
    BROKE_OFF = "broke_off"
    TOO_SLOW = "too_slow"
    MALFORMED = "malformed"

    @property
    def may_pass(self) -> bool:
        """The same request may be answered later."""
        return self in _PASSING


_PASSING = frozenset(
    {
        LlmCause.RATE_LIMITED,
        LlmCause.UNREACHABLE,
        LlmCause.SERVER_ERROR,
        LlmCause.BROKE_OFF,
        LlmCause.TOO_SLOW,
        LlmCause.MALFORMED,
    }
)


@dataclass(frozen=True, slots=True)
class Said:
    """What a server itself said as it refused, for whoever wrote the request; never logged.

    Attributes:
        status: HTTP status; 0 when it refused in the middle of a stream.
        message: Its sentence; it may quote the prompt.
        kind: `type` of its error object.
        code: `code` of its error object.
        param: Field that it names.
    """

    status: int = 0
    message: str = ""
    kind: str = ""
    code: str = ""
    param: str = ""


class LlmError(ServiceError):
    """The language model failed.

    Args:
        message: One sentence without prompt or answer text.
        model: The model that was asked.
        cause: Why; None stands for what the class usually means.
        said: The server's own words.
        retry_after_s: When it wants to be asked again, in seconds; None where it does not say.
    """

    reason = "LLM_FAILED"
    kind = ErrorKind.UNAVAILABLE
    usual: ClassVar[LlmCause] = LlmCause.SERVER_ERROR

    def __init__(
        self,
        message: str,
        *,
        model: str = "",
        cause: LlmCause | None = None,
        said: Said | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        metadata = {"model": model} if model else None
        super().__init__(message, metadata=metadata, retry_after_s=retry_after_s)
        self.cause = cause or self.usual
        self.said = said


class LlmTimeoutError(LlmError):
    """The first token, or the next one, did not come in time."""

    usual = LlmCause.TOO_SLOW


class LlmUnavailableError(LlmError):
    """The endpoint cannot be reached, refuses for now, or broke off."""

    usual = LlmCause.UNREACHABLE


class LlmRejectedError(LlmError):
    """The endpoint refuses this request (too long, unknown model) or its credential."""

    usual = LlmCause.REFUSED


class LlmOutputError(LlmError):
    """The endpoint answered something that cannot be used."""

    usual = LlmCause.MALFORMED


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
        extra: Fields of somebody else's request, passed as they are (`tools`, `stop`, `messages`
            ...): what a server refuses of them is refused.
        task: What a side call is for (`decision`, `judging` ...): it asks for the least reasoning
            and is left out for a while when it is always late; empty for an answer.
    """

    messages: Sequence[ChatMessage]
    model: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    json_schema: Mapping[str, Any] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    task: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that were counted by the endpoint.

    Attributes:
        prompt_tokens: Tokens of the prompt.
        completion_tokens: Tokens of the answer.
        cost_usd: What they cost by the price list of the settings; 0 without a price.
        reasoning_tokens: Those of the completion that went into thinking.
    """

    prompt_tokens: int
    completion_tokens: int
    cost_usd: float = 0.0
    reasoning_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a streamed answer; one without content is a sign of life.

    Attributes:
        text: What was added; may be empty.
        finish_reason: `stop`, `length`, `tool_calls` ...; set once, near the end.
        usage: Set at most once, at the very end.
        tool_calls: Pieces of tool calls in the form of the OpenAI API.
        model: Model that answers.
        host: Host that the prompt was sent to.
        reasoning: Thinking that was added; never part of the answer.
    """

    text: str = ""
    finish_reason: str | None = None
    usage: Usage | None = None
    tool_calls: tuple[Mapping[str, Any], ...] = ()
    model: str = ""
    host: str = ""
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """A whole answer; fields as in `Chunk`."""

    text: str
    finish_reason: str
    usage: Usage | None = None
    tool_calls: tuple[Mapping[str, Any], ...] = ()
    model: str = ""
    host: str = ""
    reasoning: str = ""


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
