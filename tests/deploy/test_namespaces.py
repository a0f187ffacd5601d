"""What an installation asks of Prometheus: its own server, and its own namespace alone."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from rig.manifests import DEPLOY, Manifest, of_kind, render

pytestmark = pytest.mark.kubectl

SERVER = "http://prometheus.metrics.svc:9090"


def of_ours(tmp_path: Path, overlay: str, *literals: str) -> tuple[Manifest, ...]:
    """Return a copy of the overlay for the namespace `ours`, as the guide describes it."""
    text = yaml.safe_load((DEPLOY / "overlays" / overlay / "kustomization.yaml").read_text("utf-8"))
    up = "../" * (len(tmp_path.resolve().parts) - 1)

    def moved(path: str) -> str:
        return up + str((DEPLOY / "overlays" / overlay / path).resolve()).lstrip("/")

    text["namespace"] = "ours"
    text["resources"] = [moved(path) for path in text["resources"]]
    text["components"] = [moved(path) for path in text["components"]]
    if literals:
        text["configMapGenerator"][0]["literals"] = list(literals)
    (tmp_path / "kustomization.yaml").write_text(yaml.safe_dump(text), "utf-8")
    return render(tmp_path)


def scaled(manifests: tuple[Manifest, ...]) -> Any:
    (found,) = of_kind(manifests, "ScaledObject")
    return found


def asked(manifests: tuple[Manifest, ...]) -> Any:
    (found,) = (
        trigger["metadata"]
        for trigger in scaled(manifests)["spec"]["triggers"]
        if trigger["type"] == "prometheus"
    )
    return found


def test_the_autoscaler_asks_the_server_of_the_settings(tmp_path: Path) -> None:
    manifests = of_ours(tmp_path, "prod", f"PROMETHEUS_URL={SERVER}")
    assert asked(manifests)["serverAddress"] == SERVER


def test_the_autoscaler_counts_the_queues_of_its_own_namespace(tmp_path: Path) -> None:
    query = asked(of_ours(tmp_path, "prod"))["query"]
    assert query == 'sum(avg_over_time(pellucid_scorer_queued_tokens{namespace="ours"}[1m]))'
    assert '{namespace="pellucid"}' in asked(render(DEPLOY / "overlays" / "prod"))["query"]


def test_the_autoscaler_takes_over_the_one_that_runs(tmp_path: Path) -> None:
    """KEDA refuses a workload that another autoscaler has, unless it is told its name."""
    (before,) = (
        one
        for one in of_kind(render(DEPLOY / "base"), "HorizontalPodAutoscaler")
        if one["metadata"]["name"] == "scorer"
    )
    manifests = of_ours(tmp_path, "prod")
    found = scaled(manifests)
    assert found["metadata"]["annotations"]["scaledobject.keda.sh/transfer-hpa-ownership"] == "true"
    advanced = found["spec"]["advanced"]["horizontalPodAutoscalerConfig"]
    assert advanced["name"] == before["metadata"]["name"]
    assert found["spec"]["scaleTargetRef"]["name"] == before["spec"]["scaleTargetRef"]["name"]
    left = of_kind(manifests, "HorizontalPodAutoscaler")
    assert "scorer" not in {one["metadata"]["name"] for one in left}


@pytest.mark.parametrize("overlay", ["prod", "staging"])
def test_the_alert_about_nothing_scraped_names_its_own_namespace(
    tmp_path: Path, overlay: str
) -> None:
    (rules,) = of_kind(of_ours(tmp_path, overlay), "PrometheusRule")
    (alert,) = (
        rule
        for group in rules["spec"]["groups"]
        for rule in group["rules"]
        if rule.get("alert") == "ServiceDown"
    )
    first = alert["expr"].splitlines()[0]
    assert first == 'absent_over_time(up{namespace="ours",job=~"pellucid-.+"}[50m])'
    assert alert["expr"].count('"ours"') == 1
