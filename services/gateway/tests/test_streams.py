"""Streams over a real socket: heartbeats, departures, and cut-off bodies."""

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest
from api_fakes import FakeEngine, MakeApp, turn_events

from pellucid_gateway.api.http import outlet
from pellucid_gateway.domain.events import Delta
from pellucid_runtime.http_server import HttpServer


@pytest.fixture
async def server(make_app: MakeApp) -> AsyncIterator[HttpServer]:
    running = HttpServer(make_app(), "127.0.0.1", 0)
    await running.start()
    yield running
    await running.stop(0)


@pytest.fixture
async def client(server: HttpServer) -> AsyncIterator[httpx.AsyncClient]:
    url = f"http://127.0.0.1:{server.port}"
    async with httpx.AsyncClient(base_url=url, trust_env=False) as http:
        yield http


async def begun(engine: FakeEngine) -> None:
    """The turn is running."""
    async with asyncio.timeout(10):
        while not engine.turns:  # noqa: ASYNC110 - a fake lists its turns
            await asyncio.sleep(0.01)


async def cancelled(engine: FakeEngine) -> None:
    async with asyncio.timeout(10):
        await engine.cancelled.wait()


async def test_leaving_a_stream_cancels_the_turn(
    client: httpx.AsyncClient, engine: FakeEngine
) -> None:
    engine.pause_s = 1.0
    async with client.stream("POST", "/v1/chat", json={"message": "x", "stream": True}) as reply:
        async for _ in reply.aiter_bytes():
            break

    await cancelled(engine)


async def test_leaving_before_the_first_event_cancels_the_turn(
    client: httpx.AsyncClient, engine: FakeEngine
) -> None:
    engine.pause_s = 30
    asking = asyncio.create_task(client.post("/v1/chat", json={"message": "x", "stream": True}))
    await begun(engine)
    asking.cancel()
    await asyncio.wait({asking})

    await cancelled(engine)


async def test_leaving_a_plain_request_cancels_the_turn(
    client: httpx.AsyncClient, engine: FakeEngine
) -> None:
    engine.pause_s = 30
    asking = asyncio.create_task(client.post("/v1/chat", json={"message": "x"}))
    await begun(engine)
    asking.cancel()
    await asyncio.wait({asking})

    await cancelled(engine)


async def test_a_quiet_stream_gets_heartbeats(
    client: httpx.AsyncClient, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outlet, "HEARTBEAT_S", 0.05)
    engine.pause_s = 0.5
    engine.events = [turn_events()[0], turn_events()[-1]]

    text = (await client.post("/v1/chat", json={"message": "x", "stream": True})).text

    assert text.count(": still here") >= 4
    assert text.rstrip().rpartition("\n\n")[2].startswith("event: done")


async def test_a_busy_stream_gets_none(
    client: httpx.AsyncClient, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outlet, "HEARTBEAT_S", 1.0)
    engine.pause_s = 0.05
    engine.events = [*turn_events()[:-1], *[Delta("more ")] * 30, turn_events()[-1]]

    text = (await client.post("/v1/chat", json={"message": "x", "stream": True})).text

    assert ": still here" not in text


async def test_a_client_that_reads_nothing_is_given_up(
    server: HttpServer, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outlet, "WRITE_TIMEOUT_S", 0.2)
    engine.events = turn_events() * 4000
    engine.events = [event for event in engine.events if type(event).__name__ != "Done"]
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port, limit=1024)
    body = b'{"message": "x", "stream": true}'
    writer.write(
        b"POST /v1/chat HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body)
    )
    writer.write(body)
    await writer.drain()
    await reader.read(100)

    await cancelled(engine)
    writer.close()


async def test_a_streamed_megabyte_body_is_refused_before_its_end(server: HttpServer) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(
        b"POST /v1/decide HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    chunk = b"10000\r\n" + b"x" * 65_536 + b"\r\n"
    for _ in range(34):
        writer.write(chunk)
        await writer.drain()

    # The body is not complete, and yet the answer is here.
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 30)

    assert head.startswith(b"HTTP/1.1 413 ")
    assert b"connection: close" in head.lower()
    writer.close()


async def test_a_client_that_sends_all_before_it_listens_sees_the_answer(
    server: HttpServer,
) -> None:
    body = b'{"message": "' + b"x" * 5_000_000 + b'"}'
    head = b"POST /v1/decide HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body)
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(head + body)
    await writer.drain()

    answer = await asyncio.wait_for(reader.read(), 30)

    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"PAYLOAD_TOO_LARGE" in answer
    writer.close()


async def test_an_announced_huge_body_is_refused_unread(server: HttpServer) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(
        b"POST /v1/decide HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n"
    )

    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 30)

    assert head.startswith(b"HTTP/1.1 413 ")
    writer.close()


async def test_many_streams_leave_no_task_behind(client: httpx.AsyncClient) -> None:
    await client.post("/v1/chat", json={"message": "x", "stream": True})
    before = len(asyncio.all_tasks())

    await asyncio.gather(
        *(client.post("/v1/chat", json={"message": "x", "stream": True}) for _ in range(50))
    )

    async with asyncio.timeout(10):
        while _of_streams():  # noqa: ASYNC110 - tasks end by themselves, and have no event
            await asyncio.sleep(0.02)
    assert len(asyncio.all_tasks()) <= before + 100  # connections kept alive by client and server


def _of_streams() -> list[str]:
    """Return what the tasks run that belong to a stream."""
    names = [task.get_coro().__qualname__ for task in asyncio.all_tasks()]
    return [name for name in names if name.startswith(("EventStream", "Outlet", "_left"))]
