"""Structured log lines: one JSON object each, or text for people on a terminal.

Lines carry the service's name, so that several services can share one terminal, and the trace id
of the call. They never carry text of users: log names, counts and codes. For the same reason an
exception is logged as its type and places in the code, without its message.
"""

import logging
import sys
import traceback
from contextlib import suppress
from typing import Any, TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from pellucid_runtime.settings import ServiceSettings

# Event name of the one line that every call ends with.
RPC_EVENT = "rpc"
_MAX_FRAMES = 8


class _Spared:
    """A stream whose lines are lost while it cannot be written: a full disk ends no service.

    Args:
        stream: Where lines go.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, line: str) -> None:
        """Write a line, or lose it."""
        with suppress(OSError):
            self._stream.write(line)

    def flush(self) -> None:
        """Hand over what was written, or lose it."""
        with suppress(OSError):
            self._stream.flush()


def configure_logging(settings: ServiceSettings) -> None:
    """Send the process's log to standard error in one form; of libraries only warnings and worse.

    Our own lines do not pass the standard library's logging, which takes most of a line's time.
    """
    structlog.configure(
        processors=[*_shared(settings.service_name), *_renderers(settings)],
        wrapper_class=structlog.make_filtering_bound_logger(settings.log_level),
        logger_factory=structlog.WriteLoggerFactory(_Spared(sys.stderr)),  # type: ignore[arg-type]
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=_shared(settings.service_name),
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                *_renderers(settings),
            ],
        )
    )
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)


def _shared(service: str) -> list[Processor]:
    def add_service(_logger: WrappedLogger, _name: str, event: EventDict) -> EventDict:
        event["service"] = service
        return event

    return [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        add_service,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _without_exception_text,
    ]


def _without_exception_text(_logger: WrappedLogger, _name: str, event: EventDict) -> EventDict:
    """Replace `exc_info` by the type and places of the exception."""
    info = event.pop("exc_info", None)
    error = sys.exc_info()[1] if info is True else info[1] if isinstance(info, tuple) else info
    if isinstance(error, BaseException):
        event.update(defect=type(error).__name__, frames=frames(error))
    return event


def frames(error: BaseException) -> list[str]:
    """Where it was raised: `file:line function`, innermost last, at most 8."""
    stack = traceback.extract_tb(error.__traceback__)[-_MAX_FRAMES:]
    return [
        f"{frame.filename.rpartition('site-packages/')[2]}:{frame.lineno} {frame.name}"
        for frame in stack
    ]


def _renderers(settings: ServiceSettings) -> list[Processor]:
    is_terminal = sys.stderr.isatty()
    as_text = settings.log_format == "console" or (settings.log_format == "auto" and is_terminal)
    if not as_text:
        return [structlog.processors.JSONRenderer()]
    return [_lead_with_service, structlog.dev.ConsoleRenderer(colors=is_terminal, pad_event_to=0)]


def _lead_with_service(_logger: WrappedLogger, _name: str, event: EventDict) -> EventDict:
    """`scorer     ready` reads better in a shared terminal than `ready service=scorer`."""
    event["event"] = f"{event.pop('service', ''):<9} {event.get('event', '')}"
    stamp: Any = event.get("timestamp", "")
    event["timestamp"] = stamp[11:23]
    return event
