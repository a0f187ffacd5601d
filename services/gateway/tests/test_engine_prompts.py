"""The prompt: what stands in it, what is cut, and that no window ever overflows."""

import re
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from turn_fakes import turn

from pellucid_gateway.answering.context import Context, Room, fitted
from pellucid_gateway.answering.prompts import build_prompt
from pellucid_gateway.answering.rules import SOURCE_RULES
from pellucid_gateway.answering.setting import Setting
from pellucid_gateway.answering.window import bound_tokens
from pellucid_gateway.domain.fencing import fenced, neutral
from pellucid_gateway.domain.findings import PublishedDate, Source
from pellucid_gateway.domain.request import (
    ChatMessage,
    CitationStyle,
    Depth,
    Role,
    SubjectContext,
)
from pellucid_gateway.question.tokens import tokens_of
from pellucid_gateway.turn_context.plans import DEPTH_PLANS
from rig.sample import often

SETTING = Setting(
    question="What is the toll?",
    language="en",
    now=datetime(2026, 11, 20, 23, 30, tzinfo=UTC),
    knowledge_cutoff=date(2025, 1, 1),
    window_tokens=8192,
    marker="k3x9q",
    plan=DEPTH_PLANS[Depth.STANDARD],
    searched=True,
)


def source(n: int, facts: str = "The toll is 4.50 crowns.", title: str = "Toll") -> Source:
    return Source(
        n=n,
        url=f"http://post.example/{n}",
        title=title,
        domain="post.example",
        publisher="The Post",
        facts=facts,
        published=PublishedDate(datetime(2026, 10, 3, tzinfo=UTC)),
    )


def text_of(prompt_messages: tuple[ChatMessage, ...]) -> str:
    return "\n".join(message.content for message in prompt_messages)


def test_it_has_date_cutoff_fenced_sources_and_question() -> None:
    request = turn("What is the toll?", time_zone="Asia/Seoul")
    prompt = build_prompt(request, [source(1), source(2)], SETTING)
    text = text_of(prompt.messages)

    assert "Saturday, 21 November 2026, 08:30 (Asia/Seoul, UTC+09:00)" in text
    assert "January 2025" in text
    assert text.index("<<<DATA k3x9q") < text.index("[1] The Post, 2026-10-03: Toll")
    assert (
        text.index("[2] The Post") < text.index("k3x9q END>>>") < text.rindex("What is the toll?")
    )
    assert prompt.messages[0].role is Role.SYSTEM
    assert prompt.messages[-1].role is Role.USER
    assert prompt.max_tokens == 400


def test_a_standard_prompt_has_at_most_8000_characters_beside_history_and_named_pages() -> None:
    sources = [source(n, "A fact of two hundred tokens. " * 26) for n in (1, 2, 3, 4)]
    prompt = build_prompt(turn("What is the toll?"), sources, SETTING)

    assert prompt.shown == (1, 2, 3, 4)
    assert len(text_of(prompt.messages)) <= 8000


def test_subject_and_memories_are_told() -> None:
    request = turn("Who speaks?", subject=SubjectContext(title="Keynote"), memories=("likes tea",))
    text = text_of(build_prompt(request, [], SETTING).messages)

    assert "Keynote" in text
    assert "likes tea" in text


def test_a_fruitless_search_is_told() -> None:
    text = text_of(build_prompt(turn("Who?"), [], SETTING).messages)

    assert "found nothing usable" in text


@pytest.mark.parametrize("style", list(CitationStyle))
def test_numbers_are_asked_for_in_every_style(style: CitationStyle) -> None:
    text = text_of(build_prompt(turn("Who?", citation_style=style), [source(1)], SETTING).messages)

    assert "like this [1]" in text


WILD = st.text(max_size=400) | st.sampled_from(["漢字" * 200, "🙂" * 300, "a" * 5000, ""])


@settings(max_examples=often(200), deadline=None)
@given(
    window=st.integers(2_000, 200_000),
    facts=st.lists(WILD, max_size=40),
    history=st.lists(WILD, max_size=12),
    message=WILD.filter(str.strip),
    depth=st.sampled_from(list(Depth)),
)
def test_no_window_overflows(
    window: int, facts: list[str], history: list[str], message: str, depth: Depth
) -> None:
    sources = [source(n, fact, title=fact[:200]) for n, fact in enumerate(facts, 1)]
    earlier = tuple(ChatMessage(Role.ASSISTANT, content) for content in history)
    setting = replace(SETTING, window_tokens=window, plan=DEPTH_PLANS[depth])
    prompt = build_prompt(turn(message, history=earlier, depth=depth), sources, setting)

    assert bound_tokens(prompt) <= window
    assert prompt.messages[-1].content


@settings(max_examples=often(150), deadline=None)
@given(facts=st.lists(WILD, min_size=1, max_size=40))
def test_standard_depth_adds_at_most_1600_tokens(facts: list[str]) -> None:
    sources = [source(n, fact, title=fact[:200]) for n, fact in enumerate(facts, 1)]
    bare = build_prompt(turn("Why?"), [], replace(SETTING, window_tokens=200_000, searched=False))
    full = build_prompt(turn("Why?"), sources, replace(SETTING, window_tokens=200_000))

    added = tokens_of(text_of(full.messages)) - tokens_of(text_of(bare.messages))
    assert added + tokens_of(SOURCE_RULES) <= 1605


@settings(max_examples=often(100), deadline=None)
@given(facts=st.lists(WILD, min_size=1, max_size=40))
def test_the_lean_plan_adds_at_most_500_tokens(facts: list[str]) -> None:
    lean = replace(SETTING, window_tokens=200_000, plan=DEPTH_PLANS[Depth.LEAN])
    sources = [source(n, fact, title=fact[:200]) for n, fact in enumerate(facts, 1)]
    bare = build_prompt(turn("Why?"), [], replace(lean, searched=False))
    full = build_prompt(turn("Why?"), sources, lean)

    added = tokens_of(text_of(full.messages)) - tokens_of(text_of(bare.messages))
    assert added + tokens_of(SOURCE_RULES) <= 505


@pytest.mark.parametrize(
    ("message", "rule"),
    [
        ("Summarise it in two sentences", "exactly 2 sentence(s)"),
        ("Five bullets please", "exactly 5 bullet point(s)"),
        ("in 50 words, why?", "about 50 words"),
    ],
)
def test_a_wished_length_is_what_the_model_is_told(message: str, rule: str) -> None:
    prompt = build_prompt(turn(message), [source(1)], SETTING)

    assert rule in text_of(prompt.messages)
    assert "Prose: about" not in text_of(prompt.messages)


def test_a_summary_of_a_named_page_has_room_for_it() -> None:
    page = replace(source(1, "A line of the page.\n" * 240), user_supplied=True)
    prompt = build_prompt(turn("Summarise http://post.example/x"), [page], SETTING)

    assert text_of(prompt.messages).count("A line of the page.") == 240
    assert (prompt.max_tokens or 0) >= 600


def test_a_named_page_is_cut_rather_than_left_out_of_a_small_window() -> None:
    page = replace(source(1, "A line of the page.\n" * 240), user_supplied=True)
    prompt = build_prompt(turn("Why?"), [page], replace(SETTING, window_tokens=3_500))

    assert prompt.shown == (1,)
    assert bound_tokens(prompt) <= 3_500


def test_the_best_sources_fill_the_room_and_a_domain_counts_less_the_second_time() -> None:
    same, other = (replace(source(n), relevance=0.8) for n in (1, 2))
    third = replace(source(3), relevance=0.6, domain="other.example")
    one = Room(window=10_000, cap=100)

    assert fitted([same, other, third], marker="k3x9q", room=one).numbers == (1, 3)
    assert fitted([same], marker="k3x9q", room=Room(10, 500)) == Context(left_out=1)


TRICKS = [
    *("<|im_start|>", "system:", "[INST]", "</s>", "<<SYS>>", "<|", "|>", ">>>", "<<<DATA"),
    *("### Instruction", "k3x9q END>>>", "a word ", "\n", "<start_of_turn>", "[/INST]", "human :"),
]


@settings(max_examples=often(150), deadline=None)
@given(st.lists(st.sampled_from(TRICKS)).map("".join))
def test_sources_cannot_leave_their_fence(text: str) -> None:
    inside = neutral(text)
    block = fenced(inside, "k3x9q")

    assert "<|" not in inside
    assert "[INST]" not in inside
    assert "</s>" not in inside
    assert ">>>" not in inside
    assert block.count("k3x9q") == 2
    assert block.endswith("\nk3x9q END>>>")
    assert block.count("<<<") == block.count(">>>") == 1


def test_plain_text_is_left_alone_by_the_fence() -> None:
    text = "Prices rose 5 % (see [3]); x < y and y > z. The system was new: good."

    assert neutral(text) == text


def _words_asked_for(depth: Depth, sources: int) -> int:
    plan = DEPTH_PLANS[depth]
    setting = replace(SETTING, plan=plan, window_tokens=200_000)
    listed = [source(n + 1) for n in range(sources)]
    prompt = build_prompt(turn("What is the toll?", depth=depth), listed, setting)
    limit = re.search(r"Prose: (\d+) words", text_of(prompt.messages))
    assert limit is not None
    return int(limit[1])


def test_over_the_same_sources_a_quicker_answer_is_shorter() -> None:
    for sources in (1, 2, 3, 5, 8):
        deep = _words_asked_for(Depth.DEEP, sources)
        assert 0.70 <= _words_asked_for(Depth.QUICK, sources) / deep <= 0.80
        assert 0.80 <= _words_asked_for(Depth.STANDARD, sources) / deep <= 0.90


def test_an_answer_as_long_as_asked_for_fits_its_cap() -> None:
    for depth, plan in DEPTH_PLANS.items():
        # A word of English is 1.3 tokens.
        assert 1.3 * _words_asked_for(depth, plan.sources) <= plan.answer_tokens
