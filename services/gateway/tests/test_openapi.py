"""/openapi.json describes what the faces do."""

from typing import Any

import httpx


async def test_the_document_is_complete(http: httpx.AsyncClient) -> None:
    document: dict[str, Any] = (await http.get("/openapi.json")).json()

    assert document["openapi"].startswith("3.1")
    for path in ("/v1/chat", "/v1/decide", "/v1/search", "/v1/fetch", "/livez", "/readyz"):
        assert path in document["paths"]
    schemas = document["components"]["schemas"]
    for name in references(document):
        assert name in schemas, name
    assert document["components"]["securitySchemes"].keys() == {"key", "x-api-key"}
    for operations in document["paths"].values():
        assert all("422" not in operation["responses"] for operation in operations.values())
    for name in ("ChatBody", "SearchBody", "FetchBody"):
        for field, schema in schemas[name]["properties"].items():
            assert "description" in schema or "$ref" in schema, f"{name}.{field}"


async def test_every_request_field_of_the_specification_is_there(http: httpx.AsyncClient) -> None:
    document = (await http.get("/openapi.json")).json()

    fields = set(document["components"]["schemas"]["ChatBody"]["properties"])

    assert fields == {
        "message", "messages", "conversation_id", "user_id", "web_mode", "force_search", "depth",
        "citation_style", "language", "time_zone", "country", "recency_days", "site",
        "include_domains", "exclude_domains", "max_results", "safe_search", "routing", "providers",
        "scoring", "model", "deadline_ms", "stream", "no_external", "context", "memories",
        "attachments",
    }  # fmt: skip


async def test_every_api_is_in_the_document(http: httpx.AsyncClient) -> None:
    """What is routed is told, and what is told is routed."""
    told = (await http.get("/openapi.json")).json()["paths"]

    for path in (
        "/v1/chat", "/v1/ws", "/v1/decide", "/v1/search", "/v1/fetch", "/v1/chat/completions",
        "/v1/models", "/v1/responses", "/v1/messages", "/compat/tavily/search",
        "/compat/tavily/extract", "/compat/searxng/search", "/compat/openwebui/search",
        "/compat/perplexity/search", "/compat/perplexity/chat/completions", "/mcp",
    ):  # fmt: skip
        assert path in told, path
    for path, methods in told.items():
        if "{" not in path and path not in {"/mcp", "/v1/ws"}:
            for method in methods:
                answer = await http.request(method.upper(), path)
                assert answer.status_code not in {404, 405} or "evidence" in path, (method, path)


async def test_null_is_told_where_it_is_taken(http: httpx.AsyncClient) -> None:
    schemas = (await http.get("/openapi.json")).json()["components"]["schemas"]
    fields = schemas["SearchBody"]["properties"]
    optional = {name: None for name in fields if name != "query"}

    assert all({"type": "null"} in fields[name]["anyOf"] for name in optional)
    answer = await http.post("/v1/search", json={"query": "toll", **optional})
    assert answer.status_code == 200


async def test_the_path_of_the_socket_says_what_it_is(http: httpx.AsyncClient) -> None:
    plain = await http.get("/v1/ws")

    assert (plain.status_code, plain.json()["code"]) == (404, "NOT_FOUND")
    assert "upgrade" in plain.json()["detail"]
    assert (await http.request("TRACE", "/v1/ws")).status_code == 405


async def test_a_role_that_is_no_text_is_refused(http: httpx.AsyncClient) -> None:
    message = {"role": {}, "content": "Hello."}
    answer = await http.post("/v1/messages", json={"messages": [message], "max_tokens": 9})

    assert answer.status_code == 400
    assert "role" in answer.json()["error"]["message"]


def references(part: Any) -> set[str]:
    """Names of all schemas that are referred to."""
    if isinstance(part, dict):
        own = {part["$ref"].rpartition("/")[2]} if isinstance(part.get("$ref"), str) else set()
        return own.union(*(references(child) for child in part.values()))
    if isinstance(part, list):
        return set().union(*(references(child) for child in part))
    return set()
