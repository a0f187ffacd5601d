"""Kustomize overlays, rendered; and what may talk to what by their network policies."""

import ipaddress
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
RENDER_TIMEOUT_S = 60

Manifest = Mapping[str, Any]


class _Loader(yaml.CSafeLoader):
    """Reads a bare `=` as text, as Kubernetes does; in YAML 1.1 it is a type of its own."""


_Loader.add_constructor("tag:yaml.org,2002:value", yaml.CSafeLoader.construct_yaml_str)


def documents(text: str) -> Iterator[Manifest]:
    """Yield the objects of a text with several."""
    yield from yaml.load_all(text, _Loader)


@cache
def render(folder: Path) -> tuple[Manifest, ...]:
    """Return the documents that `kubectl kustomize` makes of a folder."""
    rendered = subprocess.run(
        ["kubectl", "kustomize", "--load-restrictor", "LoadRestrictionsNone", str(folder)],
        capture_output=True,
        text=True,
        check=False,
        timeout=RENDER_TIMEOUT_S,
    )
    assert rendered.returncode == 0, rendered.stderr
    return tuple(documents(rendered.stdout))


def of_kind(manifests: Iterable[Manifest], *kinds: str) -> list[Manifest]:
    """Return those of the kinds."""
    return [manifest for manifest in manifests if manifest["kind"] in kinds]


def pod_templates(manifests: Iterable[Manifest]) -> dict[str, Manifest]:
    """Return the pod template of each workload by the workload's name."""
    templates = {}
    for manifest in of_kind(manifests, "Deployment", "StatefulSet", "DaemonSet", "CronJob"):
        spec = manifest["spec"]
        if manifest["kind"] == "CronJob":
            spec = spec["jobTemplate"]["spec"]
        templates[manifest["metadata"]["name"]] = spec["template"]
    return templates


def matches(selector: Manifest | None, labels: Mapping[str, str]) -> bool:
    """Tell whether a label selector takes an object with these labels; an empty one takes all."""
    selector = selector or {}
    named = all(labels.get(k) == v for k, v in selector.get("matchLabels", {}).items())
    return named and all(_holds(rule, labels) for rule in selector.get("matchExpressions", ()))


def _holds(rule: Manifest, labels: Mapping[str, str]) -> bool:
    assert rule["operator"] == "In", "only In is used"
    return labels.get(rule["key"]) in rule["values"]


@dataclass(frozen=True)
class Pod:
    """One end of a connection.

    Attributes:
        name: Name for people.
        namespace: Its namespace's name.
        labels: Its labels.
        ports: Number of each named port.
    """

    name: str
    namespace: str
    labels: Mapping[str, str]
    ports: Mapping[str, int]


def pods(manifests: Sequence[Manifest], namespace: str = "pellucid") -> list[Pod]:
    """Return one pod of each workload."""
    found = []
    for name, template in pod_templates(manifests).items():
        ports = {
            port["name"]: port["containerPort"]
            for container in template["spec"]["containers"]
            for port in container.get("ports", ())
        }
        found.append(Pod(name, namespace, template["metadata"]["labels"], ports))
    return found


class Policies:
    """The network policies of one namespace.

    Args:
        manifests: A rendered overlay.
        namespace: Where it is applied.
    """

    def __init__(self, manifests: Sequence[Manifest], namespace: str = "pellucid") -> None:
        self._policies = [manifest["spec"] for manifest in of_kind(manifests, "NetworkPolicy")]
        self._namespace = namespace

    def allow(self, source: Pod, target: Pod, port: int) -> bool:
        """Tell whether the source may open a connection to the target's port."""

        def leads_there(rule: Manifest) -> bool:
            is_to = "to" not in rule or any(self._is(peer, target) for peer in rule["to"])
            return is_to and _has_port(rule, target.ports, port)

        def comes_from_there(rule: Manifest) -> bool:
            is_from = "from" not in rule or any(self._is(peer, source) for peer in rule["from"])
            return is_from and _has_port(rule, target.ports, port)

        leaves = self._permits(source, "egress", leads_there)
        return leaves and self._permits(target, "ingress", comes_from_there)

    def allow_address(self, source: Pod, address: str, port: int) -> bool:
        """Tell whether the source may open a connection to an address outside of the cluster."""

        def leads_there(rule: Manifest) -> bool:
            blocks = [peer.get("ipBlock") for peer in rule.get("to", ())]
            is_to = "to" not in rule or any(_contains(block, address) for block in blocks)
            return is_to and _has_port(rule, {}, port)

        return self._permits(source, "egress", leads_there)

    def _permits(self, pod: Pod, direction: str, takes: Callable[[Manifest], bool]) -> bool:
        if pod.namespace != self._namespace:
            return True  # another namespace's policies are not ours
        policies = [
            policy
            for policy in self._policies
            if direction.capitalize() in policy["policyTypes"]
            and matches(policy["podSelector"], pod.labels)
        ]
        return not policies or any(
            takes(rule) for policy in policies for rule in policy.get(direction) or ()
        )

    def _is(self, peer: Manifest, pod: Pod) -> bool:
        if "ipBlock" in peer:
            return False
        if "namespaceSelector" not in peer:
            is_here = pod.namespace == self._namespace
        else:
            labels = {"kubernetes.io/metadata.name": pod.namespace}
            is_here = matches(peer["namespaceSelector"], labels)
        return is_here and matches(peer.get("podSelector"), pod.labels)


def _has_port(rule: Manifest, named: Mapping[str, int], port: int) -> bool:
    if "ports" not in rule:
        return True
    return any(named.get(entry["port"], entry["port"]) == port for entry in rule["ports"])


def _contains(block: Manifest | None, address: str) -> bool:
    if block is None:
        return False
    ip = ipaddress.ip_address(address)
    return ip in ipaddress.ip_network(block["cidr"]) and not any(
        ip in ipaddress.ip_network(excepted) for excepted in block.get("except", ())
    )


def references(node: Any, key: str) -> Iterator[Any]:
    """Yield every value of a key, anywhere in a document."""
    if isinstance(node, dict):
        for name, value in node.items():
            if name == key:
                yield value
            yield from references(value, key)
    elif isinstance(node, list):
        for value in node:
            yield from references(value, key)
