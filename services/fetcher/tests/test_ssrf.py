# ruff: noqa: E501 - tables are read by their columns
"""Nothing inside is ever dialled: hostile addresses over both paths, controls, mutations."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from egress_oracle import HostileResolver, JudgedDialler, is_allowed
from hostile_urls import CONTROLS, hostile, mutated
from pretended import ReaderHere
from prometheus_client import REGISTRY

from pellucid_fetcher.adapters.dialling import TcpDialler
from pellucid_fetcher.adapters.egress_proxy import EgressProxy
from pellucid_fetcher.app import Network, open_fetcher
from pellucid_fetcher.egress.address import parse
from pellucid_fetcher.egress.clearance import Reach
from pellucid_fetcher.errors import FetchFault, RefusedError
from pellucid_fetcher.outcome import FetchStatus, PageRequest, Purpose
from pellucid_fetcher.settings import FetcherSettings

pytestmark = pytest.mark.asyncio(loop_scope="module")

# Where services of a machine or a cluster listen; those that are taken here are left out.
PORTS = (80, 443, 2375, 2379, 2380, 3000, 3306, 4040, 4369, 5000, 5432, 5601, 5672, 5984, 6379, 6443, 7000,
         7474, 8000, 8080, 8081, 8443, 8500, 8888, 9000, 9090, 9200, 9222, 9418, 10250, 10255, 11211, 15672,
         27017, 50070)  # fmt: skip
REFUSED = (FetchStatus.BLOCKED_TARGET, FetchStatus.DNS_ERROR)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def accepts() -> AsyncIterator[list[tuple[str, int]]]:
    """Connections that any of the listeners on loopback has accepted."""
    accepted: list[tuple[str, int]] = []
    servers = []

    async def trap(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepted.append(writer.get_extra_info("sockname")[:2])
        writer.close()

    for port in PORTS:
        for host in ("127.0.0.1", "::1"):
            try:
                servers.append(await asyncio.start_server(trap, host, port))
            except OSError:
                continue
    assert len(servers) >= 30
    yield accepted
    for server in servers:
        server.close()


async def _open(stack: AsyncExitStack, folder: Path, network: Network, **settings: Any) -> Any:
    chosen = FetcherSettings(data_dir=folder, fetcher_browser=False, fetcher_robots=False,
                             fetcher_requests_per_second=0, **settings)  # fmt: skip
    return await open_fetcher(chosen, stack, network, ReaderHere())


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def real(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Any]:
    """A fetcher that really dials, in a world whose names all lead to loopback."""
    async with AsyncExitStack() as stack:
        network = Network(HostileResolver(), TcpDialler())
        fetcher = await _open(stack, tmp_path_factory.mktemp("data"), network)
        gate = fetcher._steps.chain._ways.http._gate
        proxy = await stack.enter_async_context(EgressProxy(gate, network.dialler, Reach.ALL))
        yield fetcher, proxy


def _refusals() -> float:
    return sum(
        sample.value
        for metric in REGISTRY.collect()
        if metric.name == "pellucid_fetcher_egress_decisions"
        for sample in metric.samples
        if sample.name.endswith("_total") and sample.labels["allowed"] == "no"
    )


async def test_several_hundred_hostile_addresses_over_http(real: Any, accepts: Any) -> None:
    fetcher, _ = real
    sentences = set()
    urls = hostile()
    assert len(urls) > 600
    for purpose in Purpose:
        for url in urls:
            page = await fetcher.fetch(PageRequest(url, purpose, 1000, 3.0))
            assert page.status in REFUSED, url
            sentences.add(page.error)
    assert accepts == []
    assert len(sentences) == 1


async def test_each_refusal_has_a_reason(real: Any) -> None:
    fetcher, _ = real
    gate = fetcher._steps.chain._ways.http._gate
    reasons = set()
    for url in hostile():
        try:
            await gate.admit(parse(url))
        except RefusedError as refusal:
            reasons.add(refusal.reason)
        except FetchFault:
            reasons.add("dns")
        else:
            pytest.fail(f"allowed: {url!r}")
    assert len(reasons) > 12
    assert all(reason.replace("_", "").isalnum() for reason in reasons)


async def test_hostile_addresses_over_the_browsers_proxy(real: Any, accepts: Any) -> None:
    _, proxy = real
    before = _refusals()
    asked = 0
    for url in hostile():
        if any(ord(sign) < 33 or ord(sign) > 126 for sign in url):
            continue
        host = url.partition("://")[2].partition("/")[0] or url
        for head in (
            f"GET {url} HTTP/1.1",
            f"CONNECT {host}:443 HTTP/1.1",
            f"CONNECT {host} HTTP/1.1",
        ):
            if head.endswith(":443:443 HTTP/1.1") or "example.com:443 " in head:
                continue
            reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
            writer.write(f"{head}\r\nHost: example.com\r\n\r\n".encode())
            assert (await reader.read()).startswith(b"HTTP/1.1 403 "), head
            writer.close()
            asked += 1
    assert asked > 1000
    assert _refusals() > before
    assert accepts == []


async def test_redirects_inside_are_refused_at_every_hop(tmp_path: Path) -> None:
    dialler = JudgedDialler()
    async with AsyncExitStack() as stack:
        fetcher = await _open(stack, tmp_path, Network(HostileResolver(), dialler))
        for url in hostile():
            if (
                any(ord(sign) < 33 for sign in url)
                or not url.isascii()
                or ":" not in url.partition("//")[0]
            ):
                continue
            dialler.answer = f"HTTP/1.1 302 F\r\nlocation: {url}\r\n\r\n".encode()
            before = dialler.dialled
            page = await fetcher.fetch(PageRequest("http://example.com/", Purpose.USER_URL, 9, 3.0))
            assert page.status in (*REFUSED, FetchStatus.BAD_REDIRECT), url
            assert dialler.dialled == before + 1, url
    assert dialler.wrong == []


async def test_odd_but_public_addresses_are_asked(tmp_path: Path) -> None:
    dialler = JudgedDialler()
    async with AsyncExitStack() as stack:
        fetcher = await _open(stack, tmp_path, Network(HostileResolver(), dialler))
        for url in CONTROLS:
            before = dialler.dialled
            await fetcher.fetch(PageRequest(url, Purpose.USER_URL, 1000, 3.0))
            assert dialler.dialled == before + 1, url
    assert dialler.wrong == []


async def test_mutated_addresses_never_lead_inside(tmp_path: Path) -> None:
    """A sample; `make fuzz` runs a hundred thousand and more."""
    dialler = JudgedDialler()
    async with AsyncExitStack() as stack:
        fetcher = await _open(stack, tmp_path, Network(HostileResolver(), dialler))
        for url in mutated(seed=7, count=3_000):
            await fetcher.fetch(PageRequest(url, Purpose.USER_URL, 9, 3.0))
    assert dialler.wrong == []
    assert dialler.dialled > 100


@pytest.mark.parametrize(
    ("address", "port", "allowed"),
    [("127.0.0.1", 80, False), ("::1", 80, False), ("64:ff9b::7f00:1", 80, False), ("8.8.8.8", 22, False),
     ("168.63.129.16", 80, False), ("8.8.8.8", 80, True), ("2606:4700::1", 443, True)],
)  # fmt: skip
async def test_the_oracle_can_say_no(address: str, port: int, *, allowed: bool) -> None:
    assert is_allowed(address, port) is allowed
