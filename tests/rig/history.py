"""What became of each request: its events, read strictly, and one of four outcomes.

The reading knows nothing of the fault that was on: it holds each stream against what every stream
promises.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from rig.invented_web import PAGE_ONLY

TERMINAL = ("done", "error")


class Kind(StrEnum):
    """What was asked for."""

    SEARCH = "search"
    CHAT = "chat"


class Outcome(StrEnum):
    """How a request ended."""

    FULL = "full"
    DEGRADED = "degraded"
    ERROR = "error"
    BROKEN = "broken"


@dataclass(slots=True)
class Record:
    """One request; instants are seconds of one monotonic clock.

    Attributes:
        phase: Of the trial, when the request was due: "warm", "fault" or "after".
        due_s: When it should have begun; latency counts from here.
        sent_s: When it did begin.
        first_s: When the first text came.
        ended_s: When it was over.
        status: HTTP status; 0: there was no response.
        degraded: Components that the answer says were lost.
        why: What is broken, or the code of the error.
        terminals: Terminal events.
        timings_ms: What the turn itself says of its stages.
    """

    kind: Kind
    user: str
    phase: str
    due_s: float
    sent_s: float = 0.0
    first_s: float | None = None
    ended_s: float = 0.0
    status: int = 0
    outcome: Outcome = Outcome.BROKEN
    degraded: frozenset[str] = frozenset()
    why: str = ""
    terminals: int = 0
    turn_id: str = ""
    timings_ms: Mapping[str, int] = field(default_factory=dict)
    body: bytes = b""

    @property
    def took_s(self) -> float:
        """Seconds from when it was due to its end."""
        return self.ended_s - self.due_s


@dataclass(frozen=True, slots=True)
class _Read:
    """Events of one stream, in order."""

    events: Sequence[tuple[str, Any]] = field(default_factory=tuple)

    def all(self, name: str) -> Iterator[Any]:
        return (data for event, data in self.events if event == name)

    @property
    def terminals(self) -> int:
        return sum(name in TERMINAL for name, _ in self.events)


def judge(record: Record) -> None:
    """Settle the outcome from status and body."""
    if record.status == 0:
        record.why = record.why or "no response"
        return
    if record.status != 200:
        _judge_refusal(record)
        return
    try:
        read = _Read(tuple(_events(record.body)))
    except ValueError as error:
        record.why = f"unreadable: {error}"
        return
    record.terminals = read.terminals
    record.why = next(_defects(read), record.why)
    if not record.why:
        _judge_end(record, *read.events[-1])


def _judge_refusal(record: Record) -> None:
    try:
        record.why = str(json.loads(record.body)["code"])
        record.outcome = Outcome.ERROR
    except (ValueError, KeyError, TypeError):
        record.why = f"status {record.status} without a problem"


def _events(body: bytes) -> Iterator[tuple[str, Any]]:
    """Event names with their data.

    Raises:
        ValueError: It is not whole UTF-8 server-sent events with JSON in them.
    """
    *blocks, rest = body.decode("utf-8").split("\n\n")
    if rest:
        raise ValueError(f"ends within an event: {rest[-40:]!r}")
    for block in blocks:
        lines = [line for line in block.split("\n") if line and not line.startswith(":")]
        if lines:
            names = [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]
            data = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
            yield names[0], json.loads("\n".join(data))


def _defects(read: _Read) -> Iterator[str]:
    """Everything that makes a stream broken."""
    if read.terminals != 1:
        yield f"{read.terminals} terminal events"
        return
    name, end = read.events[-1]
    if name not in TERMINAL:
        yield f"{name} after the terminal event"
        return
    if name == "done":
        if "".join(delta["text"] for delta in read.all("delta")) != end["answer"]:
            yield "the deltas are not the answer"
        yield from _citation_defects(end)
        yield from _unflagged(end)


def _citation_defects(end: Mapping[str, Any]) -> Iterator[str]:
    sources = {source["n"]: source for source in end["sources"]}
    for citation in end["citations"]:
        source = sources.get(citation["source"])
        if source is None or source["url"] != citation["url"]:
            yield "a citation of no source"
        elif source["method"] == "snippet" and PAGE_ONLY in citation["cited_text"]:
            yield "a citation claims what only the unread page says"
        if not 0 <= citation["start"] <= citation["end"] <= len(end["answer"]):
            yield "a citation outside the answer"


def _unflagged(end: Mapping[str, Any]) -> Iterator[str]:
    """A search that cites nothing must say what was lost, or that nothing was found."""
    searched = end["decision"]["action"] == "search"
    if not end["answer"]:
        yield "an empty answer"
    if searched and not (end["citations"] or end["degraded"] or end["notices"]):
        yield "no citation and no word about it"


def _judge_end(record: Record, name: str, end: Mapping[str, Any]) -> None:
    if name == "error":
        record.outcome, record.why = Outcome.ERROR, str(end["code"])
        return
    record.turn_id = end["id"]
    record.timings_ms = end["timings_ms"]
    record.degraded = frozenset(entry["component"] for entry in end["degraded"])
    cites = record.kind is Kind.CHAT or bool(end["citations"])
    whole = cites and not record.degraded
    record.outcome = Outcome.FULL if whole else Outcome.DEGRADED


def counted(records: Iterable[Record]) -> dict[Outcome, int]:
    """How many ended how."""
    counts = dict.fromkeys(Outcome, 0)
    for record in records:
        counts[record.outcome] += 1
    return counts


def percentile(values: Iterable[float], share: float) -> float:
    """Nearest rank; not a number without values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else float("nan")
