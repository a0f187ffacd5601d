"""What names of queries stand for is told with the sources that have the names."""

from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

from kept_rig import Plan, ask, open_gateway
from port_fakes import HITS, FakeFetcher, FakeSearch
from turn_fakes import Rig, turn

from pellucid_gateway.domain.events import Done
from pellucid_gateway.domain.findings import Entity
from pellucid_gateway.domain.ports import SearchAnswer, SearchCall

BRIDGE = Entity(name="Skerry Bridge", id="Q4242", label="Skerry Bridge", description="a bridge")


class LinkingSearch(FakeSearch):
    """Links the name of its queries."""

    async def search(self, call: SearchCall) -> SearchAnswer:
        return replace(await super().search(call), entities=(BRIDGE,))


def linking() -> Rig:
    other = replace(HITS[2], title="A crossing", snippet="It opened in 1987 for cars.")
    return Rig(search=LinkingSearch(hits=(*HITS[:2], other)))


async def test_an_entity_names_the_sources_that_have_its_name(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        gateway = await open_gateway(stack, Plan(tmp_path, rig=linking()))
        async with gateway.client() as http:
            answer = await ask(http)
            found = (await http.post("/v1/search", json={"query": "Skerry Bridge toll"})).json()

    told = {"name": "Skerry Bridge", "id": "Q4242", "label": "Skerry Bridge"}
    assert answer["entities"] == [told | {"description": "a bridge", "sources": [1, 2]}]
    assert found["entities"] == answer["entities"]


async def test_a_page_that_a_person_named_is_not_looked_through() -> None:
    page = "https://mine.example/page"
    rig = linking()
    rig.fetcher = FakeFetcher(texts={page: "The toll of the Skerry Bridge for cars is 9 crowns."})
    rig.decision.decision = replace(rig.decision.decision, urls=(page,))

    done = [event async for event in rig.engine.run(turn(f"Toll? {page}"))][-1]

    assert isinstance(done, Done)
    own = [source.n for source in done.result.sources if source.user_supplied]
    (entity,) = done.result.entities
    assert own == [1]
    assert entity.sources == (2, 3)
