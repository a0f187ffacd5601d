"""How web mode, addresses, vetoes, forced search and no_external combine: the whole table."""

from collections.abc import Callable

import pytest
from decision_fakes import FakeUnderstanding

from pellucid_decision.decision import Action, Stage
from pellucid_decision.intent.cascade import Cascade
from pellucid_decision.text.conversation import Ask, WebMode

AUTO, ON, OFF = WebMode.AUTO, WebMode.ON, WebMode.OFF
SEARCH, FETCH, ANSWER = Action.SEARCH, Action.FETCH, Action.ANSWER
PAGE = "Summarise https://a.example/page"
BOTH = "Summarise https://a.example/page and search the web for other opinions"
NEWS = "What is the latest news about the Mars rover?"
TALK = "hello"
TIMELESS = "Explain how photosynthesis works"
DONT = "Don't search: what is the latest news about the Mars rover?"
DONT_PAGE = "Summarise https://a.example/page, don't search"

TABLE = [
    (TALK, AUTO, False, ANSWER, Stage.CLASSIFIER),
    (TIMELESS, AUTO, False, ANSWER, Stage.CLASSIFIER),
    (NEWS, AUTO, False, SEARCH, Stage.CLASSIFIER),
    (DONT, AUTO, False, ANSWER, Stage.RULE),
    (PAGE, AUTO, False, FETCH, Stage.URL),
    (BOTH, AUTO, False, SEARCH, Stage.URL),
    (DONT_PAGE, AUTO, False, FETCH, Stage.URL),
    (TALK, ON, False, SEARCH, Stage.MODE),
    (NEWS, ON, False, SEARCH, Stage.MODE),
    (DONT, ON, False, SEARCH, Stage.MODE),
    (PAGE, ON, False, SEARCH, Stage.MODE),
    (TALK, OFF, False, ANSWER, Stage.MODE),
    (NEWS, OFF, False, ANSWER, Stage.MODE),
    (PAGE, OFF, False, ANSWER, Stage.MODE),
    (BOTH, OFF, False, ANSWER, Stage.MODE),
    (NEWS, AUTO, True, SEARCH, Stage.MODE),
    (TIMELESS, AUTO, True, SEARCH, Stage.MODE),
    (TALK, AUTO, True, ANSWER, Stage.MODE),
    (NEWS, OFF, True, ANSWER, Stage.MODE),
    (TALK, ON, True, SEARCH, Stage.MODE),
]


@pytest.mark.parametrize("no_external", [False, True])
@pytest.mark.parametrize(("message", "mode", "forced", "action", "stage"), TABLE)
async def test_table(  # noqa: PLR0917 - a table of cases
    cascade: Cascade,
    asking: Callable[..., Ask],
    message: str,
    mode: WebMode,
    forced: bool,  # noqa: FBT001 - a table of cases
    action: Action,
    stage: Stage,
    no_external: bool,  # noqa: FBT001 - a table of cases
) -> None:
    ask = asking(message, web_mode=mode, force_search=forced, no_external=no_external)
    model = FakeUnderstanding(
        0.02 if message in {TALK, TIMELESS} else 0.95,
        first="photosynthesis" if message == TIMELESS else "",
        kind="smalltalk" if message == TALK else "",
    )
    decision = await Cascade(cascade.rules, model).decide(ask)
    assert decision.action is action
    assert decision.verdict.stage is stage
    assert decision.needs_search == bool(decision.queries)
    assert not decision.outbound
    has_page = "https://" in message
    assert bool(decision.urls) == (has_page and mode is not OFF)
    assert bool(decision.ignored_urls) == (has_page and mode is OFF)
    assert decision.standalone_question


async def test_a_fourth_address_is_reported_and_not_processed(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    message = "compare " + " ".join(f"https://a.example/{number}" for number in range(5))
    decision = await cascade.decide(asking(message))
    assert len(decision.urls) == 3
    assert len(decision.ignored_urls) == 2


async def test_a_named_site_scopes_the_search(cascade: Cascade, asking: Callable[..., Ask]) -> None:
    decision = await cascade.decide(asking("search for release notes on python.org"))
    assert decision.action is SEARCH
    assert decision.facets.site == "python.org"
    assert decision.queries[0].site == "python.org"
    assert not decision.urls
