"""A Redis of the tests' own, and the two stores of which both keep one contract."""

import asyncio
import shutil
import socket
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pellucid_gateway.adapters.redis_breaker import RedisBreaker


@dataclass
class RedisServer:
    """A redis-server process; `kill` and `start` may be repeated."""

    folder: Path
    port: int = 0
    arguments: Sequence[str] = ()
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        binary = shutil.which("redis-server")
        assert binary, "tests marked redis need redis-server"
        self.port = self.port or _free_port()
        command = [binary, "--port", str(self.port), "--bind", "127.0.0.1", "--save", ""]
        self.process = subprocess.Popen(
            [*command, *self.arguments], cwd=self.folder, stdout=subprocess.DEVNULL
        )
        deadline = time.monotonic() + 10
        while not self._answers():
            assert time.monotonic() < deadline, "redis-server did not start"
            time.sleep(0.02)

    def _answers(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def command(self, *words: str) -> bytes:
        """Send one command over a socket of its own and return the first of the reply."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
            parts = "".join(f"${len(word.encode())}\r\n{word}\r\n" for word in words)
            connection.sendall(f"*{len(words)}\r\n{parts}".encode())
            return connection.recv(65536)

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


async def well_again(breaker: RedisBreaker) -> None:
    """Wait until Redis is seen to be well and is asked again."""
    async with asyncio.timeout(15):
        while not breaker.lets_through():  # noqa: ASYNC110 - it is asked, and tells nobody
            await asyncio.sleep(0.02)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
