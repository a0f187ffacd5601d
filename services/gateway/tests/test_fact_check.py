"""POST /v1/check: what sources say of a statement, by a judge, or by form and likeness alone."""

import json
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from kept_rig import Plan, open_gateway
from port_fakes import HITS, FakeFetcher, FakeModel, FakeSearch, hit
from turn_fakes import Rig

from pellucid_gateway.domain.request import SearchCommand

STATEMENT = "The toll for cars on the Skerry Bridge is 4.50 crowns."
OTHER = hit(4, "The toll for cars on the Skerry Bridge is 6.00 crowns.", "gossip.example")
URLS = [one.url for one in (*HITS, OTHER)]


def judged(*stances: str) -> FakeModel:
    """A model that says how each passage stands to the statement."""
    verdicts = [{"pair": n, "stance": stance} for n, stance in enumerate(stances, start=1)]
    return FakeModel([json.dumps({"verdicts": verdicts})])


async def checked(tmp_path: Path, rig: Rig, **options: Any) -> dict[str, Any]:
    async with AsyncExitStack() as stack:
        gateway = await open_gateway(stack, Plan(tmp_path, rig=rig))
        async with gateway.client() as http:
            reply = await http.post("/v1/check", json={"statement": STATEMENT, **options})
    assert reply.status_code == 200, reply.text
    answer: dict[str, Any] = reply.json()
    return answer


@pytest.mark.parametrize(
    ("stances", "verdict", "supporting", "refuting"),
    [
        (("states", "states", "neither", "neither"), "supported", URLS[:2], []),
        (("neither", "neither", "neither", "denies"), "refuted", [], URLS[3:]),
        (("states", "neither", "neither", "denies"), "mixed", URLS[:1], URLS[3:]),
        (("neither", "neither", "neither", "neither"), "not_enough", [], []),
    ],
)
async def test_a_verdict_follows_from_what_each_source_says(
    tmp_path: Path, stances: tuple[str, ...], verdict: str, supporting: Any, refuting: Any
) -> None:
    model = judged(*stances)
    rig = Rig(search=FakeSearch(hits=(*HITS, OTHER)), model=model, judges_citations=True)

    answer = await checked(tmp_path, rig)

    assert (answer["verdict"], answer["judged"]) == (verdict, True)
    assert [one["url"] for one in answer["supporting"]] == supporting
    assert [one["url"] for one in answer["refuting"]] == refuting
    assert all(one["passage"] for one in (*answer["supporting"], *answer["refuting"]))
    assert answer["statement"] == STATEMENT
    assert [source["url"] for source in answer["results"]] == URLS
    (prompt,) = model.prompts
    assert ("llm.example", "prompt") in {(sent["to"], sent["kind"]) for sent in answer["outbound"]}
    assert STATEMENT in prompt.messages[1].content


async def test_pages_are_read_for_it(tmp_path: Path) -> None:
    said = "The council set the toll for cars on the Skerry Bridge at 4.50 crowns in October."
    rig = Rig(fetcher=FakeFetcher(texts={HITS[2].url: said}))

    answer = await checked(tmp_path, rig)

    assert HITS[2].url in rig.fetcher.calls[0].urls
    assert HITS[2].url in {one["url"] for one in answer["supporting"]}


@pytest.mark.parametrize("reply", ['{"verdicts": [{"pair": 1, "stance": "doubts"}]}', "Certainly!"])
async def test_without_a_usable_judge_no_verdict_is_given(tmp_path: Path, reply: str) -> None:
    rig = Rig(
        search=FakeSearch(hits=(*HITS, OTHER)), model=FakeModel([reply]), judges_citations=True
    )

    answer = await checked(tmp_path, rig)

    assert (answer["verdict"], answer["judged"], answer["refuting"]) == (None, False, [])
    assert {one["url"] for one in answer["supporting"]} == set(URLS[:2])
    assert "citations" in {lost["component"] for lost in answer["degraded"]}


async def test_where_nothing_may_leave_no_model_outside_is_asked(tmp_path: Path) -> None:
    model = judged("states", "states", "states")

    answer = await checked(tmp_path, Rig(model=model, judges_citations=True), no_external=True)

    assert (answer["verdict"], answer["judged"]) == (None, False)
    assert model.prompts == []


async def test_a_plain_search_checks_nothing() -> None:
    model = judged("states")
    rig = Rig(model=model, judges_citations=True)

    outcome = await rig.engine.search(SearchCommand(query=STATEMENT))

    assert outcome.check is None
    assert model.prompts == []
    assert rig.fetcher.calls == []
