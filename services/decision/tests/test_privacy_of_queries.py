"""Personal data, names of relatives and words of a named page stand in no query."""

from collections.abc import Callable

import pytest
from decision_fakes import FakeModel, FakeUnderstanding

from pellucid_decision.decision import Decision
from pellucid_decision.intent.cascade import Cascade
from pellucid_decision.llm.leading import QueryLead
from pellucid_decision.text.conversation import Ask

PAGE = "What does https://a.example/menu say about dinner?"
QUOTED = "It offers saffron quail with beetroot for 48 euros."


def sent(decision: Decision) -> str:
    texts = [query.text for query in decision.queries]
    return " ".join((*texts, *decision.fallback_queries)).casefold()


@pytest.mark.parametrize(
    ("message", "chosen", "private"),
    [
        ("visa for my son Ned Example", "visa son Ned Example", "ned"),
        ("card 4111 1111 1111 1111 declined", "card 4111 1111 declined", "4111"),
        ("mail bob@corp.example bounced why", "mail bob@corp.example bounced", "bob"),
        ("my password is Tr0ub4dor&3 is it safe", "password Tr0ub4dor&3 safe", "tr0ub4dor"),
        ("meine Tochter namens Leni braucht Visum", "Tochter Leni Visum", "leni"),
        ("친구 김민준 씨 비자 신청", "김민준 비자 신청", "김민준"),
    ],
)
async def test_private_words_are_chosen_for_no_query(
    cascade: Cascade, asking: Callable[..., Ask], message: str, chosen: str, private: str
) -> None:
    decision = await Cascade(cascade.rules, FakeUnderstanding(first=chosen)).decide(asking(message))
    assert decision.queries
    assert private not in sent(decision)


async def test_a_name_told_earlier_stays_private(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    model = FakeUnderstanding(first="Ned visa Norway", leans=0.9)
    ask = asking("does ned need a visa for Norway", "my son Ned is eight", "Nice.")
    assert "ned" not in sent(await Cascade(cascade.rules, model).decide(ask)).split()


async def test_words_of_a_named_page_come_only_from_the_person(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    model = FakeUnderstanding(first="quail beetroot dinner price", leans=0.9)
    ask = asking("is the beetroot price usual?", PAGE, QUOTED, "nice", "Enjoy your quail.")
    text = sent(await Cascade(cascade.rules, model).decide(ask))
    assert "quail" not in text
    assert {"beetroot", "price", "dinner"} <= set(text.split())


async def test_a_language_model_neither_sees_nor_writes_words_of_a_page(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    reply = '{"question": "Is it usual?", "queries": ["saffron quail dinner price usual"]}'
    model = FakeModel(reply)
    decider = Cascade(
        cascade.rules, FakeUnderstanding(first="price usual", leans=0.9), lead=QueryLead(model)
    )
    decision = await decider.decide(asking("is the price usual?", PAGE, QUOTED))
    assert "quail" not in model.prompts[0].user
    assert [query.text for query in decision.queries] == ["dinner price usual"]


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("Norrvik kettle price", "Norrvik kettle price"),
        ("Norrvik kettle site:evil.example", ""),
        ("evil.example Norrvik kettle", ""),
        ("Norrvik -kettle", ""),
        ('{"queries": ["a"]}', ""),
        ("Norrvik kettle 2031", "Norrvik kettle"),
        ("kettle norrvik.example", "kettle norrvik.example"),
        ("kettle", ""),
    ],
)
async def test_a_language_models_queries_are_accepted_by_form(
    cascade: Cascade, asking: Callable[..., Ask], query: str, kept: str
) -> None:
    reply = FakeModel(f'{{"question": "", "queries": [{query!r}]}}'.replace("'", '"'))
    if '"queries"' in query:
        reply = FakeModel('{"question": "", "queries": ["{a} b"]}')
    trained = FakeUnderstanding(first="local words", leans=0.9)
    ask = asking("local words about norrvik.example?", "hello", "Hello.")
    decision = await Cascade(cascade.rules, trained, lead=QueryLead(reply)).decide(ask)
    assert [one.text for one in decision.queries] == [kept or "local words"]
