"""The interceptor chain that every call passes, unary and server-streaming alike.

A stage is a context manager around the rest of the chain, asynchronous only where it has to wait.
The order is a decision:

    tracing      outermost, so that its span covers and explains everything
    request_log  binds trace id and method for log lines; writes the canonical line at the end
    metrics      sees the final code
    errors       turns exceptions into status codes; what is inside may raise `ServiceError`
    deadline     announces and enforces the time that is left
    admission    refuses when too much is in progress or no descriptor is left; nothing was spent
                 on the call yet
    validation   refuses what the contract does not allow
    handler

Health checks and reflection pass none of it: a busy server must still answer its probes. Nor do
calls that are refused before they are read (`unread`).
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    AsyncExitStack,
    aclosing,
    asynccontextmanager,
    contextmanager,
)
from dataclasses import dataclass, field
from typing import Any, Protocol

import grpc
import structlog
from google.protobuf.message import Message
from opentelemetry.context import attach, detach

from pellucid_runtime.descriptors import COMPONENT
from pellucid_runtime.errors import DeadlineExceededError, OverloadedError, ServiceError
from pellucid_runtime.health import Health
from pellucid_runtime.rpc.admission import RETRY_AFTER_S, Admission
from pellucid_runtime.rpc.deadline import enter_deadline, is_late, remaining_s
from pellucid_runtime.rpc.status import CODE_OF, trailers
from pellucid_runtime.rpc.unread import Refuses, UnreadRefusals, refuses_nothing
from pellucid_runtime.rpc.validation import Validator
from pellucid_runtime.telemetry.logs import RPC_EVENT, frames
from pellucid_runtime.telemetry.metrics import SERVER_IN_FLIGHT, SERVER_SECONDS
from pellucid_runtime.telemetry.tracing import end_span, exemplar, start_server_span, trace_id

EXEMPT_PREFIXES = ("/grpc.health.", "/grpc.reflection.")

_log = structlog.get_logger("pellucid_runtime.rpc")


@dataclass(slots=True)
class Rpc:
    """One incoming call on its way through the chain.

    Attributes:
        method: Full name, `/package.Service/Method`.
        request: The request; an iterator of requests where the client streams.
        context: grpc's context of the call.
        code: How it ended; settled by the errors stage.
        error: What the handler or an inner stage raised, if anything.
        started_s: `time.perf_counter()` at the start.
    """

    method: str
    request: Any
    context: grpc.aio.ServicerContext[Any, Any]
    code: grpc.StatusCode = grpc.StatusCode.OK
    error: BaseException | None = None
    started_s: float = field(default_factory=time.perf_counter)

    @property
    def elapsed_s(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self.started_s


class Stage(Protocol):
    """Something that happens around the rest of the chain."""

    @property
    def __name__(self) -> str:
        """The stage's name."""
        ...

    def __call__(
        self, rpc: Rpc, /
    ) -> AbstractContextManager[None] | AbstractAsyncContextManager[None]:
        """Enter the stage for one call."""
        ...


@contextmanager
def tracing(rpc: Rpc) -> Iterator[None]:
    """Continue the caller's trace."""
    span, context = start_server_span(rpc.method, rpc.context.invocation_metadata() or ())
    token = attach(context)
    try:
        yield
    finally:
        end_span(span, rpc.code)
        detach(token)


@contextmanager
def request_log(rpc: Rpc) -> Iterator[None]:
    """Write one line for the call: what, how it ended, how long it took. Never its text."""
    structlog.contextvars.bind_contextvars(trace_id=trace_id(), method=rpc.method.lstrip("/"))
    try:
        yield
    finally:
        _log.log(_level(rpc.code), RPC_EVENT, **_canonical(rpc))


def _level(code: grpc.StatusCode) -> int:
    if code in (grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN):
        return 40
    late_or_full = (
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.UNAVAILABLE,
    )
    return 30 if code in late_or_full else 20


def _canonical(rpc: Rpc) -> dict[str, Any]:
    line: dict[str, Any] = {"code": rpc.code.name, "ms": round(rpc.elapsed_s * 1000, 2)}
    left = remaining_s()
    if left is not None:
        line["remaining_ms"] = round(left * 1000)
    if isinstance(rpc.error, ServiceError):
        line["reason"] = rpc.error.reason
    elif rpc.error is not None and rpc.code is grpc.StatusCode.INTERNAL:
        line |= {"defect": type(rpc.error).__name__, "frames": frames(rpc.error)}
    return line


@contextmanager
def metrics(rpc: Rpc) -> Iterator[None]:
    """Count the call and its time by method and code."""
    in_flight = SERVER_IN_FLIGHT.labels(rpc.method)
    in_flight.inc()
    try:
        yield
    finally:
        in_flight.dec()
        SERVER_SECONDS.labels(rpc.method, rpc.code.name).observe(rpc.elapsed_s, exemplar())


@asynccontextmanager
async def errors(rpc: Rpc) -> AsyncIterator[None]:
    """Answer exceptions with codes and details; tell nothing about unknown ones."""
    try:
        yield
    except grpc.aio.AbortError:
        rpc.code = _code_of(rpc.context)
        raise
    except asyncio.CancelledError as cancelled:
        rpc.error = cancelled
        rpc.code = grpc.StatusCode.DEADLINE_EXCEEDED if is_late() else grpc.StatusCode.CANCELLED
        raise
    except ServiceError as error:
        await _abort(rpc, error, error)
    except Exception as defect:  # noqa: BLE001 - the one place where defects become INTERNAL
        await _abort(rpc, defect, ServiceError())


async def _abort(rpc: Rpc, cause: Exception, shown: ServiceError) -> None:
    rpc.error, rpc.code = cause, CODE_OF[shown.kind]
    await rpc.context.abort(rpc.code, shown.message, trailers(shown))


def _code_of(context: Any) -> grpc.StatusCode:
    """The code given to `context.abort` by a handler itself."""
    number: Any = context.code()  # grpc.aio gives the number, whatever its annotation says
    if isinstance(number, grpc.StatusCode):
        return number
    return next((c for c in grpc.StatusCode if c.value[0] == number), grpc.StatusCode.UNKNOWN)


def deadline_stage(default_s: float) -> Stage:
    """Announce the caller's deadline, or the default, and stop the call when it has passed."""

    @asynccontextmanager
    async def deadline(rpc: Rpc) -> AsyncIterator[None]:
        left = rpc.context.time_remaining()
        seconds = default_s if left is None else min(left, default_s) if left > 0 else 0.0
        scope = asyncio.timeout_at(enter_deadline(seconds))
        try:
            async with scope:
                yield
        except TimeoutError:
            if not scope.expired():
                raise
            raise DeadlineExceededError(rpc.method.rpartition("/")[2]) from None

    return deadline


def admission_stage(admitted: Admission, health: Health) -> Stage:
    """Refuse at once when too many calls are in progress, or nothing can be opened for them."""

    @contextmanager
    def admission(rpc: Rpc) -> Iterator[None]:
        del rpc
        if not health.components.get(COMPONENT, True):
            raise OverloadedError(COMPONENT, RETRY_AFTER_S)
        with admitted.permit():
            yield

    return admission


def validation_stage(validator: Validator) -> Stage:
    """Refuse requests that break the limits of the contract."""

    @contextmanager
    def validation(rpc: Rpc) -> Iterator[None]:
        if isinstance(rpc.request, Message):
            validator.validate(rpc.request)
        yield

    return validation


def standard_stages(
    default_deadline_s: float, admitted: Admission, health: Health
) -> tuple[Stage, ...]:
    """The chain in its order, outermost first."""
    return (
        tracing,
        request_log,
        metrics,
        errors,
        deadline_stage(default_deadline_s),
        admission_stage(admitted, health),
        validation_stage(Validator()),
    )


_Continuation = Callable[[grpc.HandlerCallDetails], Awaitable[Any]]


class Chain(grpc.aio.ServerInterceptor):
    """Runs each call inside the stages.

    Args:
        stages: Outermost first.
        refuses: Is asked about every call before its request is read.
    """

    def __init__(self, stages: Sequence[Stage], refuses: Refuses = refuses_nothing) -> None:
        self._stages = tuple(stages)
        self._unread = UnreadRefusals(refuses)
        self._begun = 0

    @property
    def begun(self) -> int:
        """Calls that have entered since the start."""
        return self._begun

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the stages, outermost first."""
        return tuple(stage.__name__ for stage in self._stages)

    async def intercept_service(
        self, continuation: _Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> Any:
        """Wrap the method's handler; exempt and unknown methods stay as they are."""
        handler = await continuation(handler_call_details)
        method = str(handler_call_details.method)
        if handler is None or method.startswith(EXEMPT_PREFIXES):
            return handler
        self._begun += 1
        refused = self._unread.handler(method, streams=handler.response_streaming)
        if refused is not None:
            return refused
        return _rebuilt(handler, self._around(method, _behaviour(handler), handler))

    def _around(self, method: str, behaviour: Any, handler: Any) -> Any:
        async def unary(request: Any, context: Any) -> Any:
            async with AsyncExitStack() as inside:
                await self._enter(Rpc(method, request, context), inside)
                return await behaviour(request, context)

        async def streaming(request: Any, context: Any) -> None:
            async with AsyncExitStack() as inside:
                await self._enter(Rpc(method, request, context), inside)
                await _stream(behaviour(request, context), context)

        return streaming if handler.response_streaming else unary

    async def _enter(self, rpc: Rpc, inside: AsyncExitStack) -> None:
        for enter in self._stages:
            stage = enter(rpc)
            if isinstance(stage, AbstractContextManager):
                inside.enter_context(stage)
            else:
                await inside.enter_async_context(stage)


async def _stream(responses: Any, context: Any) -> None:
    """Send what the handler yields.

    Writing here, instead of yielding on to grpc, closes the handler and every stage in this task
    as soon as the caller leaves; a generator would be left to the garbage collector.
    """
    if not hasattr(responses, "__aiter__"):
        await responses  # a handler that writes to the context itself
        return
    async with aclosing(responses):
        async for response in responses:
            await context.write(response)


def _behaviour(handler: Any) -> Any:
    return (
        handler.unary_unary or handler.unary_stream or handler.stream_unary or handler.stream_stream
    )


def _rebuilt(handler: Any, behaviour: Any) -> Any:
    """The same kind of handler with another behaviour."""
    make = {
        (False, False): grpc.unary_unary_rpc_method_handler,
        (False, True): grpc.unary_stream_rpc_method_handler,
        (True, False): grpc.stream_unary_rpc_method_handler,
        (True, True): grpc.stream_stream_rpc_method_handler,
    }[handler.request_streaming, handler.response_streaming]
    return make(behaviour, handler.request_deserializer, handler.response_serializer)
