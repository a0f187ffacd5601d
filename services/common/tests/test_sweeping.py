"""A sweep runs only while it is wanted."""

import asyncio

from pellucid_runtime.sweeping import Sweeper


async def test_a_sweep_runs_until_nothing_is_left_and_again_when_woken() -> None:
    left, swept = 2, asyncio.Event()

    async def sweep() -> bool:
        nonlocal left
        left -= 1
        if left == 0:
            swept.set()
        return left > 0

    sweeper = Sweeper(sweep, 0.01)
    sweeper.wake()
    sweeper.wake()
    await asyncio.wait_for(swept.wait(), 10)
    await asyncio.sleep(0.05)
    assert left == 0

    left = 1
    swept.clear()
    sweeper.wake()
    await asyncio.wait_for(swept.wait(), 10)
    sweeper.wake()
    await sweeper.close()
    await asyncio.sleep(0.05)
    assert left == 0


async def test_what_ends_after_the_end_begins_no_further_sweep() -> None:
    swept = asyncio.Event()

    async def sweep() -> bool:
        swept.set()
        return False

    sweeper = Sweeper(sweep, 0.01)
    sweeper.wake()
    await sweeper.close()
    sweeper.wake()
    await asyncio.sleep(0.05)

    assert not swept.is_set()
