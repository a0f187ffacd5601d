"""Prints slope and centre of the rule confidence, fitted on the own messages that rules settle.

Those whose rule the classifier contests are left to it, as in service.

python services/decision/training/confidence.py

The two numbers stand in `cascade.py`.
"""  # noqa: INP001 - a folder of scripts

import sys

import numpy as np
from evaluation import held_out_chances
from fitting import calibrate
from messages import labelled
from pellucid_decision.stages.settling import contested, settle
from plain import plain_messages
from train import base_features, examined, held_out_logits

from pellucid_decision.adapters.rules_folder import RulesFolder
from pellucid_decision.decision import Stage


def fitted() -> tuple[float, float, int]:
    """Return slope, centre and the number of messages behind them."""
    book, items = RulesFolder().book, (*labelled(), *plain_messages())
    cases = examined(items, book)
    labels = np.array([float(item.needs_search) for item in items])
    folds = np.array([item.fold for item in items])
    logits = held_out_logits(base_features(cases, book), labels, folds)
    looks = held_out_chances(logits, labels, folds)
    scores, wanted = [], []
    for item, case, look, label in zip(items, cases, looks, labels, strict=True):
        verdict = settle(case) if item.held_out else None
        stands = verdict is not None and not contested(case, verdict, look)
        if verdict is not None and stands and verdict.stage is Stage.RULE:
            scores.append(case.reading.score)
            wanted.append(label)
    slope, offset = calibrate(np.array(scores)[:, None], np.array(wanted))
    return slope, -offset / slope, len(scores)


if __name__ == "__main__":
    sys.stdout.write("slope {:.2f}, centre {:.3f}, {} messages\n".format(*fitted()))
