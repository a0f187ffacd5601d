"""Prints slope and centre of the rule confidence, fitted on the own messages that rules settle.

python services/decision/training/confidence.py

The two numbers stand in `cascade.py`.
"""  # noqa: INP001 - a folder of scripts

import sys

import numpy as np
from fitting import calibrate
from messages import labelled

from pellucid_decision.adapters.rules_folder import RulesFolder
from pellucid_decision.cascade import examine, settle
from pellucid_decision.decision import Stage


def fitted() -> tuple[float, float, int]:
    """Return slope, centre and the number of messages behind them."""
    book = RulesFolder().book
    scores, labels = [], []
    for item in labelled():
        case = examine(item.ask(), book)
        verdict = settle(case)
        if verdict is not None and verdict.stage is Stage.RULE:
            scores.append(case.reading.score)
            labels.append(float(item.needs_search))
    slope, offset = calibrate(np.array(scores), np.array(labels))
    return slope, -offset / slope, len(scores)


if __name__ == "__main__":
    sys.stdout.write("slope {:.2f}, centre {:.3f}, {} messages\n".format(*fitted()))
