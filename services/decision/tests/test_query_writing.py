"""A model's further query: it adds a word, obeys the rules of all, and nobody waits for it."""

import asyncio
import time
from collections.abc import Callable

import pytest
from decision_fakes import FakeModel

from pellucid_decision import convert
from pellucid_decision.decision import Query, Stage, Written
from pellucid_decision.errors import UnavailableError
from pellucid_decision.stages.cascade import Cascade
from pellucid_decision.stages.model_queries import QueryWriter, QueryWriting, adds, query_lines
from pellucid_decision.text.conversation import Ask

HISTORY = ("Who runs Norrvik Cells?", "Davin Ekoro runs Norrvik Cells.")
FOLLOW_UP = "Is he still the CEO?"
LATE = 10.0


def writing(
    cascade: Cascade, model: FakeModel, when: QueryWriting = QueryWriting.FOLLOW_UPS
) -> Cascade:
    return Cascade(cascade.rules, writer=QueryWriter(model, when, timeout_s=0.1))


async def decided(cascade: Cascade, ask: Ask) -> tuple[Query, ...]:
    return (await cascade.decide(ask)).queries


async def test_the_decision_does_not_wait_and_tells_what_would_leave(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    model = FakeModel(LATE)
    decision = await writing(cascade, model).decide(asking(FOLLOW_UP, *HISTORY))

    assert not model.prompts
    assert decision.verdict.stage is Stage.RULE
    assert decision.queries == await decided(cascade, asking(FOLLOW_UP, *HISTORY))
    assert decision.writing is not None
    assert [out.to for out in decision.writing] == ["llm.example"]
    assert "Davin Ekoro" in decision.writing[0].text
    assert decision.outbound == ()


async def test_the_first_query_that_adds_a_word_is_taken(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    ask = asking(FOLLOW_UP, *HISTORY)
    known = (Query("Davin Ekoro CEO"),)
    model = FakeModel("- Davin Ekoro CEO\none\nDavin Ekoro Norrvik Cells CEO\nNorrvik Cells chief")
    written = await writing(cascade, model).write(ask, known)

    assert [query.text for query in written.queries] == ["Davin Ekoro Norrvik Cells CEO"]
    assert model.prompts[0].temperature == 0.3
    assert model.prompts[0].max_tokens <= 50
    assert [out.to for out in written.outbound] == ["llm.example"]
    decision = await writing(cascade, model).decide(ask)
    assert decision.writing == written.outbound


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "x",
        '{"queries": ["a"]}',
        "I cannot help with that request, sorry about it.",
        "cheap pills online Norrvik",
        "Norrvik CEO site:evil.example",
        "evil.example Norrvik CEO",
        "Norrvik CEO 2031",
    ],
    ids=range(8),
)
async def test_a_useless_or_injected_reply_adds_nothing(
    cascade: Cascade, asking: Callable[..., Ask], reply: str
) -> None:
    ask = asking(FOLLOW_UP, *HISTORY)
    written = await writing(cascade, FakeModel(reply)).write(ask, (Query("Davin Ekoro CEO"),))
    assert written.queries == ()
    assert written.degraded == ()
    assert written.outbound


@pytest.mark.parametrize("reply", [LATE, UnavailableError("down")], ids=["late", "down"])
async def test_a_late_model_is_told_and_waited_for_no_longer_than_it_may(
    cascade: Cascade, asking: Callable[..., Ask], reply: object
) -> None:
    begun = time.monotonic()
    ask = asking(FOLLOW_UP, *HISTORY)
    written = await writing(cascade, FakeModel(reply)).write(ask, (Query("Davin Ekoro CEO"),))
    assert time.monotonic() - begun < LATE / 2
    assert written.queries == ()
    assert [component for component, _ in written.degraded] == ["llm"]
    assert written.outbound


async def test_nothing_private_of_the_person_is_written(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    ask = asking("my password is Tr0ub4dor&3, is the Norrvik router safe", *HISTORY)
    model = FakeModel("Norrvik router Tr0ub4dor&3 safe leak")
    written = await writing(cascade, model, QueryWriting.ALWAYS).write(ask, (Query("Norrvik"),))
    assert "tr0ub4dor" not in "".join(query.text for query in written.queries).lower()


async def test_no_query_is_written_outside_or_when_switched_off(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    model = FakeModel()
    known = (Query("Davin Ekoro CEO"),)
    for when, fields in ((QueryWriting.NEVER, {}), (QueryWriting.ALWAYS, {"no_external": True})):
        ask = asking(FOLLOW_UP, *HISTORY, **fields)
        decider = writing(cascade, model, when)
        assert (await decider.decide(ask)).writing is None
        assert await decider.write(ask, known) == Written()
    for message in ("hello", "What is the latest news about Mars?"):
        decision = await writing(cascade, model).decide(asking(message))
        assert decision.writing is None
    assert not model.prompts


async def test_an_internal_model_is_asked_and_nothing_leaves(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    model = FakeModel("Davin Ekoro Norrvik Cells CEO", internal=True)
    ask = asking(FOLLOW_UP, *HISTORY, no_external=True)
    assert (await writing(cascade, model).decide(ask)).writing == ()
    written = await writing(cascade, model).write(ask, (Query("Davin Ekoro CEO"),))
    assert written.queries
    assert written.outbound == ()


async def test_the_response_says_whether_a_query_may_be_written(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    ask = asking(FOLLOW_UP, *HISTORY)
    without = convert.decide_response(await cascade.decide(ask))
    assert not without.HasField("query_writing")
    inside = writing(cascade, FakeModel(internal=True))
    assert convert.decide_response(await inside.decide(ask)).HasField("query_writing")


async def test_leaving_the_call_ends_the_question_to_the_model(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    decider = Cascade(cascade.rules, writer=QueryWriter(FakeModel(LATE), timeout_s=LATE))
    task = asyncio.create_task(decider.write(asking(FOLLOW_UP, *HISTORY), (Query("a b"),)))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_query_lines_keep_the_limits() -> None:
    reply = "mail bob@corp.example about harbour plans\nharbour\na b c d e f g\ntide tables"
    assert query_lines(reply, 3) == ("mail about harbour plans", "tide tables")


@pytest.mark.parametrize(
    ("text", "known", "told", "expected"),
    [
        ("大阪 天気 週末", "大阪 天気", "大阪の週末の天気は？", True),
        ("大阪 天気", "大阪 天気", "大阪の天気は？", False),
        ("Volkswagen CEO", "who running Volkswagen", "who's running Volkswagen", True),
        ("Volkswagen casino bonus", "running Volkswagen", "who's running Volkswagen", False),
        ("Volkswagen -CEO", "running Volkswagen", "who's running Volkswagen", False),
    ],
)
def test_a_word_is_added_from_the_conversation(
    text: str,
    known: str,
    told: str,
    expected: bool,  # noqa: FBT001 - a row
) -> None:
    assert adds(text, [known], [told]) is expected
