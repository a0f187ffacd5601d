"""Background work that must not die in silence."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack

import structlog

_log = structlog.get_logger("pellucid_runtime.supervision")

FIRST_PAUSE_S = 0.5
MOST_PAUSE_S = 30.0


def supervise(
    stack: AsyncExitStack,
    name: str,
    work: Callable[[], Awaitable[None]],
    *,
    first_pause_s: float = FIRST_PAUSE_S,
) -> asyncio.Task[None]:
    """Run `work` beside the service until the stack closes.

    When it raises, that is logged and it is started again after a pause that doubles up to 30 s.
    When it returns, it is done.

    Args:
        stack: Cancels and awaits the work.
        name: For logs.
        work: Called for every start.
        first_pause_s: First pause, in seconds.
    """
    task = asyncio.create_task(_keep_running(name, work, first_pause_s), name=name)
    stack.push_async_callback(_cancel, task)
    return task


async def _keep_running(name: str, work: Callable[[], Awaitable[None]], pause_s: float) -> None:
    while True:
        try:
            return await work()
        except Exception as defect:  # noqa: BLE001 - a supervisor catches whatever its work raises
            _log.error("task_failed", task=name, restart_in_s=pause_s, exc_info=defect)
        await asyncio.sleep(pause_s)
        pause_s = min(pause_s * 2, MOST_PAUSE_S)


async def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])
