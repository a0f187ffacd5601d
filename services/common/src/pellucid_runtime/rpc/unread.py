"""Refuses calls before their requests are read.

A service that knows that it is full can say so to whoever calls next without looking at what is
asked. Such a refusal passes none of the chain's stages and costs about half of what one inside the
handler does, which counts where nine calls of ten are refused beside work that needs the
processor. It is measured like every other call; log lines are at most one a second, since one for
each would cost more than the refusals.
"""

import time
from collections.abc import Callable
from typing import Any

import grpc
import structlog

from pellucid_runtime.errors import ServiceError
from pellucid_runtime.rpc.status import CODE_OF, trailers
from pellucid_runtime.telemetry.logs import RPC_EVENT
from pellucid_runtime.telemetry.metrics import SERVER_SECONDS

Refuses = Callable[[str], ServiceError | None]
"""Takes a method's full name; the error is what its caller gets, None lets the call in."""

LINES_APART_S = 1.0

_log = structlog.get_logger("pellucid_runtime.rpc")


def refuses_nothing(_method: str) -> None:
    """Let every call in."""


class UnreadRefusals:
    """Handlers that refuse.

    Args:
        refuses: Is asked about every call.
    """

    def __init__(self, refuses: Refuses) -> None:
        self._refuses = refuses
        self._untold = 0
        self._told_at = -LINES_APART_S

    def handler(self, method: str, *, streams: bool) -> Any:
        """Return a handler that refuses a call unread; None when the call is let in.

        Args:
            method: Full name, `/package.Service/Method`.
            streams: The method answers with a stream.
        """
        error = self._refuses(method)
        if error is None:
            return None
        started = time.perf_counter()

        async def refuse(_requests: Any, context: Any) -> None:
            try:
                await context.abort(CODE_OF[error.kind], error.message, trailers(error))
            finally:
                self._tell(method, error, time.perf_counter() - started)

        # What a client streams is only received when the handler asks for it.
        if streams:
            return grpc.stream_stream_rpc_method_handler(refuse)
        return grpc.stream_unary_rpc_method_handler(refuse)

    def _tell(self, method: str, error: ServiceError, seconds: float) -> None:
        code = CODE_OF[error.kind].name
        SERVER_SECONDS.labels(method, code).observe(seconds)
        self._untold += 1
        now = time.monotonic()
        if now - self._told_at >= LINES_APART_S:
            what = {"method": method.lstrip("/"), "code": code, "reason": error.reason}
            _log.warning(RPC_EVENT, **what, unread_calls=self._untold)
            self._untold, self._told_at = 0, now
