"""The Helm chart renders what Kustomize renders, and its values do what their schema says."""

import functools
import importlib.util
import json
import re
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from rig import helm
from rig.manifests import DEPLOY, Manifest, documents, of_kind, pod_templates, render

pytestmark = [pytest.mark.kubectl, pytest.mark.helm]

CHART = DEPLOY / "helm" / "pellucid"
NAMESPACES = {"dev": "pellucid-dev", "staging": "pellucid-staging", "prod": "pellucid"}
COMPONENTS = tuple(sorted(path.name for path in (DEPLOY / "components").iterdir()))
Objects = dict[str, Manifest]


def by_name(manifests: tuple[Manifest, ...]) -> Objects:
    return {f"{one['kind']}/{one['metadata']['name']}": one for one in manifests}


def charted(values: dict[str, Any], namespace: str = "pellucid") -> Objects:
    texts = helm.rendered(CHART, values, name="demo", namespace=namespace)
    return by_name(tuple(documents(texts["pellucid/templates/objects.yaml"])))


def kustomized(folder: Path) -> Objects:
    """What Kustomize renders, with the settings' name as the chart has it: without a hash."""
    text = re.sub(
        r"pellucid-settings-[a-z0-9]{10}", "pellucid-settings", json.dumps(render(folder))
    )
    return by_name(tuple(json.loads(text)))


def without_checksum(objects: Objects) -> Objects:
    """The same without what stands in for that hash."""
    for template in pod_templates(objects.values()).values():
        metadata: Any = template["metadata"]
        annotations = metadata.get("annotations", {})
        if annotations.pop("checksum/settings", None) and not annotations:
            del metadata["annotations"]
    return objects


def values_of(overlay: str) -> dict[str, Any]:
    values = yaml.safe_load((CHART / f"values-{overlay}.yaml").read_text("utf-8"))
    return {**values, "namespace": {"create": True}}


def test_the_objects_are_those_of_the_base_and_the_components() -> None:
    found = importlib.util.spec_from_file_location("generate", DEPLOY / "helm" / "generate.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    assert module.OBJECTS.read_text("utf-8") == module.chart_objects(), "run make chart"


@pytest.mark.parametrize("overlay", NAMESPACES)
def test_an_overlay_and_its_values_render_the_same(overlay: str) -> None:
    chart = charted(values_of(overlay), NAMESPACES[overlay])
    assert without_checksum(chart) == kustomized(DEPLOY / "overlays" / overlay)


@pytest.mark.parametrize("selected", [*((name,) for name in COMPONENTS), "keda", "scorer-queue"])
def test_components_render_the_same(selected: tuple[str, ...] | str, tmp_path: Path) -> None:
    """Each by itself, then all but the one of the two that scale the scorer."""
    if isinstance(selected, str):
        selected = tuple(name for name in COMPONENTS if name != selected)
    up = "../" * (len(tmp_path.resolve().parts) - 1) + str(DEPLOY.relative_to("/"))
    text = {
        "namespace": "pellucid",
        "resources": [f"{up}/base"],
        "components": [f"{up}/components/{name}" for name in selected],
    }
    (tmp_path / "kustomization.yaml").write_text(yaml.safe_dump(text), "utf-8")
    chosen = {name: name in selected for name in COMPONENTS}

    chart = charted({"components": chosen, "namespace": {"create": True}})

    assert without_checksum(chart) == kustomized(tmp_path)


def test_the_schema_describes_every_value_and_refuses_what_it_does_not_know() -> None:
    def described(node: dict[str, Any]) -> bool:
        parts = node.get("properties", {}).values()
        return all(part.get("description") and described(part) for part in parts)

    schema, values, errors = helm.described(CHART)
    assert described(schema)
    assert schema["properties"].keys() - {"global"} == values.keys()
    assert set(values["components"]) == set(COMPONENTS)
    helm.check(CHART, {})
    for wrong in ({"replica": 3}, {"components": {"redsi": True}}, {"settings": {"a b": "1"}}):
        with pytest.raises(helm.HelmError, match="HelmValuesError"):
            helm.check(CHART, wrong)
    assert errors == []


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"components": {"keda": True, "scorer-queue": True}}, "exclude each other"),
        ({"replicas": 3}, "needs autoscaling.enabled=false"),
        ({"overrides": {"Deployment/gatway": {}}}, "Deployment/gatway is none"),
    ],
)
def test_what_would_be_ignored_or_fought_over_is_refused(values: dict[str, Any], told: str) -> None:
    with pytest.raises(helm.HelmError, match=told):
        charted(values)


def test_settings_images_and_overrides_arrive_and_new_settings_make_new_pods() -> None:
    render_with = functools.partial(charted, namespace="ours")
    before = pod_templates(render_with({}).values())["gateway"]
    after = render_with(
        {
            "settings": {"LLM_MODEL": "large", "LLM_WINDOW_TOKENS": 128000},
            "image": {"prefix": "registry.example/p/", "tag": "9"},
            "imagePullSecrets": [{"name": "pull"}],
            "overrides": {"Deployment/scorer": {"spec": {"template": {"spec": {"hostname": "x"}}}}},
        }
    )
    pods = pod_templates(after.values())
    assert after["ConfigMap/pellucid-settings"]["data"]["LLM_WINDOW_TOKENS"] == "128000"
    assert pods["gateway"]["spec"]["containers"][0]["image"] == "registry.example/p/gateway:9"
    assert pods["redis-state"]["spec"]["containers"][0]["image"].startswith("redis:")
    assert pods["scorer"]["spec"]["hostname"] == "x"
    assert all(pod["spec"]["imagePullSecrets"] == [{"name": "pull"}] for pod in pods.values())
    checksums = [pod["metadata"]["annotations"] for pod in (before, pods["gateway"])]
    assert checksums[0] != checksums[1]
    assert {one["metadata"]["namespace"] for one in after.values()} == {"ours"}
    assert not of_kind(after.values(), "Namespace")


def test_the_hook_asks_the_gateway_from_a_pod_without_rights() -> None:
    texts = helm.rendered(CHART, values_of("prod"), name="demo", namespace="pellucid")
    pod, policy = documents(texts["pellucid/templates/tests/ready.yaml"])
    for one in (pod, policy):
        kubernetes_validate.validate(one, "1.32", strict=True)
        assert one["metadata"]["annotations"]["helm.sh/hook"] == "test"
    (container,) = pod["spec"]["containers"]
    assert container["image"] == "images.example/pellucid/gateway:0.2.0"
    assert pod["spec"]["securityContext"]["runAsNonRoot"] is True
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    compile(container["args"][0], "hook", "exec")
    selected = policy["spec"]["podSelector"]["matchLabels"].items()
    assert selected <= pod["metadata"]["labels"].items()
    allowed = of_kind(render(DEPLOY / "overlays" / "prod"), "NetworkPolicy")
    (gateway,) = (one for one in allowed if one["metadata"]["name"] == "gateway")
    callers = gateway["spec"]["ingress"][1]["from"][0]["podSelector"]["matchLabels"]
    assert callers.items() <= pod["metadata"]["labels"].items()
