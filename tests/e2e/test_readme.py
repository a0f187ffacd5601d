"""The README: its commands run, its request is answered with what is printed, its links exist."""

import json
import re
import shlex
import subprocess
import time
from collections.abc import Iterator
from typing import Any

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


# Words that stand in every answer as printed.
STABLE = {"answer_kind", "action", "reason", "check"}
QUOTED = re.compile("“(.*?)”")
FIGURE = re.compile(r"\d[\d,.]*\d|\d")


def commands() -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    return "".join(blocks).splitlines()


def facts(text: str) -> set[str]:
    """Figures that a text quotes; of one without quotation marks all."""
    return set(FIGURE.findall(" ".join(QUOTED.findall(text)) or text))


def differences(printed: Any, given: Any, at: str = "") -> Iterator[str]:
    """Yield where an answer is of another kind than the printed one.

    Its fields are there and of their types, what does not vary is the same, and texts tell the same
    figures; whom they quote varies with the day, by which sources are ranked.
    """
    name = at.rpartition(".")[2]
    if isinstance(printed, dict) and isinstance(given, dict):
        for key, value in printed.items():
            yield from differences(value, given.get(key), f"{at}.{key}")
    elif isinstance(printed, list) and isinstance(given, list) and given:
        yield from differences(printed[0], given[0], f"{at}[]")
    elif type(printed) is not type(given) or (name in STABLE and printed != given):
        yield f"{at}: {printed!r} is printed, {given!r} came"
    elif isinstance(printed, str) and not facts(printed) <= facts(given):
        yield f"{at}: {printed!r} is printed, {given!r} tells other figures"


def test_its_commands_are_those_that_are_tried_here() -> None:
    kinds = [line.split()[0] for line in commands()]
    assert sorted(kinds) == ["curl", "docker", "make", "make"]
    for line in commands():
        words = shlex.split(line)
        if words[0] == "make":
            subprocess.run([*words, "--dry-run"], cwd=ROOT, check=True, capture_output=True)
        if words[0] == "docker":
            assert (ROOT / words[words.index("-f") + 1]).is_file()


def test_the_request_is_answered_with_what_is_printed(installation: Installation) -> None:
    (command,) = (line for line in commands() if line.startswith("curl "))
    here = command.replace("localhost:8080", installation.url)
    printed = json.loads(block("json", "answer_kind"))
    end = time.monotonic() + WHOLE_WITHIN_S
    while found := list(differences(printed, answer_to(here))):
        assert time.monotonic() < end, found


def answer_to(command: str) -> Any:
    ran = subprocess.run(["bash", "-c", command], check=True, capture_output=True, timeout=60)
    return json.loads(ran.stdout)


def test_a_different_answer_would_be_found() -> None:
    printed = {"a": [{"b": 1}], "reason": "x", "answer": "A writes: “It opened on 14 May.”"}
    same = {"a": [{"b": 2}, {}], "reason": "x", "e": 0, "answer": "B: “Open since 14 May 1999.”"}
    assert list(differences(printed, same)) == []
    other = {"a": [{"b": "1"}], "reason": "y", "answer": "On the 14th I found “nothing”."}
    assert len(list(differences(printed, other))) == 3


def test_the_settings_that_it_shows_are_usual_ones() -> None:
    usual = (ROOT / ".env.example").read_text("utf-8")
    names = re.findall(r"^([A-Z_]+)=", README, re.MULTILINE)
    assert len(names) == 4
    assert [name for name in names if f"{name}=" not in usual] == []


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
