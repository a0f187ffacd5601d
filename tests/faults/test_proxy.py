"""Each toxic of the proxy does what it says and counts it; without one, nothing is changed."""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from rig.proxy import Proxy, Toxics

TEXT = bytes(range(256)) * 40


@pytest.fixture
async def edge() -> AsyncIterator[Proxy]:
    """A proxy before a server that answers a line with `TEXT` and closes."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if await reader.readline():
            writer.write(TEXT)
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with Proxy("edge", 0, server.sockets[0].getsockname()[1]) as proxy:
        yield proxy
    server.close()
    await server.wait_closed()


async def ask(proxy: Proxy, within_s: float = 5.0) -> bytes:
    async with asyncio.timeout(within_s):
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        try:
            writer.write(b"please\n")
            return await reader.read(-1)
        finally:
            writer.close()


async def test_without_toxics_everything_passes(edge: Proxy) -> None:
    assert await ask(edge) == TEXT
    assert edge.counters.connections == 1
    assert edge.counters.bytes_down == len(TEXT)
    assert edge.counters.bytes_up == len(b"please\n")


async def test_latency_holds_back_and_keeps_the_bytes(edge: Proxy) -> None:
    edge.poison(Toxics(latency_s=0.2, jitter_s=0.05))
    begun = time.monotonic()
    assert await ask(edge) == TEXT
    assert time.monotonic() - begun >= 0.2
    assert edge.counters.delayed


async def test_bandwidth_makes_it_slow(edge: Proxy) -> None:
    edge.poison(Toxics(bandwidth=len(TEXT) * 2))
    begun = time.monotonic()
    assert await ask(edge) == TEXT
    assert time.monotonic() - begun >= 0.4
    assert edge.counters.throttled


async def test_slices_join_to_the_whole(edge: Proxy) -> None:
    edge.poison(Toxics(slicer=7))
    assert await ask(edge) == TEXT
    assert edge.counters.sliced >= len(TEXT) // 7


async def test_a_limit_of_bytes_resets(edge: Proxy) -> None:
    edge.poison(Toxics(limit_data=100))
    with pytest.raises(ConnectionResetError):
        await ask(edge)
    assert edge.counters.resets == 1


async def test_a_timeout_swallows_and_ends_with_the_healing(edge: Proxy) -> None:
    edge.poison(Toxics(timeout=True))
    asking = asyncio.create_task(ask(edge))
    await asyncio.sleep(0.2)
    assert not asking.done()
    assert edge.counters.swallowed
    edge.heal()
    with pytest.raises(ConnectionResetError):
        await asking
    assert await ask(edge) == TEXT


async def test_what_is_down_is_reset_at_once(edge: Proxy) -> None:
    edge.poison(Toxics(down=True))
    with pytest.raises(ConnectionResetError):
        await ask(edge)
    assert edge.counters.refused == 1


async def test_a_slow_close_comes_after_the_bytes(edge: Proxy) -> None:
    edge.poison(Toxics(slow_close_s=0.2))
    begun = time.monotonic()
    assert await ask(edge) == TEXT
    assert time.monotonic() - begun >= 0.2
    assert edge.counters.closed_late == 1


async def test_corruption_turns_bytes_over(edge: Proxy) -> None:
    edge.poison(Toxics(corrupt=1.0, slicer=100))
    damaged = await ask(edge)
    assert len(damaged) == len(TEXT)
    wrong = sum(a != b for a, b in zip(damaged, TEXT, strict=True))
    assert wrong == edge.counters.corrupted > 50


async def test_a_server_that_is_gone_resets_the_caller(edge: Proxy) -> None:
    edge.upstream = 1
    with pytest.raises(ConnectionResetError):
        await ask(edge)


async def test_a_new_upstream_holds_for_new_connections(edge: Proxy) -> None:
    async def other(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"other")
        writer.close()

    server = await asyncio.start_server(other, "127.0.0.1", 0)
    edge.upstream = server.sockets[0].getsockname()[1]
    assert await ask(edge) == b"other"
    server.close()
    await server.wait_closed()
