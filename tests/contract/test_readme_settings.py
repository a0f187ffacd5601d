"""READMEs, the page of all settings and `.env.example` name every setting, and none that is not."""

import importlib
import importlib.util
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
    readme = f"services/{service}/README.md, Settings"
    assert ((variables(settings) - shared) | PORTS) - named == set(), readme
    assert named - variables(settings) == set(), readme


def test_the_runtime_lists_what_every_service_has() -> None:
    assert listed("common", "Settings of every service") == variables(ServiceSettings)


def test_the_runtime_lists_the_settings_of_a_language_model() -> None:
    own = variables(LlmSettings) - variables(ServiceSettings)
    assert listed("common", "Settings of a language model") == own


def every_setting() -> set[str]:
    classes = (
        getattr(importlib.import_module(f"pellucid_{name}.settings"), f"{name.title()}Settings")
        for name in SERVICES
    )
    return set().union(*(variables(settings) for settings in classes))


def test_the_page_of_all_settings_is_what_the_classes_say() -> None:
    script = ROOT / "deploy" / "settings_page.py"
    found = importlib.util.spec_from_file_location("settings_page", script)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    assert module.PAGE.read_text("utf-8") == module.page(), "run make settings"
    assert set(re.findall(r"^\| `(\w+)`", module.page(), re.MULTILINE)) == every_setting()


def test_the_example_of_an_environment_file_names_settings_only() -> None:
    text = (ROOT / ".env.example").read_text("utf-8")
    named = re.findall(r"^#?([A-Z_]+)=", text, re.MULTILINE)
    assert len(named) == len(set(named)) > 30
    assert set(named) - every_setting() == {"PORT_OFFSET"}


# A setting of AnythingLLM, and codes of errors.
FOREIGN = {"LLM_PROVIDER", "LLM_FAILED", "SEARCH_FAILED"}


def test_the_documentation_names_no_setting_that_does_not_exist() -> None:
    pages = [ROOT / "README.md", ROOT / "SECURITY.md", *(ROOT / "docs").rglob("*.md")]
    own = re.compile(r"`((?:GATEWAY|SEARCH|SCORER|FETCHER|DECISION|LLM)_[A-Z0-9_]*)[`=]")
    named = {name for page in pages for name in own.findall(page.read_text("utf-8"))}
    assert len(named) > 40
    assert named - FOREIGN <= every_setting()
