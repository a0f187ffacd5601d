"""Conducts trials of rows: the fault, the invariants, and a judgement that a busy moment does not
turn over.
"""

import asyncio
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import httpx

from rig.fault_table import Row
from rig.history import Kind, Outcome, counted
from rig.invariants import check_all, failed, log_marks
from rig.site import Site
from rig.trial import Pace, Trial, Verdict

# A row that fails by time alone is tried again; what holds in two of three trials counts.
TRIALS = 3
# A trial that takes longer, a rolling restart for example, is not tried again.
_MOST_OF_A_TRIAL_S = 60.0
_DRAIN_WITHIN_S = 20.0


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of a row.

    Attributes:
        requests: All of its last trial.
        outcomes: How many of them ended how.
        trials: How often it was tried.
    """

    row: Row
    verdicts: Sequence[Verdict] = ()
    requests: int = 0
    outcomes: dict[Outcome, int] = field(default_factory=dict)
    trials: int = 1
    took_s: float = 0.0

    @property
    def passed(self) -> bool:
        """Whether everything held."""
        return not any(failed(list(self.verdicts)))


@dataclass
class Conductor:
    """Conducts rows on one site, one after the other."""

    site: Site
    client: httpx.AsyncClient
    companies: Iterator[str]
    pace: Pace

    async def judge(self, row: Row) -> Judged:
        """Try a row until it is clear."""
        begun = time.monotonic()
        tried = [await self.once(row)]
        if time.monotonic() - begun > _MOST_OF_A_TRIAL_S:
            return replace(tried[0], took_s=time.monotonic() - begun)
        while not tried[-1].passed and _by_time_alone(tried[-1]) and len(tried) < TRIALS:
            tried.append(await self.once(row))
        # One trial that holds after one that did not is one of two; the third one decides.
        if len(tried) == TRIALS - 1 and tried[-1].passed:
            tried.append(await self.once(row))
        last = next((one for one in reversed(tried) if one.passed == _most(tried)), tried[-1])
        return Judged(
            row, last.verdicts, last.requests, last.outcomes, len(tried), time.monotonic() - begun
        )

    async def warm_up(self) -> None:
        """A first round in which connections, imports and caches are made.

        Raises:
            AssertionError: Its last answers are not whole: then no row could show anything.
        """
        trial = Trial(self.site, self.client, self.companies, self.pace)
        async with trial.asking():
            await asyncio.sleep(self.pace.warm_s)
        last = trial.records[-3:]
        assert any(r.kind is Kind.SEARCH and r.outcome is Outcome.FULL for r in last), last

    async def once(self, row: Row) -> Judged:
        """One trial."""
        assert row.run is not None
        marks = log_marks(self.site)
        trial = Trial(self.site, self.client, self.companies, self.pace)
        try:
            await row.run(trial)
        except (AssertionError, httpx.TransportError) as error:
            said = f"the trial broke off: {str(error)[-300:]}".replace("\n", " ")
            trial.verdicts.append(Verdict(said, kept=False))
        finally:
            self.site.heal()
            await self.site.revive()
        await self._drained()
        verdicts = trial.verdicts + await check_all(trial, marks)
        return Judged(row, verdicts, len(trial.records), counted(trial.records))

    async def _drained(self) -> None:
        """Wait until no turn runs any more."""
        end = time.monotonic() + _DRAIN_WITHIN_S
        while time.monotonic() < end:
            if not await self.site.total("gateway", "pellucid_gateway_turns_in_flight"):
                return
            await asyncio.sleep(0.2)


def _by_time_alone(judged: Judged) -> bool:
    return all(verdict.is_timing for verdict in failed(list(judged.verdicts)))


def _most(tried: Sequence[Judged]) -> bool:
    held = sum(one.passed for one in tried)
    return held * 2 > len(tried)


def report(judged: Judged) -> str:
    """One row as text for a terminal."""
    lines = [
        (
            f"{'ok  ' if judged.passed else 'FAIL'} {judged.row.number:>3} {judged.row.fault}"
            f" ({judged.took_s:.0f} s, {judged.trials} trial{'s' * (judged.trials > 1)})"
        )
    ]
    lines += [f"         {'  ' if v.kept else '!!'} {v.said}" for v in judged.verdicts]
    return "\n".join(lines)


def say(text: str) -> None:
    """Tell whoever watches."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
