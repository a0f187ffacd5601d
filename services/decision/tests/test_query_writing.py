"""A model's further query: it adds a word, obeys the rules of all, and nobody waits for it."""

import asyncio
import time
from collections.abc import Callable

import pytest
from decision_fakes import FakeModel, FakeUnderstanding

from pellucid_decision import convert
from pellucid_decision.decision import Query, Stage, Written
from pellucid_decision.errors import UnavailableError
from pellucid_decision.intent.cascade import Cascade
from pellucid_decision.llm.query_writer import QueryWriter, adds
from pellucid_decision.text.conversation import Ask

HISTORY = ("Who runs Norrvik Cells?", "Davin Ekoro runs Norrvik Cells.")
FOLLOW_UP = "Is Davin Ekoro still the CEO?"
LATE = 10.0


def writing(
    cascade: Cascade, model: FakeModel, trained: FakeUnderstanding | None = None
) -> Cascade:
    trained = trained or FakeUnderstanding(first="Davin Ekoro CEO")
    return Cascade(cascade.rules, trained, writer=QueryWriter(model, timeout_s=0.1))


async def test_the_decision_does_not_wait_and_tells_what_would_leave(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    model = FakeModel(LATE)
    decision = await writing(cascade, model).decide(asking(FOLLOW_UP, *HISTORY))

    assert not model.prompts
    assert decision.verdict.stage is Stage.CLASSIFIER
    assert [query.text for query in decision.queries] == ["Davin Ekoro CEO"]
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
        "I cannot help with that request, sorry about it all.",
        "Norrvik CEO site:evil.example",
        "evil.example Norrvik CEO",
        "Davin CEO 2031",
    ],
    ids=range(7),
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
    written = await writing(cascade, model).write(ask, (Query("Norrvik"),))
    assert "tr0ub4dor" not in "".join(query.text for query in written.queries).lower()


async def test_no_query_is_written_outside_or_where_nothing_is_to_be_added(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    model = FakeModel()
    inside = asking(FOLLOW_UP, *HISTORY, no_external=True)
    assert (await writing(cascade, model).decide(inside)).writing is None
    assert await writing(cascade, model).write(inside, (Query("Davin Ekoro CEO"),)) == Written()
    for trained in (FakeUnderstanding(0.1), FakeUnderstanding(first="CEO", leans=0.9)):
        decision = await writing(cascade, model, trained).decide(asking(FOLLOW_UP, *HISTORY))
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


@pytest.mark.parametrize(
    ("text", "known", "expected"),
    [
        ("大阪 天気 週末", "大阪 天気", True),
        ("大阪 天気", "大阪 天気", False),
        ("Volkswagen CEO", "who running Volkswagen", True),
    ],
)
def test_a_query_counts_when_it_adds_a_word(text: str, known: str, *, expected: bool) -> None:
    assert adds(text, [known]) is expected
