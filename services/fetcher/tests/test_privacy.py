"""What a person's page says, and where it is, stays out of store, logs and metrics."""

import logging
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import generate_latest

from pellucid_fetcher.outcome import Purpose

CANARY = "zanzibar-7731-canary"


def _stored(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


async def test_a_user_page_leaves_no_trace(
    rig: Any, http: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: Any
) -> None:
    caplog.set_level(logging.DEBUG)
    page = f"<html><title>{CANARY}</title><p>The word of the day is {CANARY}, they say.</p></html>"
    await rig.pages({f"/{CANARY}": http(page.encode()), "/robots.txt": http(b"")})
    read = await rig.fetch(f"http://ostwick.test/{CANARY}")
    assert CANARY in read.text
    await rig.fetch(f"http://{CANARY}.invalid/")
    await rig.fetch(f"http://ostwick.test/missing?{CANARY}")
    written = "".join(capfd.readouterr()) + caplog.text
    for place in (_stored(tmp_path), written.encode(), generate_latest()):
        assert CANARY.encode() not in place


async def test_the_check_can_fail(rig: Any, http: Any, tmp_path: Path) -> None:
    """A search result is kept, so the same search of the store finds it."""
    page = f"<html><title>x</title><p>The word of the day is {CANARY}, they say.</p></html>"
    await rig.pages({"/": http(page.encode()), "/robots.txt": http(b"")})
    assert (await rig.fetch("http://ostwick.test/", Purpose.SEARCH_RESULT)).success
    await rig.written()
    assert CANARY.encode() in _stored(tmp_path)
