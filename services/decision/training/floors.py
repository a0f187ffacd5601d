"""Writes the pinned floors from the present cross-validated rates; refuses to lower one.

python services/decision/training/floors.py [--lower] [--scorer HOST:PORT]

One part is of the classifier with embeddings (checked by `make eval`, which has a scorer), the
other of n-grams and meanings alone (checked by the tests).
"""  # noqa: INP001 - a folder of scripts

import argparse
import json
import math
import sys
from pathlib import Path

from embedding import scorer_at
from evaluation import by_group, cross_validated
from messages import labelled

from pellucid_decision.adapters.rules_folder import RulesFolder

Groups = dict[str, dict[str, float]]

FLOORS = Path(__file__).resolve().parent / "floors.json"
# Slack below the measured rate, so that a harmless change does not break the test.
SLACK = 0.01


def measured(target: str) -> Groups:
    """Return floors (precision, recall) and ceilings (false positives) of the present state."""
    groups = by_group(cross_validated(tuple(labelled()), RulesFolder().book, target))
    kept = {
        name: rates
        for name, rates in groups.items()
        if not name.startswith("kind") or name == "kind trap"
    }
    return {
        name: {
            "precision": max(0.0, math.floor((rates.precision - SLACK) * 1000) / 1000),
            "recall": max(0.0, math.floor((rates.recall - SLACK) * 1000) / 1000),
            "false_positive_rate": math.ceil((rates.false_positive_rate + SLACK) * 1000) / 1000,
        }
        for name, rates in kept.items()
    }


def lowered(old: Groups, new: Groups) -> list[str]:
    """Return the names of floors that `new` would lower."""
    worse = []
    for name, floors in old.items():
        fresh = new.get(name, {"precision": 0.0, "recall": 0.0, "false_positive_rate": 1.0})
        worse += [f"{name} {key}" for key in ("precision", "recall") if fresh[key] < floors[key]]
        if fresh["false_positive_rate"] > floors["false_positive_rate"]:
            worse.append(f"{name} false_positive_rate")
    return worse


def main() -> None:
    """Write the floors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lower", action="store_true", help="accept lower floors")
    parser.add_argument("--scorer", default="", help="host:port of a running one")
    arguments = parser.parse_args()
    with scorer_at(arguments.scorer) as target:
        new = {"ngrams": measured(""), "embedded": measured(target)}
    old = json.loads(FLOORS.read_text(encoding="utf-8")) if FLOORS.exists() else {}
    worse = [name for part, groups in old.items() for name in lowered(groups, new[part])]
    if worse and not arguments.lower:
        sys.exit(f"refused, lower than before: {', '.join(worse)}")
    FLOORS.write_text(json.dumps(new, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(f"{sum(map(len, new.values()))} groups pinned\n")


if __name__ == "__main__":
    main()
