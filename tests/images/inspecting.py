"""What is in an image: linked libraries, size, and nothing that builds or installs."""

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from images.building import run

_COMPILERS: Final = ("cc", "gcc", "g++", "clang", "make", "rustc")
_ELF: Final = b"\x7fELF"
_MIB: Final = 1024 * 1024
# Programs and their libraries that an image brings along beside Debian's own packages, which
# declare what they need.
_OWN: Final = "opt/pellucid"
# Loaded only where such a device and its driver are.
_OPTIONAL: Final = ("libOpenCL.so.1",)


@dataclass(frozen=True, slots=True)
class Contents:
    """What was found in an image.

    Attributes:
        size_mib: All of its files.
        linked: Programs and libraries that were looked at.
        missing: What they ask for and is not there.
        unwanted: What a last stage should not have.
    """

    size_mib: float
    linked: int
    missing: tuple[str, ...]
    unwanted: tuple[str, ...]


def inspect(root: Path) -> Contents:
    """Look into an image's files."""
    objects = [file for file in (root / _OWN).rglob("*") if _is_elf(file)]
    return Contents(
        size_mib=int(run("du", "-sb", root).split()[0]) / _MIB,
        linked=len(objects),
        missing=tuple(sorted(set(_missing(root, objects)))),
        unwanted=tuple(_unwanted(root)),
    )


def _is_elf(file: Path) -> bool:
    if file.is_symlink() or not file.is_file():
        return False
    with file.open("rb") as opened:
        return opened.read(4) == _ELF


def _missing(root: Path, objects: list[Path]) -> list[str]:
    """Lines of `ldd` that find nothing, run inside, where the image's own libraries are."""
    found = []
    for file in objects:
        inside = "/" + str(file.relative_to(root))
        told = subprocess.run(
            ["chroot", str(root), "ldd", inside],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        found += [
            f"{inside}: {line.split()[0]}"
            for line in told.stdout.splitlines()
            if "not found" in line and line.split()[0] not in _OPTIONAL
        ]
    return found


def _unwanted(root: Path) -> list[str]:
    folders = ("bin", "usr/bin", "usr/local/bin", f"{_OWN}/bin")
    found = [name for name in _COMPILERS if any((root / at / name).exists() for at in folders)]
    pip = [*root.glob("usr/*/lib*/python3*/*-packages/pip"), *root.glob(f"{_OWN}/lib/*/*/pip")]
    return found + ["pip" for path in pip if path.is_dir()]
