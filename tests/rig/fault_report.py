"""The fault table as a document: row, promise, measured outcome, kept or not."""

from collections.abc import Sequence
from datetime import UTC, datetime

from rig.fault_results import FaultResults
from rig.fault_table import Row

_HEAD = """# Faults

What goes wrong, what Pellucid guarantees then, and what was measured. `make faults` writes this
page. It starts the five services as processes (three scorers) with Redis, invented search
providers, a model and pages, puts a TCP proxy on every connection, and sends requests at a constant
rate during each fault. Each request ends as a complete answer, a flagged one, a clean error or as
broken. Every trial also checks for all of its requests:

- I1: none exceeds its deadline by more than 250 ms (requests during the restart of killed processes
  are left out, because processor time is short then);
- I2: each stream has exactly one end;
- I3: nothing is broken;
- I4: each failed part is reported;
- I5: retries stay within 10 % and 3 a second;
- I6: it is as fast as before within 10 s after the fault;
- I7: nothing leaks: within 15 s of the last turn each process is within ten descriptors and 150 MiB
  of what it held before;
- I8: logs contain no secrets and no text of users;
- I9: nobody sees another user's data;
- I10: a fault in search leaves small talk as fast as it was.

A guarantee about time that fails on a busy machine is tried three times, and two successes count.
Rows also name tests of the services, which run with them, and once more if they fail. The figures
are those of each row's last run, on two cores that other processes used as well.
"""
_KINDS = {True: "kept", False: "**broken**", None: "not run"}


def document(rows: Sequence[Row], results: FaultResults) -> str:
    """The whole document in Markdown."""
    lines = [
        _HEAD,
        *_whole(rows, results),
        "| # | fault | promise | measured | |",
        "| --- | --- | --- | --- | --- |",
    ]
    lines += [_line(row, results) for row in rows]
    missing = [f"- {row.number}: {row.cannot}." for row in rows if row.cannot]
    lines += ["", "Not shown here, and why:", "", *missing] if missing else []
    return "\n".join(lines) + "\n"


def _whole(rows: Sequence[Row], results: FaultResults) -> list[str]:
    """When all rows last ran in one go, and which ran again by themselves since."""
    if not results.whole:
        return []
    begun, took_s = results.whole["begun"], results.whole["took_s"]
    since = [row.number for row in rows if _ran_at(row, results) > begun + took_s]
    kept = sum(kept_by(row, results) is True for row in rows)
    when = datetime.fromtimestamp(begun, UTC).strftime("%Y-%m-%d %H:%M UTC")
    said = f"Last run of all: {when}, `make faults`, seed {results.whole['seed']:.0f}, "
    said += f"{took_s / 60:.0f} minutes. "
    said += f"Run again by themselves since: {', '.join(since)}. " if since else ""
    return [f"{said}{kept} of {len(rows)} rows are kept.", ""]


def _ran_at(row: Row, results: FaultResults) -> float:
    return float(results.rows.get(row.number, {}).get("at", 0.0)) if row.run else 0.0


def _line(row: Row, results: FaultResults) -> str:
    live = results.rows.get(row.number) if row.run else None
    shown = [results.tests[name] for name in row.tests if name in results.tests]
    told = [str(live["measured"])] if live else []
    told += [f"{sum(shown)} of {len(row.tests)} named tests passed"] if shown else []
    kept = kept_by(row, results)
    cells = (row.number, row.fault, row.promise, "; ".join(told), _KINDS[kept])
    return f"| {' | '.join(cells)} |"


def kept_by(row: Row, results: FaultResults) -> bool | None:
    """Whether everything that shows the row held; None when a part was not run."""
    parts = [results.tests.get(name) for name in row.tests]
    if row.run is not None:
        live = results.rows.get(row.number)
        parts.append(bool(live["passed"]) if live else None)
    if False in parts:
        return False
    return None if None in parts or not parts else True
