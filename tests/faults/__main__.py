"""Runs every row of the fault table: `make faults`. Ends with 1 when a promise was broken.

Prints what was measured as it goes, then the table; the table of all rows goes to `docs/faults.md`,
with what was last measured of those that did not run this time.
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from rig.conduct import Conductor, report, say
from rig.evidence import run_tests
from rig.fault_report import document, kept_by
from rig.fault_results import FaultResults
from rig.fault_table import ROWS, Row
from rig.installation import ROOT
from rig.invented_web import companies
from rig.load import http_client
from rig.site import open_site
from rig.trial import Pace

MODULES = (
    "services",
    "fetcher",
    "store",
    "search",
    "model",
    "operation",
    "connections",
    "failover",
    "order",
)
LONG = Pace(rate=3.0, warm_s=5.0, fault_s=60.0)


def all_rows() -> dict[str, Row]:
    """Every row, in the order of the table."""
    for module in MODULES:
        import_module(f"faults.rows_{module}")
    return ROWS


async def conduct(rows: list[Row], pace: Pace, seed: int, results: FaultResults) -> None:
    """Try the rows that need an installation, and keep what was seen of each at once."""
    with tempfile.TemporaryDirectory(prefix="pellucid-faults-") as folder:
        async with open_site(Path(folder)) as site, http_client() as client:
            for n, proxy in enumerate(site.proxies.values()):
                proxy.reseed(seed + n)
            conductor = Conductor(site, client, companies(seed), pace)
            await conductor.warm_up()
            for row in rows:
                judged = await conductor.judge(row)
                results.add(judged)
                say(report(judged))


def main() -> int:
    """Run; 1 when something was not kept."""
    options = _options()
    seed = options.seed or random.SystemRandom().randrange(1, 1_000_000)
    say(f"seed {seed}")
    table = all_rows()
    chosen = [table[name] for name in options.rows or table]
    results = FaultResults.read(ROOT / ".make" / "faults.json")
    pace = replace(LONG if options.long else Pace(), rate=options.rate)
    begun = time.time()
    live = [row for row in chosen if row.run] if not options.only_tests else []
    if live:
        asyncio.run(conduct(live, pace, seed, results))
    if not options.no_tests:
        results.add_tests(run_tests(chosen))
    if not (options.rows or options.only_tests or options.no_tests):
        results.end_whole(begun, seed)
    text = document(in_order(table), results)
    (ROOT / "docs" / "faults.md").write_text(text)
    say(document(chosen, results))
    return 0 if all(kept_by(row, results) for row in chosen) else 1


def in_order(table: dict[str, Row]) -> list[Row]:
    """Numbers first."""
    return sorted(table.values(), key=lambda row: (not row.number.isdigit(), row.number.zfill(2)))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="faults", description=__doc__)
    parser.add_argument("rows", nargs="*", help="numbers of rows; all without")
    parser.add_argument("--seed", type=int, default=0, help="of names, jitter and corruption")
    parser.add_argument("--rate", type=float, default=2.0, help="requests a second")
    parser.add_argument("--long", action="store_true", help="faults of a minute")
    parser.add_argument("--no-tests", action="store_true", help="only the installation")
    parser.add_argument("--only-tests", action="store_true", help="only the tests that rows name")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
