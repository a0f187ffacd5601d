"""What a row of the fault table is, and how rows register themselves."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from rig.trial import Trial

Run = Callable[[Trial], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One fault with its promise.

    Attributes:
        number: As in the table; "A" and further for those beyond it.
        fault: What goes wrong.
        promise: What holds nevertheless.
        run: Lets it happen in a whole installation; None: `tests` show it.
        tests: Tests that show the row, or parts of it that no whole installation adds to.
        cannot: What of the row cannot be shown here, and why; empty: nothing.
    """

    number: str
    fault: str
    promise: str
    run: Run | None = None
    tests: Sequence[str] = ()
    cannot: str = ""


ROWS: dict[str, Row] = {}


def row(
    number: int | str, fault: str, promise: str, *, tests: Sequence[str] = (), cannot: str = ""
) -> Callable[[Run], Run]:
    """Enter what the decorated function does into the table."""

    def enter(run: Run) -> Run:
        _enter(number, fault, promise, run=run, tests=tests, cannot=cannot)
        return run

    return enter


def row_of_tests(
    number: int | str, fault: str, promise: str, *, tests: Sequence[str], cannot: str = ""
) -> None:
    """Enter a row that existing tests show."""
    _enter(number, fault, promise, run=None, tests=tests, cannot=cannot)


def _enter(
    number: int | str,
    fault: str,
    promise: str,
    *,
    run: Run | None,
    tests: Sequence[str],
    cannot: str,
) -> None:
    name = str(number)
    assert name not in ROWS, f"row {name} is there twice"
    ROWS[name] = Row(number=name, fault=fault, promise=promise, run=run, tests=tests, cannot=cannot)
