"""Without a language model a question of common knowledge is looked up, a task is not."""

from dataclasses import replace
from typing import Any

import pytest
from port_fakes import FakeDecision, FakeModel, answer_decision, search_decision
from turn_fakes import Rig

from pellucid_gateway.domain.decision import Decision, Stage, WebMode
from pellucid_gateway.domain.events import Decided, Done
from pellucid_gateway.turn.without_model import REASON_CODE

QUESTION = "Why is the sky blue?"


class AutoOrOn(FakeDecision):
    """Answers from memory with the web on auto, and searches with the web on."""

    async def decide(self, call: Any) -> Any:
        """Decide by the mode."""
        searches = call.web_mode is WebMode.ON
        self.decision = search_decision() if searches else self._remembered
        return await super().decide(call)

    def __init__(self, remembered: Decision) -> None:
        super().__init__(remembered)
        self._remembered = remembered


def of_kind(code: str) -> Decision:
    return replace(answer_decision(), reason_code=code)


async def asked(
    decision: Decision,
    model: FakeModel | None = None,
    message: str = QUESTION,
    **options: Any,
) -> tuple[Rig, list[Decided]]:
    rig = Rig(decision=AutoOrOn(decision), model=model)
    events = await rig.events(message, **options)
    return rig, [event for event in events if isinstance(event, Decided)]


@pytest.mark.parametrize("kind", ["", "concept", "advice"])
async def test_without_a_model_it_is_looked_up(kind: str) -> None:
    rig, decided = await asked(of_kind(kind))

    assert len(rig.search.calls) == 1
    assert [event.decision.reason_code for event in decided] == [REASON_CODE]


@pytest.mark.parametrize("kind", ["rewrite", "creative", "dont_search", "code"])
async def test_a_task_is_not(kind: str) -> None:
    rig, _ = await asked(of_kind(kind))

    assert rig.search.calls == []


@pytest.mark.parametrize(("message", "searches"), [("Thanks, that helps!", 0), (QUESTION, 1)])
async def test_where_nobody_told_what_it_is_small_talk_is_not(message: str, searches: int) -> None:
    guessed = replace(of_kind("best_guess"), stage=Stage.FALLBACK)
    rig, _ = await asked(guessed, message=message)

    assert len(rig.search.calls) == searches


@pytest.mark.parametrize(
    "decision",
    [FakeDecision(hangs=True), FakeDecision(replace(answer_decision(), stage=Stage.FALLBACK))],
)
async def test_a_greeting_is_answered_as_one_where_nobody_understood_it(
    decision: FakeDecision,
) -> None:
    rig = Rig(decision=decision)
    done = (await rig.events("hi there"))[-1]

    assert isinstance(done, Done)
    assert done.result.answer.startswith("Hello")
    assert "no_model" not in [notice.code for notice in done.result.notices]


async def test_a_model_answers_it_from_memory() -> None:
    rig, _ = await asked(of_kind("concept"), FakeModel(["It scatters."]))

    assert rig.search.calls == []


async def test_with_the_web_off_nothing_is_looked_up() -> None:
    rig, _ = await asked(of_kind("concept"), web_mode=WebMode.OFF)

    assert rig.search.calls == []
