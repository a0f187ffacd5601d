"""Dates that only the slow library reads: never on the loop, and never waited for at the start."""

import asyncio
import threading
from datetime import UTC, datetime
from typing import Any

import pytest

from pellucid_search import app
from pellucid_search.dates import publication as dates

ODD = "2 napja"
ROWS = {"results": [{"title": "T", "url": "https://a.example/", "content": "c",
                     "publishedDate": ODD}]}  # fmt: skip


async def test_the_service_answers_while_the_library_loads_and_reads_its_dates_afterwards(
    start_service: Any, serve_provider: Any, answer: Any, ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = threading.Event()
    monkeypatch.setattr(app, "LANGUAGES_AFTER_S", 0.0)
    monkeypatch.setattr(app, "read_other_language", lambda *_words: loaded.wait(10))
    readers: set[int] = set()
    read = dates.read_other_language

    def watched(text: str, now: datetime) -> Any:
        readers.add(threading.get_ident())
        return read(text, now)

    monkeypatch.setattr(dates, "read_other_language", watched)
    provider = await serve_provider(answer(ROWS))
    client = await start_service(searxng_url=provider.url)

    early = await client.Search(ask("ferry"))
    assert not readers
    loaded.set()
    for _ in range(200):
        late = await client.Search(ask("ferry"))
        if late.hits[0].HasField("published"):
            break
        await asyncio.sleep(0.05)

    assert len(early.hits) == 1
    assert not early.hits[0].HasField("published")
    assert late.from_cache
    days = datetime.now(UTC) - late.hits[0].published.time.ToDatetime(UTC)
    assert days.days in {1, 2}
    assert readers
    assert threading.get_ident() not in readers
