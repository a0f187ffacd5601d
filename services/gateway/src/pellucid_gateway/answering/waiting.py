"""What is waited for: the model's first sign of life, and what is made beside its answer."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from pellucid_gateway.course.course import Course
from pellucid_gateway.course.ledger import TurnLedger
from pellucid_gateway.vocabulary.events import Noticed, Send

# After so long without a sign of life the model may still be starting.
STARTING_S = 5.0


async def send_notices(ledger: TurnLedger, send: Send) -> None:
    """Send the notices that were not sent yet."""
    for notice in ledger.take_unsent():
        await send(Noticed(notice))


@asynccontextmanager
async def told_when_silent(course: Course) -> AsyncIterator[Callable[[], object]]:
    """Tell the person when the model shows no sign of life for long; what is given ends it."""
    waiting = asyncio.create_task(_tell_of_start(course), name="model-starting")
    try:
        yield waiting.cancel
    finally:
        waiting.cancel()
        await asyncio.wait({waiting})


async def _tell_of_start(course: Course) -> None:
    await asyncio.sleep(STARTING_S)
    course.ledger.notify("model_starting")
    await send_notices(course.ledger, course.send)


async def ready(task: "asyncio.Task[dict[int, str]] | None", course: Course) -> dict[int, str]:
    """The summaries that a task makes, if they come soon."""
    if task is None:
        return {}
    wait_s = course.budget.answer_s(course.budgets.summary_wait_s)
    done, _ = await asyncio.wait({task}, timeout=wait_s)
    return task.result() if done else {}
