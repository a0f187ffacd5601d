"""`constraints.txt` pins what is installed: all of it, and nothing else."""

import re
from pathlib import Path

from packaging.utils import NormalizedName, canonicalize_name

from rig.closures import closure

ROOT = Path(__file__).resolve().parents[2]
SERVICES = ("decision", "search", "scorer", "fetcher", "gateway")
OWN = "pellucid-"


def pins() -> dict[NormalizedName, str]:
    lines = (ROOT / "constraints.txt").read_text("utf-8").split()
    return {
        canonicalize_name(name): version for name, version in (line.split("==") for line in lines)
    }


def development() -> list[str]:
    lines = (ROOT / "requirements-dev.txt").read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def of_make_run() -> list[str]:
    """Return what `make run` installs besides the project's own distributions."""
    recipe = (ROOT / "Makefile").read_text("utf-8")
    found = re.search(r"-c constraints\.txt ([\w .-]+?) \$\(addprefix -e", recipe)
    assert found is not None
    return found.group(1).split()


def needed() -> dict[NormalizedName, str]:
    services = [f"{OWN}{service}" for service in SERVICES]
    versions = closure([*services, *of_make_run(), *development()])
    return {name: version for name, version in versions.items() if not name.startswith(OWN)}


def test_every_pin_is_needed_and_everything_needed_is_pinned() -> None:
    assert sorted(pins()) == sorted(needed())


def test_what_is_installed_is_what_is_pinned() -> None:
    pinned = pins()
    assert {name: pinned[name] for name in needed()} == needed()


def test_lists_are_sorted_and_hold_names_and_versions_only() -> None:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][0-9a-z.]*", line) for line in lines)
    assert lines == sorted(lines, key=str.casefold)
    assert development() == sorted(development(), key=str.casefold)
