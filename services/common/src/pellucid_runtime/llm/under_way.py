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
"""First tokens that take longer are of a model without room for anything beside."""
_MOST_MODELS = 256

Place = tuple[str, str]
"""Server and model: another model there, as quick as a hosted one, may still be asked."""

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
    """The answers of every model, and which have room for nothing beside one.

    Args:
        now: Seconds of a stopwatch.
    """

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._open: dict[Place, list[Answer]] = {}
        self._alone_until: BoundedDict[Place, float] = BoundedDict(_MOST_MODELS)
        self._gives_reasons: BoundedDict[Place, bool] = BoundedDict(_MOST_MODELS)

    def join(self, place: Place) -> None:
        """Go beside the answers of a model.

        Raises:
            LlmRejectedError: It has room for one request, and that is an answer.
        """
        answers = self._open.get(place, ())
        if answers and self._alone_until.get(place, 0.0) > self._now():
            message = "the server is busy with an answer"
            raise LlmRejectedError(message, model=place[1], cause=LlmCause.TOO_SLOW)
        for answer in answers:
            answer.has_company = True

    @contextmanager
    def answer(self, place: Place) -> Iterator[Answer]:
        """Hold the place of one answer.

        Raises:
            LlmUnavailableError: It ended without a reason beside a side call, and usually has one.
        """
        answer = Answer(self._now())
        self._open.setdefault(place, []).append(answer)
        try:
            yield answer
            self._ended(answer, place)
        finally:
            self._open[place].remove(answer)
            if not self._open[place]:
                del self._open[place]

    def heard(self, answer: Answer, place: Place, chunk: Chunk) -> None:
        """Note a piece of an answer."""
        if not answer.has_begun and self._now() - answer.begun_s > SLOW_S:
            self._leave_alone(place, "slow")
        answer.has_begun = True
        answer.has_reason = answer.has_reason or bool(chunk.finish_reason)

    def _ended(self, answer: Answer, place: Place) -> None:
        if answer.has_reason:
            self._gives_reasons[place] = True
        elif answer.has_company and self._gives_reasons.get(place):
            self._leave_alone(place, "breaks_off")
            message = "the answer broke off when another call came"
            raise LlmUnavailableError(message, model=place[1], cause=LlmCause.BROKE_OFF)

    def _leave_alone(self, place: Place, why: str) -> None:
        if self._alone_until.get(place, 0.0) <= self._now():
            server, model = place
            _log.info(
                "answers_one_at_a_time", server=server, model=model, why=why, seconds=LEFT_OUT_S
            )
        self._alone_until[place] = self._now() + LEFT_OUT_S
