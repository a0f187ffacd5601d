"""Make Grafana's dashboards of `dashboards.yaml`, and the Kubernetes object of the rules.

`render.py` writes the files; `render.py --check` says which ones differ and exits with 1.
`render.py --runbooks URL` first points the alerts to where you publish `docs/runbooks/`.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).resolve().parent
COMPONENT = FOLDER.parent / "components" / "observability"
# Columns of Grafana's grid, and the sizes of panels in it.
GRID_WIDTH = 24
STAT_WIDTH, STAT_HEIGHT = 6, 4
GRAPH_WIDTH, GRAPH_HEIGHT = 12, 8
SOURCE = {"type": "prometheus", "uid": "${datasource}"}
# A series in a query, with or without a selector.
SERIES = re.compile(r"\b((?:pellucid[_:]|process_)[a-z0-9_:]+)(\{)?")
RUNBOOK = re.compile(r"(?<=runbook_url: )\S+(?=/\w+\.md)")


def in_namespace(query: str) -> str:
    """Return the query for the namespaces that the viewer picked.

    >>> in_namespace('sum(pellucid_x{model="a"}) / pellucid:y')
    'sum(pellucid_x{namespace=~"$namespace",model="a"}) / pellucid:y{namespace=~"$namespace"}'
    """
    chosen = 'namespace=~"$namespace"'
    return SERIES.sub(lambda name: f"{name[1]}{{{chosen}" + ("," if name[2] else "}"), query)


def variables() -> list[dict[str, Any]]:
    """Return what a viewer picks: the data source and the namespaces."""
    return [
        {"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus"},
        {
            "name": "namespace",
            "label": "Namespace",
            "type": "query",
            "datasource": SOURCE,
            "query": "label_values(pellucid_build_info, namespace)",
            "refresh": 2,
            "multi": True,
            "includeAll": True,
            # Also what has no namespace, as on one machine.
            "allValue": ".*",
            "current": {"text": "All", "value": "$__all"},
        },
    ]


def dashboard(name: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """Return Grafana's model of one dashboard."""
    return {
        "uid": f"pellucid-{name}",
        "title": content["title"],
        "tags": ["pellucid"],
        "schemaVersion": 41,
        "timezone": "utc",
        "editable": True,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "templating": {"list": variables()},
        "annotations": {"list": []},
        "panels": list(panels(content["panels"])),
    }


def panels(listed: list[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the panels, placed from left to right and top to bottom."""
    x = y = row = 0
    for number, panel in enumerate(listed, 1):
        is_stat = panel.get("stat", False)
        width, height = (STAT_WIDTH, STAT_HEIGHT) if is_stat else (GRAPH_WIDTH, GRAPH_HEIGHT)
        if x + width > GRID_WIDTH or (x and height != row):
            x, y = 0, y + row
        row = height
        yield _panel(number, panel, {"x": x, "y": y, "w": width, "h": height})
        x += width


def _panel(number: int, panel: Mapping[str, Any], place: Mapping[str, int]) -> dict[str, Any]:
    targets = [
        {
            "refId": chr(ord("A") + index),
            "datasource": SOURCE,
            "expr": in_namespace(query),
            "legendFormat": legend,
        }
        for index, (legend, query) in enumerate(panel["queries"].items())
    ]
    return {
        "id": number,
        "type": "stat" if panel.get("stat") else "timeseries",
        "title": panel["title"],
        "datasource": SOURCE,
        "gridPos": place,
        "fieldConfig": {"defaults": {"unit": panel["unit"], "min": 0}, "overrides": []},
        "targets": targets,
    }


def rule_object() -> dict[str, Any]:
    """Return the rules as the Prometheus Operator takes them."""
    groups = [
        group
        for file in ("recording.yaml", "alerts.yaml")
        for group in yaml.safe_load((FOLDER / "rules" / file).read_text("utf-8"))["groups"]
    ]
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": {"name": "pellucid"},
        "spec": {"groups": groups},
    }


def rendered() -> dict[Path, str]:
    """Return the content of every file that is made."""
    boards = yaml.safe_load((FOLDER / "dashboards.yaml").read_text("utf-8"))
    files = {}
    for name, content in boards.items():
        text = json.dumps(dashboard(name, content), indent=1, ensure_ascii=False) + "\n"
        files[COMPONENT / "dashboards" / f"{name}.json"] = text
    note = "# Made of deploy/observability/rules by render.py.\n"
    files[COMPONENT / "rules.yaml"] = note + yaml.safe_dump(
        rule_object(), sort_keys=False, width=100
    )
    return files


def point_to_runbooks(address: str) -> None:
    """Make every alert name its page below this address."""
    path = FOLDER / "rules" / "alerts.yaml"
    path.write_text(RUNBOOK.sub(address.rstrip("/"), path.read_text("utf-8")), "utf-8")


def main() -> int:
    """Write or check; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--runbooks", metavar="URL", help="where docs/runbooks/ is published")
    options = parser.parse_args()
    if options.runbooks:
        point_to_runbooks(options.runbooks)
    stale = 0
    for path, text in rendered().items():
        if path.exists() and path.read_text("utf-8") == text:
            continue
        stale += 1
        print(path.relative_to(FOLDER.parents[1]))
        if not options.check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
    return int(stale > 0 and options.check)


if __name__ == "__main__":
    sys.exit(main())
