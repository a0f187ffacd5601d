"""Work that is worth nothing once the client has left: it is cancelled, with all that it began."""

import asyncio
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, Self, TypeVar, cast

from starlette.types import Receive

T = TypeVar("T")


class ClientGoneError(Exception):
    """The client left before the work was done."""


class Leaving:
    """Cancels the enclosed work when the client leaves; to be entered by the task that does it.

    One task watches; the work itself needs none of its own. As with `asyncio.timeout`, what was
    cancelled by somebody else stays cancelled.

    Args:
        receive: Tells of the end of the connection. Only after the request's body was read.
    """

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._left = False

    async def __aenter__(self) -> Self:
        # A coroutine always runs in a task.
        self._work = cast("asyncio.Task[Any]", asyncio.current_task())
        self._cancelled_before = self._work.cancelling()
        self._watch = asyncio.ensure_future(_left(self._receive))
        self._watch.add_done_callback(self._on_left)
        return self

    def _on_left(self, watch: asyncio.Future[None]) -> None:
        if not watch.cancelled():
            self.leave()

    def leave(self) -> None:
        """Treat the client as gone."""
        if not self._left:
            self._left = True
            self._work.cancel()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        """End the watch.

        Raises:
            ClientGoneError: The client left; the work was cancelled.
        """
        self._watch.remove_done_callback(self._on_left)
        self._watch.cancel()
        by_us = self._left and self._work.uncancel() <= self._cancelled_before
        if by_us and kind is asyncio.CancelledError:
            raise ClientGoneError from error


async def _left(receive: Receive) -> None:
    """Return when the client has disconnected."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def until_disconnect(receive: Receive, work: Coroutine[Any, Any, T]) -> T:
    """Do work that is worth nothing once the client left.

    Raises:
        ClientGoneError: The client left; the work was cancelled.
    """
    async with Leaving(receive):
        return await work
