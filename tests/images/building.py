"""Builds the images with buildah in a chroot, on a stand-in for the base image.

The stand-in is a Debian of the same release with Python 3.11 and pip where the base image has them,
made by debootstrap; so nothing here needs Docker or a registry of images. Where pip is configured
on this machine (a mirror, an authority), it is configured alike in the stand-in.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
BASE: Final = "docker.io/library/python:3.11.14-slim-bookworm"
SERVICES: Final = ("decision", "search", "scorer", "fetcher", "gateway")
_PACKAGES: Final = "python3,python3-venv,ca-certificates"
_HOSTS_PIP: Final = Path("/etc/pip.conf")
_HOSTS_AUTHORITIES: Final = Path("/etc/ssl/certs/ca-certificates.crt")
# What the base image has and Debian spells otherwise: a `python`, and a pip that may be removed.
_AS_THE_BASE_IMAGE: Final = """
ln -sf python3 /usr/bin/python
rm -f /usr/lib/python3.11/EXTERNALLY-MANAGED
python3 -m venv /tmp/venv
cp -r /tmp/venv/lib/python3.11/site-packages/pip* /usr/local/lib/python3.11/dist-packages/
printf '#!/bin/sh\\nexec python3 -m pip "$@"\\n' > /usr/local/bin/pip
chmod +x /usr/local/bin/pip
rm -rf /tmp/venv /var/cache/apt/archives/*.deb
"""


def run(*command: str | Path, timeout_s: float = 1200, **environment: str) -> str:
    """What a command prints; its last lines in the error when it fails."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout_s,
    )
    if done.returncode:
        raise RuntimeError(f"{command[0]} {command[1]}: {(done.stdout + done.stderr)[-3000:]}")
    return done.stdout


@dataclass(frozen=True, slots=True)
class Workshop:
    """Where images are made.

    Attributes:
        folder: Takes the stand-in and the images, some 6 GB; may be kept for the next time.
    """

    folder: Path

    def buildah(self, *words: str | Path) -> str:
        """Run buildah on images of our own."""
        places = ("--root", self.folder / "images", "--runroot", self.folder / "running")
        return run(
            "buildah",
            *places,
            *words,
            STORAGE_DRIVER="vfs",
            BUILDAH_ISOLATION="chroot",
            # A cache of pip's would be the builder's and not the image's.
            PIP_NO_CACHE_DIR="1",
        )

    def make_base(self) -> None:
        """The stand-in, unless it is there from an earlier time."""
        if BASE.rpartition(":")[0] in self.buildah("images", "--format", "{{.Name}}"):
            return
        root = self.folder / "base"
        if not (root / "usr/bin/python3").exists():
            shutil.rmtree(root, ignore_errors=True)
            run("debootstrap", "--variant=minbase", f"--include={_PACKAGES}", "bookworm", root)
        (root / "usr/local/lib/python3.11/dist-packages").mkdir(parents=True, exist_ok=True)
        run("chroot", root, "sh", "-euc", _AS_THE_BASE_IMAGE)
        for file in (_HOSTS_PIP, _HOSTS_AUTHORITIES):
            if file.exists():
                shutil.copy(file, root / file.relative_to("/"))
        container = self.buildah("from", "scratch").strip()
        self.buildah("add", "-q", container, root, "/")
        self.buildah("config", "--env", "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin", container)
        self.buildah("commit", "-q", "--rm", container, BASE)

    def build(self, service: str) -> None:
        """One image, as its Dockerfile says."""
        volumes = [word for path in local_indexes() for word in ("--volume", f"{path}:{path}:ro")]
        file = ROOT / "services" / service / "Dockerfile"
        self.buildah("bud", "-q", "--pull-never", *volumes, "-f", file, "-t", own(service), ROOT)

    @contextmanager
    def opened(self, name: str) -> Iterator[Path]:
        """The files of an image, in a folder of the time being."""
        container = self.buildah("from", "--pull-never", name).strip()
        try:
            yield Path(self.buildah("mount", container).strip())
        finally:
            self.buildah("rm", container)


def own(service: str) -> str:
    """Name of a service's image."""
    return f"localhost/pellucid-{service}"


def local_indexes() -> list[Path]:
    """Folders in which pip looks on this machine."""
    words = [*_HOSTS_PIP.read_text("utf-8").split()] if _HOSTS_PIP.exists() else []
    words += [value for name, value in os.environ.items() if name.startswith("PIP_")]
    paths = [Path(word.removeprefix("file://")) for part in words for word in part.split()]
    folders = [path for path in paths if path.is_absolute() and path.is_dir()]
    return sorted({path.parent if path.name == "simple" else path for path in folders})
