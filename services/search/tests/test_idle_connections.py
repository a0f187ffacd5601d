"""Connections to providers are used again, and closed when nothing has been asked for a while."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from pellucid_search.adapters import http_transport
from pellucid_search.adapters.http_transport import HttpxTransport
from pellucid_search.providers.wire import HttpCall

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"


class Provider:
    """Answers on connections that it never ends itself; counts those that are open."""

    def __init__(self) -> None:
        self.open = self.opened = 0
        self.all_closed = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open += 1
        self.opened += 1
        self.all_closed.clear()
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                await asyncio.sleep(0.05)
                writer.write(ANSWER)
        except (asyncio.IncompleteReadError, ConnectionError):
            self.open -= 1
            if not self.open:
                self.all_closed.set()
        finally:
            writer.close()


@pytest.fixture
async def provider() -> AsyncIterator[tuple[Provider, str]]:
    served = Provider()
    server = await asyncio.start_server(served.serve, "127.0.0.1", 0)
    yield served, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    server.close()
    await server.wait_closed()


async def test_what_a_crowd_opened_is_closed_after_it_and_not_before(
    provider: tuple[Provider, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_transport, "IDLE_S", 0.3)
    served, url = provider
    call = HttpCall("GET", url)
    async with HttpxTransport() as transport:
        for crowd in (1, 2):
            await asyncio.gather(*(transport.send(call, timeout_s=10) for _ in range(8)))
            assert served.open == 8
            await transport.send(call, timeout_s=10)
            assert served.opened == 8 * crowd, "a connection is used again"
            await asyncio.wait_for(served.all_closed.wait(), 10)
        assert (await transport.send(call, timeout_s=10)).body == b"ok"
