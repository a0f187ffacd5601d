"""What comes before the last message of a prompt stays byte for byte from turn to turn."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_engine_prompts import SETTING, source
from turn_fakes import turn

from pellucid_gateway.answering.client_prompt import build_client_prompt
from pellucid_gateway.answering.prompts import build_prompt
from pellucid_gateway.answering.window import bound_tokens
from pellucid_gateway.domain.request import (
    ChatMessage,
    ClientMessages,
    Depth,
    Role,
    SearchOptions,
)
from pellucid_gateway.turn_context.plans import DEPTH_PLANS
from rig.sample import often

WIDE = replace(SETTING, window_tokens=32_768)


def conversation(turns: int) -> tuple[ChatMessage, ...]:
    pairs = (
        (ChatMessage(Role.USER, f"Question {n}?"), ChatMessage(Role.ASSISTANT, f"Answer {n}."))
        for n in range(turns)
    )
    return tuple(message for pair in pairs for message in pair)


def of_turn(n: int, depth: Depth = Depth.STANDARD, marker: str = "k3x9q") -> Sequence[ChatMessage]:
    """The prompt of turn n of one conversation: other sources, another time and marker each."""
    setting = replace(WIDE, now=WIDE.now + timedelta(hours=n), marker=marker, searched=bool(n % 2))
    request = turn(f"Question {n}?", history=conversation(n), depth=depth)
    sources = [source(k + 1, f"Fact {n}.{k}.") for k in range(n % 3)]
    return build_prompt(request, sources, replace(setting, plan=DEPTH_PLANS[depth])).messages


@pytest.mark.parametrize("depth", list(Depth))
def test_rules_and_history_stay_as_they_were(depth: Depth) -> None:
    for n in range(8):
        before, now = of_turn(n, depth, "aaaaaaaa"), of_turn(n + 1, depth, "bbbbbbbb")

        assert list(now[: len(before) - 1]) == list(before[:-1])
        assert now[len(before) - 1].content == f"Question {n}?"


def test_nothing_of_one_request_stands_before_the_last_message() -> None:
    options = SearchOptions(country="de")
    request = turn("In two sentences?", language="ko", time_zone="Europe/Berlin", options=options)
    other = replace(WIDE, now=WIDE.now + timedelta(days=40), marker="zzzzzzzz")
    plain = build_prompt(turn("Hello"), [], WIDE).messages
    full = build_prompt(request, [source(1)], other).messages

    assert full[:-1] == plain[:-1]
    for told in ("exactly 2 sentence", "Answer in Korean", "Europe/Berlin", "Country: DE"):
        assert told in full[-1].content


def test_all_of_a_conversation_that_fits_is_shown() -> None:
    history = conversation(8)
    prompt = build_prompt(turn("And?", history=history), [source(1)], WIDE)

    assert prompt.messages[1:-1] == history


@pytest.mark.parametrize(
    "message",
    ["best ramen in Kreuzberg open now", "Was kostet die Brücke?", "맛집 추천해줘"],
)
def test_a_language_is_named_only_where_the_request_names_it(message: str) -> None:
    last = build_prompt(turn(message), [source(1)], replace(WIDE, language="de")).messages[-1]

    assert "German" not in last.content
    assert "language of the person's message" in last.content


HISTORY = st.lists(
    st.tuples(st.sampled_from([Role.USER, Role.ASSISTANT]), st.text(max_size=3_000)), max_size=12
)


@settings(max_examples=often(150), deadline=None)
@given(history=HISTORY, window=st.integers(2_048, 40_000))
def test_roles_alternate_from_the_person_on_and_whole_messages_go_first(
    history: list[tuple[Role, str]], window: int
) -> None:
    said = tuple(ChatMessage(role, text) for role, text in history)
    setting = replace(SETTING, window_tokens=window)
    prompt = build_prompt(turn("And now?", history=said), [source(1)], setting)

    roles = [message.role for message in prompt.messages]
    assert roles == [Role.SYSTEM, *[Role.USER, Role.ASSISTANT] * (len(roles) // 2 - 1), Role.USER]
    assert prompt.messages[-1].content.endswith("The person says:\nAnd now?")
    assert bound_tokens(prompt) <= window


def test_history_is_left_out_from_its_beginning_and_never_within_a_word() -> None:
    long = tuple(
        ChatMessage(Role.USER if n % 2 == 0 else Role.ASSISTANT, f"Message {n}. " + "abcdef " * 300)
        for n in range(20)
    )
    kept = build_prompt(turn("And?", history=long), [source(1)], SETTING).messages[1:-1]
    assert kept == long[-len(kept) :]
    assert 2 <= len(kept) < len(long)

    huge = (ChatMessage(Role.USER, "Sum it up."), ChatMessage(Role.ASSISTANT, "abcdef " * 9_000))
    asked, answered = build_prompt(turn("And?", history=huge), [], SETTING).messages[1:-1]
    assert asked.content == "Sum it up."
    assert set(answered.content.split()) == {"abcdef", "…"}


def test_a_compatible_clients_messages_stay_as_they_are_around_ours() -> None:
    said = tuple({"role": m.role.value, "content": m.content} for m in conversation(3))
    for n in (2, 4, 6):
        asked = {"role": "user", "content": f"Question {n}?"}
        client = ClientMessages(messages=({"role": "system", "content": "Be."}, *said[:n], asked))
        sent = build_client_prompt(turn(), client, [source(1)], WIDE).client
        assert sent is not None
        assert sent.messages[: n + 1] == client.messages[: n + 1]
        assert sent.messages[-1] == asked
