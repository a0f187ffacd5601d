"""Scoring profiles on trial: a stable share of the callers has them, and their numbers are told."""

from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from kept_rig import Plan, ask, open_gateway
from port_fakes import FakeModel
from pydantic import ValidationError
from turn_fakes import Rig, turn

from pellucid_gateway.access.scoring_profiles import KnownProfiles, TrafficSplit
from pellucid_gateway.domain.request import ScoringOptions, SearchCommand, SearchOptions
from pellucid_gateway.settings import GatewaySettings

SPLIT = TrafficSplit({"authority": 0.2, "news": 0.05})


def test_shares_are_kept_and_callers_stay_where_they_are() -> None:
    callers = [f"caller-{n}" for n in range(4000)]
    first = [SPLIT.profile_of(name) for name in callers]
    counts = Counter(first)

    assert first == [SPLIT.profile_of(name) for name in callers]
    assert counts["authority"] == pytest.approx(800, abs=100)
    assert counts["news"] == pytest.approx(200, abs=60)
    assert counts.keys() == {"authority", "news", "default"}


@pytest.mark.parametrize(
    "scoring",
    [
        ScoringOptions(profile="news"),
        ScoringOptions(threshold=0.5),
        ScoringOptions(weights=(0.25, 0.25, 0.25, 0.25)),
    ],
)
def test_who_says_how_to_score_is_in_no_trial(scoring: ScoringOptions) -> None:
    every = TrafficSplit({"authority": 1.0})

    assert every.applied(SearchOptions(scoring=scoring), "ada").scoring == scoring
    assert every.applied(SearchOptions(), "").scoring == ScoringOptions()
    assert TrafficSplit().applied(SearchOptions(), "ada").scoring == ScoringOptions()


async def test_turns_and_searches_are_scored_by_the_profile() -> None:
    rig = Rig()
    engine = KnownProfiles(rig.engine, (), TrafficSplit({"authority": 1.0}))

    _ = [event async for event in engine.run(turn(caller="ada"))]
    _ = [event async for event in engine.run(turn(conversation_id="c-1"))]
    await engine.search(SearchCommand(query="toll", caller="ada", verbatim=True))

    assert [call.scoring.profile for call in rig.scorer.score_calls] == ["authority"] * 3


async def test_numbers_are_told_by_profile(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        gateway = await open_gateway(stack, Plan(tmp_path, rig=Rig(model=FakeModel())))
        async with gateway.client() as http:
            for profile, rating in (("authority", "up"), ("authority", "down"), ("default", "up")):
                answer = await ask(http, scoring={"profile": profile})
                thumb: dict[str, Any] = {"id": answer["id"], "rating": rating, "user_id": "ada"}
                assert (await http.post("/v1/feedback", json=thumb)).status_code == 200
            await ask(http)
            await gateway.afterwards.close()
            told = (await http.get("/v1/stats")).json()

    assert [(row["name"], row["searches"], row["satisfaction"]) for row in told["profiles"]] == [
        ("authority", 2, 3.0),
        ("default", 1, 5.0),
    ]
    assert told["profiles"][0]["average_relevance"] == pytest.approx(0.8)
    assert told["profiles"][0]["cited_share"] == 1.0
    assert (told["searches"], told["feedback"]) == (4, 3)


def test_a_split_names_known_profiles_and_is_no_more_than_all() -> None:
    good = GatewaySettings(gateway_scoring_split="authority=0.2,news=0.8")

    assert good.scoring_split == {"authority": 0.2, "news": 0.8}
    for wrong in ("own=0.1", "authority=0.6,news=0.6", "authority=2", "authority"):
        with pytest.raises(ValidationError):
            GatewaySettings(gateway_scoring_split=wrong)
