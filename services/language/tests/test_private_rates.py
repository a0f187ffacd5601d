"""Rates of the privacy gate on values and messages that its rules were not written from."""

import re
import time
from collections.abc import Iterable

import pytest

from pellucid_language.pii.gate import GATE, without
from rig.private_values import (
    Planted,
    cards,
    codes,
    ibans,
    mails,
    ordinary,
    passwords,
    phones,
    ssns,
    tokens,
)

MOST_CHANGED = 0.003


def _squeezed(text: str) -> str:
    return re.sub(r"[\W_]", "", text).casefold()


@pytest.mark.parametrize(
    ("planted", "least"),
    [
        (passwords(), 1.0),
        (codes(), 1.0),
        (tokens(), 1.0),
        (cards(500), 0.98),
        (phones(420), 0.9),
        (mails(200), 1.0),
        (ibans(300), 1.0),
        (ssns(300), 1.0),
    ],
    ids=["passwords", "codes", "tokens", "cards", "phones", "mails", "ibans", "ssns"],
)
def test_values_of_each_kind_are_found(planted: Iterable[Planted], least: float) -> None:
    values = tuple(planted)
    missed = [
        one.message
        for one in values
        if _squeezed(one.value) in _squeezed(GATE.redact(one.message).text)
    ]

    assert len(missed) <= (1 - least) * len(values), missed[:20]


def test_what_was_told_is_gone_from_what_follows() -> None:
    planted = (*passwords(), *codes(), *tokens(), *cards(50), *ibans(50), *ssns(50))
    left = [
        one.follow_up
        for one in planted
        if _squeezed(one.value) in _squeezed(without(one.follow_up, GATE.private([one.message])))
    ]

    assert left == []


@pytest.mark.parametrize("filler", ["a1", "!a1_", "a@b.", "password x1!y2z ", "my password is "])
def test_a_long_message_of_the_worst_kind_takes_linear_time(filler: str) -> None:
    """Eight times the text takes about eight times as long; 64 times would be a way to stop us."""
    short, long = (f"password {filler * (size // len(filler))}" for size in (4_000, 32_000))
    took = []
    for text in (short, long):
        begun = time.process_time()
        GATE.private([text])
        took.append(time.process_time() - begun)

    assert took[1] < 24 * took[0] + 0.5


def test_ordinary_messages_stay_as_they_are() -> None:
    messages = tuple(ordinary())
    changed = [
        (message, GATE.redact(message).text)
        for message in messages
        if GATE.redact(message).text != message or GATE.private([message])
    ]

    assert len(messages) >= 1_000
    assert len(changed) <= MOST_CHANGED * len(messages), changed[:20]
