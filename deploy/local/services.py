"""What `make run` starts: the five services and the page server, with ports and environment.

The only place that knows the local port plan. `PORT_OFFSET` shifts every port, so that two
checkouts (or a test beside a running instance) do not meet. `GATEWAY_PORT` moves the gateway alone.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GATEWAY_HTTP_PORT = 8080
# Answered by the corpus that this installation searches.
EXAMPLES = (
    "Who is the current CEO of Norrvik Cells?",
    "When is TideConf 2027?",
    "Combien coûtera le ticket de tramway à Port Vellmark en janvier 2027 ?",
    "퀼런 K2 주전자 리콜 대상은 몇 대인가요?",
)
PAGES_PORT = 8099


@dataclass(frozen=True, slots=True)
class Program:
    """One process of the local installation.

    Attributes:
        name: Name in the log and in messages to people.
        command: Arguments; the first is an executable.
        environment: Variables on top of the caller's.
        probe: What is asked to learn that it is ready: `<port>/<path>`.
    """

    name: str
    command: tuple[str, ...]
    probe: str
    environment: Mapping[str, str] = field(default_factory=dict)


def _target(port: int) -> str:
    return f"127.0.0.1:{port}"


def programs(offset: int = 0) -> tuple[Program, ...]:
    """Return what to start, page server first and gateway last.

    Args:
        offset: Added to every port, 0 to 15000.
    """
    grpc_ports = {
        name: 50050 + number + offset
        for number, name in enumerate(("gateway", "decision", "search", "scorer", "fetcher"))
    }
    targets = {
        # Set where something is to stand between them, such as a proxy.
        f"{name.upper()}_TARGET": os.environ.get(f"{name.upper()}_TARGET") or _target(port)
        for name, port in grpc_ports.items()
        if name != "gateway"
    }
    services = tuple(
        _service(name, grpc_ports[name], targets)
        for name in ("scorer", "decision", "search", "fetcher")
    )
    return (_pages(offset), *services, _gateway(grpc_ports["gateway"], offset, targets))


def _service(name: str, port: int, targets: Mapping[str, str]) -> Program:
    metrics_port = port - 50050 + 9100
    return Program(
        name=name,
        command=(sys.executable, "-m", f"pellucid_{name}"),
        probe=f"{metrics_port}/readyz",
        environment={**targets, "GRPC_PORT": str(port), "METRICS_PORT": str(metrics_port)},
    )


def _gateway(port: int, offset: int, targets: Mapping[str, str]) -> Program:
    http_port = gateway_port(offset)
    return Program(
        name="gateway",
        command=(sys.executable, "-m", "pellucid_gateway"),
        probe=f"{http_port}/readyz",
        environment={
            **targets,
            "GRPC_PORT": str(port),
            "METRICS_PORT": str(9100 + offset),
            "GATEWAY_PORT": str(http_port),
        },
    )


def _pages(offset: int) -> Program:
    port = PAGES_PORT + offset
    return Program(
        name="pages",
        command=(sys.executable, str(ROOT / "deploy" / "local" / "page_server.py")),
        probe=f"{port}/healthz",
        environment={"PAGES_PORT": str(port), "CORPUS_DIR": str(ROOT / "corpus")},
    )


def defaults(offset: int = 0) -> dict[str, str]:
    """Return the embedded defaults that a person's environment or `.env` may override.

    Args:
        offset: Added to every port.
    """
    pages = PAGES_PORT + offset
    return {
        "DATA_DIR": str(ROOT / "data"),
        "LOCAL_CORPUS_DIR": str(ROOT / "corpus"),
        "SCORER_TRUST_FILE": str(ROOT / "corpus" / "trust.yaml"),
        "LOCAL_CORPUS_BASE_URL": f"http://{{host}}:{pages}",
        "GATEWAY_EXAMPLES": "|".join(EXAMPLES),
        "FETCHER_STATIC_HOSTS": "*.localhost=127.0.0.1",
        "FETCHER_ALLOW_PRIVATE_HOSTS": f"*.localhost:{pages}",
        # The C core prints raw lines otherwise, and reads this only when it is imported.
        "GRPC_VERBOSITY": "ERROR",
        "LOG_FORMAT": "console",
        "PYTHONUNBUFFERED": "1",
    }


def gateway_port(offset: int = 0) -> int:
    """Return the port of the gateway's HTTP API: `GATEWAY_PORT`, else the usual one, shifted."""
    return int(os.environ.get("GATEWAY_PORT") or GATEWAY_HTTP_PORT + offset)


def gateway_url(offset: int = 0) -> str:
    """Return the address to open in a browser."""
    host = os.environ.get("GATEWAY_HOST") or "127.0.0.1"
    return f"http://{'127.0.0.1' if host == '0.0.0.0' else host}:{gateway_port(offset)}"  # noqa: S104
