"""The operator's numbers agree with one another, and lead to the turns behind them."""

import csv
import io
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from api_fakes import RESULT
from kept_rig import Plan, open_gateway
from port_fakes import QUESTION

from pellucid_gateway.analytics.rollups import of_failure, of_turn
from pellucid_gateway.analytics.stats import summary
from pellucid_gateway.analytics.turn_log import MEASURES
from pellucid_runtime.clock import FixedClock

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


async def _told(plan: Plan, path: str, turns: int = 3) -> Any:
    async with AsyncExitStack() as stack:
        gateway = await open_gateway(stack, plan)
        async with gateway.client() as http:
            for n in range(turns):
                body = {"message": f"{QUESTION} {n}", "user_id": "ada"}
                assert (await http.post("/v1/chat", json=body)).status_code == 200
            await http.post("/v1/search", json={"query": "Skerry Bridge toll"})
            await gateway.afterwards.close()
            reply = await http.get(path)
            assert reply.status_code == 200
            return reply.text if "csv" in path else reply.json()


async def test_turns_that_searched_are_a_part_of_the_turns(tmp_path: Path) -> None:
    told = await _told(Plan(tmp_path), "/v1/stats")

    assert (told["turns"], told["completed_turns"], told["searched_turns"]) == (3, 3, 3)
    assert (told["search_calls"], told["searches"]) == (1, 4)
    assert told["trigger_rate"] == told["searched_turns"] / told["completed_turns"]


def test_a_failed_turn_and_a_call_of_a_search_api_are_no_searched_turn() -> None:
    told = summary({"turns": 5, "failed": 1, "searches": 5, "search_calls": 3})

    assert (told["completed_turns"], told["searched_turns"]) == (4, 2)
    assert told["trigger_rate"] == 0.5


def test_the_first_word_is_never_later_than_the_whole_turn() -> None:
    """Both are of the turns with an answer: quick ones without a word would lower the whole."""
    answered = of_turn(replace(RESULT, timings_ms={"first_token": 900, "total": 1_000}))
    silent = of_turn(replace(RESULT, timings_ms={"decision": 2, "total": 3}))
    told = summary(answered + silent + silent + of_failure("INTERNAL"))["latency_ms"]

    assert 700 < told["first_token"]["p50"] <= told["total"]["p50"]


@pytest.mark.parametrize("first_token", [0, 40])
def test_a_turn_without_a_word_does_not_count_as_a_quick_answer(
    first_token: int,
) -> None:
    times = {"decision": 3, "total": 90, "first_token": first_token}
    counts = of_turn(replace(RESULT, timings_ms=times))

    assert any(name.startswith("ms.total.") for name in counts) == bool(first_token)
    assert any(name.startswith("ms.decision.") for name in counts)


async def test_a_call_of_a_search_api_has_a_time_of_its_own(tmp_path: Path) -> None:
    told = await _told(Plan(tmp_path), "/v1/stats", turns=0)

    assert "total" not in told["latency_ms"]


@pytest.mark.parametrize("of", MEASURES)
async def test_turns_behind_a_number_name_their_evidence_and_no_text(
    tmp_path: Path, of: str
) -> None:
    told = await _told(Plan(tmp_path), f"/v1/stats/turns?of={of}")

    values = [MEASURES[of](turn) for turn in told["turns"]]
    assert values == sorted(values, reverse=True)
    assert all(value > 0 for value in values)
    assert all(turn["evidence_id"] for turn in told["turns"])
    assert "Skerry" not in str(told)
    assert len(told["turns"]) == (3 if of in {"slow", "irrelevant"} else len(values))


async def test_csv_has_a_row_for_each_turn_and_each_day(tmp_path: Path) -> None:
    plan = Plan(tmp_path, clock=FixedClock(NOON))
    turns = await _told(plan, "/v1/stats/turns?of=irrelevant&format=csv")
    days = await _told(plan, "/v1/reports/weekly?format=csv", turns=0)

    assert len(list(csv.DictReader(io.StringIO(turns)))) == 3
    rows = list(csv.DictReader(io.StringIO(days)))
    assert [row["day"] for row in rows] == [
        (NOON - timedelta(days=n)).date().isoformat() for n in range(7, -1, -1)
    ]
    assert [row["turns"] for row in rows] == [*["0"] * 7, "3"]


async def test_the_report_says_which_time_it_covers(tmp_path: Path) -> None:
    plan = Plan(tmp_path, clock=FixedClock(NOON))
    told = await _told(plan, "/v1/reports/weekly")

    assert told["counted_from"] == "2026-11-21T12:00:00+00:00"
    async with AsyncExitStack() as stack:
        gateway = await open_gateway(stack, plan)
        async with gateway.client() as http:
            text = (await http.get("/v1/reports/weekly?format=markdown")).text
    assert "14 November 2026 12:00 to 21 November 2026 12:00 UTC" in text
    assert "Counted since 21 November 2026 12:00 UTC." in text
