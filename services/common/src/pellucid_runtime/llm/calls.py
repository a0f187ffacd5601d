"""One call of a model server: bounded, observed, its failures as typed errors."""

import asyncio
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from pellucid_runtime.errors import ServiceError
from pellucid_runtime.llm.endpoint import Endpoint
from pellucid_runtime.llm.model import (
    LlmCause,
    LlmError,
    LlmOutputError,
    LlmTimeoutError,
    LlmUnavailableError,
)
from pellucid_runtime.llm.observed import CANCELLED, CHAT, OK, ModelCall
from pellucid_runtime.llm.refusals import RefusedError
from pellucid_runtime.llm.wire import MALFORMED
from pellucid_runtime.rpc.deadline import child_timeout_s

T = TypeVar("T")

_STAGE = "llm"


# What can end a stream before its end.
BREAKS = (TimeoutError, OSError, LlmError, RefusedError, *MALFORMED)


async def within(limit_s: float, awaited: Awaitable[T]) -> T:
    """Wait at most so long, and not beyond the deadline."""
    async with asyncio.timeout(child_timeout_s(limit_s, stage=_STAGE)):
        return await awaited


@contextmanager
def observed(endpoint: Endpoint, model: str, operation: str = CHAT) -> Iterator[ModelCall]:
    """Trace and count the enclosed call, and translate what the connection raises."""
    call = ModelCall(endpoint, model, operation)
    outcome = CANCELLED
    try:
        with _translated(model, call):
            yield call
        outcome = OK
    except RefusedError as error:
        outcome = error.refusal.cause.value
        raise
    except LlmError as error:
        outcome = error.cause.value
        raise
    except ServiceError as error:
        outcome = error.reason.lower()
        raise
    finally:
        call.end(outcome)


@contextmanager
def _translated(model: str, call: ModelCall) -> Iterator[None]:
    """Typed errors for all others. None of their text is kept: it may quote the prompt."""
    try:
        yield
    except TimeoutError:
        child_timeout_s(stage=_STAGE)  # raises when it was the deadline
        raise LlmTimeoutError("the model is too slow", model=model) from None
    except OSError:
        cause = LlmCause.BROKE_OFF if call.has_answered else LlmCause.UNREACHABLE
        raise LlmUnavailableError("the model cannot be reached", model=model, cause=cause) from None
    except MALFORMED:
        raise LlmOutputError("the answer is not of the expected form", model=model) from None
