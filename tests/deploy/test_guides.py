"""Each command of the guides is run as far as that goes without a cluster."""

import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from rig import helm
from rig.manifests import DEPLOY, of_kind, render

ROOT = DEPLOY.parent
GUIDES = ("install-kubernetes.md", "upgrading.md")
# They speak with a cluster and change or make nothing that could be looked at without one.
_NEEDS_A_CLUSTER = ("rollout", "logs", "port-forward", "diff", "exec")
_PROGRAMS = ("cp", "mkdir", "for", "hash()", "cat", "state()", "cache()", "openssl")


def commands(guide: str) -> list[str]:
    """Every command of a guide's blocks, one that goes on over lines as one; all are on PATH."""
    text = (ROOT / "docs" / guide).read_text("utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    found: list[str] = []
    for line in "\n".join(blocks).splitlines():
        if found and "<<EOF" in found[-1] and not found[-1].endswith("\nEOF"):
            found[-1] += "\n" + line
        elif line.strip():
            found.append(line.removeprefix(".venv/bin/"))
    return found


ALL = [(guide, command) for guide in GUIDES for command in commands(guide)]


def verb(command: str) -> str:
    """The word after `kubectl` and its namespace."""
    words = shlex.split(command)[1:]
    return words[2] if words[0] == "-n" else words[0]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Path]:
    """A copy of what the guides name, with the overlay that a reader makes."""
    shutil.copytree(DEPLOY, tmp_path / "deploy")
    shutil.copytree(DEPLOY / "overlays" / "prod", tmp_path / "deploy/overlays/mine")
    shutil.copytree(DEPLOY / "overlays" / "prod", tmp_path / "deploy/overlays/next")
    yield tmp_path
    shutil.rmtree(tmp_path)


def shell(script: str, folder: Path) -> str:
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "KUBECONFIG": os.devnull,
        "OPENAI_API_KEY": "key-of-nobody",
        "BRAVE_SEARCH_API_KEY": "key-of-nobody",
    }
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=55,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_there_is_something_to_run() -> None:
    assert len(ALL) > 25


@pytest.mark.parametrize(("guide", "command"), ALL)
def test_a_command_is_of_a_known_kind(guide: str, command: str) -> None:
    del guide
    first = command.split(maxsplit=1)[0]
    if first == "kubectl":
        assert verb(command) in {"apply", "kustomize", "create", *_NEEDS_A_CLUSTER}
    else:
        assert first in {*_PROGRAMS, "pellucid-gateway-key", "curl", "helm"}


@pytest.mark.kubectl
@pytest.mark.parametrize("guide", GUIDES)
def test_folders_that_are_applied_render(guide: str, desk: Path) -> None:
    folders = {m for c in commands(guide) for m in re.findall(r"(?:-k|kustomize) (\S+)", c)}
    assert folders
    for folder in folders:
        assert shell(f"kubectl kustomize {folder}", desk).startswith("apiVersion")


@pytest.mark.kubectl
def test_objects_and_files_are_made_as_the_guide_says(desk: Path) -> None:
    """From the first line to the last, each `create` as a dry run."""
    lines = []
    for command in commands("install-kubernetes.md"):
        if command.startswith("kubectl") and verb(command) == "create":
            lines += [command + " --dry-run=client -o yaml", "echo ---"]
        elif command.split()[0] in {*_PROGRAMS, "pellucid-gateway-key"}:
            lines.append(command.replace("cp -r ", "cp -rT "))
    printed = shell("\n".join(lines), desk)
    made = {d["metadata"]["name"]: d for d in _objects(printed)}

    secrets = {name: set(d["data"]) for name, d in made.items() if d["kind"] == "Secret"}
    assert secrets["redis-users"] == {"users.acl", "backup-password", "exporter-password"}
    assert secrets["gateway-secrets"] == {
        *("keys", "gateway_identity_key", "openai_api_key", "redis_url", "redis_cache_url")
    }
    assert _wanted() <= secrets.keys() | {"weekly-report"}
    users = (desk / "secrets/users.acl").read_text("utf-8")
    assert len(re.findall(r"on #[0-9a-f]{64} ", users)) == 5
    assert re.fullmatch(r"desk [0-9a-f]{64}.*\n", (desk / "secrets/keys").read_text("utf-8"))


def _objects(printed: str) -> Iterator[dict[str, object]]:
    for part in printed.split("---\n"):
        start = part.find("apiVersion:")
        if start >= 0:
            yield yaml.safe_load(part[start:])


def _wanted() -> set[str]:
    """Secrets of the services and of Redis that the pods of `prod` mount."""
    text = str(of_kind(render(DEPLOY / "overlays" / "prod"), "Deployment", "StatefulSet"))
    return set(re.findall(r"'secretName': '([a-z]+-(?:secrets|users))'", text)) - {"scorer-secrets"}


@pytest.mark.redis
def test_redis_takes_the_users_of_the_guide(desk: Path) -> None:
    lines = [c for c in commands("install-kubernetes.md") if c.split()[0] in _PROGRAMS]
    until = next(n for n, line in enumerate(lines) if line.startswith("state()"))
    shell("\n".join(line for line in lines[:until] if not line.startswith("cp ")), desk)
    started = (
        "redis-server --port 0 --unixsocket $PWD/s --save '' --aclfile secrets/users.acl"
        " --daemonize yes --pidfile $PWD/pid > /dev/null; for n in $(seq 50); do"
        " [ -S s ] && break; sleep 0.1; done; "
    )
    asked = "redis-cli -s s --user exporter --pass $(cat secrets/exporter) --no-auth-warning "
    ends = "kill $(cat pid); while [ -e pid ]; do sleep 0.1; done"
    told = shell(f"{started}{asked}info memory; {asked}set x 1 || true; {ends}", desk)
    assert "used_memory:" in told
    assert "NOPERM" in told


@pytest.mark.helm
def test_the_values_of_the_guide_fit_the_chart() -> None:
    (install,) = (c for c in commands("install-kubernetes.md") if c.startswith("helm install"))
    words = shlex.split(install)
    set_by_hand = [after for word, after in itertools.pairwise(words) if word == "--set"]
    files = [after for word, after in itertools.pairwise(words) if word == "--values"]
    text = (ROOT / "docs" / "install-kubernetes.md").read_text("utf-8")
    (block,) = re.findall(r"^```yaml\n(components:.*?)^```", text, re.MULTILINE | re.DOTALL)
    for values in (
        yaml.safe_load((ROOT / files[0]).read_text("utf-8")),
        helm.set_values(",".join(set_by_hand)),
        yaml.safe_load(block),
    ):
        helm.check(ROOT / words[3], values)
        assert helm.rendered(ROOT / words[3], values, name="pellucid", namespace="pellucid")
