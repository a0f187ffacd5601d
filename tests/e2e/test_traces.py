"""One trace per turn, from the browser through every service, and nothing of the person in it."""

from pathlib import Path

import pytest
import yaml

from rig.installation import ROOT
from rig.otlp import Span, tree
from rig.watched import Watched

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
BROWSER = "00f067aa0ba902b7"
SCHEMA = yaml.safe_load((ROOT / "deploy/observability/telemetry.yaml").read_text("utf-8"))
# A name that nothing but the question contains.
CANARY = "Quastenflosser"


@pytest.fixture(scope="module")
def spans(watched: Watched) -> list[Span]:
    """The spans of one deep turn."""
    watched.model.pieces = ["Norrvik Cells has a chief executive ", "[1]."]
    response = watched.http.post(
        "/v1/chat",
        json={
            "message": f"Who is the current CEO of Norrvik Cells, and what of {CANARY}?",
            "depth": "deep",
            "user_id": f"{CANARY}-user",
        },
        headers={"traceparent": f"00-{TRACE}-{BROWSER}-01"},
    )
    assert response.status_code == 200, response.text
    watched.model.forget()
    return [span for span in watched.collector.settled() if span.trace_id == TRACE]


def edges(spans: list[Span]) -> set[tuple[str, str]]:
    by_id = {span.span_id: span for span in spans}
    return {
        (by_id[span.parent_id].service, span.service)
        for span in spans
        if span.parent_id in by_id and by_id[span.parent_id].service != span.service
    }


def test_the_trace_begins_in_the_browser(spans: list[Span]) -> None:
    roots = [span for span in spans if span.parent_id == BROWSER]
    assert [(span.service, span.kind) for span in roots] == [("pellucid-gateway", "SERVER")]
    known = {span.span_id for span in spans} | {BROWSER}
    assert {span.parent_id for span in spans} <= known, "every span hangs below the browser's"


def test_the_trace_leads_through_every_service(spans: list[Span]) -> None:
    assert edges(spans) == {
        ("pellucid-gateway", "pellucid-decision"),
        ("pellucid-gateway", "pellucid-search"),
        ("pellucid-gateway", "pellucid-scorer"),
        ("pellucid-gateway", "pellucid-fetcher"),
        ("pellucid-decision", "pellucid-scorer"),
    } - missing_edges(spans)


def missing_edges(spans: list[Span]) -> set[tuple[str, str]]:
    """The decision asks the scorer only when its rules leave a message open."""
    stages = {span.name for span in spans if span.service == "pellucid-decision"}
    asked = any("scorer" in name for name in stages)
    return set() if asked else {("pellucid-decision", "pellucid-scorer")}


def test_calls_of_the_model_are_in_it(spans: list[Span]) -> None:
    chats = [span for span in spans if span.name == "chat test-model"]
    assert chats
    assert all(span.attributes["gen_ai.operation.name"] == "chat" for span in chats)


def test_spans_carry_what_the_schema_declares_and_no_more(spans: list[Span]) -> None:
    for span in spans:
        assert span.kind.lower() in SCHEMA["spans"], span
        declared = SCHEMA["spans"][span.kind.lower()]
        assert span.attributes.keys() <= set(declared), span.name


def test_nothing_of_the_person_is_in_any_span(spans: list[Span], watched: Watched) -> None:
    assert spans
    sent = b"".join(watched.collector.raw)
    assert CANARY.encode() not in sent
    assert b"chief executive" not in sent


def test_the_documented_tree_shows_every_call_that_is_made(spans: list[Span]) -> None:
    """Times differ from run to run, and a busy machine leaves calls out."""

    def shape(drawn: str) -> set[str]:
        lines = [line for line in drawn.splitlines() if " server " in line]
        return {" ".join(line.split()[:2]) for line in lines}

    page = (Path(ROOT) / "docs" / "tracing.md").read_text("utf-8")
    documented = page.split("```text\n")[1].split("```")[0]
    assert shape(tree(spans)) <= shape(documented)
