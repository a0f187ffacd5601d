"""Personal data, names of relatives and words of a named page stand in no query."""

from collections.abc import Callable
from time import process_time

import pytest
from decision_fakes import FakeModel, FakeUnderstanding

from pellucid_decision.decision import Decision
from pellucid_decision.intent.cascade import Cascade
from pellucid_decision.llm.leading import QueryLead
from pellucid_decision.text.conversation import Ask
from pellucid_decision.understanding.context import context_of
from pellucid_decision.understanding.words import Piece

PAGE = "What does https://a.example/menu say about dinner?"
# Reading such a list took most of a minute once.
MOST_SECONDS = 5.0
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


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        ("my daughter Anna's French exam", "daughter french exam"),
        ("my friend Bo Larsen needs a visa", "friend needs a visa"),
        ("Meine Frau Sabine braucht Tee", "frau braucht tee"),
        ("Unser Sohn Paul braucht Tee", "sohn braucht tee"),
        ("My wife's name is Sabine Kraus", "wife's name is"),
        ("Meine Mutter heißt Gerda", "mutter heißt"),
        ("Mein Name ist Lena", "name ist"),
        ("my dad US visa", "dad us visa"),
        ("母(山田 花子)の薬", "母 の 薬"),
    ],
)
def test_names_are_private_and_the_words_that_tell_them_are_not(
    asking: Callable[..., Ask], told: str, kept: str
) -> None:
    context = context_of(asking(told), told)
    pieces = [Piece(0, start, start + 1, (0.9, 0.0, 0.0)) for start in range(len(told))]
    words = [word.key for word in context.words(pieces)]
    assert [
        word for word in words if word not in {"my", "meine", "mein", "unser"}
    ] == kept.casefold().split()


async def test_a_page_named_behind_a_long_text_is_a_named_page(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    model = FakeUnderstanding(first="quail price", leans=0.9)
    ask = asking("is the price usual?", f"{'We want to dine. ' * 100}{PAGE}", QUOTED)
    assert "quail" not in sent(await Cascade(cascade.rules, model).decide(ask))


def test_a_pasted_list_of_numbers_is_read_in_bounded_time(asking: Callable[..., Ask]) -> None:
    numbers = [f"+4930{number}" for number in range(1_000_000, 1_001_500)]
    listed = " ".join(numbers)
    before = process_time()
    context = context_of(asking(listed, *[listed] * 9), listed)
    pieces = [Piece(0, start, start + 4, (0.9, 0.0, 0.0)) for start in range(0, 500, 5)]
    words = context.words(pieces)
    assert process_time() - before < MOST_SECONDS
    assert not {word.surface for word in words} & set(numbers)


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
