"""Addresses in what a message pastes are material; what is pasted does not tell its language."""

from datetime import UTC, datetime

import pytest

from pellucid_decision.adapters.rules_folder import RulesFolder
from pellucid_decision.intent.case import examine
from pellucid_decision.text.conversation import Ask

NOW = datetime(2026, 11, 22, 9, tzinfo=UTC)
CUTOFF = datetime(2025, 1, 1, tzinfo=UTC)
BOOK = RulesFolder().book


def addresses(message: str) -> list[str]:
    return [link.host for link in examine(Ask(message, NOW, CUTOFF), BOOK).links]


@pytest.mark.parametrize(
    "message",
    [
        '<a href="https://a.example/cart">Cart</a> why does this not open in a new tab',
        "ERROR: no version found\nSee https://a.example/warnings\n\nwhat's wrong?",
        "2026-11-20 10:22:01 INFO GET https://a.example/v1 503\nwas bedeutet das?",
        '"Please visit https://a.example/legal before you apply" is this sentence right?',
        'fetch("https://a.example/x").then(r => r.json()) warum ist das undefined?',
        "> see https://a.example/post for more\n\nwho writes like that",
    ],
)
def test_pasted_addresses_are_not_opened(message: str) -> None:
    assert addresses(message) == []


@pytest.mark.parametrize(
    "message",
    [
        'read the page linked here and sum it up: <a href="https://a.example/cart">Cart</a>',
        "<https://a.example/x> 요약해줘",
        "https://a.example/x",
        '```\nhttps://b.example/y\n```\nand read https://a.example/x "for me"',
    ],
)
def test_addresses_that_the_person_means_are_opened(message: str) -> None:
    assert addresses(message) == ["a.example"]


@pytest.mark.parametrize(
    ("message", "language"),
    [
        ("2026-11-20 10:22:01 ERROR connection to the server was lost\nwas bedeutet das?", "de"),
        ('<p class="the-best-of-what">x</p> 이거 왜 안 돼?', "ko"),
        ('fetch("https://api.example.com/what/is/the") warum gibt das nichts zurück?', "de"),
    ],
)
def test_what_is_pasted_does_not_tell_the_language(message: str, language: str) -> None:
    assert examine(Ask(message, NOW, CUTOFF), BOOK).language == language
