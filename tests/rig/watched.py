"""An installation with keys, a model, Redis caches and a collector of its traces."""

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from pellucid_gateway.access.api_keys import digest_of, new_key
from rig.fake_model import FakeModel, serve_model
from rig.installation import Installation, start_installation
from rig.otlp import SCHEDULE, Collector, serve_collector
from rig.ports import free_port

MODEL_KEY = "sk-canary-0f3b2a77c1"


@dataclass(frozen=True, slots=True)
class Watched:
    """The installation with what it sends to.

    Attributes:
        key: The API key that every request needs.
        redis_port: Where its caches are; 0 where this machine has no Redis.
        http: A client with the key.
    """

    installation: Installation
    model: FakeModel
    collector: Collector
    key: str
    redis_port: int
    http: httpx.Client


@contextmanager
def start_watched(folder: Path, offset: int) -> Iterator[Watched]:
    """Start all of it, and stop it in the end."""
    key = new_key()
    keys = folder / "keys"
    keys.write_text(f"desk {digest_of(key)}\n", encoding="utf-8")
    with (
        serve_model(FakeModel(pieces=["The sources say so [1]."])) as model,
        serve_collector() as collector,
        _redis(folder) as redis_port,
    ):
        settings = {
            **SCHEDULE,
            **of_model(model),
            **({"REDIS_CACHE_URL": f"redis://127.0.0.1:{redis_port}/0"} if redis_port else {}),
            "OPENAI_API_KEY": MODEL_KEY,
            "GATEWAY_AUTH": "keys",
            "GATEWAY_KEYS_FILE": str(keys),
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
            "LOG_LEVEL": "debug",
            # A machine that runs other tests too is late without being overloaded.
            "GATEWAY_MAX_LAG_MS": "60000",
            "GATEWAY_MIN_SEARCHES": "64",
        }
        running = start_installation(folder / "data", offset, settings)
        headers = {"authorization": f"Bearer {key}"}
        try:
            running.wait_for_line("ready after")
            with httpx.Client(
                base_url=running.url, headers=headers, trust_env=False, timeout=60.0
            ) as http:
                yield Watched(running, model, collector, key, redis_port, http)
        finally:
            running.stop()


def of_model(model: FakeModel) -> Mapping[str, str]:
    """Settings by which the gateway asks a model."""
    return {
        "OPENAI_BASE_URL": model.url,
        "LLM_PROBE": "false",
        "OPENAI_API_KEY": "not-a-secret",
        "LLM_MODEL": "test-model",
    }


@contextmanager
def _redis(folder: Path) -> Iterator[int]:
    binary = shutil.which("redis-server")
    if binary is None:
        yield 0
        return
    port = free_port()
    command = [binary, "--port", str(port), "--bind", "127.0.0.1", "--save", ""]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as process:
        try:
            yield port
        finally:
            process.kill()
