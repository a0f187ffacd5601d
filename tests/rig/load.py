"""Open-loop load: requests begin when they are due, however long the others take.

Latency counts from the due instant, so that a server that stalls is not spared the requests that
would have come meanwhile (coordinated omission).
"""

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import httpx

from rig.history import Kind, Record, judge
from rig.invented_web import question

SMALL_TALK = "Thank you, that was very helpful!"
WITHIN_S = 40.0


class Load:
    """Asks at a constant rate, as two people in turn, and keeps every request.

    Args:
        client: Of HTTP.
        gateway: Gives the address to ask next.
        companies: Names for questions, none twice.
        chat_every: Each so many-th request is small talk that needs no search; 0: none.
    """

    def __init__(
        self,
        client: httpx.AsyncClient,
        gateway: Callable[[], str],
        companies: Iterator[str],
        chat_every: int = 3,
    ) -> None:
        self._client = client
        self._gateway = gateway
        self.companies = companies
        self.chat_every = chat_every
        self.records: list[Record] = []
        self.phase = "warm"
        # How late this process itself was: what the machine, and not the service, is to blame for.
        self.lateness_s: list[float] = []
        self._asking: set[asyncio.Task[None]] = set()

    async def run(self, rate: float, stopping: asyncio.Event) -> None:
        """Ask `rate` times a second until told to stop, then wait for the last answers."""
        begun = time.monotonic()
        count = 0
        while not stopping.is_set():
            due = begun + count / rate
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            self.lateness_s.append(time.monotonic() - due)
            self.ask(count, due)
            count += 1
        await self.finished()

    def ask(self, count: int, due_s: float, **fields: Any) -> asyncio.Task[None]:
        """Begin one request without waiting for it."""
        is_chat = self.chat_every > 0 and count % self.chat_every == self.chat_every - 1
        kind = Kind.CHAT if is_chat else Kind.SEARCH
        record = Record(kind, f"person-{'ab'[count % 2]}", self.phase, due_s)
        message = SMALL_TALK if is_chat else question(next(self.companies))
        self.records.append(record)
        body = {"message": message, "user_id": record.user, "stream": True, **fields}
        task = asyncio.create_task(self._ask(record, body))
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)
        return task

    async def finished(self) -> None:
        """Wait for everything that was begun."""
        while self._asking:
            await asyncio.wait(set(self._asking))

    async def _ask(self, record: Record, body: Mapping[str, Any]) -> None:
        record.sent_s = time.monotonic()
        try:
            async with asyncio.timeout(WITHIN_S):
                await self._listen(record, body)
        except httpx.TransportError as error:
            record.why = f"{type(error).__name__} after {len(record.body)} bytes"
            record.status = 0
        except TimeoutError:
            record.why, record.status = f"nothing ended within {WITHIN_S:.0f} s", 0
        record.ended_s = time.monotonic()
        judge(record)

    async def _listen(self, record: Record, body: Mapping[str, Any]) -> None:
        url = f"{self._gateway()}/v1/chat"
        async with self._client.stream("POST", url, json=body) as response:
            record.status = response.status_code
            pieces: list[bytes] = []
            async for piece in response.aiter_bytes():
                pieces.append(piece)
                if record.first_s is None and b"event: delta" in piece:
                    record.first_s = time.monotonic()
            record.body = b"".join(pieces)


def http_client() -> httpx.AsyncClient:
    """A client with a connection of its own for every request.

    A kept one may be closed by the server in the moment of the next request, which every client
    has to try again: that is HTTP's own race, and none of the faults.
    """
    limits = httpx.Limits(max_keepalive_connections=0, max_connections=None)
    return httpx.AsyncClient(trust_env=False, timeout=60, limits=limits)
