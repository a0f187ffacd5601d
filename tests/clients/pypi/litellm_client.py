"""LiteLLM: its OpenAI, Anthropic and Responses ways, and the errors that it makes of ours."""

from typing import Any

import litellm
from checking import ANSWER, QUESTION, run

MESSAGES: Any = [{"role": "user", "content": QUESTION}]


def asked(base: str, model: str = "openai/m", **more: Any) -> Any:
    path = "" if model.startswith("anthropic/") else "/v1"
    return litellm.completion(
        model=model, api_base=f"{base}{path}", api_key="any", messages=MESSAGES, **more
    )


def check_openai(base: str) -> None:
    assert ANSWER in asked(base).choices[0].message.content


def check_openai_stream(base: str) -> None:
    pieces = asked(base, stream=True)
    assert ANSWER in "".join(piece.choices[0].delta.content or "" for piece in pieces)


def check_anthropic(base: str) -> None:
    assert ANSWER in asked(base, "anthropic/m", max_tokens=200).choices[0].message.content


def check_responses(base: str) -> None:
    reply = litellm.responses(
        model="openai/m", api_base=f"{base}/v1", api_key="any", input=QUESTION
    )
    assert ANSWER in reply.output[-1].content[0].text


def check_errors(base: str) -> None:
    for model, kind in (
        ("openai/unknown", litellm.NotFoundError),
        ("openai/limited", litellm.RateLimitError),
    ):
        try:
            asked(base, model, num_retries=0, max_retries=0)
        except kind:
            continue
        raise AssertionError


run(globals())
