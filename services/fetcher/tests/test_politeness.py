"""Robots rules, turns at hosts, and cutting of texts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid_fetcher.politeness.politeness import LocalRateLimit
from pellucid_fetcher.politeness.robots import read_robots
from pellucid_fetcher.strategies.cutting import MARK, cut_middle

RULES = """
User-agent: other
Disallow: /

User-agent: Pellucid
User-agent: second
Disallow: /private
Allow: /private/open
Disallow: /*.pdf$
Disallow: /a*b*c
"""


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/", True),
        ("/private", False),
        ("/private/x", False),
        ("/private/open/x", True),
        ("/x.pdf", False),
        ("/x.pdf?y", True),
        ("/axxbxxc", False),
        ("/axxcxxb", True),
    ],
)
def test_robots_rules(path: str, *, allowed: bool) -> None:
    assert read_robots(RULES, "Pellucid").allows(path) is allowed


def test_robots_groups() -> None:
    assert not read_robots(RULES, "other").allows("/x")
    assert read_robots(RULES, "nobody").allows("/private")
    assert not read_robots("User-agent: *\nDisallow: /x", "nobody").allows("/x")
    assert read_robots("", "nobody").allows("/")
    assert read_robots("User-agent: *\nDisallow:", "nobody").allows("/")


@settings(deadline=None)
@given(st.text(max_size=300), st.text(max_size=50))
def test_robots_never_fail(text: str, path: str) -> None:
    assert read_robots(text, "x").allows(f"/{path}") in (True, False)


async def _waits(limit: LocalRateLimit, host: str) -> list[float]:
    return [(await limit.take(host, max_wait_s=9)).wait_s for _ in range(3)]


async def test_turns_are_spaced_for_each_host() -> None:
    limit = LocalRateLimit(2.0, {"fast.example": 0.0}, lambda: 100.0)
    assert await _waits(limit, "a.example") == [0.0, 0.5, 1.0]
    assert (await limit.take("b.example", max_wait_s=0)).taken
    assert await _waits(limit, "fast.example") == [0.0, 0.0, 0.0]


async def test_a_turn_that_is_too_far_away_is_not_taken() -> None:
    limit = LocalRateLimit(1.0, {}, lambda: 100.0)
    assert (await limit.take("a.example", max_wait_s=0)).taken
    for _ in range(3):
        refused = await limit.take("a.example", max_wait_s=0.5)
        assert (refused.taken, refused.wait_s) == (False, 1.0)


async def test_a_rest_ends_and_a_shorter_one_does_not_end_it() -> None:
    now = [0.0]
    limit = LocalRateLimit(1.0, {}, lambda: now[0])
    await limit.cool_down("a.example", 30)
    await limit.cool_down("a.example", 2)
    assert (await limit.take("a.example", max_wait_s=5)).wait_s == 30
    now[0] = 31.0
    assert (await limit.take("a.example", max_wait_s=5)).wait_s == 0


@settings(deadline=None)
@given(st.text(alphabet="ab \n", max_size=400), st.integers(1, 200))
def test_cut_texts_fit(text: str, most: int) -> None:
    cut, was_cut = cut_middle(text, most)
    assert len(cut) <= most
    assert was_cut is (len(text) > most)


def test_cut_keeps_beginning_and_end() -> None:
    text = "\n\n".join(f"Paragraph {number}." for number in range(100))
    cut, _ = cut_middle(text, 200)
    assert cut.startswith("Paragraph 0.\n\n")
    assert cut.endswith("Paragraph 99.")
    assert f"\n\n{MARK}\n\n" in cut
