"""Each service's README lists its settings: every one, and none that does not exist."""

import importlib
import re
from pathlib import Path

import pytest

from pellucid_runtime.llm.settings import LlmSettings
from pellucid_runtime.settings import ServiceSettings

ROOT = Path(__file__).resolve().parents[2]
SERVICES = ("decision", "search", "scorer", "fetcher", "gateway")
# Redeclared by each service, because each has ports of its own.
PORTS = {"GRPC_PORT", "METRICS_PORT"}


def variables(settings: type[ServiceSettings]) -> set[str]:
    return {name.upper() for name in settings.model_fields}


def listed(distribution: str, heading: str) -> set[str]:
    """Return the names in the first column of the table under a heading of a README."""
    text = (ROOT / "services" / distribution / "README.md").read_text("utf-8")
    section = text.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    cells = re.findall(r"^\| ([^|]+) \|", section, flags=re.MULTILINE)
    return set(re.findall(r"`([A-Z][A-Z0-9_]*)`", " ".join(cells)))


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_lists_its_settings_and_no_others(service: str) -> None:
    module = importlib.import_module(f"pellucid_{service}.settings")
    settings = getattr(module, f"{service.title()}Settings")
    shared = variables(LlmSettings if issubclass(settings, LlmSettings) else ServiceSettings)
    named = listed(service, "Settings")
    assert (variables(settings) - shared) | PORTS <= named
    assert named <= variables(settings)


def test_the_runtime_lists_what_every_service_has() -> None:
    assert listed("common", "Settings of every service") == variables(ServiceSettings)


def test_the_runtime_lists_the_settings_of_a_language_model() -> None:
    own = variables(LlmSettings) - variables(ServiceSettings)
    assert listed("common", "Settings of a language model") == own
