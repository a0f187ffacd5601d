"""The gate: hostile targets are refused before anything is dialled, controls pass."""

import ipaddress
import socket
from ipaddress import ip_address
from typing import Any

import pytest
import structlog
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid_fetcher.adapters.own_addresses import is_own
from pellucid_fetcher.egress.address import parse
from pellucid_fetcher.egress.clearance import Reach
from pellucid_fetcher.egress.exemptions import Exemptions, read_exemptions
from pellucid_fetcher.egress.gate import EgressGate
from pellucid_fetcher.egress.ranges import load_rule
from pellucid_fetcher.errors import FetchFault, RefusedError
from pellucid_fetcher.outcome import FetchStatus, Purpose
from pellucid_runtime.malicious.entries import parsed
from rig.sample import often

RULE = load_rule()
PORTS = frozenset({80, 443, 8080, 8443})

HOSTILE_LITERALS = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "100.100.100.200",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "169.254.170.2",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "192.168.255.255",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.7",
    "203.0.113.9",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "168.63.129.16",
    "::",
    "::1",
    "::127.0.0.1",
    "::169.254.169.254",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "::ffff:0:127.0.0.1",
    "64:ff9b::127.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::a00:1",
    "64:ff9b:1:1::1",
    "100::1",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:10::1",
    "2001:20::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "2002:a9fe:a9fe::1",
    "2002:c0a8:101::1",
    "2620:4f:8000::1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fdff::1",
    "fe80::1",
    "febf::1",
    "fec0::1",
    "ff02::1",
    "ff0e::1",
    "4000::1",
    "e000::1",
]
PUBLIC_LITERALS = [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "168.63.129.15",
    "168.63.129.17",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.0.3.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "203.0.112.255",
    "203.0.114.0",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2a00:1450:4001:82a::200e",
    "2001:4860:4860::8888",
    "2003::1",
    "2400:cb00:2048:1::c629:d7a2",
    "2c0f:f248::1",
]
HOSTILE_NAMES = [
    "localhost",
    "LOCALHOST",
    "localhost.",
    "foo.localhost",
    "localhost.localdomain",
    "redis",
    "gateway",
    "metadata",
    "metadata.google.internal",
    "db.internal",
    "printer.local",
    "api.default.svc",
    "kubernetes.default.svc",
    "api.default.svc.cluster.local",
    "router.lan",
    "nas.home",
    "intranet.corp",
    "1.0.0.127.in-addr.arpa",
    "xyz.onion",
]


class Script:
    """Answers by name; counts questions."""

    def __init__(self, **answers: tuple[str, ...]) -> None:
        self.answers = answers
        self.asked: list[str] = []

    async def resolve(self, host: str) -> tuple[str, ...]:
        self.asked.append(host)
        return self.answers.get(host.split(".", maxsplit=1)[0], ())


class Decisions:
    def __init__(self) -> None:
        self.made: list[tuple[bool, str]] = []

    def __call__(self, *, allowed: bool, reason: str) -> None:
        self.made.append((allowed, reason))


def _gate(resolver: Script, exemptions: Exemptions = Exemptions(), **fields: Any) -> EgressGate:  # noqa: B008 - frozen
    return EgressGate(resolver, load_rule(), exemptions, PORTS, Decisions(), **fields)


def _url(literal: str) -> str:
    return f"http://[{literal}]/" if ":" in literal else f"http://{literal}/"


@pytest.mark.parametrize("literal", HOSTILE_LITERALS)
async def test_refuses_hostile_literals_however_they_come(literal: str) -> None:
    gate = _gate(Script(evil=(literal,), mixed=("93.184.216.34", literal)))
    for url in (_url(literal), "http://evil.example/", "http://mixed.example/"):
        with pytest.raises(RefusedError):
            await gate.admit(parse(url))


@pytest.mark.parametrize("literal", PUBLIC_LITERALS)
async def test_allows_public_literals_and_range_edges(literal: str) -> None:
    gate = _gate(Script(good=(literal,)))
    for url in (_url(literal), "http://good.example/"):
        clearance = await gate.admit(parse(url))
        assert clearance.addresses == (ipaddress.ip_address(literal),)


@pytest.mark.parametrize("name", HOSTILE_NAMES)
async def test_inner_names_are_refused_without_a_question(name: str) -> None:
    resolver = Script(**{name.lower().split(".")[0]: ("93.184.216.34",)})
    with pytest.raises(RefusedError):
        await _gate(resolver).admit(parse(f"http://{name}/"))
    assert resolver.asked == []


@pytest.mark.parametrize("port", [1, 22, 25, 81, 3306, 6379, 9200, 9222, 10250, 11211])
async def test_refuses_other_ports(port: int) -> None:
    with pytest.raises(RefusedError) as caught:
        await _gate(Script()).admit(parse(f"http://8.8.8.8:{port}/"))
    assert caught.value.reason == "port"


async def test_a_name_without_answer_is_a_dns_error_with_the_same_sentence() -> None:
    gate = _gate(Script())
    with pytest.raises(FetchFault) as caught:
        await gate.admit(parse("http://nowhere.example/"))
    assert caught.value.status is FetchStatus.DNS_ERROR


async def test_too_many_answers_are_refused() -> None:
    answers = tuple(f"93.184.216.{last}" for last in range(17))
    with pytest.raises(RefusedError):
        await _gate(Script(many=answers)).admit(parse("http://many.example/"))


async def test_exemption_is_by_exact_host_and_port() -> None:
    exemptions = read_exemptions(
        ["wiki.corp:8000", "*.localhost:8090"],
        ["wiki.corp=10.1.2.3", "*.localhost=127.0.0.1", "other.corp=10.1.2.4"],
    )
    gate = _gate(Script(), exemptions)
    assert (await gate.admit(parse("http://wiki.corp:8000/"))).exempt
    clearance = await gate.admit(parse("http://news.localhost:8090/"))
    assert clearance.addresses == (ipaddress.ip_address("127.0.0.1"),)
    for url in (
        "http://wiki.corp/",
        "http://sub.wiki.corp:8000/",
        "http://localhost:8090/",
        "http://news.localhost:8091/",
        "http://other.corp/",
        "http://10.1.2.3:8000/",
        "http://127.0.0.1:8090/",
        "http://evillocalhost:8090/",
    ):
        with pytest.raises(RefusedError):
            await gate.admit(parse(url))


async def test_internal_only_refuses_the_public_web() -> None:
    exemptions = read_exemptions(["wiki.corp:80"], ["wiki.corp=10.1.2.3"])
    gate = _gate(Script(), exemptions)
    assert (await gate.admit(parse("http://wiki.corp/"), Reach.NAMED)).exempt
    with pytest.raises(RefusedError):
        await gate.admit(parse("http://8.8.8.8/"), Reach.NAMED)


async def test_blocked_domains_include_what_is_below() -> None:
    gate = _gate(Script(bad=("8.8.8.8",)), blocked=frozenset({"bad.example"}))
    for host in ("bad.example", "www.bad.example"):
        with pytest.raises(RefusedError):
            await gate.admit(parse(f"http://{host}/"))


async def test_operator_ranges_count() -> None:
    gate = EgressGate(Script(), load_rule(["8.8.8.0/24"]), Exemptions(), PORTS, Decisions())
    with pytest.raises(RefusedError):
        await gate.admit(parse("http://8.8.8.8/"))


async def test_malicious_addresses_are_refused_to_everybody() -> None:
    listed = parsed("bad.example\nhttp://files.example/a/x.exe").names
    gate = _gate(
        Script(bad=("8.8.8.8",), files=("8.8.8.8",)),
        read_exemptions(["bad.example:80"], []),
        is_malicious=listed,
    )

    for url in ("http://bad.example/", "http://www.bad.example/x", "http://files.example/a/x.exe"):
        with pytest.raises(RefusedError) as refused:
            await gate.admit(parse(url))
        assert refused.value.reason == "malicious"
    assert await gate.admit(parse("http://files.example/a/y.txt"))


async def test_public_addresses_of_the_machine_itself_are_refused_without_a_list() -> None:
    mine = ip_address("8.8.8.8")
    gate = _gate(Script(here=("8.8.4.4", "8.8.8.8")), is_own=lambda address: address == mine)

    for host in ("8.8.8.8", "here.example"):
        with pytest.raises(RefusedError) as refused:
            await gate.admit(parse(f"http://{host}/"))
        assert refused.value.reason == "own_address"
    assert await gate.admit(parse("http://8.8.4.4/"))


def test_the_kernel_knows_the_machines_own_addresses() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.settimeout(0.0)
        assert is_own(ip_address("127.0.0.1"))
        with pytest.raises(BlockingIOError):
            listening.recv(1)
    assert is_own(ip_address("::1"))
    assert not is_own(ip_address("8.8.8.8"))
    assert not is_own(ip_address("2600::1"))


@settings(max_examples=often(500), deadline=None)
@given(st.ip_addresses())
def test_what_passes_is_globally_routable(address: Any) -> None:
    if RULE.reason_against(address) is None:
        assert address.is_global
        assert not address.is_multicast
        assert not (address.version == 6 and address.ipv4_mapped)


@pytest.mark.parametrize("entry", ["host", "host:", "host:0", "host:70000", "*:80", ":80", "a*b:1"])
def test_a_wrong_exemption_is_named(entry: str) -> None:
    with pytest.raises(ValueError, match="host"):
        read_exemptions([entry], [])


async def test_each_hop_is_checked_again(rig: Any, http: Any) -> None:
    hops = [
        "http://127.0.0.1/", "http://localhost/", "http://169.254.169.254/latest/meta-data/",
        "file:///etc/passwd", "gopher://x.example/", "http://user@ostwick.test/",
        "http://ostwick.test:6379/", "//[::1]/", "http://0x7f.1/", "http://rebound.test/",
    ]  # fmt: skip
    rig.resolver.answers["rebound.test"] = [("10.0.0.9",)]
    pages = {
        f"/{i}": http(b"", status=302, extra=f"location: {hop}\r\n") for i, hop in enumerate(hops)
    }
    await rig.pages(pages)
    for i in range(len(hops)):
        rig.dialler.dialled.clear()
        page = await rig.fetch(f"http://ostwick.test/{i}")
        assert page.status is FetchStatus.BLOCKED_TARGET, hops[i]
        assert rig.dialler.dialled == [("93.184.216.34", 80)]


async def test_a_name_that_changes_its_mind_gains_nothing(rig: Any, http: Any) -> None:
    """The first answer is public and is what is dialled; the second is never asked for."""
    rig.resolver.answers["rebind.test"] = [("93.184.216.34",), ("127.0.0.1",)]
    await rig.pages({"/": http(b"<p>A page that has something to say about rivers.</p>")})
    page = await rig.fetch("http://rebind.test/")
    assert page.success
    assert rig.resolver.asked == ["rebind.test"]
    assert rig.dialler.dialled == [("93.184.216.34", 80)]
    again = await rig.fetch("http://rebind.test/")
    assert again.status is FetchStatus.BLOCKED_TARGET
    assert rig.dialler.dialled == [("93.184.216.34", 80)]


async def test_refusals_look_alike(rig: Any) -> None:
    """No oracle: forbidden, unknown and silent targets read the same."""
    urls = ("http://127.0.0.1/", "http://redis/", "http://nowhere.example/", "http://down.test/")
    sentences = {(await rig.fetch(url)).error for url in urls}
    assert len(sentences) == 1


async def test_ambient_proxies_are_ignored(
    rig: Any, http: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    await rig.pages({"/": http(b"<p>Nothing stands between the two of us, said the page.</p>")})
    assert (await rig.fetch("http://ostwick.test/", Purpose.USER_URL)).success


async def test_a_refusal_is_written_down_with_its_reason_and_without_the_address(rig: Any) -> None:
    with structlog.testing.capture_logs() as lines:
        assert not (await rig.fetch("http://169.254.169.254/latest")).success
        assert not (await rig.fetch("http://printer.local/")).success
    told = [line for line in lines if line["event"].startswith("egress")]
    assert [(line["event"], line["log_level"]) for line in told] == [("egress_refused", "info")] * 2
    assert all(line["reason"] for line in told)
    assert "169.254" not in str(lines)
    assert "printer" not in str(lines)
