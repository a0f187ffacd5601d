"""LibreChat's and LobeChat's requests, with the fields that their sources send."""

import json
from typing import Any

import httpx
import openai
from checking import ANSWER, QUESTION, run

KEY = {"Authorization": "Bearer any"}
PAGE = "http://post.example/page-1"
SEARCH = "Skerry Bridge toll"
MESSAGES: Any = [
    {"role": "system", "content": "You are a helpful assistant."},
    {"role": "user", "content": QUESTION},
]
SAMPLING: Any = {
    "frequency_penalty": 0,
    "presence_penalty": 0,
    "temperature": 1,
    "top_p": 1,
}
BROWSING: Any = {
    "type": "function",
    "function": {
        "name": "lobe-web-browsing____search____builtin",
        "description": "Search the web.",
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string"}, "searchTimeRange": {"type": "string"}},
            "required": ["query"],
        },
    },
}


def client(base: str) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{base}/v1", api_key="any", max_retries=0)


def streamed(base: str, **more: Any) -> str:
    pieces = client(base).chat.completions.create(
        model="m",
        messages=MESSAGES,
        stream=True,
        stream_options={"include_usage": True},
        **more,
    )
    told = list(pieces)
    assert told[-1].usage is not None
    return "".join(piece.choices[0].delta.content or "" for piece in told if piece.choices)


def check_librechat_lists_models(base: str) -> None:
    listed = httpx.get(f"{base}/v1/models", headers=KEY).json()
    assert "m" in {model["id"] for model in listed["data"]}


def check_librechat_chats(base: str) -> None:
    assert ANSWER in streamed(base, user="65f0c1", temperature=0.7)


def check_librechat_searches_with_the_responses_tool(base: str) -> None:
    """Its switch for the web takes the Responses API with the tool."""
    asked: Any = [{"type": "message", "role": "user", "content": QUESTION}]
    with client(base).responses.stream(
        model="m", input=asked, tools=[{"type": "web_search"}], user="65f0c1"
    ) as stream:
        kinds = {event.type for event in stream}
        assert "response.web_search_call.completed" in kinds
        assert ANSWER in stream.get_final_response().output_text


def check_librechat_names_a_conversation(base: str) -> None:
    """A title is asked for without a stream, by a function that must be called."""
    function = {
        "name": "title",
        "parameters": {
            "type": "object",
            "properties": {"title": {"type": "string"}},
            "required": ["title"],
        },
    }
    reply = client(base).chat.completions.create(
        model="m",
        messages=[{"role": "user", "content": "Name this conversation."}],
        tools=[{"type": "function", "function": function}],
        tool_choice={"type": "function", "function": {"name": "title"}},
    )
    calls = reply.choices[0].message.tool_calls
    assert calls
    assert calls[0].type == "function"
    assert calls[0].function.name == "title"


def check_librechat_searches_by_searxng(base: str) -> None:
    found = httpx.get(
        f"{base}/compat/searxng/search",
        params={
            "q": SEARCH,
            "format": "json",
            "pageno": 1,
            "categories": "general",
            "language": "all",
            "safesearch": 1,
            "engines": "google,bing,duckduckgo",
            "time_range": "year",
        },
        headers={"Content-Type": "application/json", "X-API-Key": "any"},
    ).json()
    assert found["results"][0]["url"] == PAGE
    assert found["suggestions"] == []


def check_librechat_searches_by_tavily(base: str) -> None:
    payload = {
        "query": SEARCH,
        "search_depth": "basic",
        "topic": "general",
        "max_results": 8,
        "safe_search": True,
        "time_range": "year",
        "country": "norway",
        "include_images": True,
        "include_answer": False,
        "include_raw_content": False,
        "include_image_descriptions": True,
        "include_favicon": True,
    }
    found = httpx.post(f"{base}/compat/tavily/search", json=payload, headers=KEY).json()
    assert {"title", "url", "content"} <= found["results"][0].keys()
    assert isinstance(found.get("images", []), list)


def check_librechat_reads_by_tavily(base: str) -> None:
    payload = {
        "urls": [PAGE, "http://post.example/no-page"],
        "extract_depth": "basic",
        "include_images": False,
        "include_favicon": True,
        "format": "markdown",
        "timeout": 15,
    }
    read = httpx.post(f"{base}/compat/tavily/extract", json=payload, headers=KEY).json()
    (page,) = read["results"]
    assert page["url"] == PAGE
    assert page["raw_content"]
    (failed,) = read["failed_results"]
    assert failed["error"]


def check_lobechat_chats(base: str) -> None:
    more = {"user": "lobe-1", "extra_headers": {"Accept": "*/*"}}
    assert ANSWER in streamed(base, **SAMPLING, **more)


def check_lobechat_lists_models(base: str) -> None:
    """A time of 0 is none to it."""
    assert all(isinstance(model.created, int) for model in client(base).models.list().data)


def check_lobechat_calls_its_own_search(base: str) -> None:
    """A plugin's function goes to the model, and its result comes back."""
    stream = client(base).chat.completions.create(
        model="m", messages=MESSAGES, tools=[BROWSING], stream=True, **SAMPLING
    )
    deltas = [piece.choices[0].delta for piece in stream if piece.choices]
    (call,) = (call for delta in deltas for call in delta.tool_calls or ())
    assert call.function
    assert call.function.name == BROWSING["function"]["name"]
    called = {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": call.id, "type": "function", "function": call.function.to_dict()}],
    }
    result = {
        "role": "tool",
        "name": call.function.name,
        "tool_call_id": call.id,
        "content": '<searchResults><item url="http://post.example/page-1"/></searchResults>',
    }
    reply = client(base).chat.completions.create(
        model="m", messages=[*MESSAGES, called, result], tools=[BROWSING]
    )
    assert ANSWER in (reply.choices[0].message.content or "")


def check_lobechat_asks_for_an_object(base: str) -> None:
    schema = {
        "name": "toll",
        "strict": True,
        "schema": {"type": "object", "properties": {"toll": {"type": "string"}}},
    }
    reply = client(base).chat.completions.create(
        model="m",
        messages=MESSAGES,
        response_format={"type": "json_schema", "json_schema": schema},
        user="lobe-1",
    )
    assert json.loads(reply.choices[0].message.content or "") == {"toll": "4.50"}


def check_lobechat_searches_by_searxng(base: str) -> None:
    parameters = {"categories": "general,news", "engines": "google", "format": "json", "q": SEARCH}
    found = httpx.get(f"{base}/compat/searxng/search", params=parameters).json()
    assert isinstance(found["number_of_results"], int)
    (one,) = found["results"]
    assert one["url"] == PAGE
    assert one["engines"]
    assert {"category", "content", "score", "title"} <= one.keys()


def check_lobechat_searches_by_tavily(base: str) -> None:
    payload = {
        "include_answer": False,
        "include_image_descriptions": True,
        "include_images": False,
        "include_raw_content": False,
        "max_results": 15,
        "query": SEARCH,
        "search_depth": "basic",
    }
    found = httpx.post(f"{base}/compat/tavily/search", json=payload, headers=KEY).json()
    assert found["results"][0]["score"] >= 0


run(globals())
