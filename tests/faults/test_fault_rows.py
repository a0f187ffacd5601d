"""A few rows of the fault table over real processes, briefly: `make faults` runs them all.

Promises about time are left to that: this machine may be busy.
"""

from pathlib import Path

import pytest

from faults.__main__ import all_rows
from rig.conduct import Conductor, Judged
from rig.evidence import missing
from rig.fault_report import document, kept_by
from rig.fault_results import FaultResults
from rig.fault_table import ROWS, Row
from rig.invariants import failed
from rig.invented_web import companies
from rig.load import http_client
from rig.site import open_site
from rig.trial import Pace, Verdict

BRIEF = Pace(rate=2.0, warm_s=1.5, fault_s=2.5)
# A service, the store, the model and the client.
SHORT = ("9", "13", "27", "31")
# Other than those of `make faults`, which may run at the same time.
FIRST_PORT = 62300


@pytest.fixture(autouse=True)
def _table() -> None:
    all_rows()


def test_the_table_is_whole() -> None:
    assert [f"{n}" for n in range(1, 41)] == sorted(
        (name for name in ROWS if name.isdigit()), key=int
    )
    for row in ROWS.values():
        assert row.run or row.tests, row.number
        assert "|" not in f"{row.fault}{row.promise}{row.cannot}"


def test_every_test_that_a_row_names_exists() -> None:
    named = {name for row in ROWS.values() for name in row.tests}
    assert missing(named) == set()
    assert missing({"tests/faults/test_fault_rows.py::test_of_nothing"})


def test_what_did_not_run_or_failed_is_not_called_kept(tmp_path: Path) -> None:
    results = FaultResults.read(tmp_path / "faults.json")
    row = ROWS["3"]
    assert kept_by(row, results) is None
    results.add(Judged(row, (Verdict("a", kept=True),)))
    assert kept_by(row, results) is None
    results.add_tests(dict.fromkeys(row.tests, True))
    assert kept_by(row, FaultResults.read(results.path)) is True
    assert "| kept |" in document([row], results)
    results.add(Judged(row, (Verdict("a", kept=True), Verdict("b", kept=False))))
    assert kept_by(row, results) is False
    assert "**b**" in document([row], results)


def test_what_ran_by_itself_after_the_last_whole_run_is_told(tmp_path: Path) -> None:
    results = FaultResults.read(tmp_path / "faults.json")
    row = ROWS["7"]
    results.add(Judged(row, (Verdict("a", kept=True),)))
    assert "Last run of all" not in document([row], results)
    results.end_whole(begun=1_790_000_000.0, seed=5)
    assert "2026-09-21 14:13 UTC, `make faults`, seed 5" in document([row], results)
    assert "since: 7. 1 of 1 rows are kept" in _with(results, begun=1_790_000_000.0, row=row)
    assert "since" not in _with(results, begun=results.rows["7"]["at"] + 1, row=row)


def _with(results: FaultResults, begun: float, row: Row) -> str:
    results.whole = {"begun": begun, "took_s": 60.0, "seed": 5}
    return document([row], results)


@pytest.mark.e2e
@pytest.mark.redis
@pytest.mark.timeout(400)
async def test_a_few_faults_over_real_processes(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("faults")
    async with (
        open_site(folder, scorers=1, first_port=FIRST_PORT) as site,
        http_client() as client,
    ):
        conductor = Conductor(site, client, companies(7), BRIEF)
        for name in SHORT:
            judged = await conductor.once(ROWS[name])
            broken = [v.said for v in failed(list(judged.verdicts)) if not v.is_timing]
            assert not broken, f"row {name}: {broken}"
