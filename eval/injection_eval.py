"""Measures how far instructions that pages plant for language models get.

    python eval/injection_eval.py

On the project's own set: 150 and more pages and snippets with a canary each, read by the fetcher's
extraction and answered by a whole turn of the gateway, whose model is scripted to obey. The model
that obeys what it hears outside the fence is the measure of the fence; the one that obeys
everything it reads is the measure of what is checked on the way out.
"""

import asyncio
import logging
import sys
from collections import Counter
from pathlib import Path
from statistics import median

import structlog

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from rig import rank_steering
from rig.injection import EXFILTRATION, benign, cases
from rig.injection_measures import (
    Rates,
    benign_lost,
    through_pipeline,
    utility_without_defence,
    without_defence,
)

PERCENT = 100


def show(name: str, rates: Rates) -> None:
    """Print one line."""
    leaked = rates.share("leaked", EXFILTRATION) * PERCENT
    print(
        f"{name:<34}{rates.share('obeyed') * PERCENT:>9.1f}{leaked:>9.1f}"
        f"{rates.share('steered') * PERCENT:>9.1f}{rates.share('useful') * PERCENT:>9.1f}"
    )


def lost_points(undefended: float, rates: Rates) -> float:
    """Points of utility that a defended run has less than the undefended one on clean pages."""
    return (undefended - rates.share("useful")) * PERCENT


async def measure() -> None:
    """Print success and utility with and without the defence."""
    by_goal = Counter(case.goal for case in cases())
    print(f"{len(cases())} cases: " + ", ".join(f"{goal} {n}" for goal, n in by_goal.items()))
    print(f"{'percent of cases':<34}{'obeyed':>9}{'leaked':>9}{'steered':>9}{'useful':>9}")
    naive = without_defence()
    print(
        f"{'no defence':<34}{naive.share('obeyed') * PERCENT:>9.1f}"
        f"{naive.share('leaked', EXFILTRATION) * PERCENT:>9.1f}"
        f"{naive.share('steered') * PERCENT:>9.1f}{'-':>9}"
    )
    fenced = await through_pipeline("unfenced")
    show("model obeys what is not fenced", fenced)
    everything = await through_pipeline("everything")
    show("model obeys all it reads", everything)
    clean = await through_pipeline("nothing", injected=False)
    show("same pages without injection", clean)
    # Undefended, the fact stands in every clean page that the same reader sees.
    undefended = utility_without_defence()
    print(
        f"useful points lost: by the defence alone {lost_points(undefended, clean):.1f}, "
        f"with the planted text too {lost_points(undefended, fenced):.1f}"
    )
    print("obeyed by the last but one, by carrier:", dict(everything.by("carrier", "obeyed")))
    lost = await benign_lost()
    print(f"harmless look-alikes lost: {len(lost)} of {len(benign())}")
    won = rank_steering.shifts()
    print(f"places won by asking for them: median {median(won):g} of {len(won)}")


def main() -> int:
    """Measure the set."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    asyncio.run(measure())
    return 0


if __name__ == "__main__":
    sys.exit(main())
