"""The answer model over an OpenAI-compatible endpoint; timeouts and the second endpoint are its."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import KW_ONLY, dataclass, replace

from pellucid_gateway.domain.answer_model import (
    ModelEnd,
    ModelEvent,
    ModelPiece,
    ModelThought,
    ModelToolCalls,
    Prompt,
)
from pellucid_runtime.llm.model import ChatMessage, ChatRequest, Chunk, LlmClient

# Answers keep to their sources; a little variety reads better than none.
TEMPERATURE = 0.3


@dataclass(frozen=True, slots=True)
class LlmAnswerModel:
    """Implements `answer_model.AnswerModel`.

    Attributes:
        client: The language model.
        name: Its configured name.
        receiver: Host that prompts go to; empty when that is inside.
        window_tokens: Prompt and answer together.
    """

    client: LlmClient
    _: KW_ONLY
    name: str
    receiver: str
    window_tokens: int

    async def stream(self, prompt: Prompt) -> AsyncIterator[ModelEvent]:
        """See `AnswerModel`."""
        end = ModelEnd()
        chunks = self.client.stream(_request(prompt))
        async with aclosing(chunks):  # type: ignore[type-var]
            async for chunk in chunks:
                if chunk.reasoning or chunk == _sign_of_life(chunk):
                    yield ModelThought(chunk.reasoning)
                if chunk.text:
                    yield ModelPiece(chunk.text)
                if chunk.tool_calls:
                    yield ModelToolCalls(chunk.tool_calls)
                end = _ended(end, chunk)
        yield end


def _request(prompt: Prompt) -> ChatRequest:
    """Our own prompt, or a client's as it is."""
    if prompt.client is not None:
        fields = {**prompt.client.fields, "messages": list(prompt.client.messages)}
        return ChatRequest(messages=(), model=prompt.model or None, extra=fields)
    return ChatRequest(
        messages=[ChatMessage(m.role.value, m.content) for m in prompt.messages],
        model=prompt.model or None,
        temperature=TEMPERATURE if prompt.temperature is None else prompt.temperature,
        max_tokens=prompt.max_tokens,
        task=prompt.task,
    )


def _sign_of_life(chunk: Chunk) -> Chunk:
    return Chunk(model=chunk.model, host=chunk.host)


def _ended(end: ModelEnd, chunk: Chunk) -> ModelEnd:
    """The end as known so far; reason and usage may come in different chunks."""
    if chunk.finish_reason:
        is_cut = chunk.finish_reason == "length"
        end = replace(end, truncated=is_cut, finish_reason=chunk.finish_reason)
    if chunk.usage:
        end = replace(
            end,
            prompt_tokens=chunk.usage.prompt_tokens,
            completion_tokens=chunk.usage.completion_tokens,
            cost_micro_usd=round(chunk.usage.cost_usd * 1_000_000),
        )
    return replace(end, model=chunk.model or end.model)
