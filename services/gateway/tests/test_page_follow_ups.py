"""A question about a page that was named before reads it again, until the subject changes."""

import pytest
from port_fakes import (
    FakeDecision,
    FakeFetcher,
    FakeModel,
    FakeScorer,
    answer_decision,
    search_decision,
)
from turn_fakes import Rig

from pellucid_gateway.domain.decision import Action, Decision, Signal, WebMode
from pellucid_gateway.domain.events import Done, TurnResult
from pellucid_gateway.domain.request import ChatMessage, Role, TurnRequest
from pellucid_gateway.question.named_addresses import named_addresses
from pellucid_gateway.question.page_leaving import leaving
from pellucid_gateway.question.page_topic import topic_of
from pellucid_gateway.question.page_words import Standing, standing

URL = "https://harbour.example/kettle"
PAGE = (
    "# The Quill kettle\n\nThe Quill kettle weighs 910 grams and holds one litre. "
    "To descale it, boil it with a cup of vinegar. It is sold in black and in sand.\n\n"
    "Ilka Vestergaard designed it for people who pour slowly. It costs 89 crowns."
)
FIRST = f"{URL} what makes this kettle special?"


def conversation(*messages: str) -> tuple[ChatMessage, ...]:
    texts = [text for message in messages for text in (message, "An answer.")][:-1]
    roles = (Role.USER, Role.ASSISTANT)
    return tuple(ChatMessage(roles[i % 2], text) for i, text in enumerate(texts))


def stands(*messages: str, decision: Decision | None = None) -> str:
    topic = topic_of(TurnRequest(messages=conversation(FIRST, *messages)))
    if topic is None:
        return "leaves"
    return leaving(topic.since, decision or search_decision(), [PAGE]).value


@pytest.mark.parametrize(
    "message",
    [
        "how heavy is it?",
        "who designed it?",
        "what does it say about vinegar?",
        "and how much was that?",
        "in which colours?",
        "does the article mention a guarantee?",
        "according to the page, who is it for?",
        "und wie schwer ist er?",
        "steht da etwas über Essig?",
        "et combien coûte-t-elle ?",
        "que dit l'article sur le prix ?",
        "¿cuánto pesa?",
        "¿qué dice la página sobre el vinagre?",
        "그 글에서 무게는 얼마래?",
        "記事には価格が書いてある?",
        "文章里提到价格了吗?",
    ],
)
def test_it_goes_on_about_the_page(message: str) -> None:
    assert stands(message, decision=answer_decision(message)) == "stays"


@pytest.mark.parametrize(
    "message",
    [
        "different question: who won the Marlow regatta?",
        "ok. and the Brunel kettle, how much is that?",
        "and the Quill 2, when does it come out?",
        "et chez Morvane, quel est le prix ?",
        "what is the population of Karsholm in 2026?",
        "by the way, is the Skerry Bridge open?",
        "search for other kettles",
        "andere Frage: wie wird das Wetter in Hellerau?",
        "otra pregunta: ¿quién ganó la copa?",
        "다른 질문인데 해오름역은 어디야?",
        "ところで青波タワーの高さは?",
        "换个话题,云岭大桥多长?",
    ],
)
def test_it_leaves_the_page(message: str) -> None:
    assert stands(message) == "leaves"


def test_who_left_the_page_stays_away_until_it_is_meant_again() -> None:
    left = "different question: who won the Marlow regatta?"

    assert stands(left, "and by how much?") == "leaves"
    assert stands(left, "back to the article: what does it cost?") == "stays"


async def test_who_came_back_to_the_page_is_on_it_again() -> None:
    rig = rig_with(search_decision())
    left = "different question: what is the toll on the Skerry Bridge?"
    history = conversation(FIRST, left, "back to the kettle: what does it cost?", "how heavy?")

    await rig.events("how heavy?", history=history[:-1])

    assert (URL,) in [call.urls for call in rig.fetcher.calls]
    assert not rig.search.calls


def test_a_page_named_later_is_the_one_that_is_meant() -> None:
    messages = conversation(FIRST, "and https://other.example/pot ?", "how heavy is it?")
    topic = topic_of(TurnRequest(messages=messages))

    assert topic is not None
    assert topic.urls == ("https://other.example/pot",)


def test_words_that_ask_of_a_page_stand_on_it() -> None:
    assert standing("Who is X in it?") is Standing.ON_IT
    assert standing("How tall is it?") is Standing.UNSURE


async def asked(rig: Rig, message: str, **values: object) -> TurnResult:
    events = await rig.events(message, history=conversation(FIRST, message)[:-1], **values)
    done = events[-1]
    assert isinstance(done, Done)
    return done.result


def rig_with(decision: Decision, fetcher: FakeFetcher | None = None) -> Rig:
    return Rig(
        decision=FakeDecision(decision),
        fetcher=fetcher or FakeFetcher(texts={URL: PAGE}),
        model=FakeModel(),
        scorer=FakeScorer(),
    )


async def test_the_page_is_read_again_and_shown_to_the_model() -> None:
    rig = rig_with(answer_decision("how heavy is it?"))

    result = await asked(rig, "how heavy is it?")

    assert [call.urls for call in rig.fetcher.calls] == [(URL,)]
    assert result.decision.action is Action.FETCH
    assert result.decision.reason_code == "page_follow_up"
    assert [content.url for content in result.url_contents] == [URL]
    assert result.sources[0].facts.count("910 grams") == 1
    assert not rig.search.calls


async def test_a_page_that_is_left_is_searched_beyond() -> None:
    message = "different question: what is the toll on the Skerry Bridge?"
    rig = rig_with(search_decision())

    result = await asked(rig, message)

    assert not rig.fetcher.calls or all(URL not in call.urls for call in rig.fetcher.calls)
    assert rig.search.calls
    assert not result.url_contents


@pytest.mark.parametrize("how", ["off", "dont"])
async def test_nothing_is_opened_against_the_persons_word(how: str) -> None:
    signals = (Signal("dont_search", -1.0),) if how == "dont" else ()
    rig = rig_with(answer_decision("how heavy is it?", signals=signals))
    mode = WebMode.OFF if how == "off" else WebMode.AUTO

    result = await asked(rig, "how heavy is it? don't search", web_mode=mode)

    assert not rig.fetcher.calls
    assert "page_not_opened" in [notice.code for notice in result.notices]


async def test_with_the_web_on_it_is_read_and_searched() -> None:
    rig = rig_with(search_decision())

    result = await asked(rig, "what does it say about the toll?", web_mode=WebMode.ON)

    assert (URL,) in [call.urls for call in rig.fetcher.calls]
    assert rig.search.calls
    assert result.sources[0].user_supplied


async def test_a_message_that_leaves_is_decided_on_without_what_was_said_of_the_page() -> None:
    message = "different question: what is the toll on the Skerry Bridge?"
    rig = rig_with(search_decision())

    await asked(rig, message)

    assert [bool(call.history) for call in rig.decision.calls] == [True, False]


async def test_a_message_that_points_back_keeps_what_was_said() -> None:
    message = "different question: is she still alive?"
    rig = rig_with(search_decision())

    await asked(rig, message)

    assert len(rig.decision.calls) == 1


async def test_no_address_of_an_earlier_page_is_a_word_of_the_topic() -> None:
    rig = rig_with(answer_decision("how heavy is it?"))

    await asked(rig, "how heavy is it?")

    told = [message.content for call in rig.decision.calls for message in call.history]
    assert told == ["what makes this kettle special?", "An answer."]


async def test_what_may_be_told_elsewhere_is_read_and_searched() -> None:
    message = "what does the Morvane kettle cost?"
    rig = rig_with(search_decision())

    result = await asked(rig, message)

    assert (URL,) in [call.urls for call in rig.fetcher.calls]
    assert rig.search.calls
    assert result.sources[0].user_supplied


@pytest.mark.parametrize(
    ("message", "urls"),
    [
        ("what does www.harbour.example/news say?", ["https://www.harbour.example/news"]),
        ("harbour.example/news/2 please", ["https://harbour.example/news/2"]),
        (f"{URL} and {URL}, compare", [URL]),
        ("mail ilka@harbour.example or see version 2.0/3", []),
        ("why does `curl https://a.example/x` hang?", []),
        ("```\nGET https://a.example/x\n```\nwhat is wrong?", []),
        ("12:04:11 ERROR could not reach https://a.example/x\nwhat is wrong?", []),
        ('<a href="https://a.example/x">x</a> how do I style this?', []),
        ("> see https://a.example/x\nis that so?", []),
    ],
)
def test_addresses_that_name_a_page(message: str, urls: list[str]) -> None:
    assert list(named_addresses(message)) == urls


async def test_a_page_that_is_gone_is_told() -> None:
    rig = rig_with(answer_decision("how heavy is it?"), FakeFetcher(texts={}))

    result = await asked(rig, "how heavy is it?")

    assert "page_unreachable" in [notice.code for notice in result.notices]


async def test_a_named_page_leaves_no_vector_behind() -> None:
    long = PAGE + "\n\n" + "\n\n".join(f"Line {n} is about the harbour." for n in range(400))
    rig = rig_with(answer_decision("how heavy is it?"), FakeFetcher(texts={URL: long}))

    await asked(rig, "how heavy is it?")

    assert rig.scorer.unstored
    assert all(rig.scorer.unstored)
