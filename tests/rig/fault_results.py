"""What was measured for each row, kept between runs, so that one row can be run again."""

import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rig.conduct import Judged


@dataclass
class FaultResults:
    """Rows and tests with their last outcome, in a file that nobody commits.

    Attributes:
        path: The file; need not exist.
        rows: By number: whether it held, what was measured, and when, in seconds since 1970.
        tests: By name: whether it passed.
        whole: Of the last run of all rows: when it began, seconds that it took, and its seed.
    """

    path: Path
    rows: dict[str, dict[str, Any]]
    tests: dict[str, bool]
    whole: dict[str, float] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> "FaultResults":
        """What the file holds; nothing without one."""
        results = cls(path, {}, {})
        results.read_again()
        return results

    def read_again(self) -> None:
        """Take in what another run has written meanwhile."""
        kept = json.loads(self.path.read_text()) if self.path.is_file() else {}
        self.rows, self.tests = kept.get("rows", {}), kept.get("tests", {})
        self.whole = kept.get("whole", {})

    def add(self, judged: Judged) -> None:
        """Keep the outcome of a row."""
        self.read_again()
        seen = {"passed": judged.passed, "measured": measured(judged), "at": time.time()}
        self.rows[judged.row.number] = seen
        self._write()

    def add_tests(self, passed: dict[str, bool]) -> None:
        """Keep the outcomes of tests."""
        self.read_again()
        self.tests |= passed
        self._write()

    def end_whole(self, begun: float, seed: int) -> None:
        """Note that all rows and tests ran, one after the other."""
        self.read_again()
        self.whole = {"begun": begun, "took_s": time.time() - begun, "seed": seed}
        self._write()

    def _write(self) -> None:
        kept = {"rows": self.rows, "tests": self.tests, "whole": self.whole}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps(kept, indent=1))


def measured(judged: Judged) -> str:
    """Requests by outcome, then what the row itself measured and what was not kept."""
    outcomes = ", ".join(f"{n} {outcome}" for outcome, n in judged.outcomes.items() if n)
    own = [
        v.said if v.kept else f"**{v.said}**"
        for v in judged.verdicts
        if not (v.said[0] == "I" and v.said[1:2].isdigit() and v.kept)
    ]
    asked = f"{judged.requests} requests: {outcomes}" if judged.requests else ""
    return "; ".join(filter(None, (asked, *own)))
