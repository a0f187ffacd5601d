"""A streamed turn of the native face: its whole result and what was told of its rounds."""

import json
from typing import Any

import httpx


def logged_rounds(
    client: httpx.Client, question: str, depth: str
) -> tuple[dict[str, Any], list[str]]:
    """Return the whole result and the messages of the rounds.

    Raises:
        AssertionError: The turn was refused or its stream had no end.
    """
    body = {"message": question, "depth": depth, "stream": True}
    rounds, event = [], ""
    with client.stream("POST", "/v1/chat", json=body) as response:
        assert response.status_code == 200, response.read()
        for line in response.iter_lines():
            name, _, value = line.partition(": ")
            if name == "event":
                event = value
            elif name == "data" and event == "web_search_iteration":
                rounds.append(json.loads(value)["message"])
            elif name == "data" and event == "done":
                return json.loads(value), rounds
    raise AssertionError("the stream had no end")
