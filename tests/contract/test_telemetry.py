"""What is declared, emitted, alerted on and drawn agree."""

import importlib
import importlib.util
import re
from pathlib import Path

import pytest
import yaml
from prometheus_client.metrics import MetricWrapperBase

ROOT = Path(__file__).resolve().parents[2]
OBSERVABILITY = ROOT / "deploy" / "observability"
SCHEMA = yaml.safe_load((OBSERVABILITY / "telemetry.yaml").read_text("utf-8"))["metrics"]
MODULES = {
    "runtime": ("pellucid_runtime.telemetry.metrics", "pellucid_runtime.secrets"),
    "decision": ("pellucid_decision.metrics",),
    "search": ("pellucid_search.metrics",),
    "scorer": ("pellucid_scorer.metrics",),
    "fetcher": ("pellucid_fetcher.metrics",),
    "gateway": ("pellucid_gateway.metrics",),
}
# Given by the scrape, by the kind of instrument or by a rule.
FREE_LABELS = {"namespace", "pod", "job", "instance", "le", "alertname", "alertstate", "severity"}
SERIES = re.compile(r"\bpellucid_[a-z0-9_]+")


def emitted(service: str) -> dict[str, dict[str, object]]:
    """Return the instruments that a service's modules hold, as the schema writes them."""
    found = {}
    for module in MODULES[service]:
        for value in vars(importlib.import_module(module)).values():
            if isinstance(value, MetricWrapperBase):
                suffix = "_total" if value._type == "counter" else ""
                found[value._name + suffix] = {
                    "of": service,
                    "type": value._type,
                    "labels": list(value._labelnames),
                }
    return found


def base_name(series: str) -> str:
    """Return the instrument of a series: a histogram has three."""
    for suffix in ("_bucket", "_sum", "_count"):
        name = series.removesuffix(suffix)
        if name != series and SCHEMA.get(name, {}).get("type") == "histogram":
            return name
    return series


def expressions() -> list[str]:
    rules = [
        rule["expr"]
        for file in sorted((OBSERVABILITY / "rules").glob("*.yaml"))
        for group in yaml.safe_load(file.read_text("utf-8"))["groups"]
        for rule in group["rules"]
    ]
    boards = yaml.safe_load((OBSERVABILITY / "dashboards.yaml").read_text("utf-8"))
    drawn = [
        query
        for board in boards.values()
        for panel in board["panels"]
        for query in panel["queries"].values()
    ]
    return rules + drawn


@pytest.mark.parametrize("service", MODULES)
def test_code_and_schema_agree(service: str) -> None:
    declared = {
        name: {key: entry[key] for key in ("of", "type", "labels")}
        for name, entry in SCHEMA.items()
        if entry["of"] == service
    }
    assert emitted(service) == declared
    assert all(SCHEMA[name]["unit"] for name in declared)


def test_no_instrument_is_made_elsewhere() -> None:
    makers = re.compile(r"\b(?:Counter|Gauge|Histogram|Summary)\(\s*\"pellucid_")
    allowed = {"metrics.py", "secrets.py"}
    strays = [
        str(path.relative_to(ROOT))
        for path in (ROOT / "services").glob("*/src/**/*.py")
        if path.name not in allowed and makers.search(path.read_text("utf-8"))
    ]
    assert not strays


@pytest.mark.parametrize("expression", expressions())
def test_what_is_alerted_on_or_drawn_is_declared(expression: str) -> None:
    for match in SERIES.finditer(expression):
        name = base_name(match[0])
        assert name in SCHEMA, name
        selector = re.match(r"\{([^}]*)\}", expression[match.end() :])
        for label in re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", selector[1] if selector else ""):
            assert label in FREE_LABELS | set(SCHEMA[name]["labels"]), (name, label)


def test_groupings_use_labels_that_exist() -> None:
    labels = FREE_LABELS.union(*(entry["labels"] for entry in SCHEMA.values()))
    for expression in expressions():
        for group in re.findall(r"\bby \(([^)]*)\)", expression):
            assert {label.strip() for label in group.split(",")} <= labels, expression


def test_every_alert_and_rule_that_is_used_is_recorded() -> None:
    recorded = {
        rule["record"]
        for rule in yaml.safe_load((OBSERVABILITY / "rules" / "recording.yaml").read_text())[
            "groups"
        ][0]["rules"]
    }
    used = {name for text in expressions() for name in re.findall(r"pellucid:[a-z0-9_:]+", text)}
    assert used <= recorded


def test_dashboards_and_rule_object_are_made_of_their_sources() -> None:
    module = importlib.util.spec_from_file_location("render", OBSERVABILITY / "render.py")
    assert module
    assert module.loader
    render = importlib.util.module_from_spec(module)
    module.loader.exec_module(render)
    for path, text in render.rendered().items():
        assert path.read_text("utf-8") == text, f"{path}: run deploy/observability/render.py"
