"""How long a message takes to be understood, alone and while results are scored."""

import asyncio
import statistics
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import grpc
from scorer_rig import Stub, message, request

MESSAGES = 40
TOKENS = (30, 200)
RESULTS = 30


async def messages(stub: Stub) -> dict[str, Any]:
    """Return milliseconds of a message by its tokens, or why there are none."""
    try:
        await stub.Understand(message(TOKENS[0]))
    except grpc.aio.AioRpcError as error:
        if error.code() is not grpc.StatusCode.FAILED_PRECONDITION:
            raise
        return {"not_run": "no trained weights, or not their encoder"}
    found: dict[str, Any] = {}
    for tokens in TOKENS:
        found[f"{tokens}"] = await _times(stub, tokens)
        async with scoring(stub) as times:
            found[f"{tokens} beside scoring"] = await _times(stub, tokens)
            found["scoring_p50_ms"] = statistics.median(times)
    return found


async def _times(stub: Stub, tokens: int) -> dict[str, float]:
    times = []
    for _ in range(MESSAGES):
        call = message(tokens)
        started = time.perf_counter()
        found = await stub.Understand(call)
        times.append((time.perf_counter() - started) * 1000)
    return {
        "p50_ms": statistics.median(times),
        "p99_ms": sorted(times)[round(len(times) * 0.99) - 1],
        "pieces": len(found.pieces),
    }


@asynccontextmanager
async def scoring(stub: Stub) -> AsyncIterator[list[float]]:
    """Score fresh results all the while; give the milliseconds of each call."""
    times: list[float] = []

    async def score() -> None:
        started = time.perf_counter()
        await stub.Score(request(RESULTS))
        times.append((time.perf_counter() - started) * 1000)

    async def score_on() -> None:
        while True:
            await score()

    await score()
    task = asyncio.create_task(score_on())
    yield times
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


def lines(found: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the lines of the report."""
    if "not_run" in found:
        yield "a message", f"not run: {found['not_run']}"
        return
    for name, one in found.items():
        if isinstance(one, dict):
            yield f"message of {name}", f"p50 {one['p50_ms']:.1f} ms, p99 {one['p99_ms']:.1f} ms"
