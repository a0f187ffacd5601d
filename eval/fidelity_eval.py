"""Measures whether what a page says is what is read, on small pages of one difficulty each.

    [EVAL_DATA=<folder>] python eval/fidelity_eval.py [--failures]

The project's own cases (``fidelity/*.yaml``) are fragments that are put between plain paragraphs.
The folder of EVAL_DATA may hold ``page_fidelity/cases.jsonl`` (id, group, kind, file, must,
must_not, and where needed cells, date, more, or_warned) with the pages beside it. Each page is
served by a loopback host of its own and read by the fetcher without a browser. It is right when
one phrase of every ``must`` group stands in its text and no ``must_not`` phrase does, every one of
``cells`` (row, heading, value) stands under its heading, and the day is ``date``. White space,
pipes and marks of emphasis do not count.
"""

import argparse
import asyncio
import json
import logging
import os
import re
import tempfile
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import structlog
import yaml

from pellucid_fetcher.adapters.dialling import TcpDialler
from pellucid_fetcher.app import Network, open_fetcher
from pellucid_fetcher.document import Document, Extracted
from pellucid_fetcher.extraction.reading.dispatch import open_readers, read
from pellucid_fetcher.fetching import PageFetcher
from pellucid_fetcher.outcome import Page, PageRequest, Purpose
from pellucid_fetcher.settings import FetcherSettings

OWN = Path(__file__).parent / "fidelity"
HOST = "fidelity.example"
_BEFORE = (
    "<p>The lighthouse of Skarvik has guided ships past the reef since the autumn of 1871.</p>"
    "<p>Two keepers lived there with their families until the lamp was made to run by itself.</p>"
)
_AFTER = (
    "<p>Today the keepers' house is open to guests, who reach it by boat or on foot.</p>"
    "<p>Whoever stays overnight brings food for three days, as storms may delay the boat.</p>"
)


@dataclass(frozen=True, slots=True)
class Case:
    """A page and what must be read of it.

    Attributes:
        must: Groups of phrases; one of each has to be there.
        cells: Row, heading and value of tables.
        date: Beginning of the day of publication; empty for any.
        more: Further documents of the host, by path.
        or_warned: A warning or a failure that is told does as well.
    """

    id: str
    group: str
    body: bytes
    path: str = "/page.html"
    must: Sequence[Sequence[str]] = ()
    must_not: Sequence[str] = ()
    cells: Sequence[Sequence[str]] = ()
    date: str = ""
    more: Mapping[str, bytes] = field(default_factory=dict)
    or_warned: bool = False


def own_cases() -> Iterator[Case]:
    """Return the project's own cases."""
    for file in sorted(OWN.glob("*.yaml")):
        for number, row in enumerate(yaml.safe_load(file.read_text("utf-8")), 1):
            yield _own_case(file.stem, number, row)


def _own_case(group: str, number: int, row: Mapping[str, Any]) -> Case:
    head = f"<!doctype html><html lang=en><head><title>The lighthouse</title>{row.get('head', '')}"
    page = f"{head}</head><body><article><h1>The lighthouse</h1>{row.get('byline', '')}{_BEFORE}"
    must = [each if isinstance(each, list) else [each] for each in row.get("must", ())]
    return Case(
        id=f"{group}-{number:02}",
        group=group,
        body=(row.get("page") or f"{page}{row['html']}{_AFTER}</article></body></html>").encode(),
        path=row.get("path", "/page.html"),
        must=must,
        must_not=row.get("must_not", ()),
        cells=row.get("cells", ()),
        date=str(row.get("date", "")),
        more={path: text.encode() for path, text in row.get("more", {}).items()},
        or_warned=row.get("or_warned", False),
    )


def labelled_cases(folder: Path) -> Iterator[Case]:
    """Return the cases of a folder with an index."""
    for line in (folder / "cases.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        more = {path: (folder / name).read_bytes() for path, name in row.get("more", {}).items()}
        yield Case(
            id=f"{row['id']} {row['kind']}",
            group=row["group"],
            body=(folder / row["file"]).read_bytes(),
            path="/page" + Path(row["file"]).suffix,
            must=row["must"],
            must_not=row["must_not"],
            cells=row.get("cells", ()),
            date=row.get("date", ""),
            more=more,
            or_warned=row.get("or_warned", False),
        )


def faults(case: Case, page: Page) -> list[str]:
    """Say what of a page was read wrongly; nothing when all is right."""
    if case.or_warned and (page.warnings or not page.success):
        return []
    text = plain(page.text)
    wrong = [f"lacks {group[0]!r}" for group in case.must if not _has_one(text, group)]
    wrong += [f"has {phrase!r}" for phrase in case.must_not if plain(phrase) in text]
    wrong += [f"cell {cell}" for cell in case.cells if not _has_cell(page.text, *cell)]
    day = page.published.time.date().isoformat() if page.published else ""
    return [*wrong, f"day {day!r}"] if not day.startswith(case.date) else wrong


def plain(text: str) -> str:
    """Leave out what does not count.

    >>> plain("| **A** |  b |")
    'A b'
    """
    bare = re.sub(r"\|(?: --- \|)+", " ", unicodedata.normalize("NFC", text))
    return " ".join(re.sub(r"[|*`]|~~", " ", bare).split())


def _has_one(text: str, phrases: Sequence[str]) -> bool:
    return any(plain(phrase) in text for phrase in phrases)


def _has_cell(text: str, row: str, heading: str, value: str) -> bool:
    if plain(f"{heading}: {value}") in plain(text):
        return True
    lines = [line for line in text.split("\n") if line.startswith("|")]
    rows = [[plain(cell) for cell in line[1:-1].split(" | ")] for line in lines]
    columns = {at for cells in rows for at, cell in enumerate(cells) if cell == heading}
    below = [cells for cells in rows if any(row in cell for cell in cells)]
    return any(value in cells[at] for cells in below for at in columns if at < len(cells))


class _Here:
    """Extraction in this process."""

    def __init__(self) -> None:
        self._readers = open_readers()

    async def extract(self, document: Document, *, timeout_s: float) -> Extracted:  # noqa: ARG002 - signature of the port
        return read(self._readers, document)


class _Loopback:
    """Every name is a host on this machine."""

    async def resolve(self, host: str) -> tuple[str, ...]:  # noqa: ARG002 - signature of the port
        return ("127.0.0.1",)


class Site:
    """A loopback host with the pages of one case at a time."""

    def __init__(self) -> None:
        self.documents: dict[str, bytes] = {}
        self.port = 0

    async def open(self, stack: AsyncExitStack) -> None:
        """Listen until the stack is closed."""
        server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        await stack.enter_async_context(server)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1].decode()
        body = self.documents.get(path)
        kind = "text/html; charset=utf-8" if "." not in path or path.endswith("html") else ""
        head = f"HTTP/1.1 {404 if body is None else 200} X\r\ncontent-length: {len(body or b'')}"
        head += f"\r\ncontent-type: {kind or 'application/xml'}\r\nconnection: close\r\n\r\n"
        writer.write(head.encode() + (body or b""))
        await writer.drain()
        writer.close()


async def judged(cases: Sequence[Case]) -> list[tuple[Case, list[str]]]:
    """Read every page; return it with what was read wrongly."""
    async with AsyncExitStack() as stack:
        site = Site()
        await site.open(stack)
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        settings = FetcherSettings(
            data_dir=Path(folder),
            fetcher_browser=False,
            fetcher_allow_private_hosts=f"{HOST}:{site.port}",
        )
        network = Network(_Loopback(), TcpDialler())
        fetcher = await open_fetcher(settings, stack, network, _Here())
        return [(case, faults(case, await _read(fetcher, site, case))) for case in cases]


async def _read(fetcher: PageFetcher, site: Site, case: Case) -> Page:
    site.documents = {case.path: case.body, **case.more}
    url = f"http://{HOST}:{site.port}{case.path}"
    return await fetcher.fetch(PageRequest(url, Purpose.USER_URL, 20_000, 10.0))


def shares(results: Sequence[tuple[Case, list[str]]]) -> dict[str, float]:
    """Return the share of right pages by group, and over ``all``."""
    right: dict[str, list[bool]] = defaultdict(list)
    for case, wrong in results:
        right[case.group].append(not wrong)
        right["all"].append(not wrong)
    return {group: sum(each) / len(each) for group, each in right.items()}


def main() -> None:
    """Print the shares of both sets."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--failures", action="store_true")
    chosen = arguments.parse_args()
    sets = {"own": list(own_cases())}
    if data := os.environ.get("EVAL_DATA"):
        sets["labelled"] = list(labelled_cases(Path(data) / "page_fidelity"))
    for name, cases in sets.items():
        results = asyncio.run(judged(cases))
        print(name, len(cases), {group: round(x, 3) for group, x in shares(results).items()})
        if chosen.failures:
            for case, wrong in results:
                print(*(f"  {case.id}: {'; '.join(wrong)}\n" if wrong else "",), end="")


if __name__ == "__main__":
    main()
