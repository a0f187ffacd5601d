"""The alerting rules and routes: right in form, tested by case, and each explained in a runbook."""

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from rig.sample import sampled

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "deploy" / "observability"
RULES = sorted((FOLDER / "rules").glob("*.yaml"))
ROUTES = FOLDER / "alertmanager" / "alertmanager.yaml"
KUBE_PROMETHEUS = Path(__file__).parent / "kube_prometheus_routes.yaml"
COMPONENT = ROOT / "deploy" / "components" / "alertmanager" / "routes.yaml"


def run(*command: str | Path, timeout_s: float = 110) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout_s,
        # Much of what promtool does is collecting what it has thrown away.
        env=os.environ | {"GOGC": "800"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def alerts() -> list[dict[str, Any]]:
    groups = yaml.safe_load((FOLDER / "rules" / "alerts.yaml").read_text("utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def cases() -> list[dict[str, Any]]:
    files = sorted((FOLDER / "tests").glob("*.yaml"))
    return [case for file in files for case in yaml.safe_load(file.read_text("utf-8"))["tests"]]


@pytest.mark.prometheus
def test_the_rules_are_well_formed() -> None:
    run("promtool", "check", "rules", "--lint=all", "--lint-fatal", *RULES)


@pytest.mark.prometheus
@pytest.mark.parametrize(
    "file", ["alerts.yaml", pytest.param("slow_alerts.yaml", marks=pytest.mark.nightly)]
)
def test_the_cases_hold(file: str) -> None:
    run("promtool", "test", "rules", FOLDER / "tests" / file)


def test_every_alert_has_a_case_that_fires_and_one_that_does_not() -> None:
    firing: set[str] = set()
    for case in cases():
        for sample in case["promql_expr_test"][0]["exp_samples"]:
            firing |= set(re.findall(r'alertname="(\w+)"', sample["labels"]))
    silent = [case["name"] for case in cases() if not case["promql_expr_test"][0]["exp_samples"]]
    names = {alert["alert"] for alert in alerts()}
    assert firing == names
    spoken_of = " ".join(silent).replace("the budget alerts", "ProviderBudgetSpent")
    families = {re.sub(r"(Fast|Medium|Slow|VerySlow)$", "", name) for name in names}
    families = {family.replace("BudgetNearlySpent", "BudgetSpent") for family in families}
    assert families == {family for family in families if family in spoken_of}


@pytest.mark.parametrize("alert", alerts(), ids=lambda alert: alert["alert"])
def test_an_alert_is_explained(alert: dict[str, Any]) -> None:
    assert alert["labels"]["severity"] in {"critical", "warning"}
    assert alert["for"]
    assert alert["annotations"]["summary"]
    assert alert["annotations"]["description"]
    address = alert["annotations"]["runbook_url"]
    assert address.startswith("https://")
    assert address.endswith(f"/docs/runbooks/{alert['alert']}.md")
    text = (ROOT / "docs" / "runbooks" / f"{alert['alert']}.md").read_text("utf-8")
    for heading in ("## What it means", "## What people notice", "## Look", "## Do"):
        assert heading in text, heading


def test_what_a_runbook_tells_people_to_run_exists() -> None:
    pages = (ROOT / "docs" / "runbooks").glob("*.md")
    named = [
        (page.name, file)
        for page in pages
        for file in re.findall(
            r"python ((?:bench|eval|deploy|tests)/\S+\.py)", page.read_text("utf-8")
        )
    ]
    assert named
    assert [pair for pair in named if not (ROOT / pair[1]).is_file()] == []


@pytest.mark.alertmanager
@pytest.mark.parametrize("file", [ROUTES, KUBE_PROMETHEUS], ids=["ours", "kube-prometheus"])
def test_the_routes_are_well_formed(file: Path) -> None:
    run("amtool", "check-config", file)


def receivers(routes: Path, labels: Mapping[str, str]) -> str:
    words = [f"{name}={value}" for name, value in labels.items()]
    return run("amtool", "config", "routes", "test", f"--config.file={routes}", *words).strip()


@pytest.mark.alertmanager
@pytest.mark.parametrize("alert", sampled(alerts(), 4), ids=lambda alert: alert["alert"])
def test_a_critical_alert_wakes_somebody_up_and_a_warning_does_not(alert: dict[str, Any]) -> None:
    labels = {"alertname": alert["alert"], "namespace": "pellucid", **alert["labels"]}
    is_critical = labels["severity"] == "critical"
    assert receivers(ROUTES, labels) == ("pager,mail" if is_critical else "mail")
    assert receivers(KUBE_PROMETHEUS, labels) == ("Critical" if is_critical else "Default")


@pytest.mark.alertmanager
def test_an_alert_that_nobody_knows_goes_by_mail() -> None:
    assert receivers(ROUTES, {"alertname": "Unheard"}) == "mail"


def test_the_kubernetes_routes_are_those_of_compose() -> None:
    """The operator's form says the same in other words."""

    def matchers(listed: list[dict[str, str]]) -> list[str]:
        return [f'{one["name"]}{one["matchType"]}"{one["value"]}"' for one in listed]

    ours = yaml.safe_load(ROUTES.read_text("utf-8"))
    theirs = yaml.safe_load(COMPONENT.read_text("utf-8"))["spec"]
    assert [
        (matchers(rule["sourceMatch"]), matchers(rule["targetMatch"]), rule["equal"])
        for rule in theirs["inhibitRules"]
    ] == [
        (rule["source_matchers"], rule["target_matchers"], rule["equal"])
        for rule in ours["inhibit_rules"]
    ]
    assert [
        (matchers(route["matchers"]), route["receiver"]) for route in theirs["route"]["routes"]
    ] == [(route["matchers"], route["receiver"]) for route in ours["route"]["routes"]]


def test_every_alert_says_where_it_is_true() -> None:
    """Two installations under one Prometheus are told apart by their namespace."""
    for alert in alerts():
        groupings = re.findall(r"\b(?:by|on) \(([^)]*)\)", alert["expr"])
        assert all("namespace" in grouping.split(", ") for grouping in groupings), alert["alert"]


def test_inhibitions_name_alerts_that_exist() -> None:
    names = {alert["alert"] for alert in alerts()}
    rules = yaml.safe_load(ROUTES.read_text("utf-8"))["inhibit_rules"]
    matchers = [m for rule in rules for m in (*rule["source_matchers"], *rule["target_matchers"])]
    named = [re.search(r'alertname=~?"([^"]+)"', matcher) for matcher in matchers]
    assert {name for match in named if match for name in match[1].split("|")} <= names
