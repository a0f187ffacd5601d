"""Files in messages of OpenAI and Anthropic clients are attachments, as those of our own API."""

import base64
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import anthropic
import httpx
import openai
import pytest
from api_fakes import DECISION, FakeEngine, turn_events
from kept_rig import Plan, open_gateway
from port_fakes import FakeDecision, FakeFetcher, FakeModel, answer_decision
from sdk_clients import anthropic_client, openai_client
from turn_fakes import Rig
from upstream_fakes import FakeUpstream

from pellucid_gateway.domain.attachment import MOST_BYTES, Attachment
from pellucid_gateway.domain.decision import Action, WebMode
from pellucid_gateway.domain.events import Decided
from pellucid_gateway.domain.findings import PageContent

TEXT = "The repair of the chapel roof costs 18,400 crowns."
FILE = Attachment("minutes.txt", TEXT.encode())
PDF = Attachment("plan.pdf", b"%PDF-1.7 plan")
OTHERS = [Attachment(f"{n}.txt", f"file {n}".encode()) for n in range(3)]
QUESTION = "What does the roof cost?"
ASKED = {"type": "text", "text": QUESTION}


@pytest.fixture
async def client(gateway: str) -> AsyncIterator[openai.AsyncOpenAI]:
    async with AsyncExitStack() as stack:
        yield await openai_client(stack, gateway)


@pytest.fixture
async def claude(gateway: str) -> AsyncIterator[anthropic.AsyncAnthropic]:
    async with AsyncExitStack() as stack:
        yield await anthropic_client(stack, gateway)


def in_base64(file: Attachment) -> str:
    return base64.b64encode(file.content).decode()


def data_url(file: Attachment, media_type: str = "application/pdf") -> str:
    return f"data:{media_type};base64,{in_base64(file)}"


def part(file: Attachment) -> dict[str, Any]:
    return {"type": "file", "file": {"filename": file.name, "file_data": data_url(file)}}


def user(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(parts)}


async def complete(client: openai.AsyncOpenAI, *messages: Any) -> Any:
    return await client.chat.completions.create(model="m", messages=list(messages))


def seen_by_model(engine: FakeEngine) -> list[Any]:
    client = engine.turns[-1].passthrough
    assert client is not None
    return [message["content"] for message in client.messages]


async def test_a_completion_takes_two_and_the_model_gets_their_names(
    client: openai.AsyncOpenAI, engine: FakeEngine, upstream: FakeUpstream
) -> None:
    engine.events = [Decided(replace(DECISION, action=Action.ANSWER)), *turn_events()[1:]]
    await complete(client, user(part(FILE), part(PDF), ASKED))

    turn = engine.turns[0]
    assert [(one.name, one.content) for one in turn.attachments] == [
        (one.name, one.content) for one in (FILE, PDF)
    ]
    assert turn.message == f"{FILE.url}\n{PDF.url}\n{QUESTION}"
    assert seen_by_model(engine) == [f"(file: minutes.txt)\n(file: plan.pdf)\n{QUESTION}"]
    assert upstream.bodies == []


async def test_a_file_alone_is_a_message_and_images_stay(
    client: openai.AsyncOpenAI, engine: FakeEngine
) -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    await complete(client, user(part(FILE), image))

    assert engine.turns[0].message == FILE.url
    assert seen_by_model(engine) == [[{"type": "text", "text": "(file: minutes.txt)"}, image]]


async def test_a_response_takes_files_and_addresses(
    client: openai.AsyncOpenAI, engine: FakeEngine
) -> None:
    content: Any = [
        {"type": "input_file", "filename": PDF.name, "file_data": data_url(PDF)},
        {"type": "input_file", "file_url": "https://files.example/plan.pdf"},
        {"type": "input_text", "text": QUESTION},
    ]
    await client.responses.create(model="m", input=[{"role": "user", "content": content}])

    assert engine.turns[0].attachments == (PDF,)
    assert engine.turns[0].message == f"{PDF.url}\nhttps://files.example/plan.pdf\n{QUESTION}"


async def test_a_message_takes_documents_of_all_kinds(
    claude: anthropic.AsyncAnthropic, engine: FakeEngine
) -> None:
    pdf = {"type": "base64", "media_type": "application/pdf", "data": in_base64(PDF)}
    text = {"type": "text", "media_type": "text/plain", "data": TEXT}
    blocks = {"type": "content", "content": [{"type": "text", "text": "file 0"}]}
    address = {"type": "url", "url": "https://files.example/plan.pdf"}
    content: Any = [
        {"type": "document", "source": pdf, "title": PDF.name, "context": "Of the chapel."},
        {"type": "document", "source": text, "citations": {"enabled": True}},
        {"type": "document", "source": blocks},
        {"type": "document", "source": address},
        ASKED,
    ]
    messages: Any = [{"role": "user", "content": content}]
    await claude.messages.create(model="m", max_tokens=9, messages=messages)

    named = [(one.name, one.content) for one in engine.turns[0].attachments]
    assert named == [(PDF.name, PDF.content), ("document", TEXT.encode()), ("document", b"file 0")]
    (seen,) = seen_by_model(engine)
    told = "(file: plan.pdf)\nOf the chapel.\n(file: document)\n(file: document)"
    assert seen == f"{told}\nhttps://files.example/plan.pdf\n{QUESTION}"


async def test_a_tools_document_is_read_for_the_model_that_goes_on(
    claude: anthropic.AsyncAnthropic, client: openai.AsyncOpenAI, engine: FakeEngine
) -> None:
    source = {"type": "base64", "media_type": "application/pdf", "data": in_base64(PDF)}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "document"}]}
    result["content"] = [{"type": "document", "source": source}]
    call = {"type": "tool_use", "id": "t1", "name": "read", "input": {}}
    messages: Any = [user(ASKED), {"role": "assistant", "content": [call]}, user(result)]
    await claude.messages.create(model="m", max_tokens=9, messages=messages)
    assert (engine.turns[0].attachments[0].content, seen_by_model(engine)[-2:]) == (
        PDF.content,
        ["(see below)", "(file: document)"],
    )

    function = {"id": "t1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    calling = {"role": "assistant", "content": None, "tool_calls": [function]}
    done = {"role": "tool", "tool_call_id": "t1", "content": "4.20"}
    await complete(client, user(part(FILE)), user(ASKED), calling, done)
    assert engine.turns[1].message == f"{QUESTION}\n{FILE.url}"
    assert engine.turns[1].web_mode is WebMode.OFF


async def test_of_a_long_history_the_latest_files_are_taken(
    client: openai.AsyncOpenAI, engine: FakeEngine
) -> None:
    said = {"role": "assistant", "content": "Read."}
    earlier = [message for file in (FILE, *OTHERS[:2]) for message in (user(part(file)), said)]
    await complete(client, *earlier, user(part(OTHERS[2]), ASKED))

    turn = engine.turns[0]
    assert turn.attachments == tuple(reversed(OTHERS))
    await complete(client, *earlier, user({"type": "text", "text": "And the Minutes.txt?"}))
    assert engine.turns[1].message == f"And the Minutes.txt?\n{FILE.url}"
    assert [m.content for m in turn.messages if m.content != "Read."] == [
        FILE.url,
        *(file.url for file in OTHERS[:2]),
        f"{OTHERS[2].url}\n{QUESTION}",
    ]


@pytest.mark.parametrize(
    ("parts", "status", "told"),
    [
        ([{"type": "file", "file": {"file_id": "file-abc123"}}], 400, "file-abc123"),
        ([{"type": "file", "file": {"file_data": "no base64!"}}], 400, "base64"),
        ([{"type": "file"}], 400, "base64"),
        ([part(file) for file in (FILE, *OTHERS)], 400, "at most 3 files"),
        ([part(Attachment("a.txt", bytes(MOST_BYTES + 1)))], 413, "at most 10 MiB"),
    ],
)
async def test_a_wrong_one_is_told_with_the_limit(
    client: openai.AsyncOpenAI, parts: list[dict[str, Any]], status: int, told: str
) -> None:
    with pytest.raises(openai.APIStatusError, match=told) as caught:
        await complete(client, user(*parts, ASKED))
    assert caught.value.status_code == status
    assert (caught.value.param or "").startswith(f"messages[0].content[{len(parts) - 1}].file")


async def test_wrong_ones_are_told_in_the_words_of_each_api(
    client: openai.AsyncOpenAI, claude: anthropic.AsyncAnthropic
) -> None:
    kept: Any = {"type": "input_file", "file_id": "file-abc123"}
    with pytest.raises(openai.BadRequestError, match="file-abc123") as caught:
        await client.responses.create(model="m", input=[{"role": "user", "content": [kept]}])
    assert caught.value.param == "input[0].content[0].file_id"

    large = in_base64(Attachment("a.txt", bytes(MOST_BYTES + 1)))
    sources = {
        "file-abc123": {"type": "file", "file_id": "file-abc123"},
        "10 MiB": {"type": "base64", "media_type": "text/plain", "data": large},
        r"messages\[0\].content\[0\].source.data": {"type": "base64", "data": "?"},
    }
    for told, source in sources.items():
        messages: Any = [user({"type": "document", "source": source})]
        with pytest.raises(anthropic.APIStatusError, match=told):
            await claude.messages.create(model="m", max_tokens=9, messages=messages)


async def test_the_largest_is_taken_beside_a_long_conversation(
    http: httpx.AsyncClient, engine: FakeEngine
) -> None:
    history = {"role": "user", "content": "x" * (15 * 2**20)}
    message = user(part(Attachment("a.txt", bytes(MOST_BYTES))), ASKED)
    body = {"messages": [history, message]}
    reply = await http.post("/v1/chat/completions", json=body)

    assert reply.status_code == 200
    assert len(engine.turns[0].attachments[0].content) == MOST_BYTES


def rig_of(fetcher: FakeFetcher) -> Rig:
    decision = replace(answer_decision(QUESTION), action=Action.FETCH, urls=(FILE.url,))
    model = FakeModel(pieces=("It costs 18,400 crowns [1].",))
    return Rig(decision=FakeDecision(decision), fetcher=fetcher, model=model)


async def answered(rig: Rig, folder: Path) -> dict[str, Any]:
    async with AsyncExitStack() as stack:
        gateway = await open_gateway(stack, Plan(folder, rig=rig))
        http = await stack.enter_async_context(gateway.client())
        body = {"messages": [user(part(FILE), ASKED)]}
        reply = await http.post("/v1/chat/completions", json=body)
        answer: dict[str, Any] = reply.json()
        return answer


async def test_its_text_reaches_the_model_as_a_source_and_is_cited(tmp_path: Path) -> None:
    rig = rig_of(FakeFetcher(texts={FILE.url: TEXT}))
    answer = await answered(rig, tmp_path)

    assert rig.model
    prompt = rig.model.prompts[0].client
    assert prompt
    sources, question = (message["content"] for message in prompt.messages)
    assert TEXT in sources
    assert question == f"(file: minutes.txt)\n{QUESTION}"
    assert in_base64(FILE) not in str(prompt)
    assert [source["title"] for source in answer["search_results"]] == [FILE.name]


async def test_an_encrypted_one_is_told_of_by_its_name(tmp_path: Path) -> None:
    class Encrypted(FakeFetcher):
        def _page(self, url: str) -> PageContent:
            return PageContent(url=url, success=False, status="decode_error", reason="encrypted")

    rig = rig_of(Encrypted())
    await answered(rig, tmp_path)
    assert rig.model
    assert "minutes.txt is protected with a password" in str(rig.model.prompts[0].client)

    rig.model = None
    answer = await answered(rig, tmp_path)
    told = answer["choices"][0]["message"]["content"]
    assert "minutes.txt is protected with a password" in told
