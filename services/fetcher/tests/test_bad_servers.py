"""Servers that misbehave in raw bytes: each row has its outcome, in time, and leaves nothing."""

import asyncio
import os
import re
import socket
import struct
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from bad_server_rows import READABLE, REFUSED, Row, encoded, gzip_bomb

from pellucid_fetcher.outcome import FetchStatus

pytestmark = pytest.mark.asyncio(loop_scope="module")

URL = "http://bad.test/"
_MIB = 1024 * 1024


def _open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def _resident_mib() -> float:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / _MIB


@pytest_asyncio.fixture(loop_scope="module")
async def bad(hurried_rig: Any) -> AsyncIterator[Any]:
    """The rig; a test must leave neither tasks nor descriptors behind."""
    tasks, files = len(asyncio.all_tasks()), _open_files()
    yield hurried_rig
    await hurried_rig.close()
    for _ in range(200):
        if len(asyncio.all_tasks()) <= tasks and _open_files() <= files:
            break
        await asyncio.sleep(0.05)
    assert len(asyncio.all_tasks()) <= tasks
    assert _open_files() <= files


async def _serve(rig: Any, row: Row) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(row.wire)
        if row.then == "close":
            return
        await writer.drain()
        if row.then == "hang":
            await reader.read()
            return
        await asyncio.sleep(0.05)
        _reset(writer)

    await rig.serve(answer)


def _reset(writer: asyncio.StreamWriter) -> None:
    raw = writer.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


@pytest.mark.parametrize("row", REFUSED, ids=str)
async def test_refused(bad: Any, row: Row) -> None:
    await _serve(bad, row)
    page = await bad.fetch(URL)
    assert page.status is row.status
    assert not page.text
    assert page.error
    assert not {"SSH", "ERR", "ICY"} & set(page.error.split())
    assert row.retryable in (None, page.retryable)


@pytest.mark.parametrize("row", READABLE, ids=str)
async def test_readable_nevertheless(bad: Any, row: Row) -> None:
    await _serve(bad, row)
    page = await bad.fetch(URL)
    assert page.status is FetchStatus.OK
    assert "three villages" in page.text
    assert page.truncated is row.truncated
    assert ("partial" in page.warnings) is row.truncated


async def test_memory_does_not_grow_with_repetition(bad: Any) -> None:
    """The greediest rows, again and again: what they send is never held as a whole."""
    wire = encoded(gzip_bomb(), "gzip")
    greedy = Row(11, "bomb", wire, FetchStatus.DECOMPRESSION_BOMB)
    await _serve(bad, greedy)
    for _ in range(3):
        await bad.fetch(URL)
    before = _resident_mib()
    for _ in range(30):
        assert (await bad.fetch(URL)).status is FetchStatus.DECOMPRESSION_BOMB
    assert _resident_mib() - before < 20


@pytest.mark.nightly
async def test_memory_does_not_grow_over_all_rows(bad: Any) -> None:
    """Every row of the tables, again and again: no upward slope."""
    rounds = []
    for _ in range(5):
        for row in (*READABLE, *REFUSED):
            await bad.close()
            await _serve(bad, row)
            await bad.fetch(URL)
        rounds.append(_resident_mib())
    assert rounds[-1] - rounds[0] < 64
    assert rounds[-1] - rounds[2] < 16, rounds


async def test_all_forty_rows_have_a_test() -> None:
    """A row that nobody tests is a promise that nobody keeps."""
    tested = {row.number for row in (*REFUSED, *READABLE)}
    for file in Path(__file__).parent.glob("test_*.py"):
        for named in re.findall(r"\"\"\"Rows? ([\d, and]+):", file.read_text("utf-8")):
            tested |= {int(number) for number in re.findall(r"\d+", named)}
    assert tested >= set(range(1, 41)), sorted(set(range(1, 41)) - tested)
