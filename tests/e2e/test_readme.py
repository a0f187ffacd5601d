"""The README: its request is answered in the printed form, its links and commands exist."""

import json
import re
import shlex
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from rig.installation import ROOT, Installation

README = (ROOT / "README.md").read_text("utf-8")
MOST_PICTURE_BYTES = 200_000
# On a busy machine the first answers lack what was not in time, such as scores or a page.
WHOLE_WITHIN_S = 100.0

pytestmark = pytest.mark.timeout(300)


def block(language: str, part: str) -> str:
    blocks = re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    (found,) = (text for text in blocks if part in text)
    return str(found)


# What an answer says varies with the day, by which its sources are ranked.
STABLE = {"answer_kind", "action", "reason", "check"}


def differences(printed: Any, given: Any, at: str = "") -> Iterator[str]:
    """Yield where an answer has not the form, or the stable values, that were printed."""
    if isinstance(printed, dict) and isinstance(given, dict):
        for key, value in printed.items():
            yield from differences(value, given.get(key), f"{at}.{key}")
    elif isinstance(printed, list) and isinstance(given, list) and given:
        yield from differences(printed[0], given[0], f"{at}[]")
    elif type(printed) is not type(given) or (at.rpartition(".")[2] in STABLE and printed != given):
        yield f"{at}: {printed!r} is printed, {given!r} came"


def test_the_request_is_answered_in_the_printed_form(
    installation: Installation, client: httpx.Client
) -> None:
    del installation
    words = shlex.split(block("sh", "/v1/chat"))
    path = words[2].removeprefix("localhost:8080")
    printed = json.loads(block("json", "answer_kind"))
    end = time.monotonic() + WHOLE_WITHIN_S
    while found := list(differences(printed, client.post(path, content=words[-1]).json())):
        assert time.monotonic() < end, found


def test_a_different_answer_would_be_found() -> None:
    printed = {"a": [{"b": 1}], "reason": "x"}
    assert list(differences(printed, {"a": [{"b": 2}, {}], "reason": "x", "e": 0})) == []
    assert len(list(differences(printed, {"a": [{"b": "1"}], "reason": "y"}))) == 2


def test_its_links_and_commands_exist_and_its_picture_is_small() -> None:
    targets = set(re.findall(r"\]\((?!https?://)([^)#]+)", README))
    assert {"docs/images/answer.png", "docs/settings.md", ".env.example"} <= targets
    for target in targets:
        assert (ROOT / target).exists(), target
    assert 20_000 < (ROOT / "docs/images/answer.png").stat().st_size < MOST_PICTURE_BYTES
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for name in re.findall(r"^make ([a-z-]+)$|`make ([a-z-]+)`", README, re.MULTILINE):
        assert re.search(rf"^{''.join(name)}:", makefile, re.MULTILINE), name
    for path in re.findall(r"`(?:python|pytest) (\S+\.py)`", README):
        assert (ROOT / path).exists(), path
