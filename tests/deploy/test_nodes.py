"""What the nodes need for the fetcher's browser: the seccomp profile and its installer."""

import json
from typing import Any

import jsonschema
import kubernetes_validate
import pytest

from pellucid_fetcher.settings import FetcherSettings
from rig.manifests import DEPLOY, of_kind, pod_templates, render

NODES = DEPLOY / "nodes"
ALLOW = "SCMP_ACT_ALLOW"
# With these a program reaches the kernel, other processes or the system's settings.
NEVER = {
    *("mount", "umount2", "pivot_root", "setns", "move_mount", "open_tree", "fsopen", "fsmount"),
    *("bpf", "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp"),
    *("init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot"),
    *("keyctl", "add_key", "request_key", "perf_event_open", "userfaultfd", "io_uring_setup"),
    *("open_by_handle_at", "name_to_handle_at", "iopl", "ioperm", "swapon", "swapoff", "acct"),
    *("settimeofday", "clock_settime", "sethostname", "setdomainname", "syslog", "quotactl"),
}
# As the runtimes read it (OCI runtime specification, section "seccomp").
SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["defaultAction", "architectures", "syscalls"],
    "properties": {
        "defaultAction": {"const": "SCMP_ACT_ERRNO"},
        "defaultErrnoRet": {"const": 1},
        "architectures": {"items": {"pattern": "^SCMP_ARCH_[A-Z0-9_]+$"}},
        "syscalls": {
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["names", "action"],
                "properties": {
                    "names": {"minItems": 1, "items": {"pattern": "^[a-z0-9_]+$"}},
                    "action": {"enum": [ALLOW, "SCMP_ACT_ERRNO"]},
                    "errnoRet": {"type": "integer"},
                    "args": {
                        "items": {
                            "required": ["index", "value", "op"],
                            "additionalProperties": True,
                        }
                    },
                },
            }
        },
    },
}


@pytest.fixture(scope="module")
def profile() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((NODES / "chromium.json").read_text("utf-8"))
    return found


def test_the_profile_is_one_that_runtimes_read(profile: dict[str, Any]) -> None:
    jsonschema.validate(profile, SCHEMA)


def test_the_profile_allows_a_sandbox_and_nothing_that_reaches_the_system(
    profile: dict[str, Any],
) -> None:
    rules = profile["syscalls"]
    free = {n for r in rules if r["action"] == ALLOW and "args" not in r for n in r["names"]}
    some = {n for r in rules if r["action"] == ALLOW for n in r["names"]}
    assert {"clone", "unshare", "chroot", "seccomp", "execve", "futex"} <= free
    assert not NEVER & some
    names = rules[0]["names"]
    assert names == sorted(set(names))
    assert [r for r in rules if r["names"] == ["clone3"]] == [
        {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": 38}
    ]


@pytest.mark.kubectl
def test_the_installer_puts_the_profile_where_the_fetcher_looks_for_it() -> None:
    manifests = render(NODES)
    for manifest in manifests:
        kubernetes_validate.validate(dict(manifest), "1.35", strict=True)
    pod = pod_templates(manifests)["seccomp-installer"]["spec"]
    [install] = pod["initContainers"]
    [script] = install["args"]
    folder = next(v["hostPath"]["path"] for v in pod["volumes"] if "hostPath" in v)
    assert folder == "/var/lib/kubelet/seccomp"  # the kubelet's own, for profiles of nodes
    fetcher = pod_templates(render(DEPLOY / "overlays" / "prod"))["fetcher"]["spec"]
    wanted = fetcher["containers"][0]["securityContext"]["seccompProfile"]
    assert wanted["type"] == "Localhost"
    assert f"/node/{wanted['localhostProfile']}" in script
    [profiles] = of_kind(manifests, "ConfigMap")
    assert profiles["data"]["chromium.json"] == (NODES / "chromium.json").read_text("utf-8")


@pytest.mark.kubectl
def test_the_installer_has_no_more_than_the_folder() -> None:
    pod = pod_templates(render(NODES))["seccomp-installer"]["spec"]
    assert pod["automountServiceAccountToken"] is False
    assert not {"hostNetwork", "hostPID", "hostIPC"} & pod.keys()
    assert [v["hostPath"]["path"] for v in pod["volumes"] if "hostPath" in v] == [
        "/var/lib/kubelet/seccomp"
    ]
    for container in (*pod["initContainers"], *pod["containers"]):
        assert container["securityContext"]["capabilities"]["drop"] == ["ALL"]
        assert container["securityContext"]["allowPrivilegeEscalation"] is False
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
    waiting = pod["containers"][0]
    assert waiting["securityContext"]["runAsUser"] > 0
    assert not any(m["name"] == "node" for m in waiting.get("volumeMounts", ()))


@pytest.mark.kubectl
def test_the_browsers_fit_the_fetchers_memory() -> None:
    fetcher = pod_templates(render(DEPLOY / "base"))["fetcher"]["spec"]["containers"][0]
    limit = fetcher["resources"]["limits"]["memory"]
    assert limit.endswith("Mi")
    fields = FetcherSettings.model_fields
    browsers = (
        fields["fetcher_browser_pages"].default * fields["fetcher_browser_memory_mib"].default
    )
    rest_mib = 1024  # the service, the driver, extraction processes
    assert int(limit.removesuffix("Mi")) >= browsers + rest_mib
