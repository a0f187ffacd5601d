"""Opens the model that the settings name, and loads its SDK only then: half a second of a start."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from pellucid_runtime.llm.settings import LlmSettings

if TYPE_CHECKING:
    from pellucid_runtime.llm.openai import OpenAiClient


async def open_llm(settings: LlmSettings, stack: AsyncExitStack) -> "OpenAiClient | None":
    """The client that the settings describe, closed with the stack; None when they have none."""
    if not settings.has_llm:
        return None
    from pellucid_runtime.llm.openai import open_client

    return await open_client(settings, stack)


async def tried_models(settings: LlmSettings) -> AsyncIterator[str]:
    """What the configured models can do, one line each; each is tried with one short call."""
    async with AsyncExitStack() as stack:
        client = await open_llm(settings, stack)
        if client is None:
            yield "no language model is configured: LLM_MODEL is not set"
            return
        from pellucid_runtime.llm.probe import probe

        async for finding in probe(client, settings):
            yield str(finding)
