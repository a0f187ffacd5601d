"""The connection to the model server: what may arrive on it, in whatever pieces."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from pellucid_gateway.adapters.model_server import KeptModelServer
from pellucid_runtime.llm.model import LlmTimeoutError, LlmUnavailableError

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
WORDS = [b"data: caf\xc3\xa9\n\n", b"data: [DO", b"NE]\n\n"]
CHUNKS = [b"%x\r\n%s\r\n" % (len(word), word) for word in WORDS]
END = b"0\r\n\r\n"
REFUSED = b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}"


@dataclass(slots=True)
class Script:
    """A server that says prepared bytes, one list for each request; None: it hangs up."""

    replies: list[list[bytes] | None]
    requests: list[bytes] = field(default_factory=list)
    connections: int = 0
    sent: int = 0
    left: asyncio.Event = field(default_factory=asyncio.Event)
    pause_s: float = 0.001
    closes: bool = False

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while await self._answer(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError):
            self.left.set()
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        self.requests.append(head + await reader.readexactly(length))
        reply = self.replies.pop(0)
        for piece in reply or ():
            writer.write(piece)
            await writer.drain()
            self.sent += 1
            await asyncio.sleep(self.pause_s)
        return reply is not None and not self.closes


@asynccontextmanager
async def served(
    script: Script,
    idle_s: float = 5.0,
    first_byte_s: float = 10.0,
    prices: Mapping[str, tuple[float, float]] | None = None,
) -> AsyncIterator[KeptModelServer]:
    server = await asyncio.start_server(script.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    model = KeptModelServer(
        f"http://127.0.0.1:{port}/v1",
        api_key=lambda: "k",
        internal=True,
        first_byte_s=first_byte_s,
        idle_s=idle_s,
        model="house",
        prices=prices,
    )
    try:
        yield model
    finally:
        model.close()
        server.close()


async def body_of(model: KeptModelServer) -> bytes:
    reply = await model.complete(b"{}", "m")
    return await reply.read()


async def test_the_request_says_nothing_but_what_is_needed() -> None:
    script = Script([[REFUSED]])
    async with served(script) as model:
        reply = await model.complete(b'{"model": "m"}', "m")
        assert (reply.status, reply.is_stream, await reply.read()) == (404, False, b"{}")

    head, _, body = script.requests[0].partition(b"\r\n\r\n")
    names = [line.partition(b":")[0] for line in head.split(b"\r\n")[1:]]
    assert head.startswith(b"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:")
    assert body == b'{"model": "m"}'
    assert names == [
        b"Host",
        b"Authorization",
        b"Content-Type",
        b"Accept-Encoding",
        b"Content-Length",
    ]


@pytest.mark.parametrize("size", [1, 7, 10_000])
async def test_the_body_is_the_same_however_it_arrives(size: int) -> None:
    told = CHUNKED + b"".join(CHUNKS) + END
    pieces = [told[at : at + size] for at in range(0, len(told), size)]
    async with served(Script([pieces], pause_s=0)) as model:
        assert await body_of(model) == b"".join(WORDS)


async def test_what_arrives_together_is_given_together_and_the_rest_at_once() -> None:
    given: list[bytes] = []
    script = Script([[CHUNKED, CHUNKS[0], CHUNKS[1] + CHUNKS[2], END]], pause_s=0.05)
    async with served(script) as model:
        reply = await model.complete(b"{}", "m")
        await reply.pour(given.append)

    assert reply.is_stream
    assert given == [WORDS[0], WORDS[1] + WORDS[2]]


async def test_a_kept_connection_serves_the_next_request() -> None:
    whole = [CHUNKED + b"".join(CHUNKS) + END]
    script = Script([[REFUSED], [b"HTTP/1.1 100 Continue\r\n\r\n", *whole], whole])
    async with served(script) as model:
        assert await body_of(model) == b"{}"
        assert await body_of(model) == b"".join(WORDS)
        assert await body_of(model) == b"".join(WORDS)

    assert script.connections == 1


async def test_a_connection_that_went_stale_is_replaced_without_a_word() -> None:
    script = Script([[REFUSED], None, [REFUSED]])
    async with served(script) as model:
        assert await body_of(model) == b"{}"
        assert await body_of(model) == b"{}"

    assert script.connections == 2
    assert len(script.requests) == 3


async def test_a_fresh_connection_that_says_nothing_is_not_asked_twice() -> None:
    script = Script([None])
    async with served(script) as model:
        with pytest.raises(LlmUnavailableError):
            await model.complete(b"{}", "m")

    assert len(script.requests) == 1


async def test_a_body_without_length_ends_with_the_connection() -> None:
    script = Script([[HEAD + b"\r\n", *WORDS]], closes=True)
    async with served(script) as model:
        assert await body_of(model) == b"".join(WORDS)


@pytest.mark.parametrize(
    "told",
    [
        [CHUNKED, CHUNKS[0]],
        [CHUNKED, b"zz\r\n"],
        [HEAD + b"Content-Length: 99\r\n\r\n", b"x"],
    ],
)
async def test_a_body_that_breaks_off_is_told(told: list[bytes]) -> None:
    async with served(Script([told], closes=True)) as model:
        reply = await model.complete(b"{}", "m")
        with pytest.raises(LlmUnavailableError):
            await reply.read()


@pytest.mark.parametrize(
    "told", [b"SSH-2.0-x\r\n", b"HTTP/1.1 200 OK\r\n" + b"x-a: b\r\n" * 9000, b""]
)
async def test_what_is_no_reply_is_told(told: bytes) -> None:
    async with served(Script([[told]], closes=True)) as model:
        with pytest.raises(LlmUnavailableError):
            await model.complete(b"{}", "m")


async def test_a_reply_that_is_compressed_unasked_is_not_passed_on() -> None:
    squeezed = [HEAD + b"Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\nxx"]
    async with served(Script([squeezed])) as model:
        with pytest.raises(LlmUnavailableError):
            await model.complete(b"{}", "m")


async def test_silence_before_the_head_and_amid_the_body_is_given_up() -> None:
    script = Script([[b""], [CHUNKED, CHUNKS[0], b""]], pause_s=30)
    async with served(script, first_byte_s=0.3) as model:
        with pytest.raises(LlmTimeoutError):
            await model.complete(b"{}", "m")
    quick = Script([[CHUNKED + CHUNKS[0], b""]], pause_s=30)
    async with served(quick, idle_s=0.1) as model:
        reply = await model.complete(b"{}", "m")
        with pytest.raises(LlmUnavailableError):
            await reply.read()


async def test_a_taker_that_lags_holds_the_server_up_and_loses_nothing() -> None:
    block = b"x" * 50_000
    chunk = b"%x\r\n%s\r\n" % (len(block), block)
    gate = asyncio.Event()
    taken: list[int] = []

    async def later() -> None:
        await gate.wait()

    def take(piece: bytes) -> "asyncio.Future[None] | None":
        taken.append(len(piece))
        return None if gate.is_set() else asyncio.ensure_future(later())

    script = Script([[CHUNKED, *[chunk] * 400, END]], pause_s=0)
    async with served(script, idle_s=0.6) as model:
        reply = await model.complete(b"{}", "m")
        pouring = asyncio.create_task(reply.pour(take))
        await asyncio.sleep(1.0)
        held = script.sent
        gate.set()
        await pouring

    assert held < 300, "the server waited; what fits into the sockets is some megabytes"
    assert sum(taken) == 400 * len(block)


async def test_a_taker_that_lags_at_the_end_leaves_a_connection_that_hears() -> None:
    whole = [CHUNKED, b"".join(CHUNKS) + END]
    script = Script([whole, [REFUSED]], pause_s=0.05)
    async with served(script, first_byte_s=1.0) as model:
        reply = await model.complete(b"{}", "m")
        await reply.pour(lambda _piece: asyncio.sleep(0.01))
        assert await body_of(model) == b"{}"
    assert script.connections == 1


async def test_the_time_that_a_taker_needs_is_no_silence_of_the_server() -> None:
    taken: list[bytes] = []

    def take(piece: bytes) -> "asyncio.Future[None] | None":
        taken.append(piece)
        return asyncio.ensure_future(asyncio.sleep(1.5)) if len(taken) == 1 else None

    script = Script([[CHUNKED + CHUNKS[0], CHUNKS[1] + CHUNKS[2] + END]], pause_s=1.6)
    async with served(script, idle_s=1.0) as model:
        reply = await model.complete(b"{}", "m")
        await reply.pour(take)

    assert b"".join(taken) == b"".join(WORDS)


async def test_cancelling_hangs_up() -> None:
    script = Script([[CHUNKED, *CHUNKS[:1] * 10_000]], pause_s=0.005)
    async with served(script) as model:
        reply = await model.complete(b"{}", "m")
        pouring = asyncio.create_task(reply.pour(lambda _piece: None))
        await asyncio.sleep(0.05)
        pouring.cancel()
        await asyncio.wait({pouring})
        await asyncio.wait_for(script.left.wait(), 10)


async def test_an_endless_reply_is_cut() -> None:
    block = b"x" * 1_000_000
    chunk = b"%x\r\n%s\r\n" % (len(block), block)
    async with served(Script([[CHUNKED, *[chunk] * 18]], pause_s=0)) as model:
        reply = await model.complete(b"{}", "m")
        with pytest.raises(LlmUnavailableError):
            await reply.read()
