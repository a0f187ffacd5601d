"""Files that a person hands over are pages of the turn: read, cited, and never kept or sent out."""

import base64
import json
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from kept_rig import Plan, open_gateway
from port_fakes import FakeDecision, FakeFetcher, FakeModel, answer_decision
from turn_fakes import Rig

from pellucid_gateway.adapters.requests import fetch_many_request
from pellucid_gateway.domain.attachment import MOST_BYTES, Attachment, is_attachment, naming
from pellucid_gateway.domain.decision import Action, WebMode
from pellucid_gateway.domain.events import Done, TurnResult
from pellucid_gateway.domain.findings import PageContent, Purpose
from pellucid_gateway.domain.notices import wording_for
from pellucid_gateway.domain.ports import FetchCall
from pellucid_gateway.domain.request import ChatMessage, Role

TEXT = "The repair of the chapel roof costs 18,400 crowns."
FILE = Attachment("minutes of May.pdf", TEXT.encode())
QUESTION = "What does the roof cost?"
NAMED = f"{QUESTION}\n{FILE.url}"


def rig_of(text: str | None = TEXT) -> Rig:
    decision = replace(answer_decision(NAMED), action=Action.FETCH, urls=(FILE.url,))
    texts = {} if text is None else {FILE.url: text}
    return Rig(
        decision=FakeDecision(decision),
        fetcher=FakeFetcher(texts=texts),
        model=FakeModel(pieces=("It costs 18,400 crowns [1].",)),
    )


async def asked(rig: Rig, message: str = NAMED, **options: Any) -> TurnResult:
    done = (await rig.events(message, **{"attachments": (FILE,), **options}))[-1]
    assert isinstance(done, Done)
    return done.result


def codes(result: TurnResult) -> list[str]:
    return [notice.code for notice in result.notices]


def test_its_address_is_the_same_again_and_says_nothing() -> None:
    assert FILE.url == Attachment("another name.pdf", TEXT.encode()).url
    assert FILE.url != Attachment(FILE.name, b"other").url
    assert is_attachment(FILE.url)
    assert "minutes" not in FILE.url
    assert TEXT not in repr(FILE)


def test_what_a_message_calls_by_its_name_is_named_again() -> None:
    other = Attachment("other.txt", b"other")
    earlier = (f"{NAMED}\n{other.url}",)
    asked = "What do the Minutes of May.pdf say?"
    assert naming(asked, earlier, (FILE, other)) == f"{asked}\n{FILE.url}"
    assert naming(NAMED, (), (FILE,)) == NAMED


def test_the_fetcher_gets_its_bytes_with_an_ending_that_tells_what_it_is() -> None:
    urls = (FILE.url, "https://a.example/")
    call = FetchCall(urls=urls, purpose=Purpose.USER_URL, timeout_s=1, attachments=(FILE,))
    first, second = fetch_many_request(call).requests
    assert (first.url, first.content) == (f"{FILE.url}/minutes%20of%20May.pdf", TEXT.encode())
    assert (second.url, second.HasField("content")) == ("https://a.example/", False)


async def test_it_is_read_shown_by_its_name_and_cited() -> None:
    rig = rig_of()
    result = await asked(rig)

    (call,) = rig.fetcher.calls
    assert call.attachments == (FILE,)
    (source,) = result.sources
    assert (source.title, source.publisher, source.domain) == (FILE.name, FILE.name, "")
    assert source.user_supplied
    assert result.citations[0].source == 1
    assert [text.kind for text in result.outbound] == ["prompt"]
    assert not result.sketches
    assert result.model_label == "fake-model"


async def test_the_web_switch_does_not_close_it() -> None:
    rig = rig_of()
    rig.decision = FakeDecision(answer_decision(NAMED))
    result = await asked(rig, web_mode=WebMode.OFF)

    assert result.sources[0].title == FILE.name
    assert "web_off" not in codes(result)


async def test_a_further_question_goes_on_about_it_while_it_is_sent_along() -> None:
    history = (ChatMessage(Role.USER, NAMED), ChatMessage(Role.ASSISTANT, "18,400 crowns."))
    rig = rig_of()
    rig.decision = FakeDecision(answer_decision("and what else does it say?"))
    further = await asked(rig, "and what else does it say?", history=history)
    gone = await asked(rig, "and what else does it say?", history=history, attachments=())

    assert further.sources[0].title == FILE.name
    assert len(rig.fetcher.calls) == 1
    assert not gone.sources
    (notice,) = (notice for notice in gone.notices if notice.code == "page_unreachable")
    assert "Attach it again" in notice.text
    assert not any(text.kind == "url" for text in gone.outbound)
    # What was said of it is marked, so that no query is made of it.
    assert [m.about_named_page for m in rig.decision.calls[0].history] == [False, True]


@pytest.mark.parametrize(
    ("page", "told"),
    [
        ({"status": "no_text", "content_type": "application/pdf"}, "scanned"),
        ({"status": "decode_error", "reason": "encrypted"}, "protected with a password"),
        ({"status": "unsupported_type"}, "no text that I could read"),
        ({"status": "decode_error"}, "damaged"),
    ],
)
async def test_what_has_no_text_says_why_and_by_its_name(page: dict[str, str], told: str) -> None:
    class Unreadable(FakeFetcher):
        def _page(self, url: str) -> PageContent:
            return PageContent(url=url, success=False, **page)

    rig = rig_of()
    rig.fetcher = Unreadable()
    result = await asked(rig)

    (notice,) = (notice for notice in result.notices if notice.code == "page_unreachable")
    assert told in notice.text
    assert FILE.name in notice.text
    assert FILE.url not in notice.text


@pytest.mark.parametrize("language", ["en", "ko", "zh", "ja", "es", "de", "fr"])
def test_every_language_tells_it(language: str) -> None:
    wording = wording_for(language)
    assert "x.pdf" in wording.page("scanned", url="x.pdf")
    assert wording.page("gone")
    assert wording.page("attach_again")


def body(*files: tuple[str, bytes], **fields: Any) -> dict[str, Any]:
    data = [{"name": name, "data": base64.b64encode(content).decode()} for name, content in files]
    return {"message": QUESTION, "attachments": data, **fields}


def files_with(word: bytes, folder: Path) -> list[Path]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return [path for path in files if word in path.read_bytes()]


async def test_nothing_of_it_is_kept(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        gateway = await open_gateway(stack, Plan(tmp_path, rig=rig_of()))
        http = await stack.enter_async_context(gateway.client())
        answer = (await http.post("/v1/chat", json=body((FILE.name, TEXT.encode())))).json()
        conversation = await http.get(f"/v1/conversations/{answer['conversation_id']}")
        evidence = await http.get(f"/v1/evidence/{answer['evidence_id']}")

    assert answer["url_contents"][0]["url"] == FILE.url
    assert conversation.json()["title"] == QUESTION
    assert conversation.json()["messages"][0]["content"] == NAMED
    assert evidence.json()["user_pages"][0]["content"] == "content_not_kept"
    kept = json.dumps([conversation.json(), evidence.json()])
    assert "chapel" not in kept
    assert files_with(b"chapel", tmp_path) == []


async def test_a_wrong_one_is_told_with_the_limit(http: httpx.AsyncClient) -> None:
    large = await http.post("/v1/chat", json=body(("a.txt", bytes(MOST_BYTES + 1))))
    many = await http.post("/v1/chat", json=body(*[("a.txt", b"a")] * 4))
    broken = {"message": "x", "attachments": [{"name": "a.txt", "data": "no base64!"}]}
    odd = await http.post("/v1/chat", json=broken)

    assert (large.status_code, many.status_code, odd.status_code) == (413, 400, 400)
    assert "10 MiB together" in large.json()["detail"]
    assert large.json()["errors"][0]["field"] == "attachments"
    assert "at most 3" in many.json()["errors"][0]["message"]
    assert odd.json()["errors"][0]["field"] == "attachments[0].data"


async def test_the_largest_is_taken(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        gateway = await open_gateway(stack, Plan(tmp_path))
        http = await stack.enter_async_context(gateway.client())
        taken = await http.post("/v1/chat", json=body(("a.txt", bytes(MOST_BYTES))))
    assert taken.status_code == 200
