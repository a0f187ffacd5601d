"""The five images at once, each as its pod of `prod` runs: user, mounts, seccomp, environment, TLS.

They share one network without a way out, made by whoever calls `serve`; Redis with its users, an
invented provider and pages stand beside them. What differs from a pod: names come from a hosts
file, provider and pages are on this machine, and without a model the answer is excerpts.
"""

import asyncio
import hashlib
import json
import os
import secrets
import subprocess
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx
import trustme

from images.building import ROOT, SERVICES, Workshop, own, run
from pellucid_gateway.access.api_keys import digest_of, new_key
from rig.http_stub import HttpStub, Request, whole
from rig.manifests import DEPLOY, of_kind, pod_templates, render
from rig.upstreams import Pages, Provider

GATEWAY: Final = "http://127.0.0.1:8080"
UID: Final = 10001
_PAGES, _SCRIPT, _BRAVE, _REDIS = 8081, 8082, 8083, 6379
_READY_S: Final = 180.0
_MOUNTS: Final = (
    ("/tmp", "tmpfs", ["nosuid", "nodev", "mode=1777"]),
    ("/data", "tmpfs", ["nosuid", "nodev", f"uid={UID}", "mode=0700"]),
)
SCRIPTED: Final = "The lighthouse keeper of Quay Hall counts seven lanterns"
_SCRIPT_PAGE: Final = f"""<!doctype html><html><head><title>Lanterns</title></head><body>
<div id="root"></div><script>
document.getElementById("root").innerHTML = "<article><h1>Lanterns</h1>" +
  Array.from({{length: 12}}, (_, n) => "<p>{SCRIPTED}, and writes the number " + n +
  " into the log of the harbour before the evening boat comes in.</p>").join("") + "</article>";
</script></body></html>"""


@dataclass(frozen=True, slots=True)
class Running:
    """What answers.

    Attributes:
        key: An API key of the gateway.
        folder: Logs of the services.
    """

    key: str
    folder: Path

    def client(self) -> httpx.AsyncClient:
        """Speaks to the gateway."""
        headers = {"authorization": f"Bearer {self.key}"}
        return httpx.AsyncClient(base_url=GATEWAY, headers=headers, timeout=90, trust_env=False)


@asynccontextmanager
async def serve(workshop: Workshop, folder: Path) -> AsyncIterator[Running]:
    """Start everything, and wait until each service is ready; ends with all of it stopped.

    Args:
        workshop: Has built the images.
        folder: Empty; takes secrets, bundles and logs.
    """
    key = new_key()
    async with AsyncExitStack() as stack:
        for stub in (
            Provider(_PAGES).stub(_BRAVE),
            Pages().stub(_PAGES),
            HttpStub(_scripted, _SCRIPT),
        ):
            await stack.enter_async_context(stub)
        passwords = _start_redis(folder, stack)
        authority = trustme.CA()
        for service in SERVICES:
            _write_secrets(folder / service, service, passwords, digest_of(key))
            _write_pair(folder / service, service, authority)
            root = stack.enter_context(workshop.opened(own(service)))
            _start(folder / service, service, root, stack)
        await _all_ready(folder)
        yield Running(key, folder)


async def _scripted(request: Request, writer: asyncio.StreamWriter) -> None:
    if request.path == "/robots.txt":
        writer.write(whole(404, "text/plain", b""))
    else:
        writer.write(whole(200, "text/html; charset=utf-8", _SCRIPT_PAGE.encode()))


def _start_redis(folder: Path, stack: AsyncExitStack) -> dict[str, str]:
    """Redis with the users of `components/redis`; returns their passwords."""
    passwords = {name: secrets.token_hex(16) for name in ("gateway", "search", "fetcher")}
    rights = {"gateway": "pellucid", "search": "pellucid", "fetcher": "fetch"}
    lines = ["user default off"]
    for name, word in passwords.items():
        digest, prefix = hashlib.sha256(word.encode()).hexdigest(), rights[name]
        lines.append(f"user {name} on #{digest} ~{prefix}:* &{prefix}:* +@all -@admin -@dangerous")
    (folder / "users.acl").write_text("\n".join(lines) + "\n", "utf-8")
    options = ("--port", str(_REDIS), "--save", "", "--aclfile", str(folder / "users.acl"))
    process = subprocess.Popen(["redis-server", *options], stdout=subprocess.DEVNULL, cwd=folder)
    stack.callback(process.wait)
    stack.callback(process.terminate)
    return passwords


def _write_secrets(folder: Path, service: str, passwords: Mapping[str, str], digest: str) -> None:
    """The Secret of a service, one file for each key of it."""
    given = {
        "gateway": {"keys": f"desk {digest}\n"},
        "search": {"brave_search_api_key": "key-of-nobody"},
    }.get(service, {})
    if service in passwords:
        url = f"redis://{service}:{passwords[service]}@127.0.0.1:{_REDIS}/0"
        given |= {"redis_url": url, "redis_cache_url": url}
    (folder / "secrets").mkdir(parents=True)
    for name, value in given.items():
        (folder / "secrets" / name).write_text(value, "utf-8")


def _write_pair(folder: Path, service: str, authority: trustme.CA) -> None:
    pair = authority.issue_cert(service, f"{service}-grpc", "localhost")
    tls = folder / "tls"
    tls.mkdir()
    (tls / "tls.crt").write_bytes(pair.cert_chain_pems[0].bytes())
    (tls / "tls.key").write_bytes(pair.private_key_pem.bytes())
    (tls / "ca.crt").write_bytes(authority.cert_pem.bytes())
    (folder / "hosts").write_text(
        "".join(f"127.0.0.1 {name}\n" for name in ("localhost", *SERVICES)), "utf-8"
    )


def environment(service: str) -> dict[str, str]:
    """What a pod of `prod` has, and where the invented upstreams are."""
    manifests = render(DEPLOY / "overlays" / "prod")
    [settings] = [
        m["data"]
        for m in of_kind(manifests, "ConfigMap")
        if m["metadata"]["name"].startswith("pellucid-settings")
    ]
    container = pod_templates(manifests)[service]["spec"]["containers"][0]
    own_variables = {v["name"]: v["value"] for v in container.get("env", ())}
    upstreams = {
        "SEARCH_PROVIDERS": "brave",
        "BRAVE_BASE_URL": f"http://127.0.0.1:{_BRAVE}",
        "FETCHER_STATIC_HOSTS": "*.localhost=127.0.0.1",
        "FETCHER_ALLOW_PRIVATE_HOSTS": f"*.localhost:{_PAGES},*.localhost:{_SCRIPT}",
    }
    return {**settings, **own_variables, **upstreams}


def _start(folder: Path, service: str, root: Path, stack: AsyncExitStack) -> None:
    """One container by runc, with the rights of its pod."""
    for path in (folder / "secrets", folder / "tls"):
        run("chown", "-R", str(UID), path)
    (folder / "config.json").write_text(json.dumps(_bundle(folder, service, root)), "utf-8")
    name = f"pellucid-{os.getpid()}-{service}"
    log = stack.enter_context((folder / "log").open("wb"))
    process = subprocess.Popen(
        ["runc", "run", "--bundle", str(folder), name], stdout=log, stderr=log, cwd=ROOT
    )
    stack.callback(process.wait)
    stack.callback(subprocess.run, ["runc", "kill", name, "KILL"], check=False, capture_output=True)


def _bundle(folder: Path, service: str, root: Path) -> dict[str, Any]:
    run("runc", "spec", "--bundle", folder)
    spec: dict[str, Any] = json.loads((folder / "config.json").read_text("utf-8"))
    process = spec["process"]
    process.update(
        terminal=False,
        user={"uid": UID, "gid": UID},
        noNewPrivileges=True,
        capabilities={kind: [] for kind in process["capabilities"]},
        args=["python", "-m", f"pellucid_{service}"],
        env=[f"{n}={v}" for n, v in (_of_the_image(service) | environment(service)).items()],
    )
    spec["root"] = {"path": str(root), "readonly": True}
    spec["mounts"] += [
        {"destination": at, "type": kind, "source": kind, "options": options}
        for at, kind, options in _MOUNTS
    ]
    spec["mounts"] += [
        _bound(folder / "secrets", "/run/secrets/pellucid"),
        _bound(folder / "tls", "/run/secrets/tls"),
        _bound(folder / "hosts", "/etc/hosts"),
    ]
    linux = spec["linux"]
    linux["seccomp"] = json.loads((DEPLOY / "nodes" / "chromium.json").read_text("utf-8"))
    linux["namespaces"] = [one for one in linux["namespaces"] if one["type"] != "network"]
    linux.pop("resources", None)
    return spec


def _of_the_image(service: str) -> dict[str, str]:
    """Variables that the image itself sets."""
    text = (ROOT / "services" / service / "Dockerfile").read_text("utf-8")
    block = text.rpartition("ENV ")[2].partition("\nUSER")[0].replace("\\\n", " ")
    pairs = dict(word.split("=", 1) for word in block.split())
    return pairs | {"PATH": "/opt/pellucid/bin:/usr/local/bin:/usr/bin:/bin"}


def _bound(source: Path, target: str) -> dict[str, Any]:
    options = ["rbind", "ro", "nosuid", "nodev"]
    return {"destination": target, "type": "bind", "source": str(source), "options": options}


async def _all_ready(folder: Path) -> None:
    ends = time.monotonic() + _READY_S
    async with httpx.AsyncClient(trust_env=False, timeout=3) as client:
        for service in SERVICES:
            port = _of_the_image(service)["METRICS_PORT"]
            while not await _is_ready(client, f"http://127.0.0.1:{port}/readyz"):
                log = (folder / service / "log").read_text(errors="replace")
                if time.monotonic() > ends:
                    raise RuntimeError(f"{service} is not ready: {log[-2000:]}")
                await asyncio.sleep(0.5)


async def _is_ready(client: httpx.AsyncClient, url: str) -> bool:
    try:
        return (await client.get(url)).status_code == httpx.codes.OK
    except httpx.TransportError:
        return False
