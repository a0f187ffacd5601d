"""Long stretches of work take turns with whatever else the loop has to do."""

import asyncio
import itertools
import time

from pellucid_gateway.turn_context.loop_sharing import Rounds


async def work(rounds: Rounds, stretches: int, seconds: float, done: list[int], name: int) -> None:
    for _ in range(stretches):
        await rounds.turn()
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            pass
        done.append(name)


async def test_other_work_runs_between_the_stretches_of_many() -> None:
    rounds, done = Rounds(0.001), list[int]()
    working = [asyncio.create_task(work(rounds, 3, 0.005, done, n)) for n in range(10)]
    seen = []
    while len(done) < 30:
        seen.append(len(done))
        await asyncio.sleep(0)
    await asyncio.gather(*working)

    # In one round of the loop at most two: one that began in time, one that was on its way.
    assert max(after - before for before, after in itertools.pairwise(seen)) <= 2
    assert sorted(done) == sorted(list(range(10)) * 3)


async def test_who_is_alone_does_not_wait() -> None:
    rounds, done = Rounds(0.001), list[int]()
    passed = []
    asyncio.get_running_loop().call_soon(lambda: passed.append(len(done)))

    await work(rounds, 1, 0.005, done, 1)

    assert done == [1]
    assert not passed


async def test_short_stretches_share_a_round() -> None:
    rounds, done = Rounds(60), list[int]()
    working = [asyncio.create_task(work(rounds, 5, 0.0, done, n)) for n in range(4)]
    await asyncio.sleep(0)
    assert len(done) == 20
    await asyncio.gather(*working)


async def test_one_that_leaves_while_it_waits_holds_nobody_up() -> None:
    rounds, done = Rounds(0.001), list[int]()
    working = [asyncio.create_task(work(rounds, 2, 0.005, done, n)) for n in range(5)]
    await asyncio.sleep(0)
    working[3].cancel()
    async with asyncio.timeout(10):
        await asyncio.wait(working)

    assert [done.count(n) for n in (0, 1, 2, 4)] == [2, 2, 2, 2]
