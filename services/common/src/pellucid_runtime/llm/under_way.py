"""Leaves out side calls that would disturb an answer: some servers answer one request at a time.

Such a server breaks the answer off when another request comes, or lets one of them wait. It is
known by an answer that ended without a reason beside a side call of ours, or by a slow first token:
it would not judge in time either.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

import structlog

from pellucid_runtime.bounded import BoundedDict
from pellucid_runtime.llm.model import Chunk, LlmCause, LlmRejectedError, LlmUnavailableError
from pellucid_runtime.llm.side_calls import LEFT_OUT_S

SLOW_S = 10.0
"""First tokens that take longer are of a server without room for anything beside."""
_MOST_SERVERS = 256

_log = structlog.get_logger("pellucid_runtime.llm")


class Answer:
    """One answer that is being streamed.

    Args:
        begun_s: When it was asked for.
    """

    def __init__(self, begun_s: float) -> None:
        self.begun_s = begun_s
        self.has_begun = self.has_company = self.has_reason = False


class AnswersUnderWay:
    """The answers of every server, and which servers have room for nothing beside one.

    Args:
        now: Seconds of a stopwatch.
    """

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._open: dict[str, list[Answer]] = {}
        self._alone_until: BoundedDict[str, float] = BoundedDict(_MOST_SERVERS)
        self._gives_reasons: BoundedDict[str, bool] = BoundedDict(_MOST_SERVERS)

    def join(self, server: str, model: str) -> None:
        """Go beside the answers of a server.

        Raises:
            LlmRejectedError: It has room for one request, and that is an answer.
        """
        answers = self._open.get(server, ())
        if answers and self._alone_until.get(server, 0.0) > self._now():
            message = "the server is busy with an answer"
            raise LlmRejectedError(message, model=model, cause=LlmCause.TOO_SLOW)
        for answer in answers:
            answer.has_company = True

    @contextmanager
    def answer(self, server: str, model: str) -> Iterator[Answer]:
        """Hold the place of one answer.

        Raises:
            LlmUnavailableError: It ended without a reason beside a side call, and usually has one.
        """
        answer = Answer(self._now())
        self._open.setdefault(server, []).append(answer)
        try:
            yield answer
            self._ended(answer, server, model)
        finally:
            self._open[server].remove(answer)
            if not self._open[server]:
                del self._open[server]

    def heard(self, answer: Answer, server: str, chunk: Chunk) -> None:
        """Note a piece of an answer."""
        if not answer.has_begun and self._now() - answer.begun_s > SLOW_S:
            self._leave_alone(server, "slow")
        answer.has_begun = True
        answer.has_reason = answer.has_reason or bool(chunk.finish_reason)

    def _ended(self, answer: Answer, server: str, model: str) -> None:
        if answer.has_reason:
            self._gives_reasons[server] = True
        elif answer.has_company and self._gives_reasons.get(server):
            self._leave_alone(server, "breaks_off")
            message = "the answer broke off when another call came"
            raise LlmUnavailableError(message, model=model, cause=LlmCause.BROKE_OFF)

    def _leave_alone(self, server: str, why: str) -> None:
        if self._alone_until.get(server, 0.0) <= self._now():
            _log.info("answers_one_at_a_time", server=server, why=why, seconds=LEFT_OUT_S)
        self._alone_until[server] = self._now() + LEFT_OUT_S
