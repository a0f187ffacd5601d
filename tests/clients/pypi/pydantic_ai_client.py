"""pydantic-ai: text, streams, tools and typed output over three of our faces."""

from typing import Any

from checking import ANSWER, QUESTION, run
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider


class Toll(BaseModel):
    """The toll."""

    toll: str


def models(base: str) -> list[Any]:
    ours = OpenAIProvider(base_url=f"{base}/v1", api_key="any")
    messages = AnthropicProvider(base_url=base, api_key="any")
    return [
        OpenAIChatModel("m", provider=ours),
        OpenAIResponsesModel("m", provider=ours),
        AnthropicModel("m", provider=messages),
    ]


async def check_text(base: str) -> None:
    for model in models(base):
        assert ANSWER in (await Agent(model).run(QUESTION)).output


async def check_stream(base: str) -> None:
    for model in models(base):
        async with Agent(model).run_stream(QUESTION) as result:
            assert ANSWER in await result.get_output()


async def check_a_tool(base: str) -> None:
    for model in models(base):
        agent = Agent(model)

        @agent.tool_plain
        def get_weather(location: str) -> str:
            """Tell the weather."""
            return f"Rain in {location}."

        assert ANSWER in (await agent.run("The weather in Paris?")).output


async def check_typed_output(base: str) -> None:
    for model in models(base):
        assert (await Agent(model, output_type=Toll).run("Say it.")).output == Toll(toll="4.50")


run(globals())
