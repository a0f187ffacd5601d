"""A Redis that needs 200 ms for every answer, over a TCP relay that holds back what it says."""

import asyncio
import time
from collections.abc import AsyncIterator
from statistics import median
from typing import Any

import pytest
from search_provider_fixtures import GOOD

pytestmark = [pytest.mark.redis, pytest.mark.usefixtures("loaded_languages")]

DELAY_S = 0.2


@pytest.fixture
def patience_with_the_store() -> None:
    """The service's own limits hold here."""


class SlowRelay:
    """Passes bytes between a TCP client and the Redis socket; `delay_s` for each answer."""

    def __init__(self, socket_path: str) -> None:
        self.delay_s = 0.0
        self.held_back = 0
        self.only_after = b""
        self._is_due = False
        self._socket_path = socket_path
        self._pumps: set[asyncio.Task[None]] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        redis_reader, redis_writer = await asyncio.open_unix_connection(self._socket_path)
        for source, target, is_slow in (
            (reader, redis_writer, False),
            (redis_reader, writer, True),
        ):
            pump = asyncio.create_task(self._pump(source, target, is_slow=is_slow))
            self._pumps.add(pump)

    async def _pump(
        self, source: asyncio.StreamReader, target: asyncio.StreamWriter, *, is_slow: bool
    ) -> None:
        try:
            while data := await source.read(65_536):
                if not is_slow:
                    self._is_due = self.only_after in data
                elif self.delay_s and self._is_due:
                    self.held_back += 1
                    await asyncio.sleep(self.delay_s)
                target.write(data)
                await target.drain()
        except ConnectionError:
            pass
        finally:
            target.close()

    async def close(self) -> None:
        for pump in self._pumps:
            pump.cancel()
        await asyncio.gather(*self._pumps, return_exceptions=True)


@pytest.fixture
async def relay(redis_server: Any) -> AsyncIterator[tuple[SlowRelay, str]]:
    slow = SlowRelay(f"{redis_server.folder}/redis.sock")
    server = await asyncio.start_server(slow.serve, "127.0.0.1", 0)
    yield slow, f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    server.close()
    await slow.close()


async def test_a_redis_of_200_ms_is_given_up_early_and_then_left_alone(
    relay: tuple[SlowRelay, str],
    start_service: Any,
    serve_provider: Any,
    answer: Any,
    ask: Any,
) -> None:
    slow, url = relay
    provider = await serve_provider(answer(GOOD["brave"]))
    client = await start_service(
        redis_url=url, brave_search_api_key="example-key-0123456789",
        brave_base_url=provider.url, search_rates="brave=1000/1",
    )  # fmt: skip
    assert (await client.Search(ask("before"))).hits
    slow.delay_s = DELAY_S

    opening = await _seconds_each(client, ask, "opening", 8)
    resting = await _seconds_each(client, ask, "resting", 10)

    assert slow.held_back >= 5
    # Look-up and lease 30 ms each, bucket and budget 100 ms each; nobody waits for the rest.
    # Without the limits it would be 200 ms for each.
    assert median(opening) < 0.6
    assert median(resting) < DELAY_S / 2
    assert len(provider.requests) == 19


async def test_nobody_waits_for_what_is_written(
    relay: tuple[SlowRelay, str],
    start_service: Any,
    serve_provider: Any,
    answer: Any,
    ask: Any,
) -> None:
    """Only the answers to the cache's writes are slow: 200 ms each."""
    slow, url = relay
    provider = await serve_provider(answer(GOOD["searxng"]))
    client = await start_service(
        redis_url=url, searxng_url=provider.url, search_rates="searxng=1000/1"
    )
    assert (await client.Search(ask("before"))).hits
    # Of all that is sent only a stored answer holds this name.
    slow.only_after, slow.delay_s = b"received_at", DELAY_S

    times = await _seconds_each(client, ask, "quick", 4)
    again = await client.Search(ask("quick 3"))

    assert slow.held_back >= 3
    assert sorted(times)[1] < DELAY_S / 2
    assert again.from_cache


async def _seconds_each(client: Any, ask: Any, name: str, searches: int) -> list[float]:
    times = []
    for turn in range(searches):
        started = time.monotonic()
        assert (await client.Search(ask(f"{name} {turn}"))).hits
        times.append(time.monotonic() - started)
    return times
