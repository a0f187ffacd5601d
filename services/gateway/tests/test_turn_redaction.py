"""Values that a person's messages show to be private leave in no string of the turn."""

from collections.abc import Sequence

import pytest
from port_fakes import FakeDecision, FakeModel, FakeSearch, search_decision
from turn_fakes import Rig, turn

from pellucid_gateway.domain.decision import PlannedQuery
from pellucid_gateway.domain.ports import Reflection
from pellucid_gateway.domain.request import ChatMessage, Depth, Role, TurnRequest
from pellucid_gateway.turn.turn_redaction import private_values, redacted_decision

VALUE = "Tr0ub4dor&3"
TOLD = f"My router password is {VALUE}, which attacks guess it?"
SAID = (ChatMessage(Role.USER, TOLD), ChatMessage(Role.ASSISTANT, f"{VALUE} is weak."))


def told_of(search: FakeSearch, decision: FakeDecision) -> str:
    """Everything that the services could pass on to others."""
    queries = [query.text for call in search.calls for query in call.queries]
    asked = [
        " ".join((call.question, *call.used_queries, *call.target_info))
        for call in decision.reflect_calls
    ]
    return " | ".join((*queries, *asked))


@pytest.mark.parametrize(
    ("message", "history"), [(TOLD, ()), (f"Is {VALUE} in lists of leaked ones?", SAID)]
)
async def test_no_search_and_no_reflection_of_a_turn_hears_a_value(
    message: str, history: Sequence[ChatMessage]
) -> None:
    decided = search_decision(
        standalone_question=message,
        queries=(PlannedQuery(f"{VALUE} attacks"),),
        fallback_queries=(f"{VALUE} leaked",),
        target_info=(f"attacks on {VALUE}",),
    )
    refined = Reflection(
        sufficient=False, missing_aspects=(VALUE,), refined_query=f"{VALUE.lower()} dictionary"
    )
    rig = Rig(decision=FakeDecision(decided, reflections=[refined]), model=FakeModel())

    await rig.events(message, history=history, depth=Depth.DEEP)

    assert len(rig.search.calls) > 1
    assert [q.text for q in rig.search.calls[1].queries] == ["dictionary"]
    assert rig.decision.reflect_calls
    assert VALUE.lower() not in told_of(rig.search, rig.decision).lower()


async def test_a_value_at_the_end_of_a_long_message_leaves_in_no_query() -> None:
    message = f"{'The router restarts every night. ' * 400}{TOLD}"
    decided = search_decision(
        standalone_question="router restarts", queries=(PlannedQuery(f"router {VALUE} attacks"),)
    )
    rig = Rig(decision=FakeDecision(decided))

    await rig.events(message)

    assert rig.search.calls
    assert VALUE not in told_of(rig.search, rig.decision)


@pytest.mark.parametrize(("since", "is_read"), [(0, True), (4, True), (20, False)])
def test_earlier_messages_are_read_to_their_ends(since: int, *, is_read: bool) -> None:
    """Up to a number of characters, latest first; each message may be 32 KiB."""
    filler = "The router restarts every night. "
    told = f"{filler * 900}{TOLD}"
    said = (told, *(f"{number} {filler * 900}" for number in range(since)), "and why?")
    request = TurnRequest(messages=tuple(ChatMessage(Role.USER, text) for text in said))

    assert (VALUE in private_values(request)) == is_read


async def test_the_second_try_does_not_fall_back_to_a_value() -> None:
    message = f"Is {VALUE} in lists of leaked ones?"
    decided = search_decision(
        standalone_question=message,
        queries=(PlannedQuery("lists leaked passwords"),),
        fallback_queries=(),
    )
    rig = Rig(decision=FakeDecision(decided), search=FakeSearch(hits=()))

    await rig.events(message, history=SAID)

    assert len(rig.search.calls) == 2
    assert VALUE not in told_of(rig.search, rig.decision)


async def test_the_gateways_own_rule_is_cleared_as_well() -> None:
    rig = Rig(decision=FakeDecision(down=True))

    await rig.events(f"latest news on {VALUE} lists", history=SAID)

    assert rig.search.calls
    assert VALUE not in told_of(rig.search, rig.decision)


def test_a_decision_of_nothing_but_a_value_searches_for_what_is_left() -> None:
    request = turn(TOLD)
    decided = search_decision(queries=(PlannedQuery(VALUE),))

    (query,) = redacted_decision(decided, request).queries

    assert VALUE not in query.text
    assert "router" in query.text


@pytest.mark.parametrize(
    ("receiver", "hides", "is_shown"),
    [("llm.example", True, False), ("llm.example", False, True), ("", True, True)],
)
async def test_an_external_model_is_not_shown_a_value_if_so_set(
    receiver: str, *, hides: bool, is_shown: bool
) -> None:
    model = FakeModel(receiver=receiver)
    rig = Rig(model=model, redacts_secrets=hides)

    await rig.events(f"And is {VALUE} older?", history=SAID, memories=(f"Uses {VALUE}",))

    prompt = "\n".join(message.content for message in model.prompts[0].messages)
    assert (VALUE in prompt) is is_shown
    assert ("[removed]" in prompt) is not is_shown
    result = (await rig.events("And?", history=SAID))[-1]
    sent = [text.text for text in result.result.outbound if text.to == receiver]
    assert any(VALUE in text for text in sent) is (is_shown and bool(receiver))


NAME_TOLD = "latest visa news for my son Ned Example today"
NAME_SAID = (ChatMessage(Role.USER, NAME_TOLD), ChatMessage(Role.ASSISTANT, "Ned needs one."))


@pytest.mark.parametrize(
    ("message", "history"), [(NAME_TOLD, ()), ("Is Ned's visa free?", NAME_SAID)]
)
async def test_no_search_and_no_reflection_of_a_turn_hears_a_relatives_name(
    message: str, history: Sequence[ChatMessage]
) -> None:
    decided = search_decision(
        standalone_question=message,
        queries=(PlannedQuery("Ned Example visa"),),
        fallback_queries=(),
        target_info=("visa of Ned",),
    )
    refined = Reflection(
        sufficient=False, missing_aspects=("age of Ned",), refined_query="Ned visa age"
    )
    rig = Rig(decision=FakeDecision(decided, reflections=[refined]), model=FakeModel())

    result = (await rig.events(message, history=history, depth=Depth.DEEP))[-1].result

    assert "visa age" in told_of(rig.search, rig.decision)
    assert rig.decision.reflect_calls
    searched = [text.text for text in result.outbound if text.kind == "query"]
    told = " ".join((told_of(rig.search, rig.decision), *searched))
    assert "Ned" not in told
    assert "Example" not in told


async def test_neither_the_second_try_nor_the_own_rule_hears_a_relatives_name() -> None:
    decided = search_decision(
        standalone_question=NAME_TOLD,
        queries=(PlannedQuery("visa news"),),
        fallback_queries=(),
    )
    again = Rig(decision=FakeDecision(decided), search=FakeSearch(hits=()))
    alone = Rig(decision=FakeDecision(down=True))

    await again.events(NAME_TOLD)
    await alone.events(NAME_TOLD)

    assert len(again.search.calls) == 2
    assert alone.search.calls
    for rig in (again, alone):
        assert "Ned" not in told_of(rig.search, rig.decision)
