"""What docs/connecting says works: its Python runs, its requests answer, its addresses exist."""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
import yaml

from rig.installation import ROOT, Installation

PAGES = ROOT / "docs" / "connecting"
DOCUMENTED = "http://localhost:8080"
# Base addresses to which clients add paths; nothing answers at them.
BASES = {"/v1", "/compat/tavily", "/compat/searxng", "/compat/perplexity"}
WITHIN_S = 100.0

pytestmark = pytest.mark.timeout(150)


def blocks(page: str, language: str) -> list[str]:
    text = (PAGES / page).read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def pages_with(language: str) -> list[str]:
    return sorted(path.name for path in PAGES.glob("*.md") if blocks(path.name, language))


def run_python(source: str) -> str:
    """Run as a person would: a fresh interpreter, no proxies, no keys of the desk."""
    named = re.compile("proxy|_API_KEY|_BASE_URL", re.IGNORECASE)
    environment = {name: value for name, value in os.environ.items() if not named.search(name)}
    ended = subprocess.run(
        [sys.executable, "-c", source],
        env=environment,
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    return ended.stdout


@pytest.mark.parametrize("page", pages_with("python"))
def test_the_python_of_a_page_runs_and_finds_something(
    installation: Installation, page: str
) -> None:
    divider = 'print("\\n=====")\n'
    # One interpreter for a page: each example has its own imports all the same.
    source = divider.join(
        f"exec(compile({snippet!r}, 'example', 'exec'), {{'__name__': '__main__'}})\n"
        for snippet in blocks(page, "python")
    )

    told = run_python(source.replace(DOCUMENTED, installation.url)).split("=====")

    assert len(told) == len(blocks(page, "python"))
    for output in told:
        assert "Ondry" in output or "ondry" in output or "14 November 2026" in output, output


def requests(page: str) -> list[list[str]]:
    lines = "\n".join(blocks(page, "sh")).splitlines()
    return [shlex.split(line) for line in lines if line.startswith("curl ")]


@pytest.mark.parametrize("page", [page for page in pages_with("sh") if requests(page)])
def test_the_requests_of_a_page_are_answered(
    installation: Installation, client: httpx.Client, page: str
) -> None:
    for words in requests(page):
        (address,) = (word for word in words if word.startswith("localhost:8080"))
        path = address.removeprefix("localhost:8080")
        body = words[words.index("-d") + 1] if "-d" in words else None
        if body is not None:
            body = body.replace(":8099", f":{8099 + installation.offset}")
        reply = client.request("GET" if body is None else "POST", path, content=body)

        assert reply.status_code == 200, (path, reply.text)
        assert reply.json()


def addresses(page: Path) -> set[str]:
    found = re.findall(rf"{DOCUMENTED}([\w/.-]*)", page.read_text("utf-8"))
    return {urlsplit(path).path.rstrip("/.") for path in found} - BASES - {""}


def test_every_address_exists(client: httpx.Client) -> None:
    named = set().union(*(addresses(page) for page in PAGES.glob("*.md")))

    assert {"/mcp", "/compat/openwebui/load", "/compat/tavily/extract"} <= named
    for path in sorted(named):
        # No face takes PUT: a known path says so, an unknown one is not found.
        assert client.put(path).status_code == 405, path


def test_configurations_can_be_read_and_pages_are_listed() -> None:
    readers = {"yaml": yaml.safe_load, "toml": tomllib.loads, "json": json.loads}
    for language, read in readers.items():
        assert pages_with(language)
        for page in pages_with(language):
            for text in blocks(page, language):
                assert isinstance(read(text), dict)
    index = (PAGES / "README.md").read_text("utf-8")
    for path in PAGES.glob("*.md"):
        assert path.name == "README.md" or f"({path.name})" in index
