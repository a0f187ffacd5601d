"""Waits for the end of a turn, for faces that answer in one piece."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import cast

from pellucid_gateway.faces.door.problems import INTERNAL, Problem, ProblemError
from pellucid_gateway.vocabulary.engine import TurnEngine
from pellucid_gateway.vocabulary.events import Done, Failed, TurnEvent, TurnResult
from pellucid_gateway.vocabulary.request import TurnRequest

_ERROR_STATUSES = range(400, 600)


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
    """A turn that failed, as a problem; a refusal of the model server keeps its status."""
    status = failed.said.status if failed.said else 0
    return Problem(
        code=failed.reason,
        detail=failed.message,
        status=status if status in _ERROR_STATUSES else 0,
        retry_after_s=failed.retry_after_s,
        said=failed.said,
    )
