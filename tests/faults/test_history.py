"""What counts as broken: the checker itself is held to small streams, good and bad."""

import json
from typing import Any

import pytest

from rig.history import Kind, Outcome, Record, judge
from rig.invented_web import PAGE_ONLY

URL = "http://harbourpost.localhost/one"
ANSWER = "Ines Halvorsen is the CEO."


def end(**changes: Any) -> dict[str, Any]:
    """The `done` event of a good search."""
    citation = {"source": 1, "url": URL, "start": 0, "end": 10, "cited_text": "is the CEO"}
    return {
        "id": "turn",
        "answer": ANSWER,
        "decision": {"action": "search"},
        "sources": [{"n": 1, "url": URL, "method": "snippet"}],
        "citations": [citation],
        "degraded": [],
        "timings_ms": {"search": 640, "total": 4200},
        "notices": [],
        **changes,
    }


def stream(*events: tuple[str, Any]) -> bytes:
    return b"".join(
        f"event: {name}\ndata: {json.dumps(data)}\n\n".encode() for name, data in events
    )


def judged(body: bytes, status: int = 200) -> Record:
    record = Record(Kind.SEARCH, "person-a", "fault", 0.0, status=status, body=body)
    judge(record)
    return record


DELTA = ("delta", {"text": ANSWER})


def test_a_cited_answer_is_full() -> None:
    assert judged(b": quiet\n\n" + stream(DELTA, ("done", end()))).outcome is Outcome.FULL


def test_a_flagged_answer_is_degraded_and_names_what_was_lost() -> None:
    lost = end(degraded=[{"component": "scorer"}], citations=[])
    record = judged(stream(DELTA, ("done", lost)))
    assert record.outcome is Outcome.DEGRADED
    assert record.degraded == {"scorer"}


def test_an_error_event_and_a_problem_are_clean_errors() -> None:
    assert judged(stream(DELTA, ("error", {"code": "LLM_FAILED"}))).why == "LLM_FAILED"
    assert judged(b'{"code": "OVERLOADED"}', 503).outcome is Outcome.ERROR


CITED = end()["citations"][0]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "0 terminal"),
        (stream(DELTA), "0 terminal"),
        (stream(DELTA, ("done", end()), ("done", end())), "2 terminal"),
        (stream(DELTA, ("done", end()), DELTA), "after the terminal"),
        (stream(DELTA, ("done", end()))[:-20], "unreadable"),
        (b"event: delta\ndata: {\xff}\n\n", "unreadable"),
        (stream(("done", end())), "not the answer"),
        (stream(DELTA, ("done", end(citations=[]))), "no word about it"),
        (stream(DELTA, ("done", end(citations=[{**CITED, "source": 2}]))), "of no source"),
        (stream(DELTA, ("done", end(citations=[{**CITED, "end": 99}]))), "outside the answer"),
        (
            stream(DELTA, ("done", end(citations=[{**CITED, "cited_text": PAGE_ONLY}]))),
            "unread page",
        ),
        (stream(("done", end(answer="", citations=[]))), "an empty answer"),
    ],
)
def test_what_is_broken_is_called_so(body: bytes, why: str) -> None:
    record = judged(body)
    assert record.outcome is Outcome.BROKEN
    assert why in record.why


def test_no_response_and_a_page_instead_of_a_problem_are_broken() -> None:
    assert judged(b"", 0).outcome is Outcome.BROKEN
    assert judged(b"<html>", 502).outcome is Outcome.BROKEN
