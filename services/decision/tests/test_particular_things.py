"""Questions about a particular, little known thing search; the same words in other uses do not."""

from collections.abc import Callable

import pytest

from pellucid_decision.stages.cascade import Cascade
from pellucid_decision.text.conversation import Ask

SEARCHES = [
    "Is the Quillon K2 kettle recalled?",
    "Who designed the Varrick Hall bridge, and when was it opened?",
    "온드리 다리는 언제 개통되었나요?",
    "Combien a coûté le pont de l'Ondry ?",
    "Muss man in Harrowmere das Leitungswasser noch abkochen?",
    "クイロンK2の回収では代金はいくら返金されますか。",
    "洛维牌电水壶为什么被召回",
    "¿Cuándo se inauguró el túnel de Varela?",
]
ANSWERS = [
    "what do precision and recall mean in machine learning",
    "write a product recall notice for a kettle",
    "召回率是什么意思",
    "開通式のスピーチを書いて",
    "Schreib eine Rede zur Eröffnung einer Brücke",
    "why do bridges have expansion joints",
]
BEFORE = ("What caused the Skerry Cloud outage on 18 November 2026?", "A failed switch.")


@pytest.mark.parametrize("message", SEARCHES)
async def test_a_particular_thing_searches(
    cascade: Cascade, asking: Callable[..., Ask], message: str
) -> None:
    assert (await cascade.decide(asking(message))).needs_search


@pytest.mark.parametrize("message", ANSWERS)
async def test_the_same_words_in_other_uses_do_not(
    cascade: Cascade, asking: Callable[..., Ask], message: str
) -> None:
    assert not (await cascade.decide(asking(message))).needs_search


async def test_a_short_question_lives_off_the_search_before(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    message = "Do customers get money back?"
    assert not (await cascade.decide(asking(message))).needs_search
    decision = await cascade.decide(asking(message, *BEFORE))
    assert decision.needs_search
    assert "Skerry" in decision.standalone_question
    assert any("Skerry" in query.text for query in decision.queries)
    assert "after_search" in {signal.name for signal in decision.signals}


async def test_a_calculation_after_a_search_stays_one(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    assert not (await cascade.decide(asking("what is 12 * 8?", *BEFORE))).needs_search
