"""Waits for the end of a turn, for faces that answer in one piece."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import cast

from pellucid_gateway.engine import TurnEngine
from pellucid_gateway.faces.problems import INTERNAL, ProblemError
from pellucid_gateway.faces.replies import failed_problem
from pellucid_gateway.request import TurnRequest
from pellucid_gateway.turn import Done, Failed, TurnEvent, TurnResult


async def answered(engine: TurnEngine, turn: TurnRequest) -> TurnResult:
    """The result of a turn.

    Raises:
        ProblemError: It failed.
    """
    async with aclosing(cast("AsyncGenerator[TurnEvent]", engine.run(turn))) as events:
        async for event in events:
            if isinstance(event, Done):
                return event.result
            if isinstance(event, Failed):
                raise ProblemError(failed_problem(event))
    raise ProblemError(INTERNAL)
