"""Runs the tests that show rows of the fault table, and tells which of them passed."""

import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree as ET

from rig.fault_table import Row
from rig.installation import ROOT

WITHIN_S = 900


def run_tests(rows: Iterable[Row]) -> dict[str, bool]:
    """Run what the rows name.

    Returns:
        Whether each named test, or every test of a named file, ran and passed.
    """
    passed = _run(list(dict.fromkeys(name for row in rows for name in row.tests)))
    # Once more, because a test with a time limit may fall over a busy moment.
    return passed | _run([name for name, held in passed.items() if not held])


def _run(names: list[str]) -> dict[str, bool]:
    """Each distribution by itself, as its tests share a `conftest` module by name."""
    passed: dict[str, bool] = {}
    for folder in dict.fromkeys("/".join(name.split("/")[:2]) for name in names):
        passed |= _run_together([name for name in names if name.startswith(folder)])
    return passed


def _run_together(names: list[str]) -> dict[str, bool]:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", f"--junitxml={report}", *names]
        subprocess.run(command, cwd=ROOT, check=False, timeout=WITHIN_S)
        outcomes = list(_outcomes(report)) if report.is_file() else []
    return {name: _passed(name, outcomes) for name in names}


def missing(names: Iterable[str]) -> set[str]:
    """Those of the named tests and files that do not exist."""
    return {name for name in names if not _exists(*name.split("::"))}


def _exists(file: str, test: str = "") -> bool:
    path = ROOT / file
    return path.is_file() and f"def {test}" in path.read_text()


def _outcomes(report: Path) -> Iterable[tuple[str, str, bool]]:
    """File as a dotted name, test without its parameters, and whether it passed."""
    for case in ET.parse(report).iter("testcase"):
        passed = not any(child.tag in {"failure", "error", "skipped"} for child in case)
        yield case.get("classname", ""), case.get("name", "").partition("[")[0], passed


def _passed(name: str, outcomes: list[tuple[str, str, bool]]) -> bool:
    file, _, test = name.partition("::")
    module = file.removesuffix(".py").replace("/", ".")
    mine = [
        passed
        for where, what, passed in outcomes
        if where == module and (not test or what == test.partition("[")[0])
    ]
    return bool(mine) and all(mine)
