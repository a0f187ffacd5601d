"""The model server is asked while the decision is still being made, where that plainly says no.

As a search is begun for a message that plainly asks for one (`speculation.py`), a message is shown
to the model server at once that is small talk or an order on a text, or whose sender switched the
web off. What the model server says is held back until the decision is there; one that says
otherwise ends the exchange, and nothing of it is told.
It begins when the caller may go on, so that who is refused costs no model.

An operator whose model server bills nobody may have all messages begin like this but those that
plainly ask for the web.
"""

import asyncio
from collections.abc import Awaitable, Callable
from enum import StrEnum
from types import TracebackType
from typing import Self

from pellucid_gateway.api.compatible.upstream import UpstreamReply
from pellucid_gateway.domain.decision import Action, WebMode
from pellucid_gateway.domain.request import TurnRequest
from pellucid_gateway.metrics import HEAD_STARTS
from pellucid_gateway.question.fallback_decision import decide_by_rule
from pellucid_gateway.question.plain_messages import is_plain


class HeadStarts(StrEnum):
    """Which messages are shown to the model server while they are decided on."""

    PLAIN = "plain"
    ALL = "all"


def begins_early(turn: TurnRequest, which: HeadStarts) -> bool:
    """Nothing is likely to be searched, and nothing of ours is to be told to the model."""
    if turn.memories or turn.subject or turn.force_search or turn.attachments:
        return False
    if turn.web_mode is WebMode.OFF or is_plain(turn.message):
        return True
    return which is HeadStarts.ALL and decide_by_rule(turn).action is Action.ANSWER


class HeadStart:
    """One exchange with the model server, perhaps begun early; an asynchronous context manager.

    Args:
        ask: Posts the request.
    """

    def __init__(self, ask: Callable[[], Awaitable[UpstreamReply]]) -> None:
        self._ask = ask
        self._begun: asyncio.Future[UpstreamReply] | None = None
        self._is_settled = False

    def begin(self) -> None:
        """Ask now; nothing happens once the reply was wanted, or nobody wants it any more."""
        if not self._is_settled:
            self._is_settled = True
            self._begun = asyncio.ensure_future(self._ask())

    async def reply(self) -> UpstreamReply:
        """The reply, once its head is there.

        Raises:
            ServiceError: The model server cannot be reached or does not begin to answer in time.
        """
        if self._begun is None:
            self._is_settled = True
            return await self._ask()
        reply = await self._begun
        self._begun = None
        HEAD_STARTS.labels("used").inc()
        return reply

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        """End an exchange that was begun and whose reply nobody took."""
        self._is_settled = True
        begun, self._begun = self._begun, None
        if begun is None:
            return
        HEAD_STARTS.labels("dropped").inc()
        begun.cancel()
        await asyncio.wait({begun})
        if not begun.cancelled() and begun.exception() is None:
            begun.result().hang_up()
