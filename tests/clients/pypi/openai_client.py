"""The OpenAI SDK: chat completions, Responses, models, its errors."""

from typing import Any

import openai
from checking import ANSWER, QUESTION, run

MESSAGES: Any = [{"role": "user", "content": QUESTION}]
TOOL: Any = {
    "type": "function",
    "name": "get_weather",
    "parameters": {"type": "object", "properties": {"location": {"type": "string"}}},
}


def client(base: str) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{base}/v1", api_key="any", max_retries=0)


def check_chat_with_annotations(base: str) -> None:
    message = client(base).chat.completions.create(model="m", messages=MESSAGES).choices[0].message
    assert ANSWER in (message.content or "")
    assert message.annotations


def check_chat_stream(base: str) -> None:
    stream = client(base).chat.completions.create(model="m", messages=MESSAGES, stream=True)
    text = "".join(c.choices[0].delta.content or "" for c in stream if c.choices)
    assert ANSWER in text


def check_a_message_that_needs_no_search(base: str) -> None:
    hello: Any = [{"role": "user", "content": "Say hello."}]
    reply = client(base).chat.completions.create(model="m", messages=hello)
    assert reply.id == "chatcmpl-1"


def check_responses_with_the_tool(base: str) -> None:
    reply = client(base).responses.create(model="m", input=QUESTION, tools=[{"type": "web_search"}])
    assert ANSWER in reply.output_text
    assert [item.type for item in reply.output] == ["web_search_call", "message"]


def check_responses_without_the_tool(base: str) -> None:
    reply = client(base).responses.create(model="m", input=QUESTION)
    assert [item.type for item in reply.output] == ["message"]


def check_responses_stream(base: str) -> None:
    with client(base).responses.stream(model="m", input=QUESTION) as stream:
        for _ in stream:
            pass
        assert ANSWER in stream.get_final_response().output_text


def check_responses_calls_a_tool(base: str) -> None:
    reply = client(base).responses.create(model="m", input="The weather?", tools=[TOOL])
    assert reply.output[0].type == "function_call"


def check_models(base: str) -> None:
    assert "m" in {model.id for model in client(base).models.list()}
    assert client(base).models.retrieve("m").id == "m"


def check_errors_keep_status_code_and_wait(base: str) -> None:
    for ask in (
        lambda model: client(base).chat.completions.create(model=model, messages=MESSAGES),
        lambda model: client(base).responses.create(model=model, input=QUESTION),
        lambda model: client(base).responses.create(model=model, input="Hello.", stream=True),
    ):
        try:
            ask("unknown")
        except openai.NotFoundError as error:
            assert error.code == "model_not_found"
            assert error.request_id
        else:
            raise AssertionError
        try:
            ask("limited")
        except openai.RateLimitError as error:
            assert 0 < int(error.response.headers["retry-after"]) <= 7
        else:
            raise AssertionError


run(globals())
