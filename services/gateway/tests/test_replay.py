"""A replayed turn shows the citations that the turn did, whatever a small model said of them."""

import json
from collections.abc import AsyncIterator, Mapping
from itertools import product
from typing import Any

import pytest
from citation_fakes import SOURCES
from port_fakes import FakeScorer
from test_second_opinion import ScriptedJudge
from turn_fakes import PinnedNow, Rig, course_of

from pellucid_gateway.domain.answer import Verdict
from pellucid_gateway.domain.answer_model import ModelEnd, ModelPiece, ModelToolCalls, Prompt
from pellucid_gateway.domain.notices import wording_for
from pellucid_gateway.turn.replay import replay
from pellucid_gateway.turn_context.ledger import TurnLedger
from pellucid_gateway.verification.judge import SupportJudge
from pellucid_gateway.verification.judgement import LONGEST_DOUBT_CHARS, Doubt
from pellucid_gateway.verification.verdicts import MOST_VERDICTS

STATED = "The Skerry Bridge toll for cars is 4.50 crowns [1]."
PARAPHRASE = "Motorists who cross the Skerry Bridge are charged 4.50 crowns [1]."
WEAK = "Whoever takes an automobile over must hand out 4.50 crowns [1]."


class Answering(ScriptedJudge):
    """Writes the same answer every time, and judges claims as its script says."""

    async def stream(self, prompt: Prompt) -> AsyncIterator[ModelPiece | ModelToolCalls | ModelEnd]:
        if prompt.temperature == 0.0:
            async for piece in super().stream(prompt):
                yield piece
            return
        self.prompts.append(prompt)
        yield ModelPiece(f"{STATED} {PARAPHRASE} {WEAK}")
        yield ModelEnd()


async def kept_turn(model: Answering) -> tuple[Mapping[str, Any], Rig]:
    """The evidence of one turn as a store gives it back."""
    rig = Rig(model=model, judges_citations=True)  # type: ignore[arg-type]
    await rig.events()
    (record,) = rig.evidence.records.values()
    return json.loads(json.dumps(record)), rig


def without_verdicts(record: Mapping[str, Any]) -> Mapping[str, Any]:
    basis = {name: kept for name, kept in record["basis"].items() if name != "verdicts"}
    return {**record, "basis": basis}


@pytest.mark.parametrize("says", [True, False], ids=["yes", "no"])
async def test_a_judges_verdicts_are_kept_and_nobody_is_asked_again(*, says: bool) -> None:
    model = Answering(says=lambda statement, _: says != ("Motorists" in statement))
    record, rig = await kept_turn(model)
    asked = len(model.prompts)
    cited = {record["answer"][c["start"] : c["end"]] for c in record["citations"]}

    replayed = await replay(record, rig.scorer, PinnedNow())
    by_words = await replay(without_verdicts(record), rig.scorer, PinnedNow())

    assert any("Motorists" in claim for claim in cited) is not says
    assert any("automobile" in claim for claim in cited) is says
    assert {kept["supported"] for kept in record["basis"]["verdicts"]} == {True, False}
    assert replayed["citations"]["status"] == "same"
    assert by_words["citations"]["status"] == "different"
    assert len(model.prompts) == asked


async def test_a_kept_verdict_saves_no_figure_that_the_source_does_not_have() -> None:
    claim = "The toll for cars on the Skerry Bridge is 4.80 crowns"
    judge = judge_of(verdicts=[Verdict(claim, (1,), supported=True)])
    (judged,) = await judge.judge([claim])
    assert not any(one.supported for one in judge.decided(claim, judged))


class Willing:
    """Implements `SecondOpinion`: everything holds."""

    def __init__(self) -> None:
        self.asked: list[Doubt] = []

    async def on(self, doubts: Any) -> tuple[bool, ...] | None:
        self.asked.extend(doubts)
        return (True,) * len(doubts)


def judge_of(opinion: Willing | None = None, verdicts: Any = ()) -> SupportJudge:
    clock = PinnedNow()
    return SupportJudge(
        SOURCES,
        scorer=FakeScorer(),
        context=course_of(clock, TurnLedger(clock, wording_for("en"))),
        question="",
        language="en",
        opinion=opinion,
        verdicts=verdicts,
    )


async def judged(judge: SupportJudge, claim: str) -> None:
    """Ask about one claim that cites the first source, and read what was said."""
    found = await judge.judge([claim])
    await judge.ask([(claim, [1])], found)
    judge.decided(claim, found[0])


async def test_verdicts_are_bounded_and_no_claim_is_asked_about_twice() -> None:
    opinion = Willing()
    judge = judge_of(opinion)
    letters = map("".join, product("abcdefghijklmnop", repeat=2))
    claims = [f"{PARAPHRASE[:-5]} on trip {word}" for word in letters]
    for claim in [claims[0], *claims]:
        await judged(judge, claim)

    assert len(judge.verdicts) == len(opinion.asked) == MOST_VERDICTS
    assert len({(one.claim, one.sources) for one in judge.verdicts}) == MOST_VERDICTS


async def test_a_claim_too_long_to_keep_is_decided_by_words() -> None:
    opinion = Willing()
    claim = PARAPHRASE[:-5] + " as cars do" * (LONGEST_DOUBT_CHARS // 10)
    await judged(judge_of(opinion), claim)
    assert opinion.asked == []
