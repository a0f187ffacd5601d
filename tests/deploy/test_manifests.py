"""Every overlay and pair of components renders, fits the schemas and keeps the house rules."""

import importlib
import itertools
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import kubernetes_validate.utils
import pytest
import yaml

from pellucid_runtime.settings import ServiceSettings
from rig.manifests import (
    DEPLOY,
    Manifest,
    Pod,
    Policies,
    of_kind,
    pod_templates,
    pods,
    references,
    render,
)
from rig.sample import sampled

pytestmark = pytest.mark.kubectl

SERVICES = ("gateway", "decision", "search", "scorer", "fetcher")
VERSIONS = ("1.29", "1.32", "1.35", "1.37")
OVERLAYS = ("dev", "staging", "prod")
COMPONENTS = tuple(sorted(path.name for path in (DEPLOY / "components").iterdir()))
# Both make the scorer's autoscaler.
EXCLUSIVE = {("keda", "scorer-queue")}
EVERY_PAIR = 6
CUSTOM = yaml.safe_load((Path(__file__).parent / "custom_resources.yaml").read_text("utf-8"))


def combinations() -> list[Any]:
    """Return no component, each one, each pair, and all that go together.

    Every run tries one pair of so many: what both of any two make is also in all together.
    """
    pairs = [pair for pair in itertools.combinations(COMPONENTS, 2) if pair not in EXCLUSIVE]
    most = [tuple(c for c in COMPONENTS if c != left) for left in ("keda", "scorer-queue")]
    those = [*((one,) for one in COMPONENTS), *most]
    return [
        pytest.param((), id="none"),
        *(pytest.param(each, id="+".join(each)) for each in those),
        *sampled([pytest.param(pair, id="+".join(pair)) for pair in pairs], EVERY_PAIR),
    ]


def combined(tmp_path_factory: pytest.TempPathFactory, components: tuple[str, ...]) -> Path:
    folder = tmp_path_factory.getbasetemp() / ("with-" + "-".join(components))
    folder.mkdir(exist_ok=True)
    text = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "namespace": "pellucid",
        "resources": [_from(folder, DEPLOY / "base")],
        "components": [_from(folder, DEPLOY / "components" / name) for name in components],
    }
    (folder / "kustomization.yaml").write_text(yaml.safe_dump(text), "utf-8")
    return folder


def _from(folder: Path, target: Path) -> str:
    up = "../" * (len(folder.resolve().parts) - 1)
    return up + str(target.resolve()).lstrip("/")


@pytest.fixture(autouse=True, scope="module")
def _schemas_read_once() -> Iterator[None]:
    """The package reads a megabyte of definitions for every document."""
    with pytest.MonkeyPatch.context() as patched:
        read = kubernetes_validate.utils.schema_contents
        patched.setattr(kubernetes_validate.utils, "schema_contents", cache(read))
        yield


def validate(manifests: tuple[Manifest, ...]) -> None:
    for manifest in manifests:
        validate_one(json.dumps(manifest, sort_keys=True))


@cache
def validate_one(text: str) -> None:
    manifest = json.loads(text)
    group = manifest["apiVersion"].partition("/")[0]
    if group in CUSTOM:
        jsonschema.validate(manifest, CUSTOM[group][manifest["kind"]])
    else:
        for version in VERSIONS:
            kubernetes_validate.validate(manifest, version, strict=True)


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_an_overlay_fits_the_schemas(overlay: str) -> None:
    manifests = render(DEPLOY / "overlays" / overlay)
    validate(manifests)
    _require_own_names(manifests)


def _require_own_names(manifests: tuple[Manifest, ...]) -> None:
    """The API server refuses two containers of one name, and two ports of one name, in a pod."""
    for name, template in pod_templates(manifests).items():
        spec = template["spec"]
        containers = [*spec["containers"], *spec.get("initContainers", ())]
        ports = [port["name"] for one in containers for port in one.get("ports", ())]
        for given in ([one["name"] for one in containers], ports):
            assert len(given) == len(set(given)), (name, given)


@pytest.mark.parametrize("components", combinations())
def test_components_combine(
    tmp_path_factory: pytest.TempPathFactory, components: tuple[str, ...]
) -> None:
    manifests = render(combined(tmp_path_factory, components))
    names = [(m["kind"], m["metadata"]["name"]) for m in manifests]
    assert len(names) == len(set(names))
    _require_own_names(manifests)
    if len(components) != 2:  # pairs render; what is in them was validated alone
        validate(manifests)


def test_a_wrong_field_would_be_found() -> None:
    deployment = of_kind(render(DEPLOY / "base"), "Deployment")[0]
    wrong = {**deployment, "spec": {**deployment["spec"], "replicaz": 3}}
    with pytest.raises(kubernetes_validate.ValidationError):
        validate((wrong,))


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_every_pod_is_confined(overlay: str) -> None:
    for name, template in pod_templates(render(DEPLOY / "overlays" / overlay)).items():
        pod = template["spec"]
        assert pod["automountServiceAccountToken"] is False, name
        assert pod["enableServiceLinks"] is False, name
        assert pod["securityContext"]["runAsNonRoot"] is True, name
        assert pod["securityContext"]["runAsUser"] > 0, name
        assert pod["securityContext"]["seccompProfile"]["type"] == "RuntimeDefault", name
        assert not {"hostNetwork", "hostPID", "hostIPC"} & pod.keys(), name
        assert not any("hostPath" in volume for volume in pod.get("volumes", ())), name
        for container in pod["containers"]:
            context = container["securityContext"]
            assert context["allowPrivilegeEscalation"] is False, name
            assert context["readOnlyRootFilesystem"] is True, name
            assert context["capabilities"]["drop"] == ["ALL"], name
            assert container["resources"]["requests"].keys() >= {"cpu", "memory"}, name
            assert "memory" in container["resources"]["limits"], name
            assert ":latest" not in container["image"], name


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_every_server_is_probed(overlay: str) -> None:
    manifests = render(DEPLOY / "overlays" / overlay)
    for manifest in of_kind(manifests, "Deployment", "StatefulSet"):
        container = manifest["spec"]["template"]["spec"]["containers"][0]
        for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
            assert probe in container, (manifest["metadata"]["name"], probe)


@pytest.mark.parametrize("overlay", ["staging", "prod"])
def test_every_service_survives_a_drain_and_scales(overlay: str) -> None:
    manifests = render(DEPLOY / "overlays" / overlay)
    budgets = {m["metadata"]["name"]: m["spec"] for m in of_kind(manifests, "PodDisruptionBudget")}
    scaled = {
        m["spec"]["scaleTargetRef"]["name"]: m
        for m in of_kind(manifests, "HorizontalPodAutoscaler", "ScaledObject")
    }
    templates = pod_templates(manifests)
    for name in SERVICES:
        assert matches_pod(budgets[name]["selector"], templates[name])
        spec = scaled[name]["spec"]
        assert (spec.get("minReplicas") or spec["minReplicaCount"]) >= 2
        deployment = next(
            m for m in of_kind(manifests, "Deployment") if m["metadata"]["name"] == name
        )
        assert "replicas" not in deployment["spec"], "the autoscaler decides"
        assert deployment["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"] == 0


def matches_pod(selector: dict[str, Any], template: Manifest) -> bool:
    return selector["matchLabels"].items() <= template["metadata"]["labels"].items()


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_a_pod_has_the_time_that_its_shutdown_takes(overlay: str) -> None:
    manifests = render(DEPLOY / "overlays" / overlay)
    common = settings_of(manifests)
    for name in SERVICES:
        pod = pod_templates(manifests)[name]["spec"]
        own = {v["name"]: v.get("value") for v in pod["containers"][0].get("env", ())}
        merged = {**common, **own}
        needed = float(merged["DRAIN_DELAY_S"]) + float(merged["SHUTDOWN_GRACE_S"])
        assert pod["terminationGracePeriodSeconds"] >= needed + 3, name
    assert float({**common, **env(manifests, "gateway")}["SHUTDOWN_GRACE_S"]) > 60


def settings_of(manifests: tuple[Manifest, ...]) -> dict[str, str]:
    found = [
        m["data"]
        for m in of_kind(manifests, "ConfigMap")
        if m["metadata"]["name"].startswith("pellucid-settings")
    ]
    assert len(found) == 1
    return dict(found[0])


def env(manifests: tuple[Manifest, ...], name: str) -> dict[str, str]:
    container = pod_templates(manifests)[name]["spec"]["containers"][0]
    return {v["name"]: v.get("value", "") for v in container.get("env", ())}


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_every_variable_is_a_setting_and_valid(
    overlay: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    manifests = render(DEPLOY / "overlays" / overlay)
    common = settings_of(manifests)
    # Of no service: the component keda takes it from there.
    known: set[str] = {"SECRETS_DIR", "HOME", "PROMETHEUS_URL"}
    for name in SERVICES:
        module = importlib.import_module(f"pellucid_{name}.settings")
        settings: type[ServiceSettings] = getattr(module, f"{name.title()}Settings")
        variables = {field.upper() for field in settings.model_fields}
        known |= variables
        own = env(manifests, name)
        assert own.keys() <= variables | {"SECRETS_DIR", "HOME"}, name
        with monkeypatch.context() as patched:
            patched.chdir(tmp_path)
            for variable, value in {**common, **own}.items():
                if "_TLS_" not in variable:  # those files are not here
                    patched.setenv(variable, value)
            settings()
    assert common.keys() <= known


def test_ports_are_those_of_the_images() -> None:
    for name, template in pod_templates(render(DEPLOY / "base")).items():
        dockerfile = (DEPLOY.parent / "services" / name / "Dockerfile").read_text("utf-8")
        exposed = re.search(r"^EXPOSE (.*)$", dockerfile, re.MULTILINE)
        assert exposed
        declared = [port["containerPort"] for port in template["spec"]["containers"][0]["ports"]]
        assert sorted(map(int, exposed[1].split())) == sorted(declared)


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_what_is_named_exists(overlay: str) -> None:
    manifests = render(DEPLOY / "overlays" / overlay)
    names = {(m["kind"], m["metadata"]["name"]) for m in manifests}
    for reference in references(list(manifests), "scaleTargetRef"):
        assert (reference.get("kind", "Deployment"), reference["name"]) in names
    for reference in references(list(manifests), "configMapRef"):
        assert ("ConfigMap", reference["name"]) in names
    for template in pod_templates(manifests).values():
        account = template["spec"].get("serviceAccountName")
        assert account is None or ("ServiceAccount", account) in names
    everyone = pods(manifests)
    for service in of_kind(manifests, "Service"):
        selector = service["spec"]["selector"].items()
        chosen = [pod for pod in everyone if selector <= pod.labels.items()]
        assert len(chosen) == 1, service["metadata"]["name"]
        for port in service["spec"]["ports"]:
            assert port["targetPort"] in chosen[0].ports


def test_calls_inside_are_balanced_over_every_replica() -> None:
    """Headless and `dns:///`, with the container's port: a virtual address pins a caller."""
    manifests = render(DEPLOY / "base")
    services = {m["metadata"]["name"]: m["spec"] for m in of_kind(manifests, "Service")}
    for name in SERVICES[1:]:
        target = settings_of(manifests)[f"{name.upper()}_TARGET"]
        port = services[name]["ports"][0]["port"]
        assert services[name]["clusterIP"] == "None"
        assert target == f"dns:///{name}:{port}"
        assert {p.name: p for p in pods(manifests)}[name].ports["grpc"] == port


# Who may open a connection to whom, and on which port: all of it.
EDGES = {
    ("gateway", "decision", "grpc"),
    ("gateway", "search", "grpc"),
    ("gateway", "scorer", "grpc"),
    ("gateway", "fetcher", "grpc"),
    ("decision", "scorer", "grpc"),
    ("gateway", "redis-state", "redis"),
    ("gateway", "redis-cache", "redis"),
    ("search", "redis-state", "redis"),
    ("search", "redis-cache", "redis"),
    ("fetcher", "redis-state", "redis"),
    ("fetcher", "redis-cache", "redis"),
    ("redis-backup", "redis-state", "redis"),
    ("weekly-report", "redis-state", "redis"),
    ("weekly-report", "redis-cache", "redis"),
}
OUTSIDE = {
    "ingress": Pod("ingress", "ingress-nginx", {}, {}),
    "prometheus": Pod("prometheus", "monitoring", {}, {"otlp": 4317}),
    "caller": Pod("caller", "chat", {"pellucid.example/caller": "true"}, {}),
    "stranger": Pod("stranger", "chat", {"app.kubernetes.io/name": "gateway"}, {}),
}
ENTRIES = {
    *(("prometheus", name, "metrics") for name in (*SERVICES, "redis-state", "redis-cache")),
    ("ingress", "gateway", "http"),
    ("caller", "gateway", "http"),
    ("caller", "gateway", "grpc"),
}
PUBLIC_PORTS = {
    "gateway": {443},
    "decision": {443},
    "search": {443},
    "fetcher": {80, 443, 8080, 8443},
}
PRIVATE = ("10.1.2.3", "172.20.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "127.0.0.1")


@pytest.mark.parametrize("overlay", ["staging", "prod"])
def test_only_the_allowed_edges_exist(overlay: str) -> None:
    manifests = render(DEPLOY / "overlays" / overlay)
    policies, everyone = Policies(manifests), pods(manifests)
    open_edges = {
        (source.name, target.name, port)
        for source in (*everyone, *OUTSIDE.values())
        for target in everyone
        for port, number in target.ports.items()
        if source is not target and policies.allow(source, target, number)
    }
    assert open_edges == EDGES | ENTRIES


@pytest.mark.parametrize("overlay", ["staging", "prod"])
def test_what_reaches_the_public_web(overlay: str) -> None:
    manifests = render(DEPLOY / "overlays" / overlay)
    policies = Policies(manifests)
    for pod in pods(manifests):
        reached = {p for p in (22, 53, 80, 443, 6379, 8080, 8443) if _reaches(policies, pod, p)}
        assert reached == PUBLIC_PORTS.get(pod.name, set()), pod.name
        for address in PRIVATE:
            assert not any(policies.allow_address(pod, address, p) for p in (80, 443, 8080))


def _reaches(policies: Policies, pod: Pod, port: int) -> bool:
    return policies.allow_address(pod, "93.184.215.14", port)


def test_a_missing_policy_would_be_found() -> None:
    manifests = render(DEPLOY / "overlays" / "prod")
    scorer = next(pod for pod in pods(manifests) if pod.name == "scorer")
    stranger = OUTSIDE["stranger"]
    assert not Policies(manifests).allow(stranger, scorer, 50053)
    left = [
        m for m in manifests if m["metadata"]["name"] not in {"deny-all", "scorer", "monitoring"}
    ]
    assert Policies(left).allow(stranger, scorer, 50053)


def test_only_one_service_holds_each_secret() -> None:
    manifests = render(DEPLOY / "overlays" / "prod")
    for name in SERVICES:
        volumes = pod_templates(manifests)[name]["spec"]["volumes"]
        mounted = {v["secret"]["secretName"] for v in volumes if "secret" in v}
        assert mounted <= {f"{name}-secrets", f"{name}-tls"}
