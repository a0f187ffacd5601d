"""The language model that writes answers: what it is asked, and what comes back piece by piece."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from pellucid_gateway.domain.account import ModelUse
from pellucid_gateway.domain.request import ChatMessage, ClientMessages


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What the answer model is asked.

    Attributes:
        messages: System rules first, the person's message last; empty when `client` is set.
        max_tokens: Longest answer; None leaves it to the client's own fields.
        context_tokens: Tokens of sources among them, estimated.
        shown: Numbers of the sources among them: only these may be cited.
        left_out: How many more sources there are that the window has no room for.
        temperature: 0 to 2; None leaves it to the adapter.
        client: The conversation and fields of a compatible API's client, sent as they are.
        task: What a side call is for, such as `judging`: little thought, and left out for a while
            when it is always late; empty for an answer.
    """

    messages: tuple[ChatMessage, ...]
    max_tokens: int | None
    model: str = ""
    context_tokens: int = 0
    shown: tuple[int, ...] = ()
    left_out: int = 0
    temperature: float | None = None
    client: ClientMessages | None = None
    task: str = ""

    @property
    def text(self) -> str:
        """All messages, one below the other."""
        return "\n\n".join(message.content for message in self.messages)


@dataclass(frozen=True, slots=True)
class ModelThought:
    """Thinking that is no part of the answer; without text a bare sign of life."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class ModelPiece:
    """Text of the answer as it comes, never empty."""

    text: str


@dataclass(frozen=True, slots=True)
class ModelToolCalls:
    """Pieces of calls of the client's own tools, as the API streams them; never empty."""

    pieces: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEnd:
    """The regular end of a model's answer.

    Attributes:
        truncated: The length limit was hit.
        finish_reason: The API's word: stop, length, tool_calls, content_filter.
        prompt_tokens: As counted by the model server; 0 when it does not say.
        completion_tokens: Likewise.
        model: Model that answered, as the server calls it; empty when it does not say.
        cost_micro_usd: Cost by the price list of the settings; 0 without a price.
    """

    truncated: bool = False
    finish_reason: str = "stop"
    prompt_tokens: int = 0
    completion_tokens: int = 0
    model: str = ""
    cost_micro_usd: int = 0

    @property
    def used(self) -> ModelUse:
        """What the model used."""
        return ModelUse(
            model=self.model or "unnamed",
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            cost_micro_usd=self.cost_micro_usd,
        )


ModelEvent = ModelPiece | ModelThought | ModelToolCalls | ModelEnd


class AnswerModel(Protocol):
    """The language model that writes answers."""

    @property
    def name(self) -> str:
        """Name for labels."""
        ...

    @property
    def receiver(self) -> str:
        """Host that prompts go to; empty when the model is internal and nothing leaves."""
        ...

    @property
    def window_tokens(self) -> int:
        """Prompt and answer together are never longer."""
        ...

    def stream(self, prompt: Prompt) -> AsyncIterator[ModelEvent]:
        """Yield the answer, last a ModelEnd; raises ServiceError when it breaks off."""
        ...
