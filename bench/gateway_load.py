"""Callers of `gateway_bench.py`: chat completion streams over bare asyncio connections."""

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

# What the decision settles by rule: nothing is searched for it.
SMALL_TALK = "Thank you, that was very helpful!"
WITHIN_S = 60.0
# LiteLLM wants one that is long; the others do not look at it.
KEY = "bench-key-of-nobody-0123456789abcdef"


@dataclass(slots=True)
class Heard:
    """One stream.

    Attributes:
        first_s: Seconds from the request to the first text.
        gaps_s: Seconds between arrivals of text after it.
        text: Raw body.
        failed: It did not end as it should.
    """

    first_s: float = 0.0
    gaps_s: list[float] = field(default_factory=list)
    body: bytes = b""
    failed: str = ""

    @property
    def citations(self) -> int:
        """Annotations of its last chunk."""
        return self.body.count(b'"url_citation":')


def request_bytes(url: str, message: str, pace: dict[str, Any], **fields: Any) -> bytes:
    """One whole HTTP request."""
    messages = [{"role": "user", "content": message}]
    content = {"model": "bench", "stream": True, "messages": messages, "pace": pace, **fields}
    body = json.dumps(content).encode()
    parts = urlsplit(url)
    head = (
        f"POST {parts.path}/chat/completions HTTP/1.1\r\nHost: {parts.netloc}\r\n"
        f"Content-Type: application/json\r\nAuthorization: Bearer {KEY}\r\n"
        f"Connection: close\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def stream(url: str, request: bytes) -> Heard:
    """Ask once and listen to the end."""
    heard = Heard()
    try:
        async with asyncio.timeout(WITHIN_S):
            await _listen(url, request, heard)
    except (OSError, TimeoutError) as error:
        heard.failed = type(error).__name__
    if not heard.failed and b"[DONE]" not in heard.body:
        heard.failed = "cut short"
    return heard


async def _listen(url: str, request: bytes, heard: Heard) -> None:
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    try:
        asked = before = time.perf_counter()
        writer.write(request)
        pieces = []
        while piece := await reader.read(65536):
            pieces.append(piece)
            if b"0\r\n\r\n" in piece[-7:]:
                break
            if b'"content":"' not in piece and b'"content": "' not in piece:
                continue
            if b'"content":""' in piece:
                continue
            now = time.perf_counter()
            if heard.first_s:
                heard.gaps_s.append(now - before)
            else:
                heard.first_s = now - asked
            before = now
        heard.body = b"".join(pieces)
    finally:
        writer.close()


async def leave(url: str, request: bytes) -> float:
    """Ask, hear the first piece, hang up; the instant of that on the machine's clock."""
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    writer.write(request)
    async with asyncio.timeout(WITHIN_S):
        while b'"content"' not in await reader.read(65536):
            pass
    gone = time.monotonic()
    writer.close()
    await writer.wait_closed()
    return gone


async def callers(
    url: str, request: bytes, *, count: int, each: int, over_s: float = 0.0
) -> list[Heard]:
    """So many callers at once, each asking so many times, one after the other.

    Args:
        url: Base address.
        request: What each asks.
        count: Callers.
        each: Streams of each caller.
        over_s: Callers begin evenly over so many seconds, as people do not ask in step.
    """

    async def caller(number: int) -> list[Heard]:
        await asyncio.sleep(over_s * number / count)
        return [await stream(url, request) for _ in range(each)]

    rounds = await asyncio.gather(*(caller(number) for number in range(count)))
    return [heard for one in rounds for heard in one]


async def one_by_one(url: str, requests: Sequence[bytes]) -> list[Heard]:
    """One caller who asks each of them, one after the other."""
    return [await stream(url, request) for request in requests]


def percentile(values: Sequence[float], share: float) -> float:
    """Nearest rank."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else float("nan")
