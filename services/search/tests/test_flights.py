"""Single flight: who joins in, and when work ends that nobody waits for."""

import asyncio

import pytest

from pellucid_search.asking.flights import Flights


async def test_who_joined_in_gets_the_result_of_work_that_ends_meanwhile() -> None:
    flights: Flights[str] = Flights()
    may_end = asyncio.Event()
    first = asyncio.create_task(flights.join("ferry", lambda: _wait(may_end)))
    await asyncio.sleep(0)

    with flights.aboard("ferry") as flight:
        may_end.set()
        await first
        assert not flights.is_airborne("ferry")
        assert flight.result() == "found"


async def test_work_ends_with_the_last_one_who_waits_and_no_sooner() -> None:
    flights: Flights[str] = Flights()
    first = asyncio.create_task(flights.join("ferry", lambda: _wait(asyncio.Event())))
    await asyncio.sleep(0)

    with flights.aboard("ferry") as flight:
        first.cancel()
        await asyncio.wait({first})
        assert not flight.done()

    with pytest.raises(asyncio.CancelledError):
        await flight
    assert not flights.is_airborne("ferry")


async def _wait(may_end: asyncio.Event) -> str:
    await may_end.wait()
    return "found"
