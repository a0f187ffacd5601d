"""openai-agents: both of its APIs, with a tool of its own and with the hosted search."""

from agents import (
    Agent,
    AsyncOpenAI,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    WebSearchTool,
    function_tool,
)
from checking import ANSWER, QUESTION, run


@function_tool
def get_weather(location: str) -> str:
    """Tell the weather."""
    return f"Rain in {location}."


def models(base: str) -> list[OpenAIChatCompletionsModel | OpenAIResponsesModel]:
    client = AsyncOpenAI(base_url=f"{base}/v1", api_key="any")
    return [OpenAIChatCompletionsModel("m", client), OpenAIResponsesModel("m", client)]


async def check_text(base: str) -> None:
    for model in models(base):
        agent = Agent(name="a", instructions="Be kind.", model=model)
        assert ANSWER in str((await Runner.run(agent, QUESTION)).final_output)


async def check_a_stream(base: str) -> None:
    for model in models(base):
        result = Runner.run_streamed(Agent(name="a", model=model), QUESTION)
        async for _ in result.stream_events():
            pass
        assert ANSWER in str(result.final_output)


async def check_a_tool(base: str) -> None:
    for model in models(base):
        agent = Agent(name="a", model=model, tools=[get_weather])
        assert ANSWER in str((await Runner.run(agent, "The weather in Paris?")).final_output)


async def check_the_hosted_search(base: str) -> None:
    agent = Agent(name="a", model=models(base)[1], tools=[WebSearchTool()])
    result = await Runner.run(agent, QUESTION)
    assert ANSWER in str(result.final_output)
    assert "web_search_call" in {item["type"] for item in result.to_input_list() if "type" in item}


run(globals())
