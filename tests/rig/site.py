"""A whole installation for faults: five services as processes (three scorers), Redis, invented
providers, model and pages, with a TCP proxy on every edge.
"""

import asyncio
import os
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from rig.processes import Process, service_command
from rig.proxy import Proxy
from rig.upstreams import Model, Pages, Provider

SCORERS = ("scorer0", "scorer1", "scorer2")
SERVICES = ("decision", "search", *SCORERS, "fetcher", "gateway")
# Outside the range that the system hands out to outgoing connections; all of a site's ports.
FIRST_PORT = 62060
# What must never be seen in a log; the keys are nobody's.
SECRETS = ("brave-key-of-nobody", "tavily-key-of-nobody", "model-key-of-nobody")
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "VIRTUAL_ENV", "PYTHONPATH", "TMPDIR")
_EDGES = (
    "decision",
    "search",
    *SCORERS,
    "fetcher",
    "gateway-redis",
    "services-redis",
    "provider",
    "spare",
    "model",
)


@dataclass
class Site:
    """Everything that runs.

    Attributes:
        folder: Logs and data.
        proxies: By edge; `decision`, `search`, `scorer0` … and `fetcher` are what callers dial.
        processes: By name, with "redis".
        brave, tavily: The first provider and the one that is asked instead.
    """

    folder: Path
    first_port: int = FIRST_PORT
    proxies: dict[str, Proxy] = field(default_factory=dict)
    processes: dict[str, Process] = field(default_factory=dict)
    brave: Provider = field(init=False)
    tavily: Provider = field(init=False)
    model: Model = field(default_factory=Model)
    pages: Pages = field(default_factory=Pages)

    def __post_init__(self) -> None:
        self.brave = Provider(self.port("pages"))
        self.tavily = Provider(self.port("pages"))

    def port(self, name: str) -> int:
        """The port of a server, its proxy (`via-…`) or its metrics (`metrics-…`)."""
        return self.first_port + _PORTS.index(name)

    @property
    def gateway_url(self) -> str:
        """Address of the first gateway."""
        return f"http://127.0.0.1:{self.port('gateway-http')}"

    def heal(self) -> None:
        """Take every fault of edges and upstreams away."""
        for proxy in self.proxies.values():
            proxy.heal()
        for upstream in (self.brave, self.tavily, self.model):
            upstream.mode = "ok"
        self.pages.pause_s = self.brave.pause_s = self.tavily.pause_s = 0.02
        self.model.first_s, self.model.gap_s, self.model.filler = 0.05, 0.005, 0

    async def restart(self, *names: str, **changes: str) -> None:
        """Stop and start services, some with changed variables, and wait until they are ready."""
        for name in names:
            await asyncio.to_thread(self.processes[name].stop)
        await self.start(*names, **changes)

    async def start(self, *names: str, **changes: str) -> None:
        """Start processes and wait until they are ready."""
        for name in names:
            self.processes[name].start(**changes)
        for name in names:
            await asyncio.to_thread(self.processes[name].wait_ready)

    async def revive(self) -> None:
        """Start whatever does not run; the second gateway runs only where a row needs it."""
        dead = [name for name, one in self.processes.items() if not one.is_alive]
        await self.start(*(name for name in dead if name != "gateway2"))

    def successor(self, name: str) -> Process:
        """The next generation of a service, beside the one that runs."""
        old = self.processes[name]
        port, metrics = self.port(f"next-{name}"), self.port(f"metrics-next-{name}")
        own = {"GRPC_PORT": str(port), "METRICS_PORT": str(metrics)}
        url = f"http://127.0.0.1:{metrics}/readyz"
        return Process(f"next-{name}", old.command, {**old.environment, **own}, old.log, url)

    async def metrics(self, name: str) -> dict[str, float]:
        """Every sample of a service, by name with labels as printed."""
        url = f"http://127.0.0.1:{self.port(f'metrics-{name}')}/metrics"
        async with httpx.AsyncClient(trust_env=False) as client:
            text = (await client.get(url, timeout=10)).text
        found = re.findall(r"^([^#\s]\S*(?:\{[^}]*\})?) (\S+)$", text, re.MULTILINE)
        return {sample: float(value) for sample, value in found}

    async def total(self, name: str, metric: str, *labels: str) -> float:
        """Sum of a metric's samples whose labels contain all of the given texts."""
        samples = await self.metrics(name)
        return sum(
            value
            for sample, value in samples.items()
            if sample.split("{")[0] == metric and all(label in sample for label in labels)
        )

    def logs(self) -> Mapping[str, str]:
        """Everything that each process has printed."""
        return {
            name: one.log.read_text(errors="replace")
            for name, one in self.processes.items()
            if one.log.is_file()
        }


_PORTS = (
    "redis",
    "pages",
    "brave",
    "tavily",
    "llm",
    *SERVICES,
    "gateway-http",
    "gateway2",
    "gateway2-http",
    *(f"via-{edge}" for edge in _EDGES),
    *(f"metrics-{name}" for name in (*SERVICES, "gateway2")),
    *(f"next-{name}" for name in ("decision", "search", "fetcher")),
    *(f"metrics-next-{name}" for name in ("decision", "search", "fetcher")),
)


@asynccontextmanager
async def open_site(
    folder: Path, *, scorers: int = 3, first_port: int = FIRST_PORT
) -> AsyncIterator[Site]:
    """Start everything; ends with everything stopped.

    Args:
        folder: Empty; takes logs and data.
        scorers: Replicas of the scorer, 1 to 3.
        first_port: A hundred ports from here are used.
    """
    site = Site(folder, first_port)
    async with AsyncExitStack() as stack:
        await _open_upstreams(site, stack)
        for edge in _EDGES:
            leads_to = site.port(_UPSTREAM_OF.get(edge, edge))
            proxy = Proxy(edge, site.port(f"via-{edge}"), leads_to)
            site.proxies[edge] = await stack.enter_async_context(proxy)
        _add_processes(site, SCORERS[:scorers])
        stack.push_async_callback(_stop, site)
        await site.start("redis")
        await site.start(*(name for name in site.processes if name not in {"redis", "gateway2"}))
        yield site


_UPSTREAM_OF = {
    "gateway-redis": "redis",
    "services-redis": "redis",
    "provider": "brave",
    "spare": "tavily",
    "model": "llm",
}


async def _open_upstreams(site: Site, stack: AsyncExitStack) -> None:
    await stack.enter_async_context(site.brave.stub(site.port("brave")))
    await stack.enter_async_context(site.tavily.stub(site.port("tavily")))
    await stack.enter_async_context(site.model.stub(site.port("llm")))
    await stack.enter_async_context(site.pages.stub(site.port("pages")))


async def _stop(site: Site) -> None:
    """All at once, because each may take its grace."""
    await asyncio.gather(
        *(asyncio.to_thread(one.stop) for one in site.processes.values() if one.is_alive)
    )


def _add_processes(site: Site, scorers: tuple[str, ...]) -> None:
    redis = ("redis-server", "--port", str(site.port("redis")), "--save", "", "--appendonly", "no")
    environment = _environment(site, scorers)
    site.processes["redis"] = Process("redis", redis, environment, site.folder / "redis.log")
    for name in ("decision", "search", *scorers, "fetcher", "gateway", "gateway2"):
        site.processes[name] = service(site, name, environment)


def service(site: Site, name: str, environment: Mapping[str, str]) -> Process:
    """A service under one of the site's names."""
    program = name.rstrip("0123456789")
    own = {
        "GRPC_PORT": str(site.port(name)),
        "METRICS_PORT": str(site.port(f"metrics-{name}")),
        "DATA_DIR": str(site.folder / name),
        **_OF_PROGRAM.get(program, {}),
    }
    if program == "gateway":
        own |= {
            "GATEWAY_PORT": str(site.port(f"{name}-http")),
            "REDIS_URL": f"redis://127.0.0.1:{site.port('via-gateway-redis')}",
            "OPENAI_BASE_URL": f"http://127.0.0.1:{site.port('via-model')}/v1",
            "LLM_PROBE": "false",
            "OPENAI_API_KEY": SECRETS[2],
        }
    return Process(
        name,
        service_command(program),
        {**environment, **own},
        site.folder / f"{name}.log",
        f"http://127.0.0.1:{site.port(f'metrics-{name}')}/readyz",
    )


# A crowd that comes in from one machine would be one address; each caller has one of its own here.
_OF_PROGRAM: Mapping[str, Mapping[str, str]] = {
    "gateway": {
        "GATEWAY_TRUSTED_PROXIES": "127.0.0.0/8",
        "GATEWAY_SEARCHES_PER_DAY": "0",
        "GATEWAY_ADDRESS_REQUESTS_PER_MINUTE": "60",
        "GATEWAY_SUSPICION_THRESHOLD": "1.01",
        "GATEWAY_USER_HEADER": "X-Person",
        "LLM_MODEL": "invented",
        # It writes answers and gives no verdicts; the judge has tests of its own.
        "CITATIONS_LLM": "never",
        "LLM_FIRST_TOKEN_TIMEOUT_S": "2",
        "LLM_IDLE_TIMEOUT_S": "2",
    },
    "scorer": {"SCORER_THREADS": "1"},
}


def _environment(site: Site, scorers: tuple[str, ...]) -> dict[str, str]:
    via = {name: f"127.0.0.1:{site.port(f'via-{name}')}" for name in ("decision", "search")}
    replicas = [f"127.0.0.1:{site.port(f'via-{scorer}')}" for scorer in scorers]
    pages = site.port("pages")
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return kept | {
        "DECISION_TARGET": via["decision"],
        "SEARCH_TARGET": via["search"],
        "SCORER_TARGET": "ipv4:" + ",".join(replicas),
        "FETCHER_TARGET": f"127.0.0.1:{site.port('via-fetcher')}",
        "REDIS_URL": f"redis://127.0.0.1:{site.port('via-services-redis')}",
        "SEARCH_PROVIDERS": "brave,tavily",
        "BRAVE_BASE_URL": f"http://127.0.0.1:{site.port('via-provider')}",
        "BRAVE_SEARCH_API_KEY": SECRETS[0],
        "TAVILY_BASE_URL": f"http://127.0.0.1:{site.port('via-spare')}",
        "TAVILY_API_KEY": SECRETS[1],
        "SEARCH_RATES": "brave=500/1,tavily=500/1",
        "SEARCH_DAILY_BUDGET_USD": "100000",
        "FETCHER_STATIC_HOSTS": "*.localhost=127.0.0.1",
        "FETCHER_ALLOW_PRIVATE_HOSTS": f"*.localhost:{pages}",
        "FETCHER_REQUESTS_PER_SECOND": "100",
        "FETCHER_BROWSER": "false",
        "SHUTDOWN_GRACE_S": "8",
        "DRAIN_DELAY_S": "0.3",
        "GRPC_VERBOSITY": "ERROR",
        "LOG_FORMAT": "json",
        "PYTHONUNBUFFERED": "1",
    }
