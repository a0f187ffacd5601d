"""Official clients of other products, pointed at a gateway and away from ambient settings."""

from contextlib import AsyncExitStack

import anthropic
import httpx
import httpx2
import openai
import perplexity


async def openai_client(stack: AsyncExitStack, address: str) -> openai.AsyncOpenAI:
    return await stack.enter_async_context(
        openai.AsyncOpenAI(
            base_url=f"{address}/v1",
            api_key="ours",
            max_retries=0,
            http_client=httpx2.AsyncClient(trust_env=False),
        )
    )


async def anthropic_client(stack: AsyncExitStack, address: str) -> anthropic.AsyncAnthropic:
    return await stack.enter_async_context(
        anthropic.AsyncAnthropic(
            base_url=address,
            api_key="ours",
            max_retries=0,
            http_client=httpx2.AsyncClient(trust_env=False),
        )
    )


async def perplexity_client(stack: AsyncExitStack, address: str) -> perplexity.AsyncPerplexity:
    return await stack.enter_async_context(
        perplexity.AsyncPerplexity(
            base_url=f"{address}/compat/perplexity",
            api_key="ours",
            max_retries=0,
            http_client=httpx.AsyncClient(trust_env=False),
        )
    )
