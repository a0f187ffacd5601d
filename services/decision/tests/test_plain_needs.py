"""What no model can know is searched for however it is worded; doubt about an answer is too."""

from collections.abc import Callable

import pytest

from pellucid_decision.stages.cascade import Cascade
from pellucid_decision.text.conversation import Ask

NEEDS = [
    ("Something's wrong with spotify for anyone else?", "outage"),
    ("se cayó whatsapp?", "outage"),
    ("카카오톡 지금 안되는거 나만 그래?", "outage"),
    ("支付宝今天是不是出问题了", "outage"),
    ("E: Unable to locate package libssl1.1 on ubuntu 24.04 what do i do instead", "package_error"),
    ("报错 npm ERR! code ERESOLVE unable to resolve dependency tree 怎么解决", "package_error"),
    ("Mein Thermomix TM6 zeigt C130, was heisst das", "device_code"),
    ("my washing machine (Halden WX32) shows E18, what do i do", "device_code"),
    ("dishwasher keeps beeping, error E24 after ten minutes", "device_code"),
    ("my car shows P0420, what should I do", "device_code"),
    ("Waschmaschine blinkt F08, was tun?", "device_code"),
    ("세탁기에 4E 에러 아니고 UE3가 떠요", "device_code"),
    ("食洗機にE15が出てる、どうしたらいい", "device_code"),
    ("热水器显示E2，该怎么办", "device_code"),
    ("mon poêle à granulés Palazzetti affiche ALL 11, ça veut dire quoi", "device_code"),
]
OTHERS = [
    "write a short poem about an outage at work",
    "I feel down for no reason, anyone else?",
    "translate: se cayó el vaso",
    "my function shows a list, what does enumerate mean",
    "my slide shows Q3 sales, what should I write under it",
    "the list shows top 10 players, how do I sort it",
    "rustc says error E0382, explain ownership",
]


@pytest.mark.parametrize(("message", "code"), NEEDS, ids=range(len(NEEDS)))
async def test_it_is_searched_for(
    cascade: Cascade, asking: Callable[..., Ask], message: str, code: str
) -> None:
    decision = await cascade.decide(asking(message))
    assert decision.needs_search
    assert decision.verdict.reason_code == code


@pytest.mark.parametrize("message", OTHERS, ids=range(len(OTHERS)))
async def test_its_words_alone_are_no_need(
    cascade: Cascade, asking: Callable[..., Ask], message: str
) -> None:
    fired = {signal.name for signal in (await cascade.decide(asking(message))).signals}
    assert not fired & {"outage", "package_error", "device_code"}


@pytest.mark.parametrize(
    ("doubt", "asked", "answered"),
    [
        ("are you sure? that seems low", "average salary of a nurse in Ireland?", "30,000 euros."),
        ("de dónde sacaste eso", "¿cuántos osos quedan en Asturias?", "Unos 350."),
        ("그 말 확실해? 확인해줘", "한국 최저시급 얼마야", "10,320원입니다."),
        ("你确定吗？查一下", "中国有多少个民族自治县", "117个。"),
        ("stimmt das denn überhaupt?", "Wie viele Wölfe leben in Sachsen?", "Etwa 40 Rudel."),
        ("それ本当？調べて", "日本で一番大きい湖は？", "琵琶湖です。"),
    ],
    ids=["en", "es", "ko", "zh", "de", "ja"],
)
async def test_who_doubts_an_answer_is_about_it(
    cascade: Cascade, asking: Callable[..., Ask], doubt: str, asked: str, answered: str
) -> None:
    decision = await cascade.decide(asking(doubt, asked, answered))
    assert decision.needs_search
    assert decision.about_answer


async def test_doubt_about_what_needed_no_web_searches_nothing(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    decision = await cascade.decide(asking("are you sure?", "what is 7 * 8", "56"))
    assert not decision.needs_search
