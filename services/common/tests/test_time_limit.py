"""A time limit is used up by the other side, and hardly by this process being busy itself."""

import asyncio
import time

import pytest

from pellucid_runtime.time_limit import within


async def test_a_busy_loop_does_not_count_as_a_slow_answer() -> None:
    async def answer() -> str:
        for _ in range(3):
            await asyncio.sleep(0)
        return "here"

    waiting = asyncio.create_task(within(0.05, answer()))
    await asyncio.sleep(0)
    time.sleep(0.2)  # noqa: ASYNC251 - the loop is to be busy

    assert await waiting == "here"


async def test_what_does_not_come_is_given_up_and_cancelled() -> None:
    never: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    with pytest.raises(TimeoutError):
        await within(0.02, never)

    assert never.cancelled()


async def test_what_fails_in_time_fails_as_itself() -> None:
    async def fail() -> None:
        raise ConnectionError

    with pytest.raises(ConnectionError):
        await within(5.0, fail())
