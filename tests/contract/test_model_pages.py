"""The pages about model servers: the index lists them all, and what they say was tried exists."""

import re
from pathlib import Path

import pytest

from rig.model_profiles import PROFILES

PAGES = Path(__file__).parents[2] / "docs" / "connecting" / "models"
SERVERS = sorted(path for path in PAGES.glob("*.md") if path.name != "README.md")
# Profiles of any server: what breaks, and forms that several models have.
COMMON = {
    "kimi-tags", "reasoning-tags", "no-finish-reason", "no-finish-no-done", "choices-null",
    "not-streaming", "drops", "falls-silent", "server-error", "never-begins",
}  # fmt: skip


def tried(page: Path) -> set[str]:
    """The profiles that a page names in its paragraph about them."""
    _, _, text = page.read_text("utf-8").partition("\nTried against ")
    return set(re.findall(r"`([^`]+)`", text.partition("\n\n")[0]))


def test_the_index_links_every_page() -> None:
    linked = re.findall(r"\]\(([\w-]+\.md)\)", (PAGES / "README.md").read_text("utf-8"))

    assert sorted(set(linked)) == [page.name for page in SERVERS]


@pytest.mark.parametrize("page", SERVERS, ids=lambda page: page.stem)
def test_a_page_says_what_was_tried(page: Path) -> None:
    profiles = {profile.name for profile in PROFILES}

    assert tried(page)
    assert tried(page) <= profiles


def test_every_profile_of_a_server_is_named_by_a_page() -> None:
    named = set().union(*map(tried, SERVERS))

    assert {profile.name for profile in PROFILES} - named == COMMON
