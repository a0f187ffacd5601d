"""Queries without the trained model: the properties that hold for any input."""

import asyncio
import re
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid_decision.adapters.rules_folder import RulesFolder
from pellucid_decision.decision import Decision
from pellucid_decision.intent.cascade import Cascade
from pellucid_decision.text.conversation import Ask, Role, Subject, Turn, WebMode
from pellucid_decision.understanding.limits import word_count
from pellucid_language.stop_words import stop_words
from rig.sample import often

NOW = datetime(2026, 3, 14, tzinfo=UTC)
CUTOFF = datetime(2025, 1, 1, tzinfo=UTC)


class _Rules:
    book = RulesFolder().book


def decide(message: str, **fields: object) -> Decision:
    values = {"now": NOW, "cutoff": CUTOFF, "web_mode": WebMode.ON} | fields
    return asyncio.run(Cascade(_Rules()).decide(Ask(message=message, **values)))


def union(decision: Decision) -> str:
    return " ".join(query.text for query in decision.queries)


WORD = st.text(alphabet="abcdefghijklmnoprstuvwxyz", min_size=4, max_size=10)
# No name is called "Einen", which makes a message German and goes like any article.
NAME = st.builds(str.capitalize, WORD.filter(lambda word: word not in stop_words()))
MESSAGES = st.one_of(
    st.text(min_size=1, max_size=300).filter(lambda text: bool(text.strip())),
    st.lists(st.one_of(WORD, NAME), min_size=1, max_size=40).map(" ".join),
)


@settings(max_examples=often(150), deadline=None)
@given(MESSAGES)
def test_any_message_gives_lawful_queries(message: str) -> None:
    decision = decide(message)
    assert decision.standalone_question
    assert 1 <= len(decision.queries) <= 3
    for text in (*(query.text for query in decision.queries), *decision.fallback_queries):
        assert word_count(text) <= 6, text
        assert len(text) <= 200
        assert not re.search(r"[\x00-\x1f\x7f]", text)


@settings(max_examples=often(120), deadline=None)
@given(
    st.lists(WORD, min_size=0, max_size=8),
    st.lists(NAME, min_size=1, max_size=2, unique=True),
    NAME,
)
def test_p1_a_query_contains_elements_of_the_subject(
    words: list[str], names: list[str], firm: str
) -> None:
    """P1: with subject context the query contains some of its elements."""
    subject = Subject("video", "", (" ".join(names),), (firm,))
    decision = decide(" ".join(["tell", *words]), subject=subject)
    joined = union(decision)
    assert any(name.casefold() in joined.casefold() for name in (*names, firm))


@pytest.mark.parametrize(
    "request_",
    [
        "find related news",
        "any updates?",
        "search for similar articles",
        "show me related videos",
        "tell me more",
    ],
)
@settings(max_examples=often(100), deadline=None)
@given(speaker=NAME, firm=NAME)
def test_p4_vague_requests_gain_context(request_: str, speaker: str, firm: str) -> None:
    """P4: vague requests gain context."""
    subject = Subject("video", "The reusable rocket talk", (speaker,), (firm,))
    first = decide(request_, subject=subject).queries[0].text
    assert speaker in first or firm in first


@settings(max_examples=often(150), deadline=None)
@given(
    st.lists(NAME, min_size=1, max_size=4, unique=True),
    st.integers(min_value=100, max_value=99999),
    st.lists(WORD, min_size=0, max_size=4),
    st.booleans(),
)
def test_p5_own_terms_survive(
    names: list[str],
    number: int,
    words: list[str],
    with_subject: bool,  # noqa: FBT001 - a table of cases
) -> None:
    """P5: the person's own terms survive in the union of queries."""
    subject = Subject("video", "Keynote", ("Ada Byron",), ("Acme",)) if with_subject else None
    message = f'compare {" and ".join(names)} with X{number} "exact phrase" {" ".join(words)}'
    joined = union(decide(message, subject=subject))
    for term in (*names, f"X{number}", '"exact phrase"'):
        assert term in joined, (message, joined)


@settings(max_examples=often(60), deadline=None)
@given(st.lists(NAME, min_size=3, max_size=3, unique=True))
def test_a_message_without_a_name_keeps_that_of_the_question_before(names: list[str]) -> None:
    first, second, other = names
    history = (
        Turn(Role.USER, f"When did the {first} {second} open?"),
        Turn(Role.ASSISTANT, "In May."),
    )
    for query in decide("Who designed it?", history=history).queries:
        assert query.text.startswith(f"{first} {second}")
    fresh = union(decide(f"Who founded the {other}?", history=history))
    assert other in fresh
    assert f"{first} {second}" not in fresh
