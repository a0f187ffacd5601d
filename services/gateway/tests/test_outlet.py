"""Where a streamed body goes out: at once, or when the client takes it again."""

import asyncio
from collections.abc import MutableMapping
from typing import Any

import pytest

from pellucid_gateway.api.http import outlet
from pellucid_gateway.api.http.leaving import ClientGoneError, Leaving
from pellucid_gateway.api.http.outlet import Outlet
from rig.waiting import eventually

EVENT = b"data: a\n\n"


class Client:
    """Takes messages while the way is free."""

    def __init__(self) -> None:
        self.free = asyncio.Event()
        self.free.set()
        self.got: list[bytes] = []
        self.given_up = False

    async def send(self, message: MutableMapping[str, Any]) -> None:
        await self.free.wait()
        self.got.append(message.get("body", b""))

    def outlet(self) -> Outlet:
        return Outlet(self.send, self.send, self._give_up)

    async def begun(self) -> Outlet:
        """An outlet whose head is out."""
        out = self.outlet()
        await out.begin()
        self.got.clear()
        return out

    def _give_up(self) -> None:
        self.given_up = True


async def test_a_piece_is_out_when_push_returns() -> None:
    client = Client()
    out = await client.begun()

    assert out.push(EVENT) is None
    assert client.got == [EVENT]


async def test_a_client_that_lags_is_waited_for_and_gets_all_in_order() -> None:
    client = Client()
    out = await client.begun()
    client.free.clear()
    waits = out.push(EVENT)
    assert waits is not None
    waiting = asyncio.ensure_future(waits)
    await asyncio.sleep(0.01)
    assert not waiting.done()

    client.free.set()
    await waiting
    assert out.push(b"more") is None
    assert client.got == [EVENT, b"more"]


async def test_waiting_for_a_client_can_be_cancelled() -> None:
    client = Client()
    out = await client.begun()
    client.free.clear()
    waits = out.push(EVENT)
    assert waits is not None
    waiting = asyncio.ensure_future(waits)
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait({waiting})

    client.free.set()
    await asyncio.sleep(0.01)
    assert client.got == []


async def test_no_heartbeat_falls_into_an_event(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outlet, "HEARTBEAT_S", 0.02)
    client = Client()
    out = client.outlet()
    out.start()
    await out.write(b"data: hal")
    await asyncio.sleep(0.1)
    amid = list(client.got)
    await out.write(b"f\n\n")
    await eventually(lambda: len(client.got) > 3)
    out.close()

    assert amid == [b"", b"data: hal"]
    assert client.got[2] == b"f\n\n"
    assert set(client.got[3:]) == {b": still here\n\n"}


async def test_a_quiet_stream_gets_its_head_before_its_first_piece(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(outlet, "HEARTBEAT_S", 0.02)
    client = Client()
    out = client.outlet()
    out.start()
    assert not out.has_begun
    await eventually(lambda: out.has_begun)
    await out.write(EVENT)
    out.close()

    assert client.got.count(b"") == 1
    assert client.got[-1] == EVENT


async def test_a_client_that_takes_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outlet, "HEARTBEAT_S", 0.02)
    monkeypatch.setattr(outlet, "WRITE_TIMEOUT_S", 0.05)
    client = Client()
    out = client.outlet()
    out.start()
    client.free.clear()  # not even the head gets through
    async with asyncio.timeout(10):
        while not client.given_up:  # noqa: ASYNC110 - the outlet calls, and has no event
            await asyncio.sleep(0.01)
    out.close()


async def test_work_ends_when_the_client_leaves_and_not_when_it_stays() -> None:
    gone = asyncio.Event()

    async def receive() -> dict[str, Any]:
        await gone.wait()
        return {"type": "http.disconnect"}

    async def work() -> None:
        async with Leaving(receive):
            gone.set()
            await asyncio.sleep(5)

    async with Leaving(receive):
        pass
    with pytest.raises(ClientGoneError):
        await work()
    assert asyncio.current_task().cancelling() == 0  # type: ignore[union-attr]


async def test_work_that_somebody_else_cancels_is_cancelled() -> None:
    async def receive() -> dict[str, Any]:
        await asyncio.sleep(5)
        return {"type": "http.request"}

    async def work() -> None:
        async with Leaving(receive):
            await asyncio.sleep(5)

    working = asyncio.create_task(work())
    await asyncio.sleep(0.01)
    working.cancel()
    await asyncio.wait({working})

    assert working.cancelled()
