"""Where sources know several things of one name, a quotation says which one it means."""

from dataclasses import replace

import pytest
from port_fakes import HITS, FakeSearch, search_decision
from turn_fakes import Rig

from pellucid_gateway.domain.decision import PlannedQuery

QUESTION = "How high is Cape Orrin?"
HIGH = "It rises 214 metres above the sea."


def rig(*titles: str) -> Rig:
    hits = tuple(
        replace(
            HITS[0], url=f"http://a{n}.example/", title=title, snippet=HIGH, domain=f"a{n}.example"
        )
        for n, title in enumerate(titles)
    )
    found = Rig(search=FakeSearch(hits=hits))
    queries = (PlannedQuery("Cape Orrin high"),)
    found.decision.decision = search_decision(standalone_question=QUESTION, queries=queries)
    return found


@pytest.mark.parametrize(
    ("titles", "named"),
    [
        (("Cape Orrin, Sundmark", "Cape Orrin, Vellmark"), True),
        (("Cape Orrin (Sundmark)", "Cape Orrin (lighthouse)"), True),
        (("Cape Orrin, Sundmark", "Walks in Sundmark, by the sea"), False),
        (("Cape Orrin, Sundmark", "Cape Orrin, Sundmark"), False),
        (("Cape Orrin: a walk", "Cape Orrin - the guide"), False),
    ],
)
async def test_a_reading_is_named_where_there_are_several(
    titles: tuple[str, ...], *, named: bool
) -> None:
    events = await rig(*titles).events(QUESTION)
    answer = events[-1].result.answer  # type: ignore[union-attr]
    assert "214 metres" in answer
    assert ("Sundmark" in answer) is named
