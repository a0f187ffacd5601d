"""The fault table as a document: row, promise, measured outcome, kept or not."""

from collections.abc import Mapping, Sequence

from rig.conduct import Judged
from rig.fault_table import Row

_HEAD = """# Faults

What goes wrong, what is promised, and what was measured: written by `make faults`, which starts
the five services as processes (three scorers) with Redis, invented search providers, a model and
pages, puts a TCP proxy on every edge, and asks at a constant rate while a fault is on. Each request
ends as a whole answer, a flagged one, a clean error or as broken; every trial also checks, over all
of its requests:

- I1 none outlasts its deadline by more than 250 ms; I2 each stream has exactly one end;
- I3 nothing is broken; I4 what was lost is told; I5 retries stay within 10 % and 3 a second;
- I6 it is as quick as before within 10 s after the fault; I7 nothing leaks;
- I8 logs hold no secret and no text of people; I9 nobody sees another's data;
- I10 a fault in search leaves small talk as quick as it was.

A promise about time that a busy machine broke was tried three times, and what held twice counts.
"""
_KINDS = {True: "kept", False: "**broken**"}


def document(
    rows: Sequence[Row], live: Mapping[str, Judged], tests: Mapping[str, bool], seed: int
) -> str:
    """The whole document in Markdown."""
    lines = [_HEAD, f"Seed of the last run: {seed}.", ""]
    lines += ["| # | fault | promise | measured | |", "| --- | --- | --- | --- | --- |"]
    lines += [_line(row, live.get(row.number), tests) for row in rows]
    lines += _missing(rows)
    return "\n".join(lines) + "\n"


def _line(row: Row, judged: Judged | None, tests: Mapping[str, bool]) -> str:
    shown = [tests[name] for name in row.tests if name in tests]
    measured = [_measured(judged)] if judged else []
    measured += [f"{len(shown)} test{'s' * (len(shown) != 1)}"] if shown else []
    kept = (judged is None or judged.passed) and all(shown) and bool(judged or shown)
    return (
        f"| {row.number} | {row.fault} | {row.promise} | {'; '.join(measured)} | {_KINDS[kept]} |"
    )


def _measured(judged: Judged) -> str:
    """Requests by outcome, then what the row itself measured and what was not kept."""
    outcomes = ", ".join(f"{n} {outcome}" for outcome, n in judged.outcomes.items() if n)
    own = [v.said for v in judged.verdicts if not (v.said[0] == "I" and v.said[1:2].isdigit())]
    broken = [f"**{v.said}**" for v in judged.verdicts if not v.kept and v.said not in own]
    return "; ".join((f"{judged.requests} requests: {outcomes}", *own, *broken))


def _missing(rows: Sequence[Row]) -> list[str]:
    """What of which row cannot be shown on one machine."""
    lines = [f"- {row.number}: {row.cannot}" for row in rows if row.cannot]
    return ["", "Not shown here, and why:", "", *lines] if lines else []
