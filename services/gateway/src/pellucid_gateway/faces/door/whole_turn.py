"""Waits for the end of a turn, for faces that answer in one piece."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import cast

from pellucid_gateway.faces.door.problems import INTERNAL, Problem, ProblemError
from pellucid_gateway.vocabulary.engine import TurnEngine
from pellucid_gateway.vocabulary.events import Done, Failed, TurnEvent, TurnResult
from pellucid_gateway.vocabulary.request import TurnRequest


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


def failed_problem(failed: Failed) -> Problem:
    """A turn that failed, as a problem."""
    return Problem(code=failed.reason, detail=failed.message)
