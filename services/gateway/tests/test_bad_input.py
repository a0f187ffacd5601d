"""Whatever arrives, the answer is a clear problem that names field and limit, never a 5xx."""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rig.sample import often

OK = {"message": "hi"}


async def problem(http: httpx.AsyncClient, content: Any, path: str = "/v1/chat") -> dict[str, Any]:
    """Post raw content and return the problem document."""
    response = await http.post(path, content=content)
    assert response.headers["content-type"] == "application/problem+json", response.text
    document: dict[str, Any] = response.json()
    assert document["status"] == response.status_code
    assert {"type", "title", "status", "detail", "code", "errors"} <= document.keys()
    return document


@pytest.mark.parametrize(
    ("body", "field", "limit"),
    [
        ({}, "message", "message or messages"),
        ({"message": ""}, "message", "not empty"),
        ({"message": " \n\t\u0000"}, "message", "not empty"),
        ({"message": 7}, "message", "a string"),
        ({"message": ["hi"]}, "message", "string"),
        ({"messages": "hi"}, "messages", "list"),
        ({"messages": []}, "message", "message or messages"),
        ({"messages": [{"role": "user"}]}, "messages[0].content", ""),
        ({"messages": [{"role": "robot", "content": "x"}]}, "messages[0].role", "'user'"),
        ({"messages": [{"role": "assistant", "content": "x"}]}, "messages", "last role user"),
        ({"messages": [{"role": "user", "content": " "}]}, "messages", "not empty"),
        (OK | {"web_mode": "maybe"}, "web_mode", "'auto', 'on', 'off'"),
        (OK | {"depth": "deeper"}, "depth", "'quick', 'standard', 'deep'"),
        (OK | {"citation_style": "x"}, "citation_style", "'natural'"),
        (OK | {"routing": "some"}, "routing", "'all'"),
        (OK | {"safe_search": True}, "safe_search", "'moderate'"),
        (OK | {"stream": "yes"}, "stream", "boolean"),
        (OK | {"max_results": 0}, "max_results", "1"),
        (OK | {"max_results": 51}, "max_results", "50"),
        (OK | {"max_results": "5"}, "max_results", "integer"),
        (OK | {"recency_days": -1}, "recency_days", "0"),
        (OK | {"deadline_ms": 10**9}, "deadline_ms", "120000"),
        (OK | {"time_zone": "Mars/Olympus"}, "time_zone", "IANA"),
        (OK | {"time_zone": "../../etc/passwd"}, "time_zone", "IANA"),
        (OK | {"country": "France"}, "country", "pattern"),
        (OK | {"language": "en; drop"}, "language", "pattern"),
        (OK | {"site": "a b"}, "site", "host name"),
        (OK | {"providers": ["Brave!"]}, "providers[0]", "pattern"),
        (OK | {"providers": ["a"] * 17}, "providers", "16"),
        (OK | {"include_domains": ["x"] * 101}, "include_domains", "100"),
        (OK | {"memories": ["x" * 2049]}, "memories[0]", "2048 bytes"),
        (OK | {"conversation_id": "x" * 129}, "conversation_id", "128 bytes"),
        (OK | {"context": {"published_at": "yesterday"}}, "context.published_at", "ISO 8601"),
        (OK | {"context": {"colour": "red"}}, "context.colour", "openapi"),
        (OK | {"scoring": {"threshold": 2}}, "scoring.threshold", "1"),
        (OK | {"messsage": "typo"}, "messsage", "known fields: user_id"),
        (OK | {"temperature": 1}, "temperature", "known fields"),
    ],
)  # fmt: skip
async def test_a_wrong_field_is_named_with_its_limit(
    http: httpx.AsyncClient, body: dict[str, Any], field: str, limit: str
) -> None:
    document = await problem(http, json.dumps(body))

    assert document["status"] == 400
    assert document["code"] == "INVALID_ARGUMENT"
    assert document["errors"][0]["field"] == field
    assert limit in document["errors"][0]["limit"]
    assert document["detail"].startswith(f"{field}: ")


async def test_weights_must_sum_to_one(http: httpx.AsyncClient) -> None:
    weights = {"semantic": 1, "trust": 1, "freshness": 0, "quality": 0}

    document = await problem(http, json.dumps(OK | {"scoring": {"weights": weights}}))

    assert document["errors"][0]["field"] == "scoring.weights"
    assert document["errors"][0]["limit"] == "sum of 1"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"message": "hi"', "broken JSON at line 1, column"),
        (b'{"message": hi}', "broken JSON at line 1, column 13"),
        (b'{\n"message": NaN}', "broken JSON at line 2"),
        (b"", "empty"),
        (b"  \n", "empty"),
        (b"[]", "not an array"),
        (b'"hi"', "not a string"),
        (b"null", "not null"),
        (b"42", "not a number"),
        (b'{"message": "\xff"}', "not UTF-8 at byte 13"),
        (b'{"message": "\\ud800"}', "broken JSON"),
        (b'{"a":' * 33 + b"1" + b"}" * 33, "deeper than 32"),
        (b"[" * 100_000, "deeper than 32"),
        (b'{"a":' + b"[" * 5_000 + b"]" * 5_000 + b"}", "deeper than 32"),
    ],
)
async def test_a_broken_body_is_explained(
    http: httpx.AsyncClient, content: bytes, words: str
) -> None:
    document = await problem(http, content)

    assert document["status"] == 400
    assert document["errors"][0]["field"] == "body"
    assert words in document["detail"]


@pytest.mark.parametrize(
    ("body", "field", "limit"),
    [
        ({"message": "x" * 1_000_000}, "message", "32768 bytes"),
        ({"message": "é" * 16_385}, "message", "32768 bytes"),
        ({"messages": [{"role": "user", "content": "x" * 32_769}]}, "messages[0].content", "32768"),
        ({"messages": [{"role": "user", "content": "x"}] * 51}, "messages", "50 messages"),
        ({"message": "x" * 17_000_000}, "body", "16777216 bytes"),
    ],
)
async def test_too_much_is_413(
    http: httpx.AsyncClient, body: dict[str, Any], field: str, limit: str
) -> None:
    document = await problem(http, json.dumps(body))

    assert document["status"] == 413
    assert document["code"] == "PAYLOAD_TOO_LARGE"
    assert document["errors"][0]["field"] == field
    assert limit in document["errors"][0]["limit"]


async def test_a_missing_field_is_named_in_plain_words(http: httpx.AsyncClient) -> None:
    document = (await http.post("/v1/search", json={})).json()

    assert document["errors"] == [{"field": "query", "limit": "a value", "message": "is required"}]


async def test_the_largest_message_is_accepted(http: httpx.AsyncClient) -> None:
    assert (await http.post("/v1/chat", json={"message": "é" * 16_384})).status_code == 200


async def test_an_endless_body_is_cut_off_early(http: httpx.AsyncClient) -> None:
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while sent < 100_000_000:
            sent += 65_536
            yield b"x" * 65_536

    document = await problem(http, endless(), "/v1/search")

    assert document["status"] == 413
    assert sent < 12_000_000


async def test_no_more_than_twenty_errors_are_listed(http: httpx.AsyncClient) -> None:
    document = await problem(http, json.dumps({f"field_{n}": 1 for n in range(500)}))

    assert len(document["errors"]) == 20


async def test_unknown_paths_and_methods_are_problems_too(http: httpx.AsyncClient) -> None:
    missing = await http.get("/v1/nothing")
    wrong = await http.get("/v1/chat")

    assert (missing.status_code, missing.json()["code"]) == (404, "NOT_FOUND")
    assert (wrong.status_code, wrong.json()["code"]) == (405, "METHOD_NOT_ALLOWED")
    assert wrong.headers["allow"] == "OPTIONS, POST"
    for response in (missing, wrong):
        assert response.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("media", ["text/plain", "application/x-www-form-urlencoded", "image/png"])
async def test_any_content_type_is_read_as_json(http: httpx.AsyncClient, media: str) -> None:
    response = await http.post(
        "/v1/chat", content=b'{"message": "hi"}', headers={"content-type": media}
    )

    assert response.status_code == 200


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/v1/search", {}, "query"),
        ("/v1/search", {"query": ""}, "query"),
        ("/v1/search", {"query": "x", "web_mode": "on"}, "web_mode"),
        ("/v1/fetch", {"urls": []}, "urls"),
        ("/v1/fetch", {"urls": ["x"] * 21}, "urls"),
        ("/v1/fetch", {"urls": "http://a.example"}, "urls"),
        ("/v1/fetch", {"urls": [""]}, "urls[0]"),
        ("/v1/decide", {"message": 1}, "message"),
    ],
)
async def test_the_other_apis_name_fields_as_well(
    http: httpx.AsyncClient, path: str, body: dict[str, Any], field: str
) -> None:
    document = await problem(http, json.dumps(body), path)

    assert document["status"] == 400
    assert document["errors"][0]["field"] == field


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
FIELDS = st.sampled_from(
    [
        *("message", "messages", "web_mode", "depth", "context", "scoring", "providers"),
        *("max_results", "deadline_ms", "memories", "stream", "language", "urls", "query"),
    ]
)


@settings(
    max_examples=often(200),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    content=st.binary(max_size=200)
    | st.dictionaries(FIELDS | st.text(max_size=8), JSON, max_size=5).map(
        lambda value: json.dumps(value).encode()
    ),
    path=st.sampled_from(["/v1/chat", "/v1/decide", "/v1/search", "/v1/fetch"]),
)
async def test_no_body_makes_the_server_fail(
    http: httpx.AsyncClient, content: bytes, path: str
) -> None:
    response = await http.post(path, content=content)

    assert response.status_code in {200, 400, 413}
