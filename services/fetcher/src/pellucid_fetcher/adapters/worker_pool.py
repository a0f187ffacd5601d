"""A small pool of extraction processes, each of which can be killed without loss to the others.

Decides nothing about documents. A document that outlasts its time or kills its worker costs that
worker; a fresh one takes its place while the rest go on.
"""

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from pydantic import TypeAdapter

from pellucid_fetcher.document import Document, Extracted
from pellucid_fetcher.errors import FetchFault
from pellucid_fetcher.extraction.reading.worker import FRAME, READY
from pellucid_fetcher.outcome import FetchStatus

WORKER: Final = (sys.executable, "-m", "pellucid_fetcher.extraction.reading.worker")
MAX_RESULT_BYTES: Final = 8 * 1024 * 1024
_RESULTS: Final = TypeAdapter(Extracted)
_AGAIN_S: Final = 1.0
_LOOK_S: Final = 0.25
_TICK_S: Final = 1.0 / os.sysconf("SC_CLK_TCK")
MAX_DOCUMENTS: Final = 500  # then the worker is renewed, which bounds whatever it may leak


@dataclass(slots=True)
class _Worker:
    process: Process
    served: int = 0

    async def ask(self, document: Document) -> Extracted:
        """Send a document and wait for its result.

        Raises:
            EOFError, OSError, ValueError: The worker is not usable any more.
        """
        assert self.process.stdin is not None  # noqa: S101 - opened with pipes
        assert self.process.stdout is not None  # noqa: S101 - opened with pipes
        header = json.dumps(document.about()).encode()
        self.process.stdin.write(FRAME.pack(len(header), len(document.body)) + header)
        self.process.stdin.write(document.body)
        await self.process.stdin.drain()
        size, _ = FRAME.unpack(await self.process.stdout.readexactly(FRAME.size))
        if size > MAX_RESULT_BYTES:
            raise ValueError("a result beyond every bound")
        self.served += 1
        return _RESULTS.validate_json(await self.process.stdout.readexactly(size))

    @property
    def cpu_s(self) -> float:
        """Processor seconds of the worker so far; 0 where the system does not tell."""
        try:
            stat = Path(f"/proc/{self.process.pid}/stat").read_text("utf-8", "replace")
        except OSError:
            return 0.0
        user, system = stat.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) * _TICK_S

    def kill(self) -> None:
        if self.process.returncode is None:
            self.process.kill()


class WorkerPool:
    """Extraction in worker processes; an asynchronous context manager.

    Args:
        size: Number of processes.
        cpu_s: Processor seconds that a document may take; on a busy machine they last longer.
        command: How to start one; tests give a hostile one.
    """

    def __init__(self, size: int, cpu_s: float = 2.0, command: Sequence[str] = WORKER) -> None:
        self._size = size
        self._cpu_s = cpu_s
        self._command = tuple(command)
        self._idle: asyncio.Queue[_Worker] = asyncio.Queue()
        self._renewals: set[asyncio.Task[None]] = set()
        self._processes: set[Process] = set()
        self.killed = 0

    async def __aenter__(self) -> Self:
        try:
            await asyncio.gather(*(self._add() for _ in range(self._size)))
        except BaseException:
            await self._close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._close()

    async def extract(self, document: Document, *, timeout_s: float) -> Extracted:
        """Extract within the time, waiting for a free worker included.

        Raises:
            FetchFault: PARSE_LIMIT when the document killed or outlasted its worker, DEADLINE when
                no worker was free in time.
        """
        loop = asyncio.get_running_loop()
        ends = loop.time() + timeout_s
        try:
            async with asyncio.timeout_at(ends):
                worker = await self._idle.get()
        except TimeoutError as error:
            raise FetchFault(FetchStatus.DEADLINE) from error
        return await self._extract_with(worker, document, ends)

    async def _extract_with(self, worker: _Worker, document: Document, ends: float) -> Extracted:
        healthy = False
        try:
            extracted = await self._within(worker, document, ends)
            healthy = worker.served < MAX_DOCUMENTS
        except (TimeoutError, EOFError, OSError, ValueError) as error:
            self.killed += 1
            raise FetchFault(FetchStatus.PARSE_LIMIT) from error
        finally:
            # A cancelled call leaves a worker in the middle of a document: it goes as well.
            self._idle.put_nowait(worker) if healthy else self._renew(worker)
        return extracted

    async def _within(self, worker: _Worker, document: Document, ends: float) -> Extracted:
        """Wait for the result while there is time and the worker has not used up its share.

        Raises:
            TimeoutError: One of them is over.
        """
        spent_s = worker.cpu_s
        task = asyncio.create_task(worker.ask(document), name="extraction")
        try:
            while not task.done():
                left_s = ends - asyncio.get_running_loop().time()
                if left_s <= 0 or worker.cpu_s - spent_s > self._cpu_s:
                    raise TimeoutError
                await asyncio.wait({task}, timeout=min(left_s, _LOOK_S))
            return task.result()
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError, EOFError, OSError, ValueError):
                await task

    def _renew(self, worker: _Worker) -> None:
        worker.kill()
        task = asyncio.create_task(self._replace(worker), name="extraction-worker-renewal")
        self._renewals.add(task)
        task.add_done_callback(self._renewals.discard)

    async def _replace(self, worker: _Worker) -> None:
        """Start another one, tried again as often as that takes: the pool must not shrink."""
        await self._bury(worker.process)
        while True:
            with suppress(EOFError, OSError):
                return await self._add()
            await asyncio.sleep(_AGAIN_S)

    async def _add(self) -> None:
        process = await asyncio.create_subprocess_exec(
            *self._command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, limit=MAX_RESULT_BYTES
        )
        self._processes.add(process)
        assert process.stdout is not None  # noqa: S101 - opened with pipes
        # However long it takes: on a busy machine a limit would fail what only is slow.
        try:
            await process.stdout.readexactly(len(READY))
        except EOFError:
            await self._bury(process)
            raise
        self._idle.put_nowait(_Worker(process))

    async def _bury(self, process: Process) -> None:
        await process.wait()
        self._processes.discard(process)
        # Only its transport owns the pipes; without this they stay until garbage collection.
        process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001 - no public way

    async def _close(self) -> None:
        for task in tuple(self._renewals):
            task.cancel()
        await asyncio.gather(*self._renewals, return_exceptions=True)
        for process in tuple(self._processes):
            if process.returncode is None:
                process.kill()
            await self._bury(process)
