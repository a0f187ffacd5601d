"""What is kept of people, over several replicas, without Redis, and read by the report."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from kept_rig import Plan, ask, open_gateway
from state_fakes import RedisServer

from pellucid_gateway.tools.report import main as print_report


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    running = RedisServer(tmp_path)
    running.start()
    yield running
    running.kill()


@pytest.mark.redis
async def test_several_replicas_tell_one_truth(tmp_path: Path, server: RedisServer) -> None:
    async with AsyncExitStack() as stack:
        plans = [Plan(tmp_path, redis_url=server.url) for _ in range(3)]
        replicas = [await open_gateway(stack, plan) for plan in plans]
        clients = [await stack.enter_async_context(r.client()) for r in replicas]
        await asyncio.gather(
            *(ask(http, user_id=f"u{n}") for http in clients[:2] for n in range(5))
        )
        await asyncio.gather(*(r.afterwards.close() for r in replicas))
        told = [(await http.get("/v1/stats")).json() for http in clients]
        report = (await clients[2].get("/v1/reports/weekly")).json()

    assert {numbers["searches"] for numbers in told} == {10}
    assert {numbers["citation_validity"] for numbers in told} == {None}, "nobody judged"
    assert [q["query"] for q in report["top_queries"]] == ["skerry bridge toll cars"]
    assert report["top_queries"][0]["count"] == 10
    assert report["most_cited_domains"] == [{"domain": "harbourpost.example", "citations": 10}]


async def test_without_redis_at_the_start_people_are_answered(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        plan = Plan(tmp_path, redis_url="redis://127.0.0.1:1/0")
        gateway = await open_gateway(stack, plan)
        async with gateway.client() as http:
            answer = await ask(http)
            ready = await http.get("/readyz")
            listed = await http.get("/v1/conversations", params={"user_id": "ada"})
            limited = [await http.post("/v1/search", json={"query": "x"}) for _ in range(3)]

    assert answer["answer"]
    assert answer["evidence_id"] is None
    assert [lost["component"] for lost in answer["degraded"]] == ["store"]
    assert ready.status_code == 200
    assert (listed.status_code, listed.json()["retryable"]) == (503, True)
    assert [reply.status_code for reply in limited] == [200] * 3


@pytest.mark.redis
async def test_a_redis_killed_between_turns_costs_no_turn(
    tmp_path: Path, server: RedisServer
) -> None:
    async with AsyncExitStack() as stack:
        gateway = await open_gateway(stack, Plan(tmp_path, redis_url=server.url))
        async with gateway.client() as http:
            before = await ask(http)
            server.kill()
            during = [await ask(http, conversation_id=before["conversation_id"]) for _ in range(3)]
            await gateway.kept.counting.flush()
            server.start()
            async with asyncio.timeout(15):
                while not (await ask(http))["evidence_id"]:  # noqa: ASYNC110 - no one tells
                    await asyncio.sleep(0.1)
            await gateway.afterwards.close()
            numbers = (await http.get("/v1/stats")).json()

    assert before["evidence_id"]
    assert {answer["evidence_id"] for answer in during} == {None}
    assert numbers["searches"] >= 4


def test_the_report_is_printed_from_the_store_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    monkeypatch.delenv("REDIS_URL", raising=False)
    asyncio.run(_one_turn(tmp_path))
    capsys.readouterr()
    printed = {}
    for wanted in ("json", "markdown", "html"):
        print_report(["--format", wanted])
        printed[wanted] = capsys.readouterr().out
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1/0")
    with pytest.raises(SystemExit) as stopped:
        print_report([])

    assert json.loads(printed["json"])["summary"]["searches"] == 1
    assert "| Searches | 1 | 0 |" in printed["markdown"]
    assert printed["html"].startswith("<!doctype html>")
    assert stopped.value.code == 2


async def _one_turn(folder: Path) -> None:
    async with AsyncExitStack() as stack:
        gateway = await open_gateway(stack, Plan(folder))
        async with gateway.client() as http:
            await ask(http)
