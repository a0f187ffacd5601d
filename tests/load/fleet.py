"""Several replicas of every service with their upstreams, for load: no proxies in between.

Callers reach replicas as on Kubernetes: every service by a list of addresses that gRPC balances
over, the gateways by whoever is ready.
"""

import asyncio
import itertools
import os
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from rig.processes import Process, service_command
from rig.upstreams import Model, Pages, Provider

SERVICES = ("decision", "search", "scorer", "fetcher", "gateway")
# Outside the range that the system hands out to outgoing connections.
FIRST_PORT = 63200
MOST_REPLICAS = 3
TICKS = os.sysconf("SC_CLK_TCK")
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "VIRTUAL_ENV", "PYTHONPATH", "TMPDIR")
_SEEN_EVERY_S = 0.1
# A starved process answers late and takes turns all the same.
_PROBE_WITHIN_S = 20.0
_SENTENCE_END = re.compile(r"(?<=[.!?]) ")
# No sentence of an answer stands in it twice, or the gateway would be spared reading it.
_OPENERS = ("", "Indeed, ", "In short, ", "As reported, ", "Besides, ", "To sum up, ", "Again, ")


@dataclass(frozen=True, slots=True)
class Pace:
    """How long what lies outside takes.

    Attributes:
        search_s, page_s: Seconds of a provider's answer and of a page.
        first_s, gap_s: Seconds until the model's first token and between tokens.
        tokens: Length of an answer.
    """

    search_s: float = 0.6
    page_s: float = 0.15
    first_s: float = 0.3
    gap_s: float = 0.02
    tokens: int = 150


@dataclass
class LongModel(Model):
    """Says its cited sentences over and over, each time begun otherwise, until it is enough."""

    tokens: int = 150

    def _words(self, prompt: str) -> Iterator[str]:
        said = "".join(super()._words(prompt)).strip()
        sentences = _SENTENCE_END.split(said)
        rounds = (f"{opener}{said}" for opener in itertools.cycle(_OPENERS) for said in sentences)
        words = (f"{word} " for sentence in rounds for word in sentence.split())
        return itertools.islice(words, self.tokens)


@dataclass
class Fleet:
    """Everything that runs.

    Attributes:
        folder: Logs and data.
        replicas: Of each service, 1 to `MOST_REPLICAS`.
        settings: Variables of all services, over the usual ones.
        processes: By name and number, `scorer-0`; with "redis".
        ready: Addresses of the gateways that say that they are ready, as an endpoint list knows
            them: a little late.
    """

    folder: Path
    replicas: int
    pace: Pace
    settings: Mapping[str, str] = field(default_factory=dict)
    first_port: int = FIRST_PORT
    processes: dict[str, Process] = field(default_factory=dict)
    ready: list[str] = field(default_factory=list)
    _turn: Iterator[int] = field(default_factory=itertools.count)

    def port(self, name: str) -> int:
        """The port of a server, of a replica's metrics (`metrics-…`) or HTTP faces (`http-…`)."""
        return self.first_port + _PORTS.index(name)

    def members(self, service: str) -> tuple[str, ...]:
        """Names of a service's replicas."""
        return tuple(f"{service}-{n}" for n in range(self.replicas))

    @property
    def members_of_all(self) -> tuple[str, ...]:
        """Names of all replicas, those first that others stand on."""
        return tuple(name for service in SERVICES for name in self.members(service))

    def gateway(self) -> str:
        """Address of a ready gateway, each in turn."""
        return self.ready[next(self._turn) % len(self.ready)]

    async def restart(self, name: str) -> int:
        """Stop a replica as Kubernetes does, start it again, wait for it; its exit status."""
        status = await asyncio.to_thread(self.processes[name].stop)
        await self.start(name)
        # As the least time of being ready on Kubernetes: nobody is replaced before it is known.
        if name in self.members("gateway"):
            await self.look(name)
        return status

    async def start(self, *names: str) -> None:
        """Start processes and wait until they are ready."""
        for name in names:
            self.processes[name].start()
        for name in names:
            await asyncio.to_thread(self.processes[name].wait_ready)

    async def watch(self, name: str) -> None:
        """Keep the list of ready gateways true of one, for as long as the fleet stands."""
        while True:
            await self.look(name)
            await asyncio.sleep(_SEEN_EVERY_S)

    async def look(self, name: str) -> None:
        """Ask a gateway whether it is ready; the list changes with its answer."""
        url = f"http://127.0.0.1:{self.port(f'http-{name}')}"
        is_ready = await self._is_ready(name)
        if is_ready and url not in self.ready:
            self.ready.append(url)
        elif not is_ready and url in self.ready:
            self.ready.remove(url)

    async def _is_ready(self, name: str) -> bool:
        """Ask without a client library, whose start costs more than the question."""
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(_PROBE_WITHIN_S):
                port = self.port(f"metrics-{name}")
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                try:
                    writer.write(b"GET /readyz HTTP/1.0\r\n\r\n")
                    return b" 200 " in await reader.readline()
                finally:
                    writer.close()
                    await writer.wait_closed()
        return False

    def cpu_s(self) -> dict[str, float]:
        """User and system time so far of each service, its replicas together, in seconds."""
        return {
            service: sum(_cpu_s(self.processes[name].pid) for name in self.members(service))
            for service in SERVICES
        }

    def resident_bytes(self) -> dict[str, int]:
        """Memory of each replica."""
        return {name: self.processes[name].usage().resident for name in self.members_of_all}


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


_MEMBERS = tuple(f"{service}-{n}" for service in SERVICES for n in range(MOST_REPLICAS))
_PORTS: Sequence[str] = (
    "redis",
    "provider",
    "pages",
    "model",
    *_MEMBERS,
    *(f"metrics-{name}" for name in _MEMBERS),
    *(f"http-gateway-{n}" for n in range(MOST_REPLICAS)),
)


@asynccontextmanager
async def open_fleet(
    folder: Path,
    *,
    replicas: int = 1,
    pace: Pace | None = None,
    settings: Mapping[str, str] | None = None,
    first_port: int = FIRST_PORT,
) -> AsyncIterator[Fleet]:
    """Start everything; ends with everything stopped.

    Args:
        folder: Empty; takes logs and data.
        replicas: Of each service.
        pace: Of the upstreams.
        settings: Variables of all services, over the usual ones.
        first_port: A hundred ports from here are used.
    """
    fleet = Fleet(folder, replicas, pace or Pace(), settings or {}, first_port)
    async with AsyncExitStack() as stack:
        await _open_upstreams(fleet, stack)
        _add_processes(fleet)
        stack.push_async_callback(_stop, fleet)
        await fleet.start("redis")
        await fleet.start(*fleet.members_of_all)
        for name in fleet.members("gateway"):
            await fleet.look(name)
            stack.push_async_callback(_end, asyncio.create_task(fleet.watch(name)))
        yield fleet


async def _open_upstreams(fleet: Fleet, stack: AsyncExitStack) -> None:
    pace = fleet.pace
    provider = Provider(fleet.port("pages"), pause_s=pace.search_s)
    model = LongModel(first_s=pace.first_s, gap_s=pace.gap_s, tokens=pace.tokens)
    await stack.enter_async_context(provider.stub(fleet.port("provider")))
    await stack.enter_async_context(Pages(pause_s=pace.page_s).stub(fleet.port("pages")))
    await stack.enter_async_context(model.stub(fleet.port("model")))


async def _end(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait({task})


async def _stop(fleet: Fleet) -> None:
    """All at once, because each may take its grace."""
    running = [one for one in fleet.processes.values() if one.is_alive]
    await asyncio.gather(*(asyncio.to_thread(one.stop) for one in running))


def _add_processes(fleet: Fleet) -> None:
    common = _environment(fleet)
    redis = ("redis-server", "--port", str(fleet.port("redis")), "--save", "", "--appendonly", "no")
    fleet.processes["redis"] = Process("redis", redis, common, fleet.folder / "redis.log")
    for name in fleet.members_of_all:
        service = name.partition("-")[0]
        own = {
            "GRPC_PORT": str(fleet.port(name)),
            "METRICS_PORT": str(fleet.port(f"metrics-{name}")),
            "DATA_DIR": str(fleet.folder / name),
        }
        if service == "gateway":
            own["GATEWAY_PORT"] = str(fleet.port(f"http-{name}"))
        ready_url = f"http://127.0.0.1:{own['METRICS_PORT']}/readyz"
        fleet.processes[name] = Process(
            name,
            service_command(service),
            {**common, **own, **fleet.settings},
            fleet.folder / f"{name}.log",
            ready_url,
        )


def _environment(fleet: Fleet) -> dict[str, str]:
    targets = {
        f"{service.upper()}_TARGET": "ipv4:"
        + ",".join(f"127.0.0.1:{fleet.port(name)}" for name in fleet.members(service))
        for service in SERVICES
        if service != "gateway"
    }
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return (
        kept
        | targets
        | {
            "REDIS_URL": f"redis://127.0.0.1:{fleet.port('redis')}",
            "SEARCH_PROVIDERS": "brave",
            "BRAVE_BASE_URL": f"http://127.0.0.1:{fleet.port('provider')}",
            "BRAVE_SEARCH_API_KEY": "key-of-nobody",
            "SEARCH_RATES": "brave=10000/1",
            "SEARCH_DAILY_BUDGET_USD": "100000",
            "FETCHER_STATIC_HOSTS": "*.localhost=127.0.0.1",
            "FETCHER_ALLOW_PRIVATE_HOSTS": f"*.localhost:{fleet.port('pages')}",
            "FETCHER_REQUESTS_PER_SECOND": "100",
            "FETCHER_BROWSER": "false",
            "OPENAI_BASE_URL": f"http://127.0.0.1:{fleet.port('model')}/v1",
            "LLM_PROBE": "false",
            "OPENAI_API_KEY": "key-of-nobody",
            "LLM_MODEL": "invented",
            "GATEWAY_SEARCHES_PER_DAY": "0",
            "GATEWAY_SUSPICION_THRESHOLD": "1.01",
            "GATEWAY_REPLICAS": str(fleet.replicas),
            "SHUTDOWN_GRACE_S": "15",
            "DRAIN_DELAY_S": "2",
            "SCORER_THREADS": "1",
            "GRPC_VERBOSITY": "ERROR",
            "LOG_FORMAT": "json",
            "PYTHONUNBUFFERED": "1",
        }
    )
