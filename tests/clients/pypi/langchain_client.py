"""LangChain: chat completions and Responses, streams, tools, structured output."""

from typing import Any

from checking import ANSWER, QUESTION, run
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from pydantic import BaseModel


class Toll(BaseModel):
    """The toll."""

    toll: str


@tool
def get_weather(location: str) -> str:
    """Tell the weather."""
    return f"Rain in {location}."


def model(base: str, **more: Any) -> ChatOpenAI:
    return ChatOpenAI(base_url=f"{base}/v1", api_key="any", model="m", max_retries=0, **more)


def check_invoke(base: str) -> None:
    assert ANSWER in str(model(base).invoke(QUESTION).content)


def check_stream_with_usage(base: str) -> None:
    chunks = list(model(base, stream_usage=True).stream(QUESTION))
    assert ANSWER in "".join(str(chunk.content) for chunk in chunks)
    assert any(chunk.usage_metadata for chunk in chunks)


async def check_ainvoke(base: str) -> None:
    assert ANSWER in str((await model(base).ainvoke(QUESTION)).content)


def check_responses(base: str) -> None:
    reply = model(base, use_responses_api=True).invoke(QUESTION)
    assert ANSWER in str(reply.text)


def check_responses_stream(base: str) -> None:
    chunks = model(base, use_responses_api=True).stream(QUESTION)
    assert ANSWER in "".join(str(chunk.text) for chunk in chunks)


def check_a_tool_and_its_result(base: str) -> None:
    for more in ({}, {"use_responses_api": True}):
        bound = model(base, **more).bind_tools([get_weather])
        asked = HumanMessage("The weather in Paris?")
        called = bound.invoke([asked])
        (call,) = called.tool_calls
        assert call["args"] == {"location": "Paris"}
        result = ToolMessage(get_weather.invoke(call["args"]), tool_call_id=call["id"])
        assert ANSWER in str(bound.invoke([asked, called, result]).text)


def check_structured_output(base: str) -> None:
    for method in ("json_schema", "function_calling"):
        wanted = model(base).with_structured_output(Toll, method=method)
        assert wanted.invoke("Say it.") == Toll(toll="4.50")


run(globals())
