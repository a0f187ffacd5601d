"""Hands events from the task that does a turn's work to the API that sends them.

The API may be slow and may leave; the work is bounded either way: the buffer blocks the work when
it is full, and closing the stream cancels the work. After the first event, the decision, the work
waits until the API wants more: an API that goes on without the engine then costs no model call.
"""

import asyncio
import traceback
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable

import structlog

from pellucid_gateway.domain.events import Done, Failed, Send, TurnEvent

# Events that a slow client may lag behind; a delta is a few words.
_MOST_WAITING = 256

_log = structlog.get_logger("pellucid_gateway.domain.events")


class EventBuffer:
    """A bounded queue with one writer and one reader."""

    def __init__(self) -> None:
        self._events: deque[TurnEvent] = deque()
        self._readable = asyncio.Event()
        self._writable = asyncio.Event()
        self._writable.set()
        self._wanted = asyncio.Event()
        self._begun = False
        self._closed = False

    async def send(self, event: TurnEvent) -> None:
        """Add an event; wait while the buffer is full, and after the first one for the reader."""
        while len(self._events) >= _MOST_WAITING:
            self._writable.clear()
            await self._writable.wait()
        self._events.append(event)
        self._readable.set()
        await self._wanted.wait()

    def close(self) -> None:
        """Nothing more will be sent."""
        self._closed = True
        self._readable.set()

    async def receive(self) -> TurnEvent | None:
        """Next event, or None after the last one."""
        if self._begun:
            self._wanted.set()
        while not self._events:
            if self._closed:
                return None
            self._readable.clear()
            await self._readable.wait()
        event = self._events.popleft()
        self._begun = True
        self._writable.set()
        return event


async def stream_events(
    work: Callable[[Send], Awaitable[Done | Failed]],
) -> AsyncGenerator[TurnEvent, None]:
    """Run the work in a task and yield what it sends, at last what it returns.

    Closing the generator cancels the work and waits until it has ended.
    """
    buffer = EventBuffer()

    async def run() -> Done | Failed:
        try:
            return await work(buffer.send)
        except Exception as error:  # noqa: BLE001 - supervises the turn: a stream never ends without a last event
            # Only the type: the text of an unforeseen error may hold what a person wrote.
            _log.error("turn_broke", error=type(error).__name__, at=_origin(error))
            return Failed("INTERNAL", "Something went wrong on our side.", retryable=True)
        finally:
            buffer.close()

    task = asyncio.create_task(run(), name="turn")
    try:
        while (event := await buffer.receive()) is not None:
            yield event
        yield await task
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task})


def _origin(error: BaseException) -> str:
    """File and line where an error arose."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{frames[-1].filename.rsplit('/', 1)[-1]}:{frames[-1].lineno}" if frames else ""
