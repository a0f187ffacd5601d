"""A model server that says words at a set pace: the far end of `gateway_bench.py`.

Speaks chat completions as server-sent events over bare asyncio streams, so that it costs little
beside what is measured. The pace comes with each request, as `pace: {first_s, gap_s, tokens}`,
a field that proxies pass on. Asked with sources, it repeats the first sentence of each and cites
it.
"""

import asyncio
import contextlib
import json
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import uvloop

# Instants of the machine's clock at which callers hung up.
LEFT: list[float] = []
DEFAULT_PACE = {"first_s": 0.3, "gap_s": 0.02, "tokens": 50}
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
# Number, publisher and title; address; facts: how sources stand in a prompt.
SOURCE = re.compile(r"^\[(\d+)\] .*\n\S+\n(.+?[.!?])(?=\s|$)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds until the first token and between tokens; how many."""

    first_s: float
    gap_s: float
    tokens: int


def pace_of(body: dict[str, Any]) -> Pace:
    """The pace that a request asks for."""
    return Pace(**{**DEFAULT_PACE, **body.get("pace", {})})


def words_of(body: dict[str, Any], pace: Pace) -> Iterator[str]:
    """Plain words, or the cited first sentences of the sources."""
    texts = (message.get("content") for message in body["messages"])
    prompt = "\n".join(text for text in texts if isinstance(text, str))
    cited = [f"{said[:-1]} [{n}]{said[-1]}" for n, said in SOURCE.findall(prompt)[:4]]
    if cited:
        yield from (f"{word} " for word in " ".join(cited).split())
    else:
        yield from ("word " for _ in range(pace.tokens))


def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
    """One event as one HTTP chunk."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    content = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "bench"}
    event = b"data: " + json.dumps({**content, "choices": [choice]}).encode() + b"\n\n"
    return b"%x\r\n%s\r\n" % (len(event), event)


async def read_request(reader: asyncio.StreamReader) -> tuple[str, dict[str, Any]]:
    """Path and body of the next request."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    found = re.search(r"content-length: *(\d+)", head, re.IGNORECASE)
    raw = await reader.readexactly(int(found.group(1))) if found else b"{}"
    return head.split(" ", 2)[1], json.loads(raw)


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer the requests of one connection."""
    with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
        while True:
            path, body = await read_request(reader)
            if body.get("stream"):
                await stream_until_left(writer, body)
            else:
                writer.write(plain(path))
                await writer.drain()
    with contextlib.suppress(ConnectionError):
        writer.close()


def plain(path: str) -> bytes:
    """The models and the last hang-up; calls that want JSON are refused, so that rules decide."""
    status = b"500 Not Offered" if path.endswith("/completions") else b"200 OK"
    models = [{"id": "bench", "object": "model"}]
    body = json.dumps({"object": "list", "data": models, "left": LEFT[-1:]}).encode()
    head = b"HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    return head % (status, len(body)) + body


async def stream_until_left(writer: asyncio.StreamWriter, body: dict[str, Any]) -> None:
    """Stream; when the caller hangs up, note when that was seen, at the next token."""
    try:
        await stream(writer, body)
    except ConnectionError:
        LEFT.append(time.monotonic())
        raise


async def stream(writer: asyncio.StreamWriter, body: dict[str, Any]) -> None:
    """Say the words; each has its instant, so that delays do not add up."""
    pace, clock = pace_of(body), asyncio.get_running_loop().time
    writer.write(HEAD)
    due = clock() + pace.first_s
    for word in words_of(body, pace):
        await asyncio.sleep(max(0.0, due - clock()))
        if writer.is_closing():
            raise ConnectionResetError
        writer.write(chunk({"content": word}))
        await writer.drain()
        due += pace.gap_s
    done = b"data: [DONE]\n\n"
    writer.write(chunk({}, "stop") + b"%x\r\n%s\r\n0\r\n\r\n" % (len(done), done))
    await writer.drain()


async def main(port: int) -> None:
    """Serve until the process is ended."""
    server = await asyncio.start_server(serve, "127.0.0.1", port, backlog=1024)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(main(int(sys.argv[1])))
