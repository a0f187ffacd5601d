"""How many date texts are read right: the project's own rows, and others with EVAL_DATA=<folder>.

A row is JSON with `text`, `reference` (now), `gold` (null: must give no date; year 1: no such day),
`precision` (time, day, week, month, year) and optionally `search_like`. Run it by itself:
`python eval/dates_eval.py`.
"""

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pellucid_search.dates.publication import understand_date

OWN_ROWS = Path(__file__).with_name("dates_rows.jsonl")
FLOOR = 0.93
_NO_SUCH_DAY = "0001-01-01"
_SAME_TIME_S = 60.0


@dataclass(frozen=True, slots=True)
class Score:
    """Rows read right of all, and rows without a date that were read as one."""

    right: int
    total: int
    invented: int
    wrong: Sequence[str]

    @property
    def share(self) -> float:
        """Rows read right, 0 to 1."""
        return self.right / self.total if self.total else 0.0


def load_rows(path: Path) -> list[Mapping[str, Any]]:
    """Return the rows that look like what search engines print."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    return [row for row in rows if row.get("search_like", True)]


def score(rows: Iterable[Mapping[str, Any]]) -> Score:
    """Read every row and compare."""
    wrong: list[str] = []
    invented = total = 0
    for row in rows:
        total += 1
        if not is_right(row):
            wrong.append(str(row["text"]))
            invented += row["gold"] is None
    return Score(total - len(wrong), total, invented, wrong)


def is_right(row: Mapping[str, Any]) -> bool:
    """Compare one row at its precision."""
    reading = understand_date(row["text"], _instant(row["reference"]))
    if row["gold"] is None or row["gold"].startswith(_NO_SUCH_DAY):
        return reading is None
    if reading is None:
        return False
    gold, got = _instant(row["gold"]), reading.time.astimezone(UTC)
    match row["precision"]:
        case "time":
            return abs((got - gold).total_seconds()) < _SAME_TIME_S
        case "year":
            return got.year == gold.year
        case "month":
            return (got.year, got.month) == (gold.year, gold.month)
        case _:
            return got.date() == gold.date()


def _instant(text: str) -> datetime:
    """Seven digits of a second are more than Python reads."""
    return datetime.fromisoformat(text[:26]).replace(tzinfo=UTC)


def row_files() -> list[Path]:
    """Return the own rows, and `dates*.jsonl` of the folder that EVAL_DATA names."""
    folder = os.environ.get("EVAL_DATA")
    return [OWN_ROWS, *(sorted(Path(folder).glob("dates*.jsonl")) if folder else [])]


def main() -> int:
    """Print one line per file; 1 when a floor is missed."""
    worst = 1.0
    for path in row_files():
        result = score(load_rows(path))
        worst = min(worst, result.share)
        sys.stdout.write(
            f"dates  {path.name:24} right {result.right}/{result.total} = {result.share:.3f}"
            f"  (floor {FLOOR}), invented {result.invented}\n"
        )
    return 0 if worst >= FLOOR else 1


if __name__ == "__main__":
    sys.exit(main())
