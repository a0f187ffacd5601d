"""Each image holds its own service's closure, and runs without rights."""

import importlib
import json
import re
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from pellucid_runtime.settings import ServiceSettings
from rig.closures import closure

ROOT = Path(__file__).resolve().parents[2]
BASE = "python:3.11.14-slim-bookworm"
SERVICES = ("decision", "search", "scorer", "fetcher", "gateway")
# What only one image may carry; None: no image at all.
HEAVY = {
    "torch": None,
    "sentence-transformers": None,
    "trafilatura": None,
    "openvino": "scorer",
    "tokenizers": "scorer",
    "playwright": "fetcher",
    "ddgs": "search",
    "fastapi": "gateway",
    "uvicorn": "gateway",
    "starlette": "gateway",
    "mcp": "gateway",
}
# What an image installs besides the bare service.
EXTRAS = {"fetcher": "[browser]"}
DEVELOPMENT = {"pytest", "mypy", "ruff", "hypothesis", "grpcio-tools", "import-linter"}


def instructions(service: str) -> list[tuple[str, str]]:
    """Return a service's Dockerfile as (instruction, arguments)."""
    return instructions_of(ROOT / "services" / service / "Dockerfile")


def instructions_of(dockerfile: Path) -> list[tuple[str, str]]:
    """Return a Dockerfile as (instruction, arguments), continued lines joined."""
    text = dockerfile.read_text("utf-8")
    lines = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ").splitlines()
    return [(line.split()[0], line.split(None, 1)[1]) for line in lines if line.strip()]


def final_stage(service: str) -> dict[str, list[str]]:
    """Return the arguments of the last stage by instruction."""
    steps = instructions(service)
    start = max(number for number, (name, _) in enumerate(steps) if name == "FROM")
    stage: dict[str, list[str]] = {}
    for name, arguments in steps[start:]:
        stage.setdefault(name, []).append(arguments)
    return stage


def environment(service: str) -> dict[str, str]:
    words = " ".join(final_stage(service)["ENV"]).split()
    return dict(word.split("=", 1) for word in words)


def settings_of(service: str) -> type[ServiceSettings]:
    module = importlib.import_module(f"pellucid_{service}.settings")
    found: type[ServiceSettings] = getattr(module, f"{service.title()}Settings")
    return found


def in_image(service: str) -> Collection[str]:
    return closure([f"pellucid-{service}{EXTRAS.get(service, '')}"])


@pytest.mark.parametrize("service", SERVICES)
def test_a_closure_holds_nothing_of_another_service(service: str) -> None:
    held = set(in_image(service))
    assert held >= {f"pellucid-{service}", "pellucid-runtime", "pellucid-protos", "grpcio"}
    assert not held & {f"pellucid-{other}" for other in SERVICES if other != service}
    assert not held & {name for name, owner in HEAVY.items() if owner != service}
    assert not held & DEVELOPMENT


def test_what_one_image_may_carry_it_does_carry() -> None:
    for name, owner in HEAVY.items():
        if owner is not None:
            assert name in in_image(owner), name


@pytest.mark.parametrize("service", SERVICES)
def test_an_image_installs_contract_runtime_and_its_own_service(service: str) -> None:
    steps = instructions(service)
    installs = [
        words for name, words in steps if name == "RUN" and " install -c constraints.txt" in words
    ]
    assert len(installs) == 1
    # An extra behind it: only the fetcher has one, for its browser.
    paths = re.findall(r"\./[^\s\[]+", installs[0])
    assert paths == [
        "./protos",
        "./services/common",
        "./services/language",
        f"./services/{service}",
    ]
    assert "-c constraints.txt" in installs[0]
    copied = {words.split()[0] for name, words in steps if name == "COPY"}
    assert copied == {
        "constraints.txt",
        "protos",
        "services/common",
        "services/language",
        f"services/{service}",
        "LICENSE",
        "--from=build",
    }


@pytest.mark.parametrize("service", SERVICES)
def test_an_image_has_two_stages_on_the_same_base_and_no_rights(service: str) -> None:
    bases = [words.split()[0] for name, words in instructions(service) if name == "FROM"]
    pinned = [base.partition("@")[0] for base in bases]
    assert pinned == [BASE, BASE]
    stage = final_stage(service)
    assert stage["USER"] == ["10001"]
    assert "useradd --system --uid 10001" in " ".join(stage["RUN"])
    assert "install -d -o 10001 /data" in " ".join(stage["RUN"])
    assert f'image.title="pellucid-{service}"' in stage["LABEL"][0]
    assert 'image.licenses="Apache-2.0"' in stage["LABEL"][0]
    assert json.loads(stage["ENTRYPOINT"][0]) == ["python", "-m", f"pellucid_{service}"]


@pytest.mark.parametrize("service", SERVICES)
def test_an_image_sets_what_the_settings_know_and_exposes_their_ports(service: str) -> None:
    variables = environment(service)
    assert variables.pop("GRPC_VERBOSITY") == "ERROR"
    assert variables.pop("PYTHONUNBUFFERED") == "1"
    assert variables.pop("PYTHONDONTWRITEBYTECODE") == "1"
    assert variables.pop("PATH").startswith("/opt/pellucid/bin:")
    assert variables.pop("DATA_DIR") == "/data"
    assert variables.pop("GRPC_HOST") == variables.pop("METRICS_HOST") == "0.0.0.0"
    fields = settings_of(service).model_fields
    ports = {name: field.default for name, field in fields.items() if name.endswith("_port")}
    exposed = TypeAdapter(list[int]).validate_python(final_stage(service)["EXPOSE"][0].split())
    assert sorted(exposed) == sorted(ports.values())
    assert variables == {name: str(ports[name.lower()]) for name in ("GRPC_PORT", "METRICS_PORT")}


def test_the_dockerfiles_pass_the_linter() -> None:
    dockerfiles = sorted(ROOT.glob("services/*/Dockerfile*"))
    assert len(dockerfiles) == len(SERVICES) + 1
    linter = Path(sys.executable).parent / "hadolint"
    checked = subprocess.run(
        [str(linter), "--config", str(ROOT / ".hadolint.yaml"), *map(str, dockerfiles)],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert checked.returncode == 0, checked.stdout


def test_the_gpu_image_is_the_cpu_image_with_the_gpu_extra() -> None:
    folder = ROOT / "services" / "scorer"
    cpu = instructions_of(folder / "Dockerfile")
    gpu = instructions_of(folder / "Dockerfile.gpu")
    assert [name for name, _ in cpu] == [name for name, _ in gpu]
    different = [(a, b) for (_, a), (_, b) in zip(cpu, gpu, strict=True) if a != b]
    assert len(different) == 3  # what is installed, the label, the device
    assert '"./services/scorer[gpu]"' in different[0][1]
    assert "SCORER_DEVICE=cuda" in different[2][1]
