"""The pool loses a worker and nothing else."""

import asyncio
import sys
from pathlib import Path

import pytest

from pellucid_fetcher.adapters.worker_pool import WorkerPool
from pellucid_fetcher.document import Document
from pellucid_fetcher.errors import FetchFault
from pellucid_fetcher.extraction.reading import sniffing
from pellucid_fetcher.outcome import FetchStatus

# Behaves by the first byte of the document: answers, hangs, dies or talks nonsense.
HOSTILE = """
import os, struct, sys, time
from pellucid_fetcher.document import Extracted, to_json
sys.stdout.buffer.write(b"\\x01"); sys.stdout.buffer.flush()
while frame := sys.stdin.buffer.read(8):
    header, body = struct.unpack(">II", frame)
    sys.stdin.buffer.read(header)
    body = sys.stdin.buffer.read(body)
    if body[:1] == b"h": time.sleep(60)
    if body[:1] == b"d": os.kill(os.getpid(), 11)
    data = to_json(Extracted(text=body.decode()))
    if body[:1] == b"n": data = b"nonsense"
    sys.stdout.buffer.write(struct.pack(">II", len(data), 0) + data); sys.stdout.buffer.flush()
"""
COMMAND = (sys.executable, "-c", HOSTILE)


def _document(body: bytes) -> Document:
    return Document(body, "http://x.example/", sniffing.PLAIN)


@pytest.mark.parametrize("body", [b"hang", b"die", b"nonsense"])
async def test_a_bad_document_costs_only_itself(body: bytes) -> None:
    async with WorkerPool(2, command=COMMAND) as pool:
        bad = asyncio.create_task(pool.extract(_document(body), timeout_s=0.5))
        good = await asyncio.gather(
            *(pool.extract(_document(b"good"), timeout_s=5) for _ in range(5))
        )
        assert [extracted.text for extracted in good] == ["good"] * 5
        with pytest.raises(FetchFault) as caught:
            await bad
        assert caught.value.status is FetchStatus.PARSE_LIMIT
        assert pool.killed == 1
        after = await pool.extract(_document(b"later"), timeout_s=10)
        assert after.text == "later"


async def test_a_cancelled_extraction_gives_no_stale_answer() -> None:
    async with WorkerPool(1, command=COMMAND) as pool:
        task = asyncio.create_task(pool.extract(_document(b"hang"), timeout_s=5))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await pool.extract(_document(b"fresh"), timeout_s=10)).text == "fresh"


async def test_without_a_free_worker_the_time_ends() -> None:
    async with WorkerPool(1, command=COMMAND) as pool:
        busy = asyncio.create_task(pool.extract(_document(b"hang"), timeout_s=1))
        await asyncio.sleep(0)
        with pytest.raises(FetchFault) as caught:
            await pool.extract(_document(b"good"), timeout_s=0.2)
        assert caught.value.status is FetchStatus.DEADLINE
        with pytest.raises(FetchFault):
            await busy


async def test_a_worker_that_does_not_start_is_replaced(tmp_path: Path) -> None:
    """The second start fails, as it does where memory is short; the pool does not shrink by it."""
    starts = tmp_path / "starts"
    counted = f"p = {str(starts)!r}; open(p, 'a').write('x'); n = len(open(p).read())\n"
    fails = "import sys\nif n == 2: sys.exit(1)\n"
    command = (sys.executable, "-c", counted + fails + HOSTILE)
    async with WorkerPool(1, command=command) as pool:
        with pytest.raises(FetchFault):
            await pool.extract(_document(b"die"), timeout_s=30)
        assert (await pool.extract(_document(b"good"), timeout_s=30)).text == "good"
    assert starts.read_text("utf-8") == "xxx"


async def test_a_worker_is_told_all_that_is_known_of_a_document() -> None:
    body = b"<main><p>The lamp is described in <a href=/lamp>the keeper's book</a>.</p></main>"
    document = Document(body, "http://ostwick.test/a", sniffing.WHOLE, "utf-8", links=True)
    async with WorkerPool(1) as pool:
        found = await pool.extract(document, timeout_s=30)
    assert "[the keeper's book](http://ostwick.test/lamp)" in found.text
