"""Waits for the end of a turn, for APIs that answer in one piece."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import asdict
from typing import cast

from pellucid_gateway.api.http.problems import INTERNAL, Problem, ProblemError
from pellucid_gateway.domain.engine import TurnEngine
from pellucid_gateway.domain.events import Done, Failed, TurnEvent, TurnResult
from pellucid_gateway.domain.request import TurnRequest
from pellucid_runtime.llm.model import LlmCause

_ERROR_STATUSES = range(400, 600)
_STATUSES = {
    LlmCause.WRONG_KEY: 401,
    LlmCause.UNKNOWN_MODEL: 404,
    LlmCause.RESPONSES_ONLY: 404,
    LlmCause.QUOTA_SPENT: 429,
    LlmCause.RATE_LIMITED: 429,
    LlmCause.CONTEXT_TOO_LONG: 400,
    LlmCause.CONTENT_FILTER: 400,
    LlmCause.REFUSED: 400,
}


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
    return Problem(
        code=failed.reason,
        detail=failed.message,
        status=_status_of(failed),
        retry_after_s=failed.retry_after_s,
        may_pass=failed.retryable,
        said=failed.said,
        members={"challenge": asdict(failed.challenge)} if failed.challenge else {},
    )


def _status_of(failed: Failed) -> int:
    """What the model server said, or would have: in the middle of a stream there is no status."""
    if failed.said is None or failed.cause is None:
        return 0
    said = failed.said.status
    return said if said in _ERROR_STATUSES else _STATUSES.get(failed.cause, 0)
