"""What is kept of people: conversations, memories, usage; that it is theirs alone, and goes."""

from base64 import b64encode
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest
from kept_rig import IDENTITY, KeptGateway, Plan, ask, open_gateway
from port_fakes import QUESTION, FakeFetcher, search_decision
from state_fakes import RedisServer
from test_openapi import references
from turn_fakes import Rig

from pellucid_gateway.domain.decision import Action
from pellucid_gateway.domain.state_ports import Entry


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    running = RedisServer(tmp_path)
    running.start()
    yield running
    running.kill()


@pytest.fixture(params=["sqlite", pytest.param("redis", marks=pytest.mark.redis)])
async def gateway(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[KeptGateway]:
    plan = Plan(tmp_path)
    if request.param == "redis":
        plan.redis_url = request.getfixturevalue("server").url
    async with AsyncExitStack() as stack:
        yield await open_gateway(stack, plan)


async def test_a_conversation_goes_on_where_it_was(gateway: KeptGateway) -> None:
    async with gateway.client() as http:
        first = await ask(http)
        again = await ask(http, "and for trucks?", conversation_id=first["conversation_id"])
        theirs = {"user_id": "ada"}
        listed = (await http.get("/v1/conversations", params=theirs)).json()["conversations"]
        path = f"/v1/conversations/{first['conversation_id']}"
        read = (await http.get(path, params=theirs)).json()

    assert again["conversation_id"] == first["conversation_id"]
    history = gateway.rig.decision.calls[1].history
    assert [message.content for message in history] == [QUESTION, first["answer"]]
    assert [(c["id"], c["title"], c["turns"]) for c in listed] == [
        (first["conversation_id"], QUESTION, 2)
    ]
    assert [m["content"] for m in read["messages"]] == [
        QUESTION, first["answer"], "and for trucks?", again["answer"],
    ]  # fmt: skip
    assert read["messages"][1]["metadata"] == {
        "web_search_performed": True,
        "iterations": 1,
        "results_count": len(first["sources"]),
        "answer_kind": "model",
        "model_label": "Web + fake-model",
        "evidence_id": first["evidence_id"],
        "content_kept": True,
    }


async def test_a_conversation_gets_another_title(gateway: KeptGateway) -> None:
    async with gateway.client() as http:
        first, second = await ask(http), await ask(http)
        path = f"/v1/conversations/{first['conversation_id']}"
        renamed = await http.post(path, json={"title": "Tolls", "user_id": "ada"})
        foreign = await http.post(path, json={"title": "Mine", "user_id": "eve"})
        blank = await http.post(path, json={"title": " ", "user_id": "ada"})
        listed = (await http.get("/v1/conversations", params={"user_id": "ada"})).json()

    assert (renamed.json()["title"], renamed.json()["turns"]) == ("Tolls", 1)
    assert (foreign.status_code, blank.status_code) == (404, 400)
    assert [(c["id"], c["title"]) for c in listed["conversations"]] == [
        (second["conversation_id"], QUESTION),
        (first["conversation_id"], "Tolls"),
    ]


async def test_a_turn_is_forgotten_and_the_last_one_takes_its_conversation_along(
    gateway: KeptGateway,
) -> None:
    theirs = {"user_id": "ada"}
    async with gateway.client() as http:
        first = await ask(http)
        conversation = first["conversation_id"]
        second = await ask(http, "and for trucks?", conversation_id=conversation)
        path = f"/v1/conversations/{conversation}"
        foreign = await http.delete(f"{path}/turns/{second['id']}", params={"user_id": "eve"})
        gone = await http.delete(f"{path}/turns/{second['id']}", params=theirs)
        again = await http.delete(f"{path}/turns/{second['id']}", params=theirs)
        left = (await http.get(path, params=theirs)).json()
        await http.delete(f"{path}/turns/{first['id']}", params=theirs)
        empty = await http.get(path, params=theirs)

    assert [r.status_code for r in (foreign, gone, again)] == [404, 204, 404]
    assert left["turns"] == 1
    assert {(m["turn"], m["role"]) for m in left["messages"]} == {
        (first["id"], "user"),
        (first["id"], "assistant"),
    }
    assert empty.status_code == 404


async def test_a_follow_up_knows_the_sources_of_the_turn_before(gateway: KeptGateway) -> None:
    async with gateway.client() as http:
        first = await ask(http)
        recalled = await gateway.kept.conversations.recall(  # type: ignore[union-attr]
            IDENTITY.of_user("ada"), first["conversation_id"]
        )

    assert recalled.earlier is not None
    assert [s.url for s in recalled.earlier.sources] == [s["url"] for s in first["sources"]]
    assert all(source.facts for source in recalled.earlier.sources)
    assert recalled.earlier.queries == ("Skerry Bridge toll cars",)


async def test_a_client_that_sends_its_history_knows_best(gateway: KeptGateway) -> None:
    async with gateway.client() as http:
        first = await ask(http)
        own = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]
        more = {"messages": own, "conversation_id": first["conversation_id"]}
        await ask(http, "and for trucks?", **more)

    history = gateway.rig.decision.calls[1].history
    assert [message.content for message in history] == ["hello", "hi"]


async def test_what_belongs_to_somebody_else_is_not_there(gateway: KeptGateway) -> None:
    async with gateway.client() as http:
        first = await ask(http)
        memory = (
            await http.post("/v1/memories", json={"text": "I drive a van", "user_id": "ada"})
        ).json()
        conversation = f"/v1/conversations/{first['conversation_id']}"
        theirs = {"user_id": "bob"}
        statuses = [
            (await http.get(conversation, params=theirs)).status_code,
            (await http.delete(conversation, params=theirs)).status_code,
            (await http.delete(f"/v1/memories/{memory['id']}", params=theirs)).status_code,
            (await http.get(f"/v1/evidence/{first['evidence_id']}", params=theirs)).status_code,
            (
                await http.post(f"/v1/evidence/{first['evidence_id']}/replay", params=theirs)
            ).status_code,
        ]
        lists = [
            (await http.get("/v1/conversations", params=theirs)).json(),
            (await http.get("/v1/memories", params=theirs)).json(),
            (await http.get("/v1/usage", params=theirs)).json(),
        ]
        await ask(http, "and?", user_id="bob", conversation_id=first["conversation_id"])

    assert statuses == [404] * 5
    assert lists == [{"conversations": []}, {"memories": []}, {"days": []}]
    assert gateway.rig.decision.calls[1].history == ()


async def test_memories_that_fit_go_to_the_model_and_are_named(gateway: KeptGateway) -> None:
    assert gateway.rig.model is not None
    async with gateway.client() as http:
        for text in ("My cars cross the Skerry Bridge daily", "I like pears"):
            body = {"text": text, "user_id": "ada"}
            first = (await http.post("/v1/memories", json=body)).json()
            second = (await http.post("/v1/memories", json=body)).json()
            assert first == second
        listed = (await http.get("/v1/memories", params={"user_id": "ada"})).json()["memories"]
        answer = await ask(http)
        stranger = await ask(http, user_id="bob")

    prompts = ["\n".join(m.content for m in p.messages) for p in gateway.rig.model.prompts]
    assert [memory["text"] for memory in listed] == [
        "I like pears", "My cars cross the Skerry Bridge daily",
    ]  # fmt: skip
    assert "My cars cross" in prompts[0]
    assert "pears" not in prompts[0]
    assert "My cars cross" not in prompts[1]
    assert answer["model_label"] == "Web + Memory + fake-model"
    assert stranger["model_label"] == "Web + fake-model"


async def test_everything_of_a_person_goes_at_once(gateway: KeptGateway) -> None:
    async with gateway.client() as http:
        answers = [await ask(http, user_id=person) for person in ("ada", "bob")]
        for answer, person in zip(answers, ("ada", "bob"), strict=True):
            thumb = {"id": answer["id"], "rating": "up", "user_id": person}
            assert (await http.post("/v1/feedback", json=thumb)).status_code == 200
            await http.post("/v1/memories", json={"text": "a van", "user_id": person})
        await gateway.afterwards.close()
        gone = await http.delete("/v1/users/me/data", params={"user_id": "ada"})
        left = {
            person: await _kept(http, person, answer)
            for answer, person in zip(answers, ("ada", "bob"), strict=True)
        }

    assert gone.status_code == 204
    assert left == {"ada": (0, 0, 0, 404), "bob": (1, 1, 1, 200)}
    records = gateway.kept.state.records
    for kind in ("recent", "asked", "feedback"):
        assert await records.newest(IDENTITY.of_user("ada"), kind, 10) == (), kind
        assert await records.newest(IDENTITY.of_user("bob"), kind, 10) != (), kind


async def _kept(
    http: httpx.AsyncClient, person: str, answer: dict[str, Any]
) -> tuple[int, int, int, int]:
    theirs = {"user_id": person}
    return (
        len((await http.get("/v1/conversations", params=theirs)).json()["conversations"]),
        len((await http.get("/v1/memories", params=theirs)).json()["memories"]),
        len((await http.get("/v1/usage", params=theirs)).json()["days"]),
        (await http.get(f"/v1/evidence/{answer['evidence_id']}", params=theirs)).status_code,
    )


async def test_what_was_made_of_a_persons_page_is_not_kept(tmp_path: Path) -> None:
    url = "https://mine.example/page"
    secret = "The Skerry Bridge toll for cars is 9.75 crowns, says this private page."
    rig = Rig(fetcher=FakeFetcher(texts={url: secret}))
    rig.decision.decision = search_decision(action=Action.FETCH, urls=(url,), queries=())
    async with AsyncExitStack() as stack:
        gateway = await open_gateway(stack, Plan(tmp_path, rig=rig))
        async with gateway.client() as http:
            answer = await ask(http, f"What does {url} say about the toll for cars?")
            await gateway.afterwards.close()
            path = f"/v1/conversations/{answer['conversation_id']}"
            kept = (await http.get(path, params={"user_id": "ada"})).json()
            replayed = (
                await http.post(
                    f"/v1/evidence/{answer['evidence_id']}/replay", params={"user_id": "ada"}
                )
            ).json()

    assert "9.75" in answer["answer"]
    assert kept["messages"][1]["content"] == ""
    assert not kept["messages"][1]["metadata"]["content_kept"]
    assert replayed["citations"]["status"] == "content_not_kept"
    assert b"private page" not in _stored(tmp_path)


def _stored(folder: Path) -> bytes:
    """Everything that the gateway wrote to its files."""
    return b"".join(path.read_bytes() for path in folder.glob("*-state.sqlite3*"))


async def test_evidence_replays_without_search_page_or_model(gateway: KeptGateway) -> None:
    assert gateway.rig.model is not None
    gateway.rig.model.pieces = ("The toll is 4.50 crowns [1]. It opened in 1987 [3]. Bad [2].",)
    async with gateway.client() as http:
        answer = await ask(http)
        calls = (len(gateway.rig.search.calls), len(gateway.rig.fetcher.calls))
        path = f"/v1/evidence/{answer['evidence_id']}"
        replayed = (await http.post(f"{path}/replay", params={"user_id": "ada"})).json()
        prompts = len(gateway.rig.model.prompts)
        gateway.rig.scorer.relevance = 0.3
        changed = (await http.post(f"{path}/replay", params={"user_id": "ada"})).json()

    assert len(answer["citations"]) == 2
    assert replayed["ranking"]["status"] == "same"
    assert replayed["ranking"]["then"] == replayed["ranking"]["now"] != []
    assert replayed["citations"]["status"] == "same"
    assert changed["ranking"]["status"] == "different"
    assert (len(gateway.rig.search.calls), len(gateway.rig.fetcher.calls)) == calls
    assert prompts == 1


async def test_a_query_of_two_people_is_in_no_report(gateway: KeptGateway) -> None:
    async with gateway.client() as http:
        for person in ("ada", "bob", "ada", "bob"):
            await ask(http, user_id=person)
        await gateway.afterwards.close()
        private = (await http.get("/v1/reports/weekly")).json()
        await ask(http, user_id="cleo")
        await gateway.afterwards.close()
        shared = (await http.get("/v1/reports/weekly")).json()
        page = await http.get("/v1/reports/weekly", params={"format": "html"})
        text = await http.get("/v1/reports/weekly", params={"format": "markdown"})
        wrong = await http.get("/v1/reports/weekly", params={"format": "pdf"})

    assert private["top_queries"] == []
    assert [q["count"] for q in shared["top_queries"]] == [5]
    assert "skerry bridge" in page.text
    assert "<svg" in page.text
    style = page.text.partition("<style>")[2].partition("</style>")[0]
    allowed = b64encode(sha256(style.encode()).digest()).decode()
    policy = page.headers["content-security-policy"]
    assert f"style-src 'sha256-{allowed}';" in policy
    assert "unsafe" not in policy
    assert " style=" not in page.text
    assert "| skerry bridge toll cars | 5 | 0.80 |" in text.text
    assert (wrong.status_code, wrong.json()["errors"][0]["field"]) == (400, "format")


async def test_asking_the_same_again_is_a_retry_and_going_on_is_no_abandonment(
    gateway: KeptGateway,
) -> None:
    async with gateway.client() as http:
        await ask(http)
        await gateway.afterwards.close()
        await ask(http)
        await gateway.afterwards.close()
        numbers = (await http.get("/v1/stats")).json()
        report = (await http.get("/v1/reports/weekly")).json()

    assert numbers["retry_rate"] == 0.5
    assert report["summary"]["abandonment_rate"] == 0.5


async def test_a_changed_mind_changes_the_satisfaction(gateway: KeptGateway) -> None:
    async with gateway.client() as http:
        answer = await ask(http)
        for rating in ("up", "down"):
            thumb = {"id": answer["id"], "rating": rating, "user_id": "ada"}
            await http.post("/v1/feedback", json=thumb)
        await gateway.afterwards.close()
        numbers = (await http.get("/v1/stats")).json()

    assert (numbers["feedback"], numbers["satisfaction"], numbers["thumbs_up"]) == (1, 1.0, 0)


async def test_records_of_another_release_or_of_nobody_are_looked_past(
    gateway: KeptGateway,
) -> None:
    owner = IDENTITY.of_user("ada")
    records = gateway.kept.state.records
    for kind in ("memory", "conversation", "recent", "evidence"):
        for n, value in enumerate((b"\x00\xff", b'{"v": 99}', b"[]", b'{"v": 1}')):
            await records.put(owner, kind, Entry(f"x{n}", value), ttl_s=60.0)
    async with gateway.client() as http:
        memories = (await http.get("/v1/memories", params={"user_id": "ada"})).json()
        answer = await ask(http)
        evidence = await http.get("/v1/evidence/x0", params={"user_id": "ada"})

    assert memories == {"memories": []}
    assert answer["answer"]
    assert evidence.status_code == 404


async def test_the_document_describes_what_is_kept(gateway: KeptGateway) -> None:
    async with gateway.client() as http:
        document = (await http.get("/openapi.json")).json()

    assert {"/v1/conversations", "/v1/memories", "/v1/users/me/data"} <= set(document["paths"])
    assert references(document) <= set(document["components"]["schemas"])
