"""The compose file for one machine: valid, complete, and as confined as the pods are."""

import importlib
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from compose_spec import PyCompose, PyOptions

from pellucid_runtime.settings import ServiceSettings

FOLDER = Path(__file__).resolve().parents[2] / "deploy" / "compose"
SERVICES = ("gateway", "decision", "search", "scorer", "fetcher")


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    options = PyOptions()
    options.apply_merge = True
    text = (FOLDER / "compose.yaml").read_text("utf-8")
    # As Compose reads it without a file .env.
    parsed = options.from_yaml(re.sub(r"\$\{\w+:?-([^}]*)\}", r"\1", text))
    parsed.validate()
    return dict(parsed.to_dict())


def test_a_wrong_key_would_be_found() -> None:
    with pytest.raises(ValueError, match="imagee"):
        PyCompose.from_yaml("services: {gateway: {imagee: pellucid-gateway}}")


def variables(service: dict[str, Any]) -> dict[str, str]:
    given = service.get("environment") or {}
    return {name: str(value) for name, value in given.items()}


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_gets_valid_settings(
    compose: dict[str, Any], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = importlib.import_module(f"pellucid_{name}.settings")
    settings: type[ServiceSettings] = getattr(module, f"{name.title()}Settings")
    own = {field.upper() for field in settings.model_fields}
    common = {field.upper() for field in ServiceSettings.model_fields}
    targets = {f"{other.upper()}_TARGET" for other in SERVICES}
    given = variables(compose["services"][name])
    assert given.keys() <= own | common | targets | {"HOME"}
    for variable, value in given.items():
        monkeypatch.setenv(variable, value)
    settings()


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_confined(compose: dict[str, Any], name: str) -> None:
    service = compose["services"][name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    own = ["seccomp:../nodes/chromium.json"] if name == "fetcher" else []
    assert service["security_opt"] == ["no-new-privileges:true", *own]
    assert service["healthcheck"]["test"]
    assert not service.get("privileged")


def test_only_what_needs_the_web_is_on_the_network_that_leads_there(
    compose: dict[str, Any],
) -> None:
    assert compose["networks"]["inside"]["internal"] is True
    leads_out = {name for name, s in compose["services"].items() if "outside" in s["networks"]}
    monitoring = {"alertmanager", "grafana", "prometheus", "otel-collector", "jaeger"}
    assert leads_out == {"gateway", "decision", "search", "fetcher", "caddy", *monitoring}


def test_ports_are_open_on_this_machine_only_unless_tls_is_asked_for() -> None:
    text = yaml.safe_load((FOLDER / "compose.yaml").read_text("utf-8"))
    published = {name: s["ports"] for name, s in text["services"].items() if "ports" in s}
    assert text["services"]["caddy"]["profiles"] == ["tls"]
    assert published.pop("caddy") == ["80:80", "443:443"]
    assert published.keys() == {"gateway", "grafana", "prometheus", "alertmanager", "jaeger"}
    for ports in published.values():
        assert all(port.startswith("127.0.0.1:") for port in ports)


def test_the_collector_gets_each_variable_that_its_configuration_names() -> None:
    text = yaml.safe_load((FOLDER / "compose.yaml").read_text("utf-8"))
    configured = (FOLDER / "otel-collector.yaml").read_text("utf-8")
    named = set(re.findall(r"\$\{env:(\w+)\}", configured))
    assert named == set(text["services"]["otel-collector"]["environment"])
    pipeline = yaml.safe_load(configured)
    assert pipeline["exporters"].keys() == {"debug", "otlp"}


def test_every_mounted_file_exists_and_every_image_is_pinned() -> None:
    text = yaml.safe_load((FOLDER / "compose.yaml").read_text("utf-8"))
    for name, service in text["services"].items():
        for mount in service.get("volumes", ()):
            source = mount.split(":")[0]
            if source.startswith("."):
                assert (FOLDER / source).exists(), source
            else:
                assert source in text["volumes"]
        if "build" in service:
            dockerfile = FOLDER / service["build"]["context"] / service["build"]["dockerfile"]
            assert dockerfile.exists()
        else:
            assert ":" in service["image"], name
            assert not service["image"].endswith(":latest"), name


def test_prometheus_scrapes_the_port_of_each_service() -> None:
    jobs = yaml.safe_load((FOLDER / "prometheus.yaml").read_text("utf-8"))["scrape_configs"]
    scraped = {job["job_name"]: job["dns_sd_configs"][0] for job in jobs}
    assert scraped.pop("pellucid-redis-state")["names"] == ["redis-exporter"]
    assert scraped.keys() == {f"pellucid-{name}" for name in SERVICES}
    for job, discovery in scraped.items():
        name = job.removeprefix("pellucid-")
        module = importlib.import_module(f"pellucid_{name}.settings")
        settings: type[ServiceSettings] = getattr(module, f"{name.title()}Settings")
        assert discovery["names"] == [name]
        assert discovery["port"] == settings.model_fields["metrics_port"].default
