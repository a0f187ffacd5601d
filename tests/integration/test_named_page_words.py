"""The decision service knows of each turn whether it may quote a page which the person named."""

from datetime import UTC, datetime

import pytest

from pellucid_decision import convert
from pellucid_decision.understanding.context import context_of
from pellucid_gateway.adapters.requests import decide_request
from pellucid_gateway.domain.decision import WebMode
from pellucid_gateway.domain.ports import DecideCall
from pellucid_gateway.domain.request import ChatMessage, Role
from pellucid_gateway.turn.deciding import decision_history

NOW = datetime(2026, 11, 22, tzinfo=UTC)
NAMED = "summarise https://intra.example/plan please"
QUOTED = "The plan is led by Zorblax Halvorsen of Kestrel."
ASKED = "has she been in the news lately?"


def pages_of(*turns: str) -> frozenset[int]:
    """Return which turns the decision service takes for such, through the gateway's request."""
    roles = (Role.USER, Role.ASSISTANT)
    said = tuple(ChatMessage(roles[place % 2], text) for place, text in enumerate(turns))
    call = DecideCall(message=ASKED, history=decision_history(said), now=NOW, web_mode=WebMode.AUTO)
    ask = convert.ask_of(decide_request(call), now=NOW, cutoff=NOW)
    return context_of(ask, ask.message).pages


@pytest.mark.parametrize(
    ("turns", "pages"),
    [
        ((NAMED, QUOTED), {2}),
        (("hello", "Hello.", NAMED, QUOTED), {4}),
        (("who leads the plan?", QUOTED), set()),
        # A message of nothing but the address is not heard at all.
        (("https://intra.example/plan", QUOTED), {1}),
        (("hello", "Hello.", NAMED, QUOTED, *("and?", "So it is.") * 12), {3, 5, 7, 9, 11}),
    ],
)
def test_what_was_said_after_a_page_was_named_is_marked(
    turns: tuple[str, ...], pages: set[int]
) -> None:
    assert pages_of(*turns) == pages
