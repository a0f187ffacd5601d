"""The stages in order: form, the trained model, a language model, the fallback."""

from collections.abc import Callable

import pytest
from decision_fakes import FakeModel, FakeUnderstanding

from pellucid_decision.decision import Action, Freshness, Intent, Stage
from pellucid_decision.intent.cascade import Cascade
from pellucid_decision.llm.decision_stage import DecisionStage
from pellucid_decision.llm.leading import QueryLead
from pellucid_decision.text.conversation import Ask, Subject, WebMode

MESSAGE = "does Norrvik still sell the blue kettle"
REPLY = '{"search": true, "confidence": 0.9, "reason": "A shop", "question": "Does Norrvik sell it?", "queries": ["Norrvik blue kettle"]}'  # noqa: E501 - one row
LED = '{"question": "Who is the CFO of Norrvik?", "queries": ["Norrvik CFO"]}'


@pytest.mark.parametrize(
    ("search", "action"), [(0.9, Action.SEARCH), (0.1, Action.ANSWER), (0.49, Action.ANSWER)]
)
async def test_the_trained_model_decides(
    cascade: Cascade, asking: Callable[..., Ask], search: float, action: Action
) -> None:
    model = FakeUnderstanding(search, first="Norrvik kettle", kind="product")
    decision = await Cascade(cascade.rules, model).decide(asking(MESSAGE))
    assert decision.action is action
    assert decision.verdict.stage is Stage.CLASSIFIER
    assert decision.verdict.confidence == max(search, 1 - search)
    assert decision.signals[0].name == "trained_model"
    assert decision.degraded == ()
    queries = ["Norrvik kettle"] if action is Action.SEARCH else []
    assert [query.text for query in decision.queries] == queries


@pytest.mark.parametrize(("search", "asked"), [(0.9, 0), (0.5, 1), (0.1, 0)])
async def test_a_language_model_is_asked_only_when_the_trained_one_is_unsure(
    cascade: Cascade, asking: Callable[..., Ask], search: float, asked: int
) -> None:
    model = FakeModel(REPLY)
    trained = FakeUnderstanding(search, first="Norrvik kettle")
    decider = Cascade(cascade.rules, trained, adviser=DecisionStage(model))
    decision = await decider.decide(asking(MESSAGE))
    assert len(model.prompts) == asked
    if asked:
        assert decision.verdict.stage is Stage.LLM
        assert [query.text for query in decision.queries] == ["Norrvik blue kettle"]


async def test_without_the_trained_model_a_language_model_decides_and_it_is_told(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    decider = Cascade(
        cascade.rules, FakeUnderstanding(down=True), adviser=DecisionStage(FakeModel(REPLY))
    )
    decision = await decider.decide(asking(MESSAGE))
    assert decision.verdict.stage is Stage.LLM
    assert [component for component, _ in decision.degraded] == ["decision"]


@pytest.mark.parametrize(
    ("message", "search"),
    [
        ("Who is the mayor of Norrvik?", True),
        ("오늘 서울 날씨 어때?", True),
        ("今天上海天气怎么样", True),
        ("explain how a kettle works", False),
        ("schreib ein Gedicht", False),
    ],
)
async def test_without_any_model_a_few_words_search(
    cascade: Cascade, asking: Callable[..., Ask], message: str, *, search: bool
) -> None:
    decision = await Cascade(cascade.rules, FakeUnderstanding(down=True)).decide(asking(message))
    assert decision.needs_search is search
    assert decision.verdict.stage is Stage.FALLBACK
    assert [component for component, _ in decision.degraded] == ["decision"]
    assert bool(decision.queries) is search


async def test_words_of_the_history_make_the_question_stand_alone(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    model = FakeUnderstanding(first="Siemens CFO", leans=0.9)
    ask = asking("and what about its CFO?", "Who leads Siemens?", "Roland Busch.")
    decision = await Cascade(cascade.rules, model).decide(ask)
    assert decision.queries[0].text == "Siemens CFO"
    assert decision.standalone_question == "Siemens: and what about its CFO?"
    assert decision.requires_context


async def test_a_language_model_leads_where_the_message_leans_on_history(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    trained = FakeUnderstanding(first="Siemens CFO", leans=0.9)
    ask = asking("and its CFO?", "Who leads Siemens, owner of Norrvik?", "Roland Busch.")
    decision = await Cascade(cascade.rules, trained, lead=QueryLead(FakeModel(LED))).decide(ask)
    assert [query.text for query in decision.queries] == ["Norrvik CFO"]
    assert decision.standalone_question == "Who is the CFO of Norrvik?"
    assert [out.to for out in decision.outbound] == ["llm.example"]
    assert "Siemens CFO" in decision.fallback_queries


async def test_a_late_lead_leaves_the_local_queries(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    trained = FakeUnderstanding(first="Siemens CFO", leans=0.9)
    lead = QueryLead(FakeModel(5.0), timeout_s=0.05)
    ask = asking("and its CFO?", "Who leads Siemens?", "Roland Busch.")
    decision = await Cascade(cascade.rules, trained, lead=lead).decide(ask)
    assert [query.text for query in decision.queries] == ["Siemens CFO"]
    assert [component for component, _ in decision.degraded] == ["llm"]


async def test_nobody_waits_for_a_language_model_where_the_message_stands_alone(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    model = FakeModel()
    trained = FakeUnderstanding(first="Norrvik kettle", leans=0.1)
    await Cascade(cascade.rules, trained, lead=QueryLead(model)).decide(asking(MESSAGE))
    assert not model.prompts


async def test_without_the_trained_model_any_follow_up_may_lean_on_its_history(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    model = FakeModel(LED)
    decider = Cascade(cascade.rules, FakeUnderstanding(down=True), lead=QueryLead(model))
    turns = ("Who leads Siemens, owner of Norrvik?", "Roland Busch.")
    decision = await decider.decide(asking("look it up", *turns, web_mode=WebMode.ON))
    assert [query.text for query in decision.queries] == ["Norrvik CFO"]
    assert decision.standalone_question == "Who is the CFO of Norrvik?"
    await decider.decide(asking("Who leads Siemens?", web_mode=WebMode.ON))
    assert len(model.prompts) == 1


async def test_a_language_model_that_was_late_is_not_asked_again(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    model = FakeModel(5.0)
    trained = FakeUnderstanding(0.6, first="Siemens CFO", leans=0.9)
    stage = DecisionStage(model, timeout_s=0.05)
    decider = Cascade(cascade.rules, trained, adviser=stage, lead=QueryLead(model))
    decision = await decider.decide(asking("and its CFO?", "Who leads Siemens?", "Roland Busch."))
    assert len(model.prompts) == 1
    assert [query.text for query in decision.queries] == ["Siemens CFO"]


@pytest.mark.parametrize("message", ["source?", "verify that", "stimmt das?", "출처는?"])
async def test_doubt_searches_for_the_question_that_was_answered(
    cascade: Cascade, asking: Callable[..., Ask], message: str
) -> None:
    model = FakeUnderstanding(first="Norrvik founded")
    ask = asking(message, "When was Norrvik founded?", "In 1961.")
    decision = await Cascade(cascade.rules, model).decide(ask)
    assert decision.about_answer
    assert decision.queries[0].text == "Norrvik founded"
    assert decision.standalone_question == "When was Norrvik founded?"
    assert model.asked[0][0] == "When was Norrvik founded?"


async def test_the_operators_matrix_searches_unless_the_model_is_sure_against_it(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    ask = asking("bitcoin price please")
    watched = await Cascade(cascade.rules, FakeUnderstanding(0.5, first="bitcoin price")).decide(
        ask
    )
    assert watched.verdict.stage is Stage.MATRIX
    assert watched.facets.category
    assert watched.facets.freshness is Freshness.DAY
    assert not (await Cascade(cascade.rules, FakeUnderstanding(0.05)).decide(ask)).needs_search


async def test_small_talk_has_no_results_to_show(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    model = FakeUnderstanding(0.01, kind="smalltalk")
    decision = await Cascade(cascade.rules, model).decide(asking("hello", force_search=True))
    assert decision.action is Action.ANSWER
    assert decision.facets.topicless
    assert decision.verdict.reason_code == "topicless"


@pytest.mark.parametrize(
    ("freshness", "kind", "query"),
    [
        (Freshness.YEAR, "", "Apple CEO 2026"),
        (Freshness.MONTH, "news", "Apple CEO 2026"),
        (Freshness.NONE, "role", "Apple CEO"),
        (Freshness.DAY, "finance", "Apple CEO"),
        (Freshness.YEAR, "verify", "Apple CEO"),
        (Freshness.NONE, "", "Apple CEO"),
    ],
)
async def test_the_year_is_the_clocks(
    cascade: Cascade, asking: Callable[..., Ask], freshness: Freshness, kind: str, query: str
) -> None:
    model = FakeUnderstanding(first="Apple CEO", freshness=freshness, kind=kind)
    decision = await Cascade(cascade.rules, model).decide(asking("who is the Apple CEO"))
    assert decision.queries[0].text == query
    assert decision.facets.freshness is freshness


async def test_a_year_that_the_person_named_stays_alone(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    model = FakeUnderstanding(first="2019 Tour winner", freshness=Freshness.YEAR)
    decision = await Cascade(cascade.rules, model).decide(asking("2019 Tour winner?"))
    assert decision.queries[0].text == "2019 Tour winner"


async def test_news_want_news(cascade: Cascade, asking: Callable[..., Ask]) -> None:
    model = FakeUnderstanding(first="Norrvik", kind="news", freshness=Freshness.WEEK)
    facets = (await Cascade(cascade.rules, model).decide(asking(MESSAGE))).facets
    assert facets.intent is Intent.NEWS
    assert facets.time_sensitive
    assert facets.priority > 0.5


@pytest.mark.parametrize(
    "message",
    ["Norrvik", '"blue kettle" -red', "search for: who sells a kettle", "site:norrvik.example tea"],
)
async def test_a_query_stays_as_it_is(
    cascade: Cascade, asking: Callable[..., Ask], message: str
) -> None:
    model = FakeUnderstanding(first="kettle", freshness=Freshness.YEAR)
    decision = await Cascade(cascade.rules, model).decide(asking(message, web_mode=WebMode.ON))
    assert [query.text for query in decision.queries] == [message.removeprefix("search for: ")]


@pytest.mark.parametrize(
    ("message", "first", "action", "urls"),
    [
        ("is openai.com down?", "openai.com down", Action.SEARCH, 0),
        ("what does openai.com say", "", Action.FETCH, 1),
    ],
)
async def test_a_bare_host_is_a_name_or_a_page(  # noqa: PLR0917 - a table of cases
    cascade: Cascade,
    asking: Callable[..., Ask],
    message: str,
    first: str,
    action: Action,
    urls: int,
) -> None:
    model = FakeUnderstanding(0.9 if first else 0.2, first=first)
    decision = await Cascade(cascade.rules, model).decide(asking(message))
    assert decision.action is action
    assert len(decision.urls) == urls


async def test_a_vague_request_gains_the_subject(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    subject = Subject("video", "The kettle talk", ("Ada Byron",), ("Norrvik",))
    model = FakeUnderstanding(first="related news", leans=0.9)
    ask = asking("find related news", subject=subject)
    decision = await Cascade(cascade.rules, model).decide(ask)
    assert decision.queries[0].text == "Ada Byron related news"
    assert decision.fallback_queries[0] == "Ada Byron related news info"


async def test_an_alias_is_added(cascade: Cascade, asking: Callable[..., Ask]) -> None:
    model = FakeUnderstanding(first="NVDA stock price", kind="finance", freshness=Freshness.DAY)
    decision = await Cascade(cascade.rules, model).decide(asking("What's the stock price of NVDA?"))
    assert decision.queries[0].text == "stock price NVDA NVIDIA"
    assert decision.facets.target_info == ("stock price NVDA: the value",)


async def test_there_is_something_else_to_try_for_two_words(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    model = FakeUnderstanding(first="Norrvik kettle")
    decision = await Cascade(cascade.rules, model).decide(asking("Norrvik kettle"))
    assert decision.fallback_queries
    assert decision.queries[0].text not in decision.fallback_queries


async def test_nothing_is_resolved_without_a_history(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    model = FakeModel(LED)
    trained = FakeUnderstanding(first="CFO", leans=0.9)
    await Cascade(cascade.rules, trained, lead=QueryLead(model)).decide(
        asking("what about its CFO")
    )
    assert not model.prompts


async def test_a_word_alone_gains_no_filler(cascade: Cascade, asking: Callable[..., Ask]) -> None:
    model = FakeUnderstanding(first="Bitcoin")
    decision = await Cascade(cascade.rules, model).decide(asking("what is this about Bitcoin"))
    assert decision.queries[0].text == "Bitcoin info"


async def test_a_subjects_name_is_a_query_like_any_other(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    subject = Subject("video", "Foo|Bar <script> kettle", (), ())
    model = FakeUnderstanding(first="related news")
    decision = await Cascade(cascade.rules, model).decide(
        asking("find related news", subject=subject)
    )
    assert not set("|<>") & set(decision.queries[0].text)


@pytest.mark.parametrize(
    "message",
    [
        "One thing: don't search the web, who is the president of France today?",
        "Quick note: please don't search online. What's the weather forecast today in Oslo?",
    ],
)
async def test_a_search_may_be_forbidden_behind_a_colon(
    cascade: Cascade, asking: Callable[..., Ask], message: str
) -> None:
    decision = await Cascade(cascade.rules, FakeUnderstanding()).decide(asking(message))
    assert decision.verdict.reason_code == "dont_search"


@pytest.mark.parametrize(
    ("message", "freshness"),
    [("bitcoin price?", Freshness.DAY), ("bitcoin price in 2017?", Freshness.NONE)],
)
async def test_a_value_of_a_past_year_is_none_of_today(
    cascade: Cascade, asking: Callable[..., Ask], message: str, freshness: Freshness
) -> None:
    model = FakeUnderstanding(first="bitcoin price", kind="finance", freshness=Freshness.DAY)
    decision = await Cascade(cascade.rules, model).decide(asking(message))
    assert decision.facets.freshness is freshness
    assert decision.facets.real_time is (freshness is Freshness.DAY)


async def test_a_word_of_one_language_watches_for_no_other(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    ask = asking("current state of the fusion energy industry")
    decision = await Cascade(cascade.rules, FakeUnderstanding(first="fusion energy")).decide(ask)
    assert decision.facets.category == ""
