"""Helm in a process of its own.

Its Go runtime in a process that gets signals, as pytest-timeout sends them, ends that process.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any


class HelmError(Exception):
    """Helm refuses; the text is its error, by the name of its kind."""


def rendered(chart: Path, values: dict[str, Any], *, name: str, namespace: str) -> dict[str, str]:
    """Return the text of each template.

    Raises:
        HelmError: The values or a template are refused.
    """
    found: dict[str, str] = _asked("render", chart, [values, name, namespace])
    return found


def check(chart: Path, values: dict[str, Any]) -> None:
    """Hold values against the chart's schema.

    Raises:
        HelmError: They do not fit.
    """
    _asked("check", chart, [values])


def described(chart: Path) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    """Return the chart's schema, its default values and what the linter finds wrong."""
    schema, values, errors = _asked("describe", chart, [])
    return schema, values, errors


def set_values(text: str) -> dict[str, Any]:
    """Return the values of a `--set` of the command line."""
    found: dict[str, Any] = _asked("set", Path(), [text])
    return found


def _asked(what: str, chart: Path, given: list[Any]) -> Any:
    job = json.dumps([what, str(chart), given])
    done = subprocess.run(
        [sys.executable, __file__], input=job, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise HelmError(done.stderr)
    return json.loads(done.stdout)


def _answer(what: str, chart: str, given: list[Any]) -> Any:
    import helm_python as helm

    if what == "set":
        return helm.parse_set_string(*given)
    with helm.Chart.load(Path(chart)) as loaded:
        if what == "render":
            values, name, namespace = given
            return loaded.render(values, name=name, namespace=namespace)
        if what == "check":
            loaded.validate_schema(*given)
            return None
        return [loaded.schema, loaded.values, helm.chart.lint(Path(chart))["errors"]]


if __name__ == "__main__":
    try:
        sys.stdout.write(json.dumps(_answer(*json.load(sys.stdin))))
    except Exception as error:  # noqa: BLE001 - told to the caller, whatever it is
        sys.exit(f"{type(error).__name__}: {error}")
