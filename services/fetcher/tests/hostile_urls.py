# ruff: noqa: E501 - tables are read by their columns
"""Addresses that lead inside, addresses that only look so, and mutations of both.

Every hostile address names loopback, metadata, private or other inner space in some spelling; the
controls are odd and public. Written from the address families and from how parsers differ.
"""

import ipaddress
import random
from collections.abc import Iterator
from typing import Final

INNER_V4: Final = (
    "127.0.0.1", "127.255.255.254", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.31.255.255",
    "192.168.1.1", "169.254.169.254", "169.254.170.2", "100.64.0.1", "100.100.100.200",
    "168.63.129.16", "192.0.0.192", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
)  # fmt: skip
INNER_V6: Final = (
    "::", "::1", "fe80::1", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1", "100::1", "2001:db8::1",
    "3fff::1", "5f00::1", "4000::1", "2001::1", "2001:10::1", "fe80::5efe:7f00:1",
)  # fmt: skip
# Names that the pretended resolver leads inside; see `answers`.
INNER_NAMES: Final = (
    "localhost", "LOCALHOST", "localhost.", "LocalHost.LocalDomain", "foo.localhost", "localhost6",
    "ip6-localhost", "redis", "gateway", "kubernetes", "kubernetes.default", "metadata",
    "kubernetes.default.svc", "kubernetes.default.svc.cluster.local", "metadata.google.internal",
    "metadata.goog", "instance-data", "instance-data.ec2.internal", "host.docker.internal",
    "gateway.docker.internal", "wiki.corp", "printer.local", "nas.home", "router.lan", "db.intranet",
    "box.home.arpa", "1.0.0.127.in-addr.arpa", "service.consul", "hidden.onion", "nothing.invalid",
    "127.0.0.1.nip.example", "loopback.example", "mixed.example", "cname.example", "six.example",
    "mapped.example", "nat64.example", "many.example", "rebind.example",
)  # fmt: skip
SCHEMES: Final = (
    "file:///etc/passwd", "file://localhost/etc/passwd", "gopher://127.0.0.1:6379/_INFO", "dict://127.0.0.1:11211/",
    "ftp://127.0.0.1/", "ldap://127.0.0.1/", "tftp://127.0.0.1/", "jar:http://127.0.0.1!/", "data:text/html,x",
    "javascript:alert(1)", "view-source:http://127.0.0.1/", "blob:http://127.0.0.1/x", "about:blank", "ws://127.0.0.1/",
    "wss://127.0.0.1/", "sftp://127.0.0.1/", "smb://127.0.0.1/", "chrome://settings", "netdoc:///etc/passwd",
    "unix:///var/run/docker.sock", "http+unix://%2Fvar%2Frun%2Fdocker.sock/", "//127.0.0.1/", "127.0.0.1", "http:127.0.0.1",
    "http:/127.0.0.1/", "http:///127.0.0.1/", "http:\\\\127.0.0.1/", "http:/\\127.0.0.1/", "https:127.0.0.1",
)  # fmt: skip
CONTROLS: Final = (
    "http://example.com/", "http://EXAMPLE.com./", "https://example.com:8443/x", "http://example.com:8080/",
    "http://1.1.1.1/", "http://9.255.255.255/", "http://11.0.0.0/", "http://100.63.255.255/", "http://100.128.0.0/",
    "http://126.255.255.255/", "http://128.0.0.0/", "http://169.253.255.255/", "http://169.255.0.0/",
    "http://172.15.255.255/", "http://172.32.0.0/", "http://192.167.255.255/", "http://192.169.0.0/",
    "http://198.17.255.255/", "http://198.20.0.0/", "http://223.255.255.255/", "http://168.63.129.15/",
    "http://[2606:4700:4700::1111]/", "http://[2a00:1450:4001:82a::200e]/", "http://[2003::1]/",
    "http://bücher.example/", "http://xn--bcher-kva.example/", "http://한국.example/", "http://例え.example/",
    "http://faß.example/", "http://under_score.example/", "http://a-b.example/", "http://127.0.0.1.example.com/",
    "http://localhost.example.com/", "http://metadata.example.com/", "http://internal.example.com/",
    "http://example.com/?url=http://127.0.0.1/", "http://example.com/http://127.0.0.1/", "http://example.com/#@127.0.0.1",
    "http://example.com/a@b", "http://example.com/%2e%2e/", "http://local.example/", "http://corp.example/", "http://1e100.example/",
    "http://0x7f.example/", "http://xn--p1ai.example/", "http://example.com:80/", "http://3com.example/", "http://127.example/",
)  # fmt: skip


def hosts_of(address: str) -> Iterator[str]:
    """Spell an IPv4 address in every way that some parser takes for it."""
    a, b, c, d = map(int, address.split("."))
    number = int(ipaddress.IPv4Address(address))
    yield from (
        address,
        f"{address}.",
        f"{a}.{b}.{c * 256 + d}",
        f"{a}.{number & 0xFFFFFF}",
        f"{number}",
    )
    yield from (
        f"0x{number:08x}",
        f"0X{number:X}",
        f"0{number:o}",
        f"0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}",
    )
    yield from (
        f"0{a:03o}.0{b:o}.0{c:o}.0{d:o}",
        f"00000{a:o}.{b}.{c}.{d}",
        f"0x{a:02x}.{number & 0xFFFFFF}",
    )
    yield from (
        f"{number + 2**32}",
        f"{a + 256}.{b}.{c}.{d}",
        f"{a}.{b}.{c}.{d}.",
        f"{a:03}.{b:03}.{c:03}.{d:03}",
    )
    wide = str.maketrans("0123456789", "０１２３４５６７８９")
    circled = str.maketrans("0123456789", "⓪①②③④⑤⑥⑦⑧⑨")
    yield from (address.translate(wide), address.translate(circled), address.replace(".", "。"))
    yield from (
        address.replace(".", "．"),
        address.replace(".", "%2e"),
        address.replace(".", "\u00ad."),
    )
    yield from ("".join(f"%{ord(sign):02x}" for sign in address), address.replace("1", "%31"))
    group = f"{a:02x}{b:02x}:{c:02x}{d:02x}"
    low = f"{a ^ 255:02x}{b ^ 255:02x}:{c ^ 255:02x}{d ^ 255:02x}"
    yield from (
        f"[::ffff:{address}]",
        f"[::ffff:{group}]",
        f"[0:0:0:0:0:ffff:{group}]",
        f"[::{address}]",
    )
    yield from (
        f"[::ffff:0:{address}]",
        f"[64:ff9b::{address}]",
        f"[64:ff9b:1::{address}]",
        f"[2002:{group}::1]",
    )
    yield from (
        f"[2001:0:4136:e378:8000:63bf:{low}]",
        f"[2001:0:{group}:8000::]",
        f"[fe80::5efe:{address}]",
    )


def around(host: str) -> Iterator[str]:
    """Wrap a host in what leads parsers astray."""
    yield from (
        f"http://{host}/",
        f"https://{host}/",
        f"http://{host}:80/",
        f"HTTP://{host}",
        f"http://{host}:8080/x?y#z",
    )
    yield from (
        f"http://example.com@{host}/",
        f"http://{host}\\@example.com/",
        f"http://example.com\\@{host}/",
    )
    yield from (
        f"http://{host}#@example.com/",
        f"http://{host}?@example.com/",
        f"http://example.com:80@{host}:80/",
    )
    yield from (
        f"http://{host}\t/",
        f"http://\t{host}/",
        f"ht\ntp://{host}/",
        f"http://{host}\r\n/",
        f" http://{host}/ ",
    )
    yield from (
        f"http://{host}%00.example.com/",
        f"http://{host}\x00.example.com/",
        f"http://{host}%20/",
        f"http:///{host}/",
    )


def hostile() -> tuple[str, ...]:
    """Return several hundred addresses, each of which must be refused."""
    spelled = [f"http://{host}/" for address in INNER_V4 for host in hosts_of(address)]
    wrapped = [
        url
        for host in ("127.0.0.1", "[::1]", "169.254.169.254", "localhost")
        for url in around(host)
    ]
    six = [f"http://[{address}]/" for address in INNER_V6]
    zoned = [f"http://[fe80::1%25{zone}]/" for zone in ("eth0", "lo", "1")] + ["http://[::1%lo]/"]
    names = [f"http://{name}/" for name in INNER_NAMES]
    ports = [
        f"http://example.com:{port}/"
        for port in (
            0,
            1,
            21,
            22,
            23,
            25,
            53,
            81,
            110,
            143,
            445,
            2375,
            3306,
            5432,
            6379,
            9200,
            9222,
            10250,
            11211,
            27017,
            65535,
            65536,
        )
    ]
    return tuple(dict.fromkeys([*spelled, *wrapped, *six, *zoned, *names, *ports, *SCHEMES]))  # fmt: skip


def answers(host: str) -> tuple[str, ...]:
    """Resolve as a hostile world would: odd names lead inside, plain ones outside."""
    inner = {
        "loopback.example": ("127.0.0.1",), "mixed.example": ("93.184.216.34", "127.0.0.1"),
        "cname.example": ("10.0.0.1",), "six.example": ("::1",), "mapped.example": ("::ffff:127.0.0.1",),
        "nat64.example": ("64:ff9b::7f00:1",), "127.0.0.1.nip.example": ("127.0.0.1",),
        "many.example": tuple(f"93.184.216.{last}" for last in range(40)), "rebind.example": ("127.0.0.1",),
        "metadata.goog": ("169.254.169.254",),
    }  # fmt: skip
    known = host == "example.com" or host.endswith((".example", ".example.com"))
    return inner.get(host, ("93.184.216.34",) if known else ("127.0.0.1",))


_JUNK: Final = "\t\r\n\x00 \\/@:#?%.[]\u00ad\u200b\u2044\u3002\uff0e\uff0f０ⅰℓſK"


def mutated(seed: int, count: int) -> Iterator[str]:
    """Yield mutations of all the addresses above; the same for the same seed."""
    chance = random.Random(seed)
    pool = (*hostile(), *CONTROLS)
    for _ in range(count):
        url = chance.choice(pool)
        for _ in range(chance.randint(1, 4)):
            url = chance.choice(_MUTATIONS)(url, chance, pool)
        yield url


def _recase(url: str, chance: random.Random, _: tuple[str, ...]) -> str:
    return "".join(chance.choice((sign.lower(), sign.upper())) for sign in url)


def _escape(url: str, chance: random.Random, _: tuple[str, ...]) -> str:
    at = chance.randrange(len(url) or 1)
    return (
        url[:at]
        + "".join(f"%{byte:02x}" for byte in url[at : at + 1].encode("utf-8", "replace"))
        + url[at + 1 :]
    )


def _insert(url: str, chance: random.Random, _: tuple[str, ...]) -> str:
    at = chance.randrange(len(url) + 1)
    return url[:at] + chance.choice(_JUNK) + url[at:]


def _drop(url: str, chance: random.Random, _: tuple[str, ...]) -> str:
    at = chance.randrange(len(url) or 1)
    return url[:at] + url[at + 1 :]


def _swap(url: str, chance: random.Random, pool: tuple[str, ...]) -> str:
    other = chance.choice(pool)
    return url[: chance.randrange(len(url) + 1)] + other[chance.randrange(len(other) + 1) :]


def _nest(url: str, chance: random.Random, pool: tuple[str, ...]) -> str:
    return chance.choice(
        (
            f"http://example.com/to?{url}",
            f"{chance.choice(pool)}@{url}",
            f"http://{url}",
            f"{url}/{url}",
        )
    )


_MUTATIONS: Final = (_recase, _escape, _insert, _insert, _drop, _swap, _nest)
