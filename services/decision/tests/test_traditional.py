"""Traditional Chinese: understood like simplified, searched as it was written."""

import asyncio
from datetime import UTC, datetime

import pytest

from pellucid_decision.adapters.rules_folder import RulesFolder
from pellucid_decision.stages.cascade import Cascade
from pellucid_decision.text.conversation import Ask, Role, Turn, WebMode
from pellucid_decision.text.han import load_characters, simplified

NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)
CUTOFF = datetime(2025, 1, 1, tzinfo=UTC)


class _Rules:
    book = RulesFolder().book


def ask_of(message: str, *turns: str) -> Ask:
    roles = (Role.USER, Role.ASSISTANT)
    history = tuple(Turn(roles[place % 2], text) for place, text in enumerate(turns))
    return Ask(message, NOW, CUTOFF, web_mode=WebMode.ON, max_queries=2, history=history)


def searched(message: str, *turns: str) -> list[str]:
    found = asyncio.run(Cascade(_Rules()).decide(ask_of(message, *turns)))
    return [query.text for query in found.queries]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            "請問台北到花蓮的自強號車票多少錢,要提前多久訂?",
            ["台北 花蓮 自強號車票 多少錢 提前 多久"],
        ),
        ("下個月台北有什麼展覽", ["2026年12月 台北 展覽"]),
        ("颱風天班機取消可以退費嗎?", ["颱風天班機取消 退費"]),
    ],
)
def test_queries_are_in_the_characters_of_the_message(message: str, expected: list[str]) -> None:
    assert searched(message) == expected


def test_a_follow_up_takes_its_subject_in_its_characters() -> None:
    assert searched("那台中捷運呢", "高雄輕軌票價多少", "單程20元起。") == ["高雄輕軌票價 台中捷運"]


def test_japanese_keeps_its_characters() -> None:
    assert searched("東京駅の営業時間は？") == ["東京駅 営業時間"]


def test_a_standalone_question_is_as_it_was_written() -> None:
    found = asyncio.run(Cascade(_Rules()).decide(ask_of("健保卡遺失怎麼補辦?")))
    assert found.standalone_question == "健保卡遺失怎麼補辦?"


def test_simplified_chinese_is_left_alone() -> None:
    ask = ask_of("车票多少钱", "高铁票价", "553元")
    assert simplified(ask) == (ask, None)


def test_words_of_ours_are_converted_too() -> None:
    load_characters()
    _, script = simplified(ask_of("車票多少錢"))
    assert script is not None
    assert script.restored("车票 预报") == "車票 預報"
