"""What a chat is about and what is known of a person shape decision, question and queries."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest
from decision_fakes import FakeModel, FakeUnderstanding

from pellucid_decision.decision import Decision
from pellucid_decision.intent.background import background_of
from pellucid_decision.intent.cascade import Cascade
from pellucid_decision.llm.leading import QueryLead
from pellucid_decision.ports import Understanding
from pellucid_decision.text.conversation import Ask, Subject, Turn
from pellucid_decision.understanding.context import context_of

TUNNEL = Subject(
    "video", "How the Ondar Tunnel was dug", ("Mara Quist",), ("Ondar Rail",), "", "In 2016."
)
LISBON = ("The user lives in Lisbon.",)


@dataclass
class TwoReadings:
    """Reads one thing in a message alone, and another where the background stands beside it."""

    alone: FakeUnderstanding
    told: FakeUnderstanding
    background: Sequence[Turn] = field(default_factory=tuple)

    async def understand(self, message: str, turns: Sequence[Turn]) -> Understanding:
        with_background = any(turn in turns for turn in self.background)
        return await (self.told if with_background else self.alone).understand(message, turns)


Decide = Callable[[Ask, FakeUnderstanding, FakeUnderstanding], Awaitable[Decision]]


@pytest.fixture
def decided(cascade: Cascade) -> Decide:
    async def decide(ask: Ask, alone: FakeUnderstanding, told: FakeUnderstanding) -> Decision:
        model = TwoReadings(alone, told, background_of(ask))
        return await Cascade(cascade.rules, model).decide(ask)

    return decide


async def test_a_vague_request_is_about_the_subject(
    decided: Decide, asking: Callable[..., Ask]
) -> None:
    ask = asking("anything new about this?", subject=TUNNEL)
    told = FakeUnderstanding(0.9, first="Ondar Tunnel new", leans=0.9, kind="news")
    decision = await decided(ask, FakeUnderstanding(0.3, kind="smalltalk"), told)
    assert [query.text for query in decision.queries] == ["Ondar Tunnel new"]
    assert decision.standalone_question == "Ondar Tunnel: anything new about this?"
    assert decision.requires_context
    assert decision.verdict.reason_code == "news"


async def test_thanks_are_thanks_whatever_the_chat_is_about(
    decided: Decide, asking: Callable[..., Ask]
) -> None:
    alone = FakeUnderstanding(0.04, kind="smalltalk")
    told = FakeUnderstanding(0.7, first="Ondar Tunnel", leans=0.8, kind="entity")
    decision = await decided(asking("thanks!", subject=TUNNEL), alone, told)
    assert not decision.needs_search
    assert decision.verdict.reason_code == "smalltalk"


async def test_a_message_with_a_topic_of_its_own_leaves_the_subject(
    decided: Decide, asking: Callable[..., Ask]
) -> None:
    ask = asking("opening hours of the Marlow Museum?", subject=TUNNEL)
    alone = FakeUnderstanding(0.95, first="opening hours Marlow Museum")
    told = FakeUnderstanding(0.95, first="Ondar opening hours Marlow Museum", leans=0.2)
    decision = await decided(ask, alone, told)
    assert [query.text for query in decision.queries] == ["opening hours Marlow Museum"]
    assert not decision.requires_context


@pytest.mark.parametrize(
    ("share", "expected"), [(0.5, "weather Paris"), (0.9, "Ondar Tunnel weather Paris")]
)
async def test_a_complete_question_gains_only_what_is_surely_meant(
    decided: Decide, asking: Callable[..., Ask], share: float, expected: str
) -> None:
    ask = asking("weather in Paris?", subject=TUNNEL)
    told = FakeUnderstanding(0.9, first="Ondar Tunnel weather Paris", leans=0.7, share=share)
    decision = await decided(ask, FakeUnderstanding(0.97, first="weather Paris"), told)
    assert decision.queries[0].text == expected


async def test_labels_of_the_background_are_no_words_of_a_query(
    decided: Decide, asking: Callable[..., Ask]
) -> None:
    ask = asking("who is that?", subject=TUNNEL)
    told = FakeUnderstanding(0.9, first="Speaker Mara Quist who", leans=0.9)
    decision = await decided(ask, FakeUnderstanding(0.5), told)
    assert decision.queries[0].text == "Mara Quist who"


async def test_a_memory_that_a_message_speaks_of_shapes_its_query(
    decided: Decide, asking: Callable[..., Ask]
) -> None:
    ask = asking("weather where I live?", memories=LISBON)
    alone, told = FakeUnderstanding(0.5), FakeUnderstanding(0.6, first="Lisbon weather")
    decision = await decided(ask, alone, told)
    assert [query.text for query in decision.queries] == ["Lisbon weather"]
    assert decision.standalone_question == "Lisbon: weather where I live?"
    assert decision.requires_context


async def test_another_memory_stays_out(decided: Decide, asking: Callable[..., Ask]) -> None:
    ask = asking("who won in Monza?", memories=LISBON, subject=TUNNEL)
    alone = FakeUnderstanding(0.9, first="won Monza")
    told = FakeUnderstanding(0.9, first="won Monza", leans=0.3)
    decision = await decided(ask, alone, told)
    assert [query.text for query in decision.queries] == ["won Monza"]
    assert not decision.requires_context


async def test_names_of_relatives_in_a_memory_are_in_no_query(
    decided: Decide, asking: Callable[..., Ask]
) -> None:
    ask = asking("weather where she lives?", memories=("My daughter Mia lives in Lisbon.",))
    told = FakeUnderstanding(0.9, first="Mia Lisbon weather", leans=0.9)
    decision = await decided(ask, FakeUnderstanding(0.9), told)
    assert decision.queries[0].text == "Lisbon weather"


@pytest.mark.parametrize(("search", "taken"), [(0.35, True), (0.12, False)])
async def test_an_offer_to_search_is_taken_up_or_not(
    decided: Decide, asking: Callable[..., Ask], search: float, *, taken: bool
) -> None:
    title = Subject("page", "Cracks in the Ostrel mirror")
    ask = asking("yes please", "Read this for me", "It is behind a wall. Shall I search?")
    ask = replace(ask, subject=title, search_offered=True)
    alone = FakeUnderstanding(search, first="wall")
    told = FakeUnderstanding(search, first="Cracks Ostrel mirror please", share=0.8)
    decision = await decided(ask, alone, told)
    assert decision.needs_search is taken
    assert [q.text for q in decision.queries] == (["Cracks Ostrel mirror"] if taken else [])


async def test_where_the_model_is_sure_of_no_word_the_best_ones_count(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    ask = asking("more, please", subject=TUNNEL)
    told = FakeUnderstanding(0.9, first="Ondar Tunnel", leans=0.9, share=0.05)
    model = TwoReadings(FakeUnderstanding(0.9), told, background_of(ask))
    decision = await Cascade(cascade.rules, model).decide(ask)
    assert decision.queries[0].text == "Ondar Tunnel"


def test_the_background_stands_behind_the_first_message(asking: Callable[..., Ask]) -> None:
    ask = asking("and now?", "Who dug it?", "Many did.", subject=TUNNEL, memories=LISBON)
    context = context_of(ask, ask.message, background_of(ask))
    assert [turn.content for turn in context.turns] == [
        "Who dug it?",
        "The user lives in Lisbon.",
        "How the Ondar Tunnel was dug. Speaker: Mara Quist. Organisation: Ondar Rail. In 2016.",
        "Many did.",
    ]
    assert context.background == range(2, 4)


async def test_a_language_model_that_leads_hears_what_is_known(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    model = FakeModel('{"question": "Weather in Lisbon?", "queries": ["Lisbon weather"]}')
    ask = asking("weather where I live?", memories=LISBON)
    trained = TwoReadings(
        FakeUnderstanding(0.9), FakeUnderstanding(0.9, first="Lisbon"), background_of(ask)
    )
    await Cascade(cascade.rules, trained, lead=QueryLead(model)).decide(ask)
    assert "known of the person: The user lives in Lisbon." in model.prompts[0].user


async def test_a_late_reading_with_the_background_leaves_the_one_without(
    decided: Decide, asking: Callable[..., Ask]
) -> None:
    ask = asking("anything new about the Marlow ferry?", subject=TUNNEL)
    alone = FakeUnderstanding(0.9, first="new Marlow ferry")
    decision = await decided(ask, alone, FakeUnderstanding(down=True))
    assert "new Marlow ferry" in decision.queries[0].text
    assert not decision.degraded


async def test_what_needs_no_search_and_has_no_word_for_one_keeps_its_kind(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    """Without a language model it is looked up, which small talk is not."""
    model = FakeUnderstanding(0.02, kind="concept")
    decision = await Cascade(cascade.rules, model).decide(asking("why is the sky blue?"))
    assert not decision.needs_search
    assert not decision.facets.topicless
    assert decision.verdict.reason_code == "concept"
