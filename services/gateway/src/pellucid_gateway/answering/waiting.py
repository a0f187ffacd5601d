"""What is waited for: the model's first sign of life, and what is made beside its answer."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from pellucid_gateway.domain.events import Noticed, Send
from pellucid_gateway.turn_context.budgets import GATHERING_SHARE
from pellucid_gateway.turn_context.context import TurnContext
from pellucid_gateway.turn_context.ledger import TurnLedger

# After so long without a sign of life the model may still be starting.
STARTING_S = 5.0
# Gathering that takes half of what it may (`GATHERING_SHARE`) is slow.
SLOW_SHARE = GATHERING_SHARE / 2


async def send_notices(ledger: TurnLedger, send: Send) -> None:
    """Send the notices that were not sent yet."""
    for notice in ledger.take_unsent():
        await send(Noticed(notice))


@asynccontextmanager
async def told_when_slow(context: TurnContext) -> AsyncIterator[None]:
    """Tell the person when the gathering takes long, while it still goes on."""
    waiting = asyncio.create_task(_tell_of_slowness(context), name="slow-turn")
    try:
        yield
    finally:
        waiting.cancel()
        await asyncio.wait({waiting})


async def _tell_of_slowness(context: TurnContext) -> None:
    budget = context.budget
    await asyncio.sleep(budget.total_s * SLOW_SHARE - budget.elapsed_s())
    context.ledger.notify("taking_long")
    await send_notices(context.ledger, context.send)


@asynccontextmanager
async def told_when_silent(context: TurnContext) -> AsyncIterator[Callable[[], object]]:
    """Tell the person when the model shows no sign of life for long; what is given ends it."""
    waiting = asyncio.create_task(_tell_of_start(context), name="model-starting")
    try:
        yield waiting.cancel
    finally:
        waiting.cancel()
        await asyncio.wait({waiting})


async def _tell_of_start(context: TurnContext) -> None:
    await asyncio.sleep(STARTING_S)
    context.ledger.notify("model_starting")
    await send_notices(context.ledger, context.send)


async def ready(
    task: "asyncio.Task[dict[int, str]] | None", context: TurnContext
) -> dict[int, str]:
    """The summaries that a task makes, if they come soon."""
    if task is None:
        return {}
    wait_s = context.budget.answer_s(context.budgets.summary_wait_s)
    done, _ = await asyncio.wait({task}, timeout=wait_s)
    return task.result() if done else {}
