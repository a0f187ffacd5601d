"""Runs every row of the fault table: `make faults`. Ends with 1 when a promise was broken.

Prints what was measured as it goes, then the table, which also goes to `docs/faults.md`.
"""

import argparse
import asyncio
import random
import sys
import tempfile
from importlib import import_module
from pathlib import Path

from rig.conduct import Conductor, Judged, report, say
from rig.evidence import run_tests
from rig.fault_report import document
from rig.fault_table import ROWS, Row
from rig.installation import ROOT
from rig.invented_web import companies
from rig.load import http_client
from rig.site import open_site
from rig.trial import Pace

MODULES = ("services", "store", "search", "model", "operation")
LONG = Pace(rate=3.0, warm_s=5.0, fault_s=60.0)


def all_rows() -> dict[str, Row]:
    """Every row, in the order of the table."""
    for module in MODULES:
        import_module(f"faults.rows_{module}")
    return ROWS


async def conducted(rows: list[Row], pace: Pace, seed: int) -> list[Judged]:
    """Try the rows that need an installation."""
    with tempfile.TemporaryDirectory(prefix="pellucid-faults-") as folder:
        async with (
            open_site(Path(folder)) as site,
            http_client() as client,
        ):
            for n, proxy in enumerate(site.proxies.values()):
                proxy.reseed(seed + n)
            conductor = Conductor(site, client, companies(seed), pace)
            judged = []
            await conductor.warm_up()
            for row in rows:
                judged.append(await conductor.judge(row))
                say(report(judged[-1]))
    return judged


def main() -> int:
    """Run; 1 when something was not kept."""
    options = _options()
    seed = options.seed or random.SystemRandom().randrange(1, 1_000_000)
    say(f"seed {seed}")
    table = all_rows()
    chosen = [table[name] for name in options.rows or table]
    pace = LONG if options.long else Pace()
    live = asyncio.run(conducted([row for row in chosen if row.run], pace, seed))
    tested = {} if options.no_tests else run_tests(chosen)
    text = document(chosen, {one.row.number: one for one in live}, tested, seed)
    say(text)
    if not options.rows:
        (ROOT / "docs" / "faults.md").write_text(text)
    broken = [one for one in live if not one.passed]
    return 1 if broken or not all(tested.values()) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="faults", description=__doc__)
    parser.add_argument("rows", nargs="*", help="numbers of rows; all without")
    parser.add_argument("--seed", type=int, default=0, help="of names, jitter and corruption")
    parser.add_argument("--long", action="store_true", help="faults of a minute")
    parser.add_argument("--no-tests", action="store_true", help="only the installation")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
